import { RpcError } from '@protobuf-ts/runtime-rpc';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KvUnavailableError } from '../../kv/kv.ts';
import { createMemoryKv } from '../../kv/memory.ts';
import { silentLogger } from '../../log/index.ts';
import { budgetWindowMs, type Priority, priorities, RequestBudget, sizeBucket } from './budget.ts';
import { NotSentError } from './refusals.ts';
import { createMemoryBucket, createSharedBucket } from './token-bucket.ts';

const never = { deadlineMs: Number.MAX_SAFE_INTEGER, signal: undefined };
const now = () => ({ deadlineMs: Date.now(), signal: undefined });

test('no window of 30 seconds has more requests than the budget, however they come', async () => {
  const arrivals = fc.array(fc.nat({ max: 3_000 }), { minLength: 50, maxLength: 400 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 10, max: 120 }), arrivals, async (requests, gaps) => {
      let nowMs = 0;
      const bucket = createMemoryBucket(sizeBucket(requests), () => nowMs);
      const sent: number[] = [];
      for (const gap of gaps) {
        nowMs += gap % 7 === 0 ? gap : gap % 50;
        if ((await bucket.take(0)).taken) sent.push(nowMs);
      }
      for (const from of sent) {
        const within = sent.filter((at) => at >= from && at < from + budgetWindowMs).length;
        expect(within).toBeLessThanOrEqual(requests);
      }
    }),
    { numRuns: 100 },
  );
});

test('a budget that is waited for is used up to the last request', async () => {
  let nowMs = 0;
  const bucket = createMemoryBucket(sizeBucket(100), () => nowMs);
  let sent = 0;
  while (nowMs < budgetWindowMs) {
    const { taken, waitMs } = await bucket.take(0);
    if (taken) sent += 1;
    nowMs += waitMs;
  }
  expect(sent).toBeGreaterThanOrEqual(98);
});

test('each priority leaves tokens to those before it: following comes first, then runs, readers, checks and canaries', async () => {
  const budget = new RequestBudget(
    'a.test',
    400,
    createMemoryBucket({ capacity: 100, perSecond: 0.000_001 }),
  );
  const useUp = async (priority: Priority) => {
    for (let taken = 0; ; taken++) {
      const refusal = await budget.take(priority, now()).catch((error: unknown) => error);
      if (refusal) return [taken, refusal];
    }
  };
  const counts: unknown[] = [];
  for (const priority of priorities.toReversed()) {
    const [taken, refusal] = await useUp(priority);
    counts.push(taken);
    expect(refusal).toBeInstanceOf(NotSentError);
  }
  expect(counts).toEqual([20, 20, 25, 20, 15]);
});

test('a request that cannot be sent before its deadline fails at once, and says when to retry', async () => {
  const budget = new RequestBudget('a.test', 10, createMemoryBucket({ capacity: 1, perSecond: 0.1 }));
  await budget.take('read', never);
  const refusal = await budget
    .take('read', { deadlineMs: Date.now() + 1_000, signal: undefined })
    .catch((e) => e);
  expect(refusal).toMatchObject({ code: 'RESOURCE_EXHAUSTED', retryAfterSeconds: 10 });
  expect(refusal.message).toBe('the request budget for a.test is used up; retry in 10 s');
});

test('a request that waits is sent when its token comes, and those behind it in their order', async () => {
  const budget = new RequestBudget('a.test', 10, createMemoryBucket({ capacity: 1, perSecond: 200 }));
  const order: number[] = [];
  await Promise.all(
    [0, 1, 2, 3].map(async (index) => {
      await budget.take('read', never);
      order.push(index);
    }),
  );
  expect(order).toEqual([0, 1, 2, 3]);
});

test('a caller that goes away stops waiting, and holds up nobody behind it', async () => {
  const budget = new RequestBudget('a.test', 10, createMemoryBucket({ capacity: 1, perSecond: 5 }));
  await budget.take('read', never);
  const stop = new AbortController();
  const gone = budget.take('read', { ...never, signal: stop.signal }).catch((error: unknown) => error);
  const behind = budget.take('read', never);
  stop.abort();
  expect(await gone).toBeInstanceOf(RpcError);
  expect(await gone).toMatchObject({ code: 'CANCELLED' });
  await behind;
});

test('processes share a budget through the store; while it is away each has a quarter, which is logged once', async () => {
  const kv = createMemoryKv();
  const size = { capacity: 8, perSecond: 0.000_001 };
  const warnings: unknown[] = [];
  const log = {
    ...silentLogger,
    warn: (about: unknown) => warnings.push(about),
  } as unknown as typeof silentLogger;
  let isAway = false;
  const store = {
    ...kv,
    takeToken: async (...args: Parameters<typeof kv.takeToken>) => {
      if (isAway) throw new KvUnavailableError('away');
      return kv.takeToken(...args);
    },
  };
  const processes = [
    createSharedBucket(store, 'rpc', size, log),
    createSharedBucket(store, 'rpc', size, log),
  ];
  const takeAll = async () => {
    let taken = 0;
    for (let round = 0; round < 10; round++) {
      for (const process of processes) if ((await process.take(0)).taken) taken += 1;
    }
    return taken;
  };
  expect(await takeAll()).toBe(8);
  isAway = true;
  expect(await takeAll()).toBe(4);
  expect(warnings).toHaveLength(2);
  isAway = false;
  expect(await takeAll()).toBe(0);
});

test.each([20, 28, 40, 60, 400])(
  'while the store is away, each priority can use a budget of %i requests',
  async (requests) => {
    const takeToken = () => Promise.reject(new KvUnavailableError('away'));
    const store = { ...createMemoryKv(), takeToken };
    for (const priority of priorities) {
      const tokens = createSharedBucket(store, 'rpc', sizeBucket(requests), silentLogger);
      await new RequestBudget('a.test', requests, tokens).take(priority, now());
    }
  },
);
