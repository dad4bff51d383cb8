import type { CodeJson } from '@adaptor-marketplace/move-bytecode';
import { type Instruction, toInstructions } from '../../introspect/flow/blocks.ts';
import type { CodeFunction } from '../code/program.ts';
import type { Assets } from './assets.ts';
import { noAtoms, union } from './atom.ts';
import { bounds } from './bounds.ts';
import { type ControlFlow, readControlFlow } from './control.ts';
import { Effects } from './effects.ts';
import { distinctFacts, Frame, type Operand } from './frame.ts';
import { runInstruction } from './instructions.ts';
import { bottom, type Summary } from './summary.ts';
import { influences, join, nothing, type Test, type Value } from './value.ts';

/** The code of a function with what does not depend on the functions that it calls. */
export interface Body {
  fn: CodeFunction;
  locals: number;
  instructions: readonly Instruction[];
  flow: ControlFlow;
  /** Locals that some instruction reads. */
  used: ReadonlySet<number>;
}

/** Runs a call. Returns one value for each result, and the equalities that hold after it. */
export type RunCall = (
  frame: Frame,
  name: string,
  operand: number,
) => { results: readonly Operand[]; facts: readonly Test[] };

const uses = new Set(['CopyLoc', 'MoveLoc', 'MutBorrowLoc', 'ImmBorrowLoc']);

/** Returns undefined if the code exceeds a bound. */
export function readBody(fn: CodeFunction, code: CodeJson): Body | undefined {
  if (code.code.length > bounds.instructions) return undefined;
  const instructions = toInstructions(code);
  const flow = readControlFlow(instructions, code);
  if (!flow) return undefined;
  return { fn, locals: code.locals, instructions, flow, used: readLocals(instructions) };
}

/** The locals, parameters included, that some instruction reads. */
export function readLocals(instructions: readonly Instruction[]): ReadonlySet<number> {
  return new Set(instructions.filter(({ name }) => uses.has(name)).map(({ operand }) => Number(operand)));
}

/**
 * Runs a function on abstract values until nothing is added, and collects its effects. All branches run, and loops run
 * until the values are stable.
 */
export function summarize(
  { fn, locals, instructions, flow, used }: Body,
  assets: Assets,
  runCall: RunCall,
): Summary {
  const frame = new Frame(fn, assets, flow, locals, used);
  const atEntry = new Map<number, readonly Value[]>();
  if (flow.order.length > 0) atEntry.set(0, frame.entryState());
  const runBlock = (block: number): readonly Test[] => {
    const { start, end } = flow.blocks[block]!;
    const facts: Test[] = [];
    frame.block = block;
    frame.state = atEntry.get(block)!;
    frame.clearStack();
    frame.steps += end - start + 1;
    for (frame.pc = start; frame.pc <= end; frame.pc++) {
      const instruction = instructions[frame.pc]!;
      if (instruction.name === 'Call' || instruction.name === 'CallGeneric') {
        facts.push(...call(frame, instruction, runCall));
      } else if (!runInstruction(frame, instruction)) frame.fail('instruction', instruction.name);
      if (frame.steps > bounds.functionSteps) frame.fail('bound', 'steps of a function');
      if (frame.failure) break;
    }
    return facts;
  };
  const failed = (): Summary => ({
    ...bottom(frame.handle.returns.length, nothing),
    failure: frame.failure!,
    steps: frame.steps,
  });

  // Each block comes after those that dominate it, so that without loops one round is enough.
  const positions = new Map(flow.order.map((block, i) => [block, i]));
  const facts = new Map<number, readonly Test[]>();
  for (let round = 0; ; round++) {
    frame.changed = false;
    for (const [i, block] of flow.order.entries()) {
      if (!atEntry.has(block)) continue;
      const found = runBlock(block);
      facts.set(block, [...found, ...checkedFacts(frame, flow, block)]);
      if (frame.failure) return failed();
      for (const next of flow.blocks[block]!.successors) {
        if (!flow.isLive(next)) continue;
        const grown = enter(atEntry, next, frame);
        if (grown && positions.get(next)! <= i) frame.changed = true;
      }
    }
    if (!frame.changed) break;
    if (round > bounds.rounds) frame.fail('bound', 'rounds of a function');
    if (frame.failure) return failed();
  }

  // All values are stable now, so that the effects are those of every execution.
  const reached = flow.order.filter((block) => atEntry.has(block));
  frame.facts = facts;
  frame.effects = new Effects();
  for (const block of reached) {
    runBlock(block);
    collectGate(frame, block);
  }
  if (frame.effects.isFull) frame.fail('bound', 'effects of a function');
  if (frame.failure) return failed();
  return { ...frame.effects.lists(), ...readReturns(frame, instructions, reached), steps: frame.steps };
}

function call(frame: Frame, { name, operand }: Instruction, runCall: RunCall): readonly Test[] {
  const { results, facts } = runCall(frame, name, Number(operand));
  for (const { value, type } of results) frame.push(value, type);
  return facts;
}

/** Joins the state with that of other ways to the block. Returns `true` if they grew. */
function enter(atEntry: Map<number, readonly Value[]>, block: number, frame: Frame): boolean {
  const known = atEntry.get(block);
  const { state } = frame;
  if (!known) {
    atEntry.set(block, state);
    return true;
  }
  let grown: Value[] | undefined;
  for (const [i, value] of state.entries()) {
    const before = known[i]!;
    const after = join(before, value);
    if (after === before) continue;
    frame.steps += after.size;
    grown ??= [...known];
    grown[i] = after;
  }
  if (grown) atEntry.set(block, grown);
  return grown !== undefined;
}

/** The equality that a block checks before it lets the function go on. */
function checkedFacts(frame: Frame, flow: ControlFlow, block: number): readonly Test[] {
  const passes = flow.passesIf(block);
  const test = frame.conditions.get(block)?.test;
  return passes !== undefined && test?.when === passes ? [{ ...test, when: true }] : [];
}

function collectGate(frame: Frame, block: number): void {
  const condition = frame.conditions.get(block);
  if (!frame.flow.isCheck(block) || !condition) return;
  frame.pc = frame.flow.blocks[block]!.end;
  frame.effects?.add('gates', { ...frame.here('gate'), on: union(influences(condition), frame.guards()) });
}

function readReturns(
  frame: Frame,
  instructions: readonly Instruction[],
  reached: readonly number[],
): Pick<Summary, 'returns' | 'returnGuards' | 'returnTrails' | 'facts'> {
  let returnGuards = noAtoms;
  const returnTrails = [];
  for (const block of reached) {
    const { end } = frame.flow.blocks[block]!;
    if (instructions[end]!.name !== 'Ret') continue;
    frame.block = block;
    frame.pc = end;
    returnGuards = union(returnGuards, frame.guards());
    returnTrails.push(frame.here().trail);
  }
  const facts = distinctFacts(frame.flow.certain.flatMap((block) => frame.facts.get(block) ?? []));
  return { returns: frame.returns, returnGuards, returnTrails, facts };
}
