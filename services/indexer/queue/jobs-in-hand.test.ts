import { expect, test, vi } from 'vitest';
import { type Logger, silentLogger } from '../../../lib/log/index.ts';
import { JobsInHand } from './jobs-in-hand.ts';
import { Slots } from './slots.ts';

/** The jobs of a queue that do not end until the test lets them. `dueCount` counts calls for jobs that may be due again. */
function openJobs() {
  const held = new Set<string>();
  const gate = Promise.withResolvers<void>();
  let dueCount = 0;
  const claims = {
    take: async (key: string) => !held.has(key) && Boolean(held.add(key)),
    release: async (key: string) => void held.delete(key),
    close: async () => undefined,
  };
  const queue = { name: 'jobs', partitions: [], current: async () => 'job', work: () => gate.promise };
  const { signal } = new AbortController();
  const jobs = new JobsInHand<string>(queue, { claims, log: silentLogger, signal }, () => {
    dueCount += 1;
  });
  return { jobs, end: gate.resolve, dueCount: () => dueCount };
}

const queued = { key: 'job', job: 'job', precedence: 0, groups: [] };

test('a job that runs in another partition takes no slot of this one, and is read again when it has ended', async () => {
  const { jobs, end, dueCount } = openJobs();
  const [first, second] = [new Slots(1), new Slots(1)];
  await jobs.start(first, queued, () => undefined);
  await jobs.start(second, queued, () => undefined);
  expect([first.isFull, second.isFull]).toEqual([true, false]);
  expect([jobs.hasOthers, dueCount()]).toEqual([false, 0]);
  end();
  await jobs.ended();
  expect([first.isFull, dueCount()]).toEqual([false, 1]);
});

test('a job that fails is logged by its key, without the content that it holds', async () => {
  const job = { packageId: '0x5', content: Buffer.alloc(1_000_000) };
  const work = () => Promise.reject(new Error('the database is away'));
  const queue = { name: 'sources', partitions: [], current: async () => job, work };
  const claims = { take: async () => true, release: async () => undefined, close: async () => undefined };
  const log = { ...silentLogger, warn: vi.fn() } as unknown as Logger;
  const { signal } = new AbortController();
  const jobs = new JobsInHand<typeof job>(queue, { claims, log, signal }, () => undefined);
  await jobs.start(new Slots(1), { key: 'source 0x5', job, precedence: 0, groups: [] }, () => undefined);
  await jobs.ended();
  expect(log.warn).toHaveBeenCalledExactlyOnceWith(
    { queue: 'sources', key: 'source 0x5' },
    'a check failed: the database is away',
  );
});
