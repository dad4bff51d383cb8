import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { serializeValue } from '../bcs.ts';
import { abortError } from '../errors.ts';
import type { Native } from '../runtime/machine.ts';
import { moveTypeName, type Naming } from '../type-names.ts';
import type { Type } from '../types.ts';
import { ByteVector, type Ref, StructValue } from '../values.ts';
import { bytesOf, byteVector, type NativeModule, textValue } from './native.ts';

/** Bytes hashed or searched per unit of work. */
const BYTES_PER_UNIT = 4;

export function digestNative(digest: (bytes: Uint8Array) => Uint8Array): Native {
  return (machine, [data]) => {
    const bytes = bytesOf(data);
    machine.meter.charge(100 + Math.ceil(bytes.length / BYTES_PER_UNIT));
    return [byteVector(digest(bytes))];
  };
}

function nodeDigest(algorithm: string): Native {
  return digestNative((bytes) => createHash(algorithm).update(bytes).digest());
}

export const bcs: NativeModule = {
  to_bytes: (machine, [reference], [type]) => {
    const bytes = serializeValue(type!, (reference as Ref).read());
    machine.meter.charge(Math.ceil(bytes.length / BYTES_PER_UNIT));
    return [new ByteVector(bytes)];
  },
};

export const hash: NativeModule = {
  sha2_256: nodeDigest('sha256'),
  sha3_256: nodeDigest('sha3-256'),
};

function isBoundary(bytes: Uint8Array, index: number): boolean {
  // A byte of the form 10xxxxxx continues a character.
  return index === bytes.length || (index < bytes.length && (bytes[index]! & 0xc0) !== 0x80);
}

export const string: NativeModule = {
  internal_check_utf8: (machine, [text]) => {
    const bytes = bytesOf(text);
    machine.meter.charge(Math.ceil(bytes.length / BYTES_PER_UNIT));
    return [isUtf8(bytes)];
  },
  internal_is_char_boundary: (_, [text, index]) => [isBoundary(bytesOf(text), Number(index))],
  internal_sub_string: (machine, [text, from, to]) => {
    const part = bytesOf(text).slice(Number(from), Number(to));
    machine.meter.charge(Math.ceil(part.length / BYTES_PER_UNIT));
    return [new ByteVector(part)];
  },
  internal_index_of: (machine, [text, wanted]) => {
    const bytes = Buffer.from(bytesOf(text));
    const needle = bytesOf(wanted);
    machine.meter.charge(Math.ceil((bytes.length + needle.length) / BYTES_PER_UNIT));
    const found = bytes.indexOf(needle);
    return [BigInt(found < 0 ? bytes.length : found)];
  },
};

/** Code of `std::type_name`: a primitive type belongs to no module. */
const NON_MODULE_TYPE = 0;

function nameOf(naming: Naming): Native {
  return (_, __, [type]) => [new StructValue([textValue(moveTypeName(type!, naming))])];
}

function packageOf(type: Type | undefined, naming: Naming): string {
  if (type?.kind !== 'datatype') throw abortError(NON_MODULE_TYPE, 'a primitive type has no package');
  return naming === 'defining' ? type.datatype.definingId : type.datatype.originalId;
}

export const typeNames: NativeModule = {
  get: nameOf('defining'),
  get_with_original_ids: nameOf('original'),
  with_defining_ids: nameOf('defining'),
  with_original_ids: nameOf('original'),
  defining_id: (_, __, [type]) => [packageOf(type, 'defining')],
  original_id: (_, __, [type]) => [packageOf(type, 'original')],
};

/** Printing is for tests in the Move VM; a network has no terminal, and the real one prints nothing either. */
export const debug: NativeModule = {
  print: () => [],
  print_stack_trace: () => [],
};
