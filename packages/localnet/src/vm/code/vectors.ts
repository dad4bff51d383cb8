import { brokenInvariant, verificationError } from '../errors.ts';
import { ALLOCATION_UNITS } from '../meter.ts';
import { typesIn } from '../type-args.ts';
import { referenceTo, type Type, U64, vectorOf } from '../types.ts';
import {
  borrowElement,
  checkLength,
  makeVector,
  popBack,
  pushBack,
  swapElements,
  vectorBehind,
} from '../vectors.ts';
import type { Emit, FunctionCompiler } from './compiler.ts';

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
