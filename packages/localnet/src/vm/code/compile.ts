import { type CodeJson, instructionParts } from '@adaptor-marketplace/move-bytecode';
import { brokenInvariant, VerificationError, VmError, verificationError } from '../errors.ts';
import type { LoadedFunction } from '../loader/module.ts';
import type { VerifierMeter } from '../meter.ts';
import type { Step } from '../runtime/machine.ts';
import { arithmetic } from './arithmetic.ts';
import { type Emit, FunctionCompiler } from './compiler.ts';
import { control } from './control.ts';
import { enums } from './enums.ts';
import { locals } from './locals.ts';
import { references } from './references.ts';
import { structs } from './structs.ts';
import { vectors } from './vectors.ts';

const INSTRUCTIONS = new Map<string, Emit>(
  Object.entries({ ...arithmetic, ...control, ...enums, ...locals, ...references, ...structs, ...vectors }),
);

/** Every instruction that runs here, by its name in the bytecode. */
export const instructionNames: readonly string[] = [...INSTRUCTIONS.keys()];

const ENDS_BLOCK = new Set(['Ret', 'Abort', 'Branch', 'VariantSwitch', 'BrTrue', 'BrFalse']);

/**
 * Makes a function's code ready to run, and checks it on the way as the chain's verifier does for stack use and
 * types: the operand stack is empty wherever a basic block begins or ends, so one pass knows every type.
 *
 * - NEGATIVE_STACK_SIZE_WITHIN_BLOCK, POSITIVE_STACK_SIZE_AT_BLOCK_END: a block takes only what it puts there;
 * - VALUE_STACK_OVERFLOW, VALUE_STACK_PUSH_OVERFLOW: 1,024 values at once, 10,000 in a block;
 * - ..._TYPE_MISMATCH_ERROR: operands are of the types that the instruction takes (see `mismatchStatus`);
 * - ..._WITHOUT_COPY_ABILITY, ..._WITHOUT_DROP_ABILITY: what is copied has `copy`, what is lost `drop`;
 * - CONSTRAINT_NOT_SATISFIED, TOO_MANY_TYPE_NODES: type arguments are able, and types not too large.
 *
 * `meter` bounds the work; without one the code was verified before.
 */
export function compileFunction(fn: LoadedFunction, meter?: VerifierMeter): Step[] {
  const { code } = fn.definition;
  if (!code) throw brokenInvariant(`${fn.name} is native and has no code`);
  const compiler = new FunctionCompiler(fn, meter);
  const leaders = blockStarts(code);
  const steps: Step[] = [];
  for (const [pc, instruction] of code.code.entries()) {
    const isLeader = leaders.has(pc);
    if (isLeader) compiler.beginBlock();
    if (isLeader && !compiler.isEmpty) throw unbalanced(fn, pc, 'a block begins with values on the stack');
    const [name, operand] = instructionParts(instruction);
    const emit = INSTRUCTIONS.get(name);
    if (emit === undefined) throw brokenInvariant(`instruction ${name} is unknown`);
    compiler.begin(name);
    steps.push(emitAt(emit, compiler, operand, pc));
    if (!ENDS_BLOCK.has(name)) continue;
    if (!compiler.isEmpty) throw unbalanced(fn, pc, 'a block ends with values on the stack');
    compiler.beginBlock();
  }
  return steps;
}

/** Names the place of what is wrong. */
function emitAt(emit: Emit, compiler: FunctionCompiler, operand: unknown, pc: number): Step {
  try {
    return emit(compiler, operand);
  } catch (error) {
    if (error instanceof VerificationError) throw error.at(place(compiler.fn, pc));
    // Types that grow too large when they are put together.
    if (error instanceof VmError && error.kind === 'limit') {
      throw verificationError('TOO_MANY_TYPE_NODES', error.message).at(place(compiler.fn, pc));
    }
    throw error;
  }
}

function blockStarts({ code, jump_tables }: CodeJson): Set<number> {
  const starts = new Set<number>();
  for (const instruction of code) {
    const [name, operand] = instructionParts(instruction);
    if (name === 'Branch' || name === 'BrTrue' || name === 'BrFalse') starts.add(Number(operand));
    if (name === 'VariantSwitch') {
      for (const target of jump_tables[Number(operand)]!.jump_table.Full) starts.add(target);
    }
  }
  return starts;
}

function place(fn: LoadedFunction, pc: number): string {
  return `${fn.module.name}::${fn.name} at ${pc}`;
}

function unbalanced(fn: LoadedFunction, pc: number, detail: string) {
  return verificationError('POSITIVE_STACK_SIZE_AT_BLOCK_END', detail).at(place(fn, pc));
}
