import type { FunctionBody, Instruction } from './body.ts';

/** Instructions without a next one by themselves. */
const ENDS_FUNCTION = new Set(['Ret', 'Abort', 'Branch', 'VariantSwitch']);
const CONDITIONAL = new Set(['BrTrue', 'BrFalse']);

const MAX_BASIC_BLOCKS = 1024;
const MAX_BACK_EDGES = 10_000;
const MAX_LOOP_DEPTH = 5;

/** A straight run of instructions; `end` is the last one's index. */
interface Block {
  start: number;
  end: number;
  /** Indices of blocks. */
  successors: number[];
}

export interface ControlFlow {
  /** In the order of the code; the first is where the function begins. */
  blocks: readonly Block[];
  /** Indices of the reachable blocks, each before those it leads to, but for the way back of loops. */
  order: readonly number[];
}

/**
 * Cuts a function's code into basic blocks, and checks its shape:
 *
 * - EMPTY_CODE_UNIT: there is code;
 * - INVALID_FALL_THROUGH: it ends with a jump, a return or an abort;
 * - TOO_MANY_BASIC_BLOCKS: at most 1,024 blocks; TOO_MANY_BACK_EDGES: at most 10,000 ways back to a loop's head;
 * - INVALID_LOOP_SPLIT: each loop is entered at its head alone (the graph is reducible);
 * - LOOP_MAX_DEPTH_REACHED: loops are nested at most five deep;
 * - INVALID_ENUM_SWITCH: each jump table is used.
 */
export function controlFlowOf(body: FunctionBody): ControlFlow {
  const { instructions } = body;
  const last = instructions.at(-1);
  if (last === undefined) throw body.error('EMPTY_CODE_UNIT', 0, 'there is no code');
  if (!ENDS_FUNCTION.has(last.name)) {
    throw body.error('INVALID_FALL_THROUGH', instructions.length - 1, 'the code runs past its end');
  }
  checkJumpTables(body);
  const blocks = cut(body);
  if (blocks.length > MAX_BASIC_BLOCKS) {
    throw body.error('TOO_MANY_BASIC_BLOCKS', 0, `more than ${MAX_BASIC_BLOCKS} blocks`);
  }
  const order = reversePostorder(blocks);
  checkLoops(body, blocks, order);
  return { blocks, order };
}

function targetsOf(body: FunctionBody, { name, operand }: Instruction): number[] {
  if (name === 'Branch' || CONDITIONAL.has(name)) return [Number(operand)];
  return name === 'VariantSwitch' ? body.code.jump_tables[Number(operand)]!.jump_table.Full : [];
}

function checkJumpTables(body: FunctionBody): void {
  const used = new Set<number>();
  for (const { name, operand } of body.instructions) if (name === 'VariantSwitch') used.add(Number(operand));
  if (used.size !== body.code.jump_tables.length) {
    throw body.error('INVALID_ENUM_SWITCH', 0, 'a jump table is never used');
  }
}

function cut(body: FunctionBody): Block[] {
  const { instructions } = body;
  const starts = new Set([0]);
  for (const [pc, instruction] of instructions.entries()) {
    for (const target of targetsOf(body, instruction)) starts.add(target);
    const { name } = instruction;
    if (pc + 1 < instructions.length && (ENDS_FUNCTION.has(name) || CONDITIONAL.has(name)))
      starts.add(pc + 1);
  }
  const sorted = [...starts].sort((a, b) => a - b);
  const indexAt = new Map(sorted.map((start, i) => [start, i]));
  return sorted.map((start, i) => {
    const end = (sorted[i + 1] ?? instructions.length) - 1;
    const instruction = instructions[end]!;
    const successors = new Set(targetsOf(body, instruction).map((target) => indexAt.get(target)!));
    if (!ENDS_FUNCTION.has(instruction.name)) successors.add(i + 1);
    return { start, end, successors: [...successors] };
  });
}

function reversePostorder(blocks: readonly Block[]): number[] {
  const done: number[] = [];
  const seen = new Set([0]);
  const path = [{ block: 0, next: 0 }];
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const successor = blocks[top.block]!.successors[top.next];
    top.next += 1;
    if (successor === undefined) {
      done.push(top.block);
      path.pop();
    } else if (!seen.has(successor)) {
      seen.add(successor);
      path.push({ block: successor, next: 0 });
    }
  }
  return done.reverse();
}

/**
 * A way back (to a block at or before itself in `order`) belongs to a loop exactly when its target dominates its
 * source; in a reducible graph all of them do.
 */
function checkLoops(body: FunctionBody, blocks: readonly Block[], order: readonly number[]): void {
  const position = new Map(order.map((block, i) => [block, i]));
  const predecessors = new Map<number, number[]>(order.map((block) => [block, []]));
  const loops = new Map<number, number[]>();
  let backEdges = 0;
  for (const block of order) {
    for (const successor of blocks[block]!.successors) {
      predecessors.get(successor)!.push(block);
      if (position.get(successor)! > position.get(block)!) continue;
      backEdges += 1;
      loops.set(successor, [...(loops.get(successor) ?? []), block]);
    }
  }
  if (backEdges === 0) return;
  if (backEdges > MAX_BACK_EDGES) throw body.error('TOO_MANY_BACK_EDGES', 0, `${backEdges} ways back`);
  const depth = new Map<number, number>();
  for (const [head, sources] of loops) {
    for (const block of loopBody(body, head, sources, predecessors)) {
      const nested = (depth.get(block) ?? 0) + 1;
      depth.set(block, nested);
      if (nested > MAX_LOOP_DEPTH) {
        throw body.error('LOOP_MAX_DEPTH_REACHED', blocks[block]!.start, 'loops are nested too deeply');
      }
    }
  }
}

/** The blocks from which a loop's ways back are reached without its head; the entry among them proves it has two. */
function loopBody(
  body: FunctionBody,
  head: number,
  sources: readonly number[],
  predecessors: ReadonlyMap<number, number[]>,
): Set<number> {
  const found = new Set([head]);
  const open = [...sources];
  for (let block = open.pop(); block !== undefined; block = open.pop()) {
    if (found.has(block)) continue;
    if (block === 0) throw body.error('INVALID_LOOP_SPLIT', 0, 'a loop is entered beside its head');
    found.add(block);
    body.meter.charge(1 + predecessors.get(block)!.length);
    open.push(...predecessors.get(block)!);
  }
  return found;
}
