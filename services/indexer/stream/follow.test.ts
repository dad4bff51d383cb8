import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openFilteredReader } from './filtered-reader.ts';
import { type Chunk, type FollowOptions, follow } from './follow.ts';
import { type Backend, type ModelChain, ModelNode } from './testing/model-node.ts';

const createChain = (...matches: number[]): ModelChain =>
  matches.map((count) => [false, ...Array.from({ length: count }, () => true), false]);

const calm = { pageMax: 500, scanMax: 10_000, tickEvery: 25 };

/** One node with the chain up to `tip`. */
function openModel(chain: ModelChain, tip: number, options: Partial<typeof calm> = {}) {
  const backend: Backend = { tip, indexTip: tip };
  const model = new ModelNode({ ...calm, ...options, chain, backends: [backend], pick: () => backend });
  return { model, backend, grow: (to: number, index?: number) => model.grow(backend, to, index) };
}

/** Follows a model as the indexer does: what is taken in is stored with the position to resume from. */
class Follower {
  readonly model: ModelNode;
  readonly digests: string[] = [];
  readonly stretchLength: number | undefined;
  resume: FollowOptions['resume'] = { checkpoint: -1, cursor: null, cursorProvider: null };
  isCaughtUp = false;
  #last: [checkpoint: number, index: number] = [-1, -1];

  constructor(model: ModelNode, stretchLength?: number) {
    this.model = model;
    this.stretchLength = stretchLength;
  }

  start(signal: AbortSignal): AsyncGenerator<Chunk> {
    const { node } = this.model;
    const reader = openFilteredReader(node, ['0x1::registry'], { idleMs: 60_000, tipWaitMs: 1 });
    return follow({
      network: 'testnet',
      main: { node, reader },
      openArchive: undefined,
      resume: this.resume,
      requireCovers: async () => undefined,
      settleMs: 5,
      stretchLength: this.stretchLength,
      signal,
    });
  }

