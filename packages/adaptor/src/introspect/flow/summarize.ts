import type { FunctionDefJson } from '@adaptor-marketplace/move-bytecode';
import type { CodeModule } from '../code/module.ts';
import { splitIntoBlocks, toInstructions } from './blocks.ts';
import { Body, type CallHandler } from './body.ts';
import { runInstruction } from './instructions.ts';
import type { Summary } from './summary.ts';
import { join, parameterValue, type Value } from './value.ts';

/** Instructions, values and facts that the whole analysis may still handle. */
export interface Fuel {
  left: number;
}

/** Bound on visits of instructions. Each pass through a loop counts. */
const visitsMax = 60_000;
/** Instructions between two pauses: a pause costs as much as some instructions. */
const unpausedMax = 64;

/**
 * Runs a function's code on the origins of its values, through all branches at once and through loops until nothing is
 * added, with pauses. Bytecode that no verifier would pass gives some summary too: missing values are unknown.
 */
export async function summarize(
  module: CodeModule,
  { code, function: handleIndex }: FunctionDefJson,
  onCall: CallHandler,
  fuel: Fuel,
  pause: () => Promise<void>,
): Promise<Summary> {
  const handle = module.handle(handleIndex);
  const body = new Body(module, handle, onCall);
  const instructions = code ? toInstructions(code) : [];
  const blocks = code ? splitIntoBlocks(instructions, code) : [];
  const atEntry: (Value | undefined)[][] = [];
  atEntry[0] = handle.parameters.map((_, i) => parameterValue(i));
  const open = new Set([0]);
  let visits = 0;
  for (const index of open) {
    open.delete(index);
    const block = blocks[index];
    if (!block) continue;
    const length = block.end - block.start + 1;
    visits += length;
    fuel.left -= length + computeJoinCost(atEntry[index]!) * (1 + block.successors.length);
    if (visits > visitsMax || fuel.left < 0) {
      body.markCut();
      break;
    }
    body.locals = [...atEntry[index]!];
    body.stack.length = 0;
    for (body.pc = block.start; body.pc <= block.end; body.pc++) {
      runInstruction(body, instructions[body.pc]!);
      if (body.pc % unpausedMax === 0) await pause();
    }
    await pause();
    for (const next of block.successors) {
      const known = atEntry[next];
      const joined = known ? joinLocals(known, body.locals) : [...body.locals];
      if (joined === known) continue;
      atEntry[next] = joined;
      open.add(next);
    }
  }
  return body.buildSummary();
}

/** The cost of joining the locals with those of another branch to the same block. */
function computeJoinCost(locals: readonly (Value | undefined)[]): number {
  return locals.reduce((sum, value) => sum + (value?.size ?? 1), 0);
}

function joinLocals(known: (Value | undefined)[], now: readonly (Value | undefined)[]) {
  let joined = known;
  for (const [i, value] of now.entries()) {
    if (!value) continue;
    const before = known[i];
    const after = before ? join(before, value) : value;
    if (after === before) continue;
    if (joined === known) joined = [...known];
    joined[i] = after;
  }
  return joined;
}
