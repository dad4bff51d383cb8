import type { EventCodec } from '../../../lib/chain/events/codec.ts';

/** An event that decoded, told apart by its key in the codec. */
export type DecodedEvent<Events> = {
  [Name in keyof Events & string]: { name: Name; fields: Events[Name] };
}[keyof Events & string];

/**
 * What the tables' indexes can hold. Our packages stay far below; others need not, and one event too long would
 * stop all that follow it.
 */
export const textBytesMax = 1_024;
const hashDigitsMax = 128;
const versionMax = 2 ** 31 - 1;
/** In no index, so as long as the chain lets them be. */
const freeTexts = new Set(['note', 'brief', 'description', 'assetName']);

/** @throws with the reason, when the bytes do not decode or exceed what can be stored */
export function decodeForStorage<Events>(
  codec: EventCodec<Events>,
  name: string,
  contents: Uint8Array,
): DecodedEvent<Events> {
  if (!codec.isName(name)) throw new Error('The package is not known to emit an event of this name.');
  const fields: object = codec.decode(name, contents) as object;
  for (const [field, value] of Object.entries(fields)) {
    const max = field === 'manifestHash' ? hashDigitsMax : textBytesMax;
    if (typeof value === 'string' && value.length > max / 4 && !freeTexts.has(field)) {
      if (Buffer.byteLength(value) > max) throw new Error(`${field} is longer than ${max} bytes.`);
    }
    if (field === 'version' && Number(value) > versionMax) throw new Error(`version is above ${versionMax}.`);
  }
  return { name, fields } as DecodedEvent<Events>;
}
