import { brokenInvariant, VmError, verificationError } from '../errors.ts';
import { ALLOCATION_UNITS } from '../meter.ts';
import { typesIn } from '../type-args.ts';
import { referenceTo, type Type, U64, vectorOf } from '../types.ts';
import { type AnyVector, ByteVector, Ref, type Value, VectorValue } from '../values.ts';
import type { Emit, FunctionCompiler } from './compiler.ts';

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
  if (index >= BigInt(vector.length)) throw vectorError(OUT_OF_BOUNDS, 'vector index out of bounds');
  return Number(index);
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

function borrow(mutable: boolean): Emit {
  return (compiler, operand) => {
    const element = compiler.singleType(operand);
    compiler.expect(U64);
    compiler.expectReference(vectorOf(element), mutable);
    compiler.push(referenceTo(element, mutable));
    return ({ stack }) => {
      const index = stack.pop() as bigint;
      stack.push(borrowElement(stack.pop(), index));
    };
  };
}

function sized(compiler: FunctionCompiler, operand: unknown): { element: Type; count: number } {
  if (!Array.isArray(operand)) throw brokenInvariant('a vector instruction without its operands');
  const count = compiler.index(operand[1]);
  // More can never lie on the stack, and a lie must not cost us memory.
  if (count > 1024)
    throw verificationError('VALUE_STACK_OVERFLOW', 'a vector of more elements than the stack holds');
  return { element: compiler.singleType(operand[0]), count };
}

export const vectors: Record<string, Emit> = {
  VecPack: (compiler, operand) => {
    const { element, count } = sized(compiler, operand);
    for (let i = 0; i < count; i += 1) compiler.expect(element);
    compiler.push(vectorOf(element));
    const types = typesIn([element]);
    return ({ stack, meter }, frame) => {
      meter.charge(ALLOCATION_UNITS);
      stack.push(makeVector(types(frame)[0]!, stack.splice(stack.length - count, count)));
    };
  },
  VecUnpack: (compiler, operand) => {
    const { element, count } = sized(compiler, operand);
    compiler.expect(vectorOf(element));
    for (let i = 0; i < count; i += 1) compiler.push(element);
    return (machine) => {
      const vector = machine.popVector();
      checkLength(vector, count);
      for (let i = 0; i < count; i += 1) machine.stack.push(vector.cells[i]!);
    };
  },
  VecLen: (compiler, operand) => {
    compiler.expectReference(vectorOf(compiler.singleType(operand)), false);
    compiler.push(U64);
    return ({ stack }) => {
      stack.push(BigInt(vectorBehind(stack.pop()).length));
    };
  },
  VecImmBorrow: borrow(false),
  VecMutBorrow: borrow(true),
  VecPushBack: (compiler, operand) => {
    const element = compiler.singleType(operand);
    compiler.expect(element);
    compiler.expectReference(vectorOf(element), true);
    return ({ stack }) => {
      const value = stack.pop()!;
      pushBack(stack.pop(), value);
    };
  },
  VecPopBack: (compiler, operand) => {
    const element = compiler.singleType(operand);
    compiler.expectReference(vectorOf(element), true);
    compiler.push(element);
    return ({ stack }) => {
      stack.push(popBack(stack.pop()));
    };
  },
  VecSwap: (compiler, operand) => {
    const element = compiler.singleType(operand);
    compiler.expect(U64);
    compiler.expect(U64);
    compiler.expectReference(vectorOf(element), true);
    return ({ stack }) => {
      const right = stack.pop() as bigint;
      const left = stack.pop() as bigint;
      swapElements(stack.pop(), left, right);
    };
  },
};
