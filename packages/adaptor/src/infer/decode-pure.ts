import { pureBcsSchemaFromTypeName } from '@mysten/sui/bcs';
import { toBase64 } from '@mysten/sui/utils';
import { pureTypeName } from '../manifest/pure-type.ts';
import type { PureCandidate } from './inference.ts';

type Value = Extract<PureCandidate, { value: unknown }>['value'];
type DecodedValue = { value: Value } | { bytes: string; reason: string };

/**
 * Bound on a value's BCS in bytes: more than a path of thirty addresses. Longer values are data rather than settings.
 */
const shownBytesMax = 1_024;

/**
 * Decodes a pure argument's bytes to the value in a call spec: u64 and wider numbers as decimal strings, addresses and
 * ids in full, byte vectors as arrays. A value that would not encode to the same bytes stays bytes, with the reason.
 */
export function decodePure(type: string, bytes: Uint8Array): DecodedValue {
  const undecoded = (reason: string) => ({
    bytes: toBase64(bytes.subarray(0, shownBytesMax)),
    reason,
  });
  if (bytes.length > shownBytesMax) {
    return undecoded(`Longer than ${shownBytesMax} bytes: ${bytes.length}, of which the first are shown.`);
  }
  const name = pureTypeName(type);
  if (name === undefined) return undecoded(`${type} is not a pure type.`);
  try {
    const schema = pureBcsSchemaFromTypeName(name);
    // A copy of its own: the reader would read from the whole underlying buffer, past the end of a view.
    const value = schema.parse(Uint8Array.from(bytes));
    if (toBase64(bytes) === schema.serialize(value).toBase64()) return { value: value as Value };
  } catch {
    // The return below gives the reason.
  }
  return undecoded(`The bytes have no value of ${type} that JSON could state.`);
}
