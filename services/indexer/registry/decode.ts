import {
  decodeRegistryEvent,
  isRegistryEventName,
  type RegistryEventName,
  type RegistryEvents,
} from '../../../lib/chain/events/registry.ts';

/** A registry event that decoded, told apart by its name. */
export type RegistryEvent = {
  [Name in RegistryEventName]: { name: Name; fields: RegistryEvents[Name] };
}[RegistryEventName];

/**
 * What the tables' indexes can hold. Our registry stays far below (256 and 512 bytes, a hash of 32); another
 * one need not, and one event too long would stop all that follow it.
 */
const textBytesMax = 1_024;
const hashDigitsMax = 128;
const versionMax = 2 ** 31 - 1;

/** @throws with the reason, when the bytes do not decode or exceed what can be stored */
export function decodeForStorage(name: string, contents: Uint8Array): RegistryEvent {
  if (!isRegistryEventName(name)) throw new Error('The registry has no event of this name.');
  const event = { name, fields: decodeRegistryEvent(name, contents) };
  for (const [field, value] of Object.entries(event.fields)) {
    const max = field === 'manifestHash' ? hashDigitsMax : textBytesMax;
    if (typeof value === 'string' && value.length > max / 4 && Buffer.byteLength(value) > max) {
      throw new Error(`${field} is longer than ${max} bytes.`);
    }
    if (field === 'version' && Number(value) > versionMax) throw new Error(`version is above ${versionMax}.`);
  }
  return event as RegistryEvent;
}
