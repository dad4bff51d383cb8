import { type RegistryEvents, registryEvents } from '../../../../lib/chain/events/registry.ts';
import { type DecodedEvent, decodeForStorage } from '../storable.ts';

/** A registry event that decoded, told apart by its name. */
export type RegistryEvent = DecodedEvent<RegistryEvents>;

/** @throws with the reason, when the bytes do not decode or exceed what can be stored */
export function decodeRegistryEvent(path: string, contents: Uint8Array): RegistryEvent {
  return decodeForStorage(registryEvents, path.replace(/^registry::/, ''), contents);
}
