import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkpointsBehindMax, type LookupSeen, type ObjectsSeen, type Round, Rounds } from './rounds.ts';

const signedAt = 100n;
const moved: ObjectsSeen = { kind: 'moved', by: 'P' };
const absent = (more: Partial<Extract<LookupSeen, { kind: 'notFound' }>> = {}): LookupSeen => ({
  kind: 'notFound',
  lowest: 0n,
  height: 200n,
  moverAt: 150n,
  ...more,
});
const conclude = (rounds: readonly Round[], signed: bigint | null = signedAt) => {
  const state = new Rounds(signed);
  return rounds.map((round) => state.add(round)).at(-1);
};
const thrice = (round: Round) => conclude([round, round, round]);

describe('what counts', () => {
  const counts: Round = { objects: moved, lookups: [absent()] };

  test('three rounds in a row, and not two', () => {
    expect(conclude([counts, counts])).toBe('undecided');
    expect(thrice(counts)).toBe('impossible');
  });

  test.each<[string, Round]>([
    ['objects that are not answered', { objects: { kind: 'failed' }, lookups: [absent()] }],
    ['objects that have not moved', { objects: { kind: 'unmoved' }, lookups: [absent()] }],
    ['a lookup that fails', { objects: moved, lookups: [{ kind: 'failed' }] }],
    ['a node without what moved the object on', { objects: moved, lookups: [absent({ moverAt: null })] }],
    ['a node below the checkpoint of it', { objects: moved, lookups: [absent({ moverAt: 201n })] }],
  ])('%s: the count begins again', (_what, other) => {
    expect(conclude([counts, counts, other, counts, counts])).toBe('undecided');
    expect(conclude([counts, counts, other, counts, counts, counts])).toBe('impossible');
  });

  test('an object written by the transaction itself rules it out for good', () => {
    const ours: Round = { objects: { kind: 'ours' }, lookups: [absent()] };
    expect(conclude([ours, ...Array<Round>(20).fill(counts)])).toBe('undecided');
  });

  test('so does a lookup that found it once', () => {
    const found: Round = { objects: moved, lookups: [{ kind: 'found' }] };
    expect(conclude([found, ...Array<Round>(20).fill(counts)])).toBe('undecided');
  });
});

describe('pruned history', () => {
  const pruned = absent({ lowest: signedAt + 1n });

  test('from the checkpoint of the signature on is enough, and one less is unknown', () => {
    expect(thrice({ objects: moved, lookups: [absent({ lowest: signedAt })] })).toBe('impossible');
    expect(thrice({ objects: moved, lookups: [pruned] })).toBe('unknown');
  });

  test('an archive decides what the node pruned; one that does not answer leaves it open', () => {
    expect(thrice({ objects: moved, lookups: [pruned, absent()] })).toBe('impossible');
    expect(thrice({ objects: moved, lookups: [pruned, { kind: 'failed' }] })).toBe('undecided');
    expect(thrice({ objects: moved, lookups: [pruned, absent({ height: 149n })] })).toBe('undecided');
    expect(thrice({ objects: moved, lookups: [pruned, pruned] })).toBe('unknown');
  });

  test('it is not unknown while it may still execute', () => {
    expect(thrice({ objects: { kind: 'unmoved' }, lookups: [pruned] })).toBe('undecided');
  });

  test('without a checkpoint of the signature nothing rules it out', () => {
    const round: Round = { objects: moved, lookups: [absent()] };
    expect(conclude(Array(3).fill(round), null)).toBe('unknown');
  });
});

describe('an object that is gone', () => {
  const gone = (height: bigint): ObjectsSeen => ({ kind: 'gone', height });
  const at = signedAt + checkpointsBehindMax;

  test('counts on a node that knew it, once the lookup’s node has seen its end', () => {
    const round = (height: bigint): Round => ({ objects: gone(at), lookups: [absent({ height })] });
    expect(thrice(round(at + checkpointsBehindMax))).toBe('impossible');
    expect(thrice(round(at + checkpointsBehindMax - 1n))).toBe('undecided');
  });

  test('counts for nothing on a node that may not have it yet', () => {
    expect(thrice({ objects: gone(at - 1n), lookups: [absent({ height: 1_000n })] })).toBe('undecided');
  });
});

/**
 * A chain on which something uses the object X that the transaction names: the transaction, another one, or both, never
 * at the same version. Nodes are prefixes of it, at heights that only rise, with prefixes pruned. Each call reaches any
 * of them, or fails.
 */
interface World {
  /** Checkpoint of the transaction; undefined: it never executes. */
  executedAt: bigint | undefined;
  /** Checkpoints of later uses of X, in order. */
  usedAt: bigint[];
  /** `true` if the last use deletes X. */
  deleted: boolean;
}

interface TestNode {
  height: bigint;
  lowest: bigint;
  /** Executed ahead of its newest checkpoint. */
  ahead: bigint;
}

interface Call {
  node: number;
  fails: boolean;
}

interface Step {
  objects: Call;
  lookup: Call;
  archive: Call;
  /** Progress of each node before the round: `by` new checkpoints, of which it does not prune the newest `keep`. */
  passes: { by: number; keep: number }[];
}

