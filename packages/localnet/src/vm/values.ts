import { brokenInvariant, VmError } from './errors.ts';
import { ALLOCATION_UNITS, type Meter } from './meter.ts';

/**
 * Runtime values: u8 to u32 are numbers, u64 to u256 bigints, addresses canonical hex strings. Structs, variants
 * and vectors are owned by exactly one cell; moving hands over the instance, copying clones it.
 */
export type Value =
  | number
  | bigint
  | boolean
  | string
  | StructValue
  | VariantValue
  | VectorValue
  | ByteVector
  | Ref;

/** Values nested deeper than this are refused, as on chain; it also bounds our own recursion. */
export const MAX_VALUE_DEPTH = 128;

export class StructValue {
  readonly fields: Value[];

  constructor(fields: Value[]) {
    this.fields = fields;
  }
}

export class VariantValue {
  readonly tag: number;
  readonly fields: Value[];

  constructor(tag: number, fields: Value[]) {
    this.tag = tag;
    this.fields = fields;
  }
}

export class VectorValue {
  readonly items: Value[];

  constructor(items: Value[]) {
    this.items = items;
  }

  get length(): number {
    return this.items.length;
  }

  get cells(): Value[] {
    return this.items;
  }

  push(value: Value): void {
    this.items.push(value);
  }

  pop(): Value | undefined {
    return this.items.pop();
  }
}

/** `vector<u8>`: bytes with room to grow. */
export class ByteVector {
  #bytes: Uint8Array;
  #length: number;

  /** Takes over `bytes`. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#length = bytes.length;
  }

  get length(): number {
    return this.#length;
  }

  get cells(): Uint8Array {
    return this.#bytes;
  }

  /** The content without copying; valid until the next push. */
  get view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  push(value: Value): void {
    if (this.#length === this.#bytes.length) {
      const grown = new Uint8Array(Math.max(16, this.#length * 2));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes[this.#length] = value as number;
    this.#length += 1;
  }

  pop(): Value | undefined {
    if (this.#length === 0) return undefined;
    this.#length -= 1;
    return this.#bytes[this.#length];
  }
}

export type AnyVector = VectorValue | ByteVector;

/** A reference: one cell of a frame's locals, a struct's fields, a vector's elements or an object's holder. */
export class Ref {
  readonly cells: (Value | undefined)[] | Uint8Array;
  readonly index: number;

  constructor(cells: (Value | undefined)[] | Uint8Array, index: number) {
    this.cells = cells;
    this.index = index;
  }

  read(): Value {
    return this.cells[this.index]!;
  }

  write(value: Value): void {
    this.cells[this.index] = value as number;
  }
}

/** A deep copy; charges for the memory that it takes: by container, and one unit for two elements or 32 bytes. */
export function copyValue(value: Value, meter: Meter, depth = 0): Value {
  if (typeof value !== 'object') return value;
  if (value instanceof Ref) return value;
  checkDepth(depth);
  if (value instanceof ByteVector) {
    meter.charge(ALLOCATION_UNITS + (value.length >> 5));
    return new ByteVector(value.view.slice());
  }
  if (value instanceof VectorValue) return new VectorValue(copyAll(value.items, meter, depth));
  const fields = copyAll(value.fields, meter, depth);
  return value instanceof StructValue ? new StructValue(fields) : new VariantValue(value.tag, fields);
}

function copyAll(values: Value[], meter: Meter, depth: number): Value[] {
  meter.charge(ALLOCATION_UNITS + (values.length >> 1));
  return values.map((value) => copyValue(value, meter, depth + 1));
}

function checkDepth(depth: number): void {
  if (depth > MAX_VALUE_DEPTH) {
    throw new VmError('limit', `a value is nested deeper than ${MAX_VALUE_DEPTH}`);
  }
}

/** Structural equality; references are compared by what they point at. */
export function equalValues(left: Value, right: Value, meter: Meter, depth = 0): boolean {
  if (left instanceof Ref && right instanceof Ref)
    return equalValues(left.read(), right.read(), meter, depth);
  if (typeof left !== 'object' || typeof right !== 'object') return left === right;
  checkDepth(depth);
  if (left instanceof ByteVector && right instanceof ByteVector) {
    meter.charge(1 + (left.length >> 5));
    return Buffer.compare(left.view, right.view) === 0;
  }
  if (left instanceof VectorValue && right instanceof VectorValue) {
    return equalAll(left.items, right.items, meter, depth);
  }
  if (left instanceof StructValue && right instanceof StructValue) {
    return equalAll(left.fields, right.fields, meter, depth);
  }
  if (left instanceof VariantValue && right instanceof VariantValue) {
    return left.tag === right.tag && equalAll(left.fields, right.fields, meter, depth);
  }
  return false;
}

function equalAll(left: Value[], right: Value[], meter: Meter, depth: number): boolean {
  meter.charge(1 + (left.length >> 1));
  return (
    left.length === right.length && left.every((value, i) => equalValues(value, right[i]!, meter, depth + 1))
  );
}

/** The id of an object's value: `UID { id: ID { bytes } }` is its first field. */
export function objectIdOf(value: Value): string {
  let inner: Value | undefined = value;
  for (let depth = 0; depth < 3; depth += 1) {
    inner = inner instanceof StructValue ? inner.fields[0] : undefined;
  }
  if (typeof inner !== 'string') throw brokenInvariant('an object does not begin with its id');
  return inner;
}
