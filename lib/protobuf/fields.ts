import { BinaryReader, WireType } from '@protobuf-ts/runtime';

/**
 * Yields the length-delimited values of a field, without a copy. Other fields are skipped, so that a message costs no
 * more memory than what is taken from it. @throws if the message is malformed, after the values before
 */
export function* listFields(message: Uint8Array, fieldNumber: number): Generator<Uint8Array, undefined> {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === fieldNumber && wireType === WireType.LengthDelimited) yield reader.bytes();
    else reader.skip(wireType);
  }
}
