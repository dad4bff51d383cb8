import type { CodeJson } from '@adaptor-marketplace/move-bytecode';
import { type Instruction, splitIntoBlocks } from '../../introspect/flow/blocks.ts';
import { findComponents } from './components.ts';

/** The blocks of a function, and which of them decide about others. Blocks that cannot return are left out. */
export interface ControlFlow {
  blocks: ReturnType<typeof splitIntoBlocks>;
  /**
   * Blocks on a path from the entry to a return: loops, and single blocks outside of them, each after all that lead to it.
   * Within a loop, each block comes after those that dominate it.
   */
  groups: readonly BlockGroup[];
  isLive(block: number): boolean;
  /** Blocks whose last instruction decides whether the block runs, checks that abort not included. */
  deciders(block: number): readonly number[];
  /** Blocks that run in each execution that returns and in which the block runs. */
  companions(block: number): readonly number[];
  /** Blocks that run in each execution that returns. */
  readonly certain: readonly number[];
  /** The value of the condition with which a check at the end of the block does not abort. Undefined without a check. */
  passesIf(block: number): boolean | undefined;
  /** Returns `true` if the block ends with a branch of which one side cannot return. */
  isCheck(block: number): boolean;
  isInLoop(block: number): boolean;
}

/** A block that runs once, or all blocks of an outermost loop. */
interface BlockGroup {
  blocks: readonly number[];
  isLoop: boolean;
}

/** Bound on the blocks of a function. The sets of dominators grow with its square. */
const blocksMax = 2_000;

/** Returns undefined if there are too many blocks. */
export function readControlFlow(
  instructions: readonly Instruction[],
  code: CodeJson,
): ControlFlow | undefined {
  const blocks = splitIntoBlocks(instructions, code);
  if (blocks.length > blocksMax) return undefined;
  const reachable = reach(
    [0].filter((start) => start < blocks.length),
    (b) => blocks[b]!.successors,
  );
  const predecessors: number[][] = blocks.map(() => []);
  for (const b of reachable) for (const next of blocks[b]!.successors) predecessors[next]!.push(b);
  const returns = [...reachable].filter((b) => instructions[blocks[b]!.end]!.name === 'Ret');
  const live = reach(returns, (b) => predecessors[b]!);
  const next = (b: number) => blocks[b]!.successors.filter((each) => live.has(each));
  const before = (b: number) => predecessors[b]!.filter((each) => live.has(each));
  const order = reversePostorder(live.has(0) ? 0 : undefined, next);
  const dominators = solve(order, 0, before, blocks.length);
  const postDominators = solve([...order].reverse(), undefined, next, blocks.length, new Set(returns));
  const deciders = findDeciders(order, next, postDominators, blocks.length);
  const positions = new Map(order.map((b, i) => [b, i]));
  const groups = findComponents(order, next)
    .reverse()
    .map((component): BlockGroup => {
      const [first] = component;
      const isLoop = component.length > 1 || next(first!).includes(first!);
      return { blocks: component.sort((a, b) => positions.get(a)! - positions.get(b)!), isLoop };
    });
  const looping = new Set(groups.flatMap((group) => (group.isLoop ? group.blocks : [])));
  return {
    blocks,
    groups,
    isLive: (b) => live.has(b),
    deciders: (b) => deciders.get(b) ?? [],
    companions: (b) =>
      order.filter((a) => hasBit(dominators.get(b)!, a) || hasBit(postDominators.get(b)!, a)),
    certain: order.length === 0 ? [] : order.filter((a) => hasBit(postDominators.get(0)!, a)),
    isCheck: (b) => live.has(b) && blocks[b]!.successors.some((each) => !live.has(each)),
    passesIf: (b) => {
      const { name, operand } = instructions[blocks[b]!.end]!;
      const branch = name === 'BrTrue' || name === 'BrFalse' ? name === 'BrTrue' : undefined;
      const [passing, ...others] = next(b);
      if (branch === undefined || passing === undefined || others.length > 0) return undefined;
      if (blocks[b]!.successors.length < 2) return undefined;
      return blocks[passing]!.start === Number(operand) ? branch : !branch;
    },
    isInLoop: (b) => looping.has(b),
  };
}

function reach(starts: readonly number[], next: (b: number) => readonly number[]): Set<number> {
  const found = new Set(starts);
  for (const b of found) for (const each of next(b)) found.add(each);
  return found;
}

function reversePostorder(start: number | undefined, next: (b: number) => readonly number[]): number[] {
  if (start === undefined) return [];
  const order: number[] = [];
  const seen = new Set([start]);
  const work = [{ b: start, to: next(start), at: 0 }];
  while (work.length > 0) {
    const top = work.at(-1)!;
    const to = top.to[top.at++];
    if (to === undefined) {
      order.push(top.b);
      work.pop();
    } else if (!seen.has(to)) {
      seen.add(to);
      work.push({ b: to, to: next(to), at: 0 });
    }
  }
  return order.reverse();
}

const hasBit = (bits: Uint32Array, at: number): boolean => (bits[at >>> 5]! & (1 << (at & 31))) !== 0;

/** Finds the blocks on all paths from the starts to each block, itself included. */
function solve(
  order: readonly number[],
  start: number | undefined,
  before: (b: number) => readonly number[],
  count: number,
  starts: ReadonlySet<number> = new Set(start === undefined ? [] : [start]),
): Map<number, Uint32Array> {
  const words = (count + 31) >>> 5;
  const sets = new Map(order.map((b) => [b, new Uint32Array(words).fill(0xffffffff)]));
  for (let changed = true; changed; ) {
    changed = false;
    for (const b of order) {
      const now = new Uint32Array(words);
      // The empty path leads to a start.
      if (!starts.has(b)) {
        now.fill(0xffffffff);
        for (const each of before(b)) {
          const other = sets.get(each);
          if (other) for (let i = 0; i < words; i++) now[i]! &= other[i]!;
        }
      }
      now[b >>> 5]! |= 1 << (b & 31);
      const known = sets.get(b)!;
      if (now.every((word, i) => word === known[i])) continue;
      sets.set(b, now);
      changed = true;
    }
  }
  return sets;
}

/** Finds the branches that decide whether each block runs, directly or through other branches. */
function findDeciders(
  order: readonly number[],
  next: (b: number) => readonly number[],
  postDominators: ReadonlyMap<number, Uint32Array>,
  count: number,
): Map<number, number[]> {
  const words = (count + 31) >>> 5;
  const direct = new Map(order.map((b) => [b, new Set<number>()]));
  for (const branch of order) {
    const sides = next(branch);
    if (sides.length < 2) continue;
    const own = postDominators.get(branch)!;
    for (const side of sides) {
      const bits = postDominators.get(side)!;
      for (let i = 0; i < words; i++) {
        for (let word = bits[i]! & ~own[i]!, at = 0; word !== 0 && at < 32; at++) {
          if ((word & (1 << at)) !== 0) direct.get(i * 32 + at)?.add(branch);
          word &= ~(1 << at);
        }
      }
      // A branch decides whether it runs again.
      if (hasBit(bits, branch)) direct.get(branch)?.add(branch);
    }
  }
  return new Map(
    order.map((b) => [
      b,
      [...reach([...direct.get(b)!], (each) => [...direct.get(each)!])].sort((x, y) => x - y),
    ]),
  );
}
