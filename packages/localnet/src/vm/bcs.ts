import { BcsError, BcsReader } from './bcs-reader.ts';
import { BcsWriter } from './bcs-writer.ts';
import { brokenInvariant, VmError } from './errors.ts';
import { type DatatypeType, fieldTypesOf, INTEGER_BITS, isInteger, type Type } from './types.ts';
import { ByteVector, MAX_VALUE_DEPTH, StructValue, type Value, VariantValue, VectorValue } from './values.ts';

/** The chain's bound on one object or one event, in bytes, with room for what only lives in a transaction. */
const MAX_BYTES = 1 << 20;

/** Throws a `limit` error for values deeper than 128 or larger than 1 MiB. */
export function serializeValue(type: Type, value: Value): Uint8Array {
  const writer = new BcsWriter(MAX_BYTES);
  writeValue(writer, type, value, 0);
  return writer.take();
}

function writeValue(writer: BcsWriter, type: Type, value: Value, depth: number): void {
  if (depth > MAX_VALUE_DEPTH) throw new VmError('limit', `a value is nested deeper than ${MAX_VALUE_DEPTH}`);
  if (isInteger(type)) writer.integer(value as number | bigint, INTEGER_BITS[type.kind] / 8);
  else if (type.kind === 'bool') writer.integer(value ? 1 : 0, 1);
  else if (type.kind === 'address' || type.kind === 'signer') writer.address(value as string);
  else if (value instanceof ByteVector) {
    writer.length(value.length);
    writer.bytes(value.view);
  } else if (type.kind === 'vector' && value instanceof VectorValue) {
    writer.length(value.length);
    for (const item of value.items) writeValue(writer, type.element, item, depth + 1);
  } else if (type.kind === 'datatype' && value instanceof StructValue) {
    writeFields(writer, fieldTypesOf(type)[0]!, value.fields, depth);
  } else if (type.kind === 'datatype' && value instanceof VariantValue) {
    writer.length(value.tag);
    writeFields(writer, fieldTypesOf(type)[value.tag]!, value.fields, depth);
  } else {
    throw brokenInvariant(`a value is not of type ${type.kind}`);
  }
}

function writeFields(writer: BcsWriter, types: Type[], values: Value[], depth: number): void {
  for (const [i, type] of types.entries()) writeValue(writer, type, values[i]!, depth + 1);
}

/** Throws BcsError unless `bytes` are exactly one canonical value of the type. */
export function deserializeValue(type: Type, bytes: Uint8Array): Value {
  const reader = new BcsReader(bytes);
  const value = readValue(reader, type, 0);
  if (reader.left !== 0) throw new BcsError(`${reader.left} bytes are left over`);
  return value;
}

function readValue(reader: BcsReader, type: Type, depth: number): Value {
  if (depth > MAX_VALUE_DEPTH) throw new BcsError(`nested deeper than ${MAX_VALUE_DEPTH}`);
  switch (type.kind) {
    case 'u8':
    case 'u16':
    case 'u32':
      return reader.small(INTEGER_BITS[type.kind] / 8);
    case 'u64':
    case 'u128':
    case 'u256':
      return reader.big(INTEGER_BITS[type.kind] / 8);
    case 'bool': {
      const byte = reader.small(1);
      if (byte > 1) throw new BcsError('a bool is neither 0 nor 1');
      return byte === 1;
    }
    case 'address':
    case 'signer':
      return reader.address();
    case 'vector':
      return readVector(reader, type.element, depth);
    case 'datatype':
      return readDatatype(reader, type, depth);
    default:
      throw new BcsError(`a ${type.kind} has no bytes`);
  }
}

function readVector(reader: BcsReader, element: Type, depth: number): Value {
  const count = reader.length();
  // Every element takes at least one byte, so a lying length cannot make us allocate.
  if (count > reader.left) throw new BcsError('the bytes end too early');
  if (element.kind === 'u8') return new ByteVector(reader.bytes(count));
  const items: Value[] = [];
  for (let i = 0; i < count; i += 1) items.push(readValue(reader, element, depth + 1));
  return new VectorValue(items);
}

function readDatatype(reader: BcsReader, type: DatatypeType, depth: number): Value {
  const variants = fieldTypesOf(type);
  const isStruct = type.datatype.body.kind === 'struct';
  const tag = isStruct ? 0 : reader.length();
  const fields = variants[tag];
  if (fields === undefined) throw new BcsError(`variant ${tag} does not exist`);
  const values = fields.map((field) => readValue(reader, field, depth + 1));
  return isStruct ? new StructValue(values) : new VariantValue(tag, values);
}