const call = fc.record({ node: fc.nat(2), fails: fc.nat(4).map((nth) => nth === 0) });
const steps = fc.array(
  fc.record({
    objects: call,
    lookup: call,
    archive: call,
    passes: fc.array(fc.record({ by: fc.nat(90), keep: fc.nat(400) }), { minLength: 3, maxLength: 3 }),
  }),
  { maxLength: 60 },
);
const world = fc
  .record({
    first: fc.bigInt(signedAt + 1n, signedAt + 300n),
    gaps: fc.array(fc.bigInt(0n, 60n), { maxLength: 5 }),
    executes: fc.boolean(),
    deleted: fc.boolean(),
  })
  .map(({ first, gaps, executes, deleted }): World => {
    const uses = [first];
    for (const gap of gaps) uses.push(uses.at(-1)! + gap);
    const executedAt = executes ? first : undefined;
    const usedAt = executes ? uses.slice(1) : uses;
    return { executedAt, usedAt, deleted: deleted && usedAt.length > 0 };
  });
const nodes = fc.array(
  fc.record({
    height: fc.bigInt(signedAt - 90n, signedAt + 20n),
    ahead: fc.bigInt(0n, checkpointsBehindMax - 1n),
  }),
  { minLength: 3, maxLength: 3 },
);

/** Returns what the nodes of the model answer to the calls of one round. */
function observe({ executedAt, usedAt, deleted }: World, all: readonly TestNode[], step: Step): Round {
  const seenBy = ({ height, ahead }: TestNode, checkpoint: bigint) => checkpoint <= height + ahead;
  const objects = (): ObjectsSeen => {
    const node = all[step.objects.node]!;
    // X was created when the transaction was signed, or shortly before.
    const uses = usedAt.filter((use) => seenBy(node, use));
    const ended = deleted && uses.length === usedAt.length;
    if (step.objects.fails) return { kind: 'failed' };
    if (!seenBy(node, signedAt) || ended) return { kind: 'gone', height: node.height };
    if (uses.length > 0) return { kind: 'moved', by: `P${uses.length - 1}` };
    return { kind: executedAt !== undefined && seenBy(node, executedAt) ? 'ours' : 'unmoved' };
  };
  const seen = objects();
  const lookUp = ({ node: at, fails }: Call): LookupSeen => {
    const node = all[at]!;
    if (fails) return { kind: 'failed' };
    const shows = (checkpoint: bigint) => seenBy(node, checkpoint) && checkpoint >= node.lowest;
    if (executedAt !== undefined && shows(executedAt)) return { kind: 'found' };
    const { lowest, height } = node;
    const mover = seen.kind === 'moved' ? usedAt[Number(seen.by.slice(1))] : undefined;
    const known = mover !== undefined && shows(mover) && mover <= height;
    return { kind: 'notFound', lowest, height, moverAt: known ? mover : null };
  };
  return { objects: seen, lookups: [lookUp(step.lookup), lookUp(step.archive)] };
}

test('what executed, or ever will, is never called impossible, whatever nodes fail, lag and prune', () => {
  let impossible = 0;
  let unknown = 0;
  fc.assert(
    fc.property(world, nodes, steps, (chain, starts, rounds) => {
      const all = starts.map((start): TestNode => ({ ...start, lowest: 0n }));
      // The responses of these nodes are consistent, so one round is as good as three.
      const state = new Rounds(signedAt, 1);
      for (const step of rounds) {
        step.passes.forEach(({ by, keep }, place) => {
          const node = all[place]!;
          node.height += BigInt(by);
          const floor = node.height - BigInt(keep);
          if (floor > node.lowest) node.lowest = floor;
        });
        const conclusion = state.add(observe(chain, all, step));
        const { executedAt } = chain;
        if (conclusion === 'impossible') expect(executedAt).toBeUndefined();
        // The conclusion frees the key, so the transaction must not be able to execute later.
        if (conclusion === 'unknown' && executedAt !== undefined) {
          expect(all.some(({ height, ahead }) => height + ahead >= executedAt)).toBe(true);
        }
        impossible += Number(conclusion === 'impossible');
        unknown += Number(conclusion === 'unknown');
        if (conclusion !== 'undecided') return;
      }
    }),
    { numRuns: 5_000 },
  );
  // The model reaches both conclusions.
  expect(impossible).toBeGreaterThan(0);
  expect(unknown).toBeGreaterThan(0);
});

test('one node that answers decides in the end: by finding it, by ruling it out, or by having pruned it', () => {
  fc.assert(
    fc.property(world, fc.nat(400), (chain, keep) => {
      const node: TestNode = { height: 10_000n, lowest: 10_000n - 25n * BigInt(keep), ahead: 0n };
      if (node.lowest < 0n) node.lowest = 0n;
      const calm: Call = { node: 0, fails: false };
      const round = observe(chain, [node], { objects: calm, lookup: calm, archive: calm, passes: [] });
      if (round.lookups.some(({ kind }) => kind === 'found')) return;
      const state = new Rounds(signedAt);
      const conclusions = Array.from({ length: 3 }, () => state.add(round));
      // A lower height was seen first.
      const later = { ...round, lookups: round.lookups.map(risen) };
      const last = conclusions.at(-1) === 'undecided' ? conclude3(state, later) : conclusions.at(-1);
      const covers = node.lowest <= signedAt;
      expect(last).toBe(chain.executedAt === undefined && covers ? 'impossible' : 'unknown');
    }),
  );
});

const risen = (lookup: LookupSeen): LookupSeen =>
  lookup.kind === 'notFound' ? { ...lookup, height: lookup.height + checkpointsBehindMax } : lookup;
const conclude3 = (state: Rounds, round: Round) => Array.from({ length: 3 }, () => state.add(round)).at(-1);
