import { describe, expect, test } from 'vitest';
import type { Endpoint } from './endpoint.ts';
import { openFilteredReader } from './filtered-reader.ts';
import { type Chunk, follow } from './follow.ts';
import type { LedgerHistory, LedgerRange } from './reader.ts';
import { Follower, listDigests } from './testing/follower.ts';
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
  const item = Buffer.from(JSON.stringify({ by: 'model', isItem: true, checkpoint: 2, sequence: 7 }));
  const { signal } = new AbortController();
  expect(await reader.isComplete(2, item, signal)).toBe(false);
  grow(2, 2);
  expect(await reader.isComplete(2, item, signal)).toBe(true);
  const first = Buffer.from(JSON.stringify({ by: 'model', isItem: true, checkpoint: 2, sequence: 6 }));
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
    const cursor = Buffer.from(JSON.stringify({ by: 'model', isItem: true, checkpoint: 2, sequence: 3 }));
    const pool = new ModelNode({
      ...calm,
      chain,
      backends: [ahead, behind],
      pick: () => (lists++ < 2 ? behind : ahead),
    });
    const reader = openFilteredReader(pool.node, ['0x1::registry'], { idleMs: 60_000, pauseMs: 1 });
    const digests: string[] = [];
    const sink = {
      push: ({ transaction }: Chunk['frames'][number]) => {
        if (transaction) digests.push(transaction.digest!);
      },
      ready: async () => undefined,
    };
    await reader.sendHistory({ after: cursor, from: 2, to: 5 }, sink, new AbortController().signal);
    expect(digests).toContain('4');
  });
});

const tip = 1_000_000;
const lowestAvailable = 400_000;

/** A history that records what is read from it. */
function openHistory(url: string, indexed: boolean) {
  const ranges: LedgerRange[] = [];
  const history: LedgerHistory = {
    url,
    indexed,
    readDigest: async (checkpoint) => String(checkpoint),
    sendHistory: async (range) => void ranges.push(range),
  };
  return { history, ranges };
}

/** Reads history from the checkpoint on. Resolves to the parts of it that the main node was asked for. */
async function catchUp(archive: LedgerHistory, from: number, cursor: Uint8Array | null = null) {
  const { history, ranges } = openHistory('main', false);
  const main: Endpoint = {
    node: {
      url: 'main',
      client: {} as Endpoint['node']['client'],
      info: async () => ({ chainId: 'model', tip, tipAt: new Date(0), lowestAvailable }),
      readDigest: history.readDigest,
      close: () => undefined,
    },
    reader: {
      indexed: false,
      sendHistory: history.sendHistory,
      isComplete: async () => false,
      async subscribe(_sink, signal, onOpen) {
        onOpen();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    },
  };
  const stop = new AbortController();
  const chunks = follow({
    network: 'testnet',
    main,
    openArchive: async () => archive,
    resume: { checkpoint: from - 1, cursor, cursorProvider: cursor && 'main' },
    requireCovers: async () => undefined,
    signal: stop.signal,
  });
  for await (const { live } of chunks) if (live) break;
  stop.abort();
  return ranges;
}

describe('a long history of a node without list indexes', () => {
  test('is listed by an archive, and only its newest part is scanned', async () => {
    const { history, ranges } = openHistory('archive', true);
    expect(await catchUp(history, lowestAvailable)).toMatchObject([{ from: tip + 1 - 5_000, to: tip + 1 }]);
    expect(ranges).toEqual([
      expect.objectContaining({
        from: lowestAvailable,
        to: tip + 1 - 5_000,
        lastDigest: String(tip - 5_000),
      }),
    ]);
  });

  test('is scanned on the node, if the archive has no list indexes either', async () => {
    const { history, ranges } = openHistory('archive', false);
    expect(await catchUp(history, lowestAvailable)).toMatchObject([{ from: lowestAvailable, to: tip + 1 }]);
    expect(ranges).toEqual([]);
  });

  test('that is nearly read is scanned to its end without the archive', async () => {
    const { history, ranges } = openHistory('archive', true);
    expect(await catchUp(history, tip - 4_000)).toMatchObject([{ from: tip - 4_000, to: tip + 1 }]);
    expect(ranges).toEqual([]);
  });
});

describe('a cursor at the end of a checkpoint', () => {
  const cursor = Buffer.from('end');
  const { history } = openHistory('archive', false);

  test('is where a list continues', async () => {
    expect(await catchUp(history, lowestAvailable + 1, cursor)).toMatchObject([{ after: cursor }]);
  });

  test('is left out once the checkpoint is pruned', async () => {
    expect(await catchUp(history, lowestAvailable, cursor)).toMatchObject([
      { after: undefined, from: lowestAvailable },
    ]);
  });
});
