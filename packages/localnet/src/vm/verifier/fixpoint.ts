import type { FunctionBody, Instruction } from './body.ts';
import type { ControlFlow } from './control-flow.ts';

/** What a pass knows at a point of a function, and how instructions change it. */
export interface Analysis<State> {
  /** Where the function begins. */
  initial: State;
  copy(state: State): State;
  /** Changes `state` as the instruction does; throws when it breaks a rule. */
  step(state: State, instruction: Instruction, pc: number): void;
  /** Brings the state at the end of a block into the form in which `join` compares states. */
  settle?(state: State): void;
  /** Takes what `other` knows into `state`; whether that changed it. */
  join(state: State, other: State): boolean;
}

/**
 * Runs an analysis over every reachable block until nothing changes: a block with several ways into it is judged
 * by what all of them have in common. Ends because `join` can change a state only finitely often, and early when
 * the meter runs out.
 */
export function analyse<State>(body: FunctionBody, flow: ControlFlow, analysis: Analysis<State>): void {
  const { blocks, order } = flow;
  const joins = joinsOf(flow);
  const entries = new Map<number, State>([[0, analysis.initial]]);
  const waiting = new Set([0]);
  const position = new Map(order.map((block, i) => [block, i]));
  let at = 0;
  while (waiting.size > 0) {
    while (!waiting.has(order[at]!)) at += 1;
    const index = order[at]!;
    waiting.delete(index);
    const { start, end, successors } = blocks[index]!;
    body.meter.charge(end - start + 1);
    const entry = entries.get(index)!;
    // Where nothing else can lead, no later state will be compared with the one at the beginning.
    if (!joins.has(index)) entries.delete(index);
    const state = joins.has(index) ? analysis.copy(entry) : entry;
    for (let pc = start; pc <= end; pc += 1) analysis.step(state, body.instructions[pc]!, pc);
    analysis.settle?.(state);
    for (const [i, successor] of successors.entries()) {
      const known = entries.get(successor);
      if (known === undefined)
        entries.set(successor, i + 1 < successors.length ? analysis.copy(state) : state);
      else if (!analysis.join(known, state)) continue;
      waiting.add(successor);
      at = Math.min(at, position.get(successor)!);
    }
  }
}

/** Blocks that more than one way leads to; the beginning counts as one. */
function joinsOf({ blocks, order }: ControlFlow): Set<number> {
  const seen = new Set([0]);
  const joins = new Set<number>();
  for (const block of order) {
    for (const successor of blocks[block]!.successors) {
      if (seen.has(successor)) joins.add(successor);
      seen.add(successor);
    }
  }
  return joins;
}
