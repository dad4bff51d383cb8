import type { CodeJson } from '@adaptor-marketplace/move-bytecode';
import { type Instruction, toInstructions } from '../../introspect/flow/blocks.ts';
import type { CodeFunction } from '../code/program.ts';
import type { Assets } from './assets.ts';
import type { Origins } from './atom.ts';
import { noAtoms, union } from './atom-set.ts';
import { bounds } from './bounds.ts';
import { type ControlFlow, readControlFlow } from './control.ts';
import { Effects } from './effects.ts';
import { Frame, type Operand } from './frame.ts';
import { runInstruction } from './instructions.ts';
import { bottom, distinctFacts, type Summary } from './summary.ts';
import { influences, join, nothing, type Test, type Value } from './value.ts';

/** The code of a function with what does not depend on the functions that it calls. */
export interface Body {
  fn: CodeFunction;
  origins: Origins;
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
export function readBody(fn: CodeFunction, code: CodeJson, origins: Origins): Body | undefined {
  if (code.code.length > bounds.instructions) return undefined;
  const instructions = toInstructions(code);
  const flow = readControlFlow(instructions, code);
  if (!flow) return undefined;
  return { fn, origins, locals: code.locals, instructions, flow, used: readLocals(instructions) };
}

/** The locals, parameters included, that some instruction reads. */
export function readLocals(instructions: readonly Instruction[]): ReadonlySet<number> {
  return new Set(instructions.filter(({ name }) => uses.has(name)).map(({ operand }) => Number(operand)));
}

/**
 * Runs a function on abstract values until nothing is added, and collects its effects. All branches run, and loops run
 * until the values are stable.
 */
export function summarize(body: Body, assets: Assets, runCall: RunCall): Summary {
  return new Run(body, assets, runCall).summary();
}

/** One run of a function on abstract values. */
class Run {
  readonly #frame: Frame;
  readonly #body: Body;
  readonly #runCall: RunCall;
  readonly #atEntry = new Map<number, readonly Value[]>();
  readonly #facts = new Map<number, readonly Test[]>();

  constructor(body: Body, assets: Assets, runCall: RunCall) {
    this.#frame = new Frame(body, assets);
    this.#body = body;
    this.#runCall = runCall;
  }

  summary(): Summary {
    const frame = this.#frame;
    const { groups } = this.#body.flow;
    const effects = new Effects();
    if (groups.length > 0) this.#atEntry.set(0, frame.entryState());
    for (const { blocks, isLoop } of groups) {
      if (isLoop) this.#runLoop(blocks);
      // All that leads to the blocks is stable now, so that the effects are those of every execution.
      frame.effects = effects;
      for (const block of blocks) if (!frame.failure) this.#runBlock(block);
      frame.effects = undefined;
      if (frame.failure) break;
    }
    if (effects.isFull) frame.fail('bound', 'effects of a function');
    const { failure, steps } = frame;
    if (failure) return { ...bottom(frame.handle.returns.length, nothing), failure, steps };
    const lists = effects.lists((block) => this.#listFacts(this.#body.flow.companions(block)));
    return { ...lists, ...this.#readReturns(), steps };
  }

  /** Runs the blocks of a loop, and again those of which the values at the entry or the deciding conditions grew. */
  #runLoop(blocks: readonly number[]): void {
    const frame = this.#frame;
    const { flow } = this.#body;
    const members = new Set(blocks);
    const open = new Set(blocks);
    for (let round = 0; open.size > 0; round++) {
      if (round > bounds.rounds) frame.fail('bound', 'rounds of a function');
      for (const block of blocks) {
        if (frame.failure) return;
        if (!open.delete(block)) continue;
        frame.changed = false;
        for (const grown of this.#runBlock(block)) if (members.has(grown)) open.add(grown);
        if (frame.changed) for (const each of blocks) if (flow.deciders(each).includes(block)) open.add(each);
      }
    }
  }

  /** Returns the blocks after it of which the values at the entry grew. A block that is not reached does not run. */
  #runBlock(block: number): readonly number[] {
    const frame = this.#frame;
    const { flow, instructions } = this.#body;
    const state = this.#atEntry.get(block);
    if (!state) return [];
    const { start, end, successors } = flow.blocks[block]!;
    const facts: Test[] = [];
    frame.block = block;
    frame.state = state;
    frame.clearStack();
    frame.steps += end - start + 1;
    for (frame.pc = start; frame.pc <= end; frame.pc++) {
      const instruction = instructions[frame.pc]!;
      if (instruction.name === 'Call' || instruction.name === 'CallGeneric') {
        facts.push(...call(frame, instruction, this.#runCall));
      } else if (!runInstruction(frame, instruction)) frame.fail('instruction', instruction.name);
      if (frame.steps > bounds.functionSteps) frame.fail('bound', 'steps of a function');
      if (frame.failure) return [];
    }
    this.#facts.set(block, [...facts, ...checkedFacts(frame, flow, block)]);
    collectGate(frame, block);
    return successors.filter((next) => flow.isLive(next) && enter(this.#atEntry, next, frame));
  }

  #listFacts(blocks: readonly number[]): readonly Test[] {
    return distinctFacts(blocks.flatMap((block) => this.#facts.get(block) ?? []));
  }

  #readReturns(): Pick<Summary, 'returns' | 'returnGuards' | 'returnTrails' | 'facts'> {
    const frame = this.#frame;
    const { flow, instructions } = this.#body;
    let returnGuards = noAtoms;
    const returnTrails = [];
    for (const block of this.#atEntry.keys()) {
      const { end } = flow.blocks[block]!;
      if (instructions[end]!.name !== 'Ret') continue;
      frame.block = block;
      frame.pc = end;
      returnGuards = union(returnGuards, frame.guards());
      returnTrails.push(frame.here().trail);
    }
    return { returns: frame.returns, returnGuards, returnTrails, facts: this.#listFacts(flow.certain) };
  }
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
  if (!frame.effects || !frame.flow.isCheck(block) || !condition) return;
  frame.pc = frame.flow.blocks[block]!.end;
  const on = union(influences(condition), frame.guards());
  frame.effects.add('gates', { ...frame.here('gate'), key: on.key, on });
}
