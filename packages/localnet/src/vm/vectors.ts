import { brokenInvariant, VmError } from './errors.ts';
import type { Type } from './types.ts';
import { type AnyVector, ByteVector, Ref, type Value, VectorValue } from './values.ts';

/** The chain's VECTOR_OPERATION_ERROR with its sub-status as the code. */
function vectorError(code: bigint, message: string): VmError {
  return new VmError('vector', message, code);
}

const OUT_OF_BOUNDS = 1n;
const POP_EMPTY = 2n;
const LENGTH_MISMATCH = 3n;

/** Aborts unless a vector that is taken apart has the length that the code says. */
export function checkLength(vector: AnyVector, length: number): void {
  if (vector.length !== length) throw vectorError(LENGTH_MISMATCH, 'the vector has another length');
}

/** Elements of one vector; the chain's gas stops it much earlier. */
const MAX_LENGTH = 1 << 22;

export function makeVector(element: Type, items: Value[]): AnyVector {
  return element.kind === 'u8' ? new ByteVector(Uint8Array.from(items as number[])) : new VectorValue(items);
}

export function vectorBehind(reference: Value | undefined): AnyVector {
  const value = reference instanceof Ref ? reference.read() : undefined;
  if (value instanceof VectorValue || value instanceof ByteVector) return value;
  throw brokenInvariant('a reference to a vector was expected');
}

/** A position in a vector; aborts as the chain does when it lies outside. */
function checkedIndex(vector: AnyVector, index: bigint): number {
  // What a number cannot hold exactly lies far outside of any vector.
  const at = Number(index);
  if (at >= vector.length) throw vectorError(OUT_OF_BOUNDS, 'vector index out of bounds');
  return at;
}

export function borrowElement(reference: Value | undefined, index: bigint): Ref {
  const vector = vectorBehind(reference);
  return new Ref(vector.cells, checkedIndex(vector, index));
}

export function pushBack(reference: Value | undefined, value: Value): void {
  const vector = vectorBehind(reference);
  if (vector.length >= MAX_LENGTH)
    throw new VmError('limit', `a vector has more than ${MAX_LENGTH} elements`);
  vector.push(value);
}

export function popBack(reference: Value | undefined): Value {
  const value = vectorBehind(reference).pop();
  if (value === undefined) throw vectorError(POP_EMPTY, 'pop from an empty vector');
  return value;
}

export function swapElements(reference: Value | undefined, left: bigint, right: bigint): void {
  const vector = vectorBehind(reference);
  const { cells } = vector;
  const [i, j] = [checkedIndex(vector, left), checkedIndex(vector, right)];
  const kept = cells[i] as number;
  cells[i] = cells[j] as number;
  cells[j] = kept;
}
