import type { CodeJson } from '@adaptor-marketplace/move-bytecode';
import type { LoadedFunction } from '../loader/module.ts';
import type { Frame, Machine, Step } from '../runtime/machine.ts';
import type { Value } from '../values.ts';
import type { Trace } from './trace.ts';

/** Runs an instruction, and carries the labels of its values. */
export type Carry = (trace: Trace, machine: Machine, frame: Frame, step: Step) => void;

export type MakeCarry = (operand: unknown, at: { fn: LoadedFunction; code: CodeJson; pc: number }) => Carry;

export type CarryTable = readonly (readonly [instruction: string, make: MakeCarry])[];

export const all = (names: readonly string[], make: MakeCarry): CarryTable =>
  names.map((name) => [name, make]);

/** A value on the stack; depth 0 is the last. */
export const top = ({ stack }: Machine, depth = 0): Value => stack[stack.length - 1 - depth]!;