  take({ frames, live, provider }: Chunk): void {
    if (live) this.isCaughtUp = true;
    for (const { transaction, cursor, covered } of frames) {
      const position: [number, number] = [
        Number(transaction?.checkpoint ?? -1),
        Number(transaction?.transactionIndex ?? -1),
      ];
      if (transaction && isAfter(position, this.#last)) {
        this.digests.push(transaction.digest!);
        this.#last = position;
      }
      const { resume } = this;
      this.resume = {
        checkpoint: Math.max(resume.checkpoint, covered ?? -1),
        cursor: cursor ?? resume.cursor,
        cursorProvider: provider,
      };
    }
  }

  /** Runs until `isDone`, and once more from what is stored whenever the stream ends. */
  async run(isDone: () => boolean, onTurn: () => void = () => undefined): Promise<void> {
    while (!isDone()) {
      const stop = new AbortController();
      const chunks = this.start(stop.signal);
      try {
        for await (const chunk of chunks) {
          this.take(chunk);
          onTurn();
          if (isDone()) break;
        }
      } catch (error) {
        if ((error as { code?: string }).code !== 'UNAVAILABLE') throw error;
      } finally {
        stop.abort();
      }
      onTurn();
      await turn();
    }
  }
}

const isAfter = (left: [number, number], right: [number, number]) =>
  left[0] === right[0] ? left[1] > right[1] : left[0] > right[0];

function listDigests(chain: ModelChain, below = chain.length): string[] {
  const digests: string[] = [];
  let sequence = 0;
  for (const [checkpoint, transactions] of chain.entries()) {
    for (const matches of transactions) {
      if (matches && checkpoint < below) digests.push(String(sequence));
      sequence += 1;
    }
  }
  return digests;
}

describe('a node whose subscription begins with a cursor that names no checkpoint', () => {
  test('is caught up at its tip though nothing new comes', async () => {
    const { model } = openModel(createChain(1, 0, 2), 2);
    const follower = new Follower(model);
    await follower.run(() => follower.isCaughtUp);
    expect(follower.digests).toEqual(listDigests(createChain(1, 0, 2)));
    expect(follower.resume.checkpoint).toBe(2);
    expect(model.calls.subscribe).toBe(1);
  });

  test('is followed on the same stream from its first match on', async () => {
    const chain = createChain(1, 0, 2, 0, 1, 3);
    const { model, grow } = openModel(chain, 2);
    const follower = new Follower(model);
    await follower.run(
      () => follower.digests.length === 7,
      () => follower.isCaughtUp && grow(5),
    );
    expect(follower.digests).toEqual(listDigests(chain));
    expect(model.calls.subscribe).toBe(1);
  });

  test('is followed on the same stream when only progress comes', async () => {
    const { model, grow } = openModel(createChain(1, ...Array.from({ length: 60 }, () => 0)), 2);
    const follower = new Follower(model);
    await follower.run(
      () => follower.resume.checkpoint >= 50,
      () => follower.isCaughtUp && grow(60),
    );
    expect(model.calls.subscribe).toBe(1);
  });
});

test('the checkpoint of the last match is complete when the node confirms it, without a later frame', async () => {
  const { model, grow } = openModel(createChain(1, 0, 0, 2), 1);
  const follower = new Follower(model);
  await follower.run(
    () => follower.resume.checkpoint === 3,
    () => follower.isCaughtUp && grow(3),
  );
  expect(follower.digests).toHaveLength(3);
});

test('a match whose list index is behind does not complete its checkpoint', async () => {
  const { model, grow } = openModel(createChain(1, 0, 2, 0), 1);
  const follower = new Follower(model);
  const reader = openFilteredReader(model.node, ['0x1::registry'], { idleMs: 60_000 });
  await follower.run(() => follower.isCaughtUp);
  grow(2, 1);
  const item = Buffer.from(JSON.stringify({ isItem: true, checkpoint: 2, sequence: 7 }));
  const { signal } = new AbortController();
  expect(await reader.isComplete(2, item, signal)).toBe(false);
  grow(2, 2);
  expect(await reader.isComplete(2, item, signal)).toBe(true);
  const first = Buffer.from(JSON.stringify({ isItem: true, checkpoint: 2, sequence: 6 }));
  expect(await reader.isComplete(2, first, signal)).toBe(false);
});

describe('a cursor that leaves nothing of a list', () => {
  /** The last transaction of checkpoint 2 matches, so that its cursor is the end of the range. */
  const chain: ModelChain = [[true], [false], [false, true], [true], [false]];

  test('ends history at once after a restart with nothing new', async () => {
    const { model, grow } = openModel(chain.slice(0, 3), 1);
    const follower = new Follower(model);
    await follower.run(
      () => follower.digests.length === 2,
      () => follower.isCaughtUp && grow(2),
    );
    const before = model.calls.list;
    follower.isCaughtUp = false;
    await follower.run(() => follower.isCaughtUp);
    expect(follower.digests).toEqual(['0', '3']);
    expect(model.calls.list - before).toBeLessThanOrEqual(2);
  });

  test('does not pass over what the index of another node behind the address does not have yet', async () => {
    const ahead: Backend = { tip: 4, indexTip: 4 };
    const behind: Backend = { tip: 2, indexTip: 2 };
    let lists = 0;
    const model = new ModelNode({ ...calm, chain, backends: [ahead, behind], pick: () => ahead });
    const cursor = Buffer.from(JSON.stringify({ isItem: true, checkpoint: 2, sequence: 3 }));
    const pool = new ModelNode({
      ...calm,
      chain,
      backends: [ahead, behind],
      pick: () => (lists++ < 2 ? behind : ahead),
    });
    const reader = openFilteredReader(pool.node, ['0x1::registry'], { idleMs: 60_000, tipWaitMs: 1 });
    const digests: string[] = [];
    const sink = {
      push: ({ transaction }: Chunk['frames'][number]) => {
        if (transaction) digests.push(transaction.digest!);
      },
      ready: async () => undefined,
    };
    await reader.history({ after: cursor, from: 2, to: 5 }, sink, new AbortController().signal);
    expect(digests).toContain('4');
    expect(model.calls.list).toBe(0);
  });
});

test('nothing is lost, doubled or claimed too early by a pool of nodes that disagree, break and lag', async () => {
  const chains = fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }), {
    minLength: 2,
    maxLength: 30,
  });
  const worlds = fc.record({
    chain: chains,
    picks: fc.array(fc.nat({ max: 1 }), { minLength: 1, maxLength: 20 }),
    drops: fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 12 }),
    steps: fc.array(
      fc.record({ backend: fc.nat({ max: 1 }), by: fc.nat({ max: 6 }), lag: fc.nat({ max: 4 }) }),
      {
        maxLength: 25,
      },
    ),
    pageMax: fc.integer({ min: 1, max: 5 }),
    scanMax: fc.integer({ min: 1, max: 12 }),
    tickEvery: fc.integer({ min: 1, max: 4 }),
    stretchLength: fc.integer({ min: 1, max: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(
      worlds,
      async ({ chain, picks, drops, steps, pageMax, scanMax, tickEvery, stretchLength }) => {
        const whole = [...chain];
        const backends: [Backend, Backend] = [
          { tip: 0, indexTip: 0 },
          { tip: 0, indexTip: 0 },
        ];
        let picked = 0;
        const pick = () => backends[picks[picked++ % picks.length]!]!;
        const breaks = [...drops];
        const nextDrop = () => breaks.shift() ?? Number.POSITIVE_INFINITY;
        const model = new ModelNode({ chain: whole, backends, pick, nextDrop, pageMax, scanMax, tickEvery });
        const follower = new Follower(model, stretchLength);
        const growth = [...steps];
        const grow = () => {
          const step = growth.shift();
          if (step) {
            const backend = backends[step.backend]!;
            model.grow(backend, backend.tip + step.by, backend.tip + step.by - step.lag);
            return;
          }
          model.extend();
          for (const backend of backends) model.grow(backend, whole.length - 1);
        };
        const onTurn = () => {
          const complete = listDigests(whole, follower.resume.checkpoint + 1);
          expect(follower.digests.slice(0, complete.length)).toEqual(complete);
          grow();
        };
        // The chain goes on while nothing is read.
        const clock = setInterval(grow, 1);
        try {
          await follower.run(() => follower.resume.checkpoint >= chain.length - 1, onTurn);
        } finally {
          clearInterval(clock);
        }
        expect(follower.digests).toEqual(listDigests(whole));
        expect(model.calls.list).toBeLessThan(2_000);
      },
    ),
    { numRuns: 1_000 },
  );
});
