import { entry, VmError, verificationError } from '../errors.ts';
import { type CodeJson, instructionParts } from '../loader/bytecode.ts';
import type { LoadedFunction } from '../loader/function.ts';
import type { Step } from '../machine.ts';
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

const ENDS_FUNCTION = new Set(['Ret', 'Abort', 'Branch', 'VariantSwitch']);
const ENDS_BLOCK = new Set([...ENDS_FUNCTION, 'BrTrue', 'BrFalse']);

/**
 * Makes a function's code ready to run, and checks it on the way as the chain's verifier does for stack use and
 * types: the operand stack is empty wherever a basic block begins or ends, so one pass knows every type.
 */
export function compileFunction(fn: LoadedFunction): Step[] {
  const { code } = fn.definition;
  if (!code) throw verificationError(`${fn.name} is native and has no code`);
  const compiler = new FunctionCompiler(fn, code.code.length);
  const leaders = blockStarts(code);
  const steps: Step[] = [];
  let last = '';
  for (const [pc, instruction] of code.code.entries()) {
    if (leaders.has(pc) && !compiler.isEmpty)
      throw misplaced(fn, pc, 'a block begins with values on the stack');
    const [name, operand] = instructionParts(instruction);
    const emit = INSTRUCTIONS.get(name);
    if (emit === undefined) throw misplaced(fn, pc, `instruction ${name} is not allowed`);
    steps.push(emitAt(emit, compiler, operand, pc));
    if (ENDS_BLOCK.has(name) && !compiler.isEmpty) {
      throw misplaced(fn, pc, 'a block ends with values on the stack');
    }
    last = name;
  }
  if (!ENDS_FUNCTION.has(last)) throw misplaced(fn, steps.length, 'the code runs past its end');
  return steps;
}

/** Names the place of what is wrong. */
function emitAt(emit: Emit, compiler: FunctionCompiler, operand: unknown, pc: number): Step {
  try {
    return emit(compiler, operand);
  } catch (error) {
    throw error instanceof VmError ? misplaced(compiler.fn, pc, error.message) : error;
  }
}

function blockStarts({ code, jump_tables }: CodeJson): Set<number> {
  const starts = new Set<number>();
  for (const instruction of code) {
    const [name, operand] = instructionParts(instruction);
    if (name === 'Branch' || name === 'BrTrue' || name === 'BrFalse') starts.add(Number(operand));
    if (name === 'VariantSwitch') {
      for (const target of entry(jump_tables, Number(operand), 'jump table').jump_table.Full)
        starts.add(target);
    }
  }
  return starts;
}

function misplaced(fn: LoadedFunction, pc: number, message: string) {
  return verificationError(`${fn.module.name}::${fn.name} at ${pc}: ${message}`);
}
