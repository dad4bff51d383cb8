import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { silentLogger } from '../../../lib/log/index.ts';
import { Slots } from './slots.ts';
import { startWorker } from './worker.ts';

/** Starts a worker that looks without a notification only after an hour. The test determines which jobs are due. */
function startIdle(due: Map<string, number>, work: (job: string) => Promise<void>) {
  let looks = 0;
  const slots = new Slots(4);
  const stop = new AbortController();
  const worker = startWorker<string>(
    {
      name: 'jobs',
      partitions: [
        {
          slots,
          async due() {
            looks++;
            const jobs = [...due].filter(([, times]) => times > 0).map(([job]) => job);
            const waiting = jobs.map((job) => ({ key: job, precedence: 0, groups: [], job }));
            return { waiting, nextMs: undefined };
          },
        },
      ],
      current: async (job) => job,
      work,
    },
    {
      claims: { take: async () => true, release: async () => undefined, close: async () => undefined },
      log: silentLogger,
      signal: stop.signal,
      sleepMaxMs: 3_600_000,
    },
  );
  onTestFinished(async () => {
    stop.abort();
    await worker.stopped;
  });
  return { worker, slots, looks: () => looks };
}

test('a job that becomes due again while it is worked on is worked on again, without another word', async () => {
  const due = new Map([['job', 1]]);
  let worked = 0;
  const ten = Promise.withResolvers<void>();
  const { worker, looks } = startIdle(due, async () => {
    worked++;
    // News of another job, at which this one is still due.
    const before = looks();
    worker.wake();
    while (looks() === before) await setImmediate();
    due.set('job', worked < 10 ? 1 : 0);
    if (worked === 10) ten.resolve();
  });
  await ten.promise;
  expect(worked).toBe(10);
});

test('a job that ends brings no look at what is due', async () => {
  const due = new Map<string, number>();
  const done = new Map<string, () => void>();
  const { worker, looks } = startIdle(due, async (job) => {
    due.delete(job);
    await new Promise<void>((resolve) => done.set(job, resolve));
  });
  const run = async (job: string) => {
    due.set(job, 1);
    worker.wake();
    while (!done.has(job)) await setImmediate();
  };
  await run('first');
  const before = looks();
  await run('second');
  await run('third');
  // One look for the notification, and one to find that nothing is left of what was read.
  expect(looks() - before).toBeLessThanOrEqual(4);
  const running = looks();
  for (const end of done.values()) end();
  for (let turn = 0; turn < 100; turn++) await setImmediate();
  expect(looks() - running).toBeLessThanOrEqual(1);
});

test('slots are contended while due jobs wait for one, and no longer', async () => {
  const due = new Map(Array.from({ length: 6 }, (_, n) => [`job ${n}`, 1]));
  const ends: (() => void)[] = [];
  let ended = 0;
  const { worker, slots } = startIdle(due, async (job) => {
    due.delete(job);
    await new Promise<void>((resolve) => ends.push(resolve));
    ended++;
  });
  worker.wake();
  while (ends.length < slots.max) await setImmediate();
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  expect(slots.isContended).toBe(true);
  for (const end of ends.splice(0)) end();
  while (ends.length < 2) await setImmediate();
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  expect(slots.isContended).toBe(false);
  for (const end of ends.splice(0)) end();
  while (ended < 6) await setImmediate();
});

test('a job that a full disk kept from storing its outcome is worked on again after seconds, another one after a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const full = Object.assign(new Error('no space left on device'), { code: '53100' });
  const due = new Map([
    ['stored', 1],
    ['broken', 1],
  ]);
  const worked: string[] = [];
  startIdle(due, async (job) => {
    worked.push(job);
    throw job === 'stored' ? full : new Error('a defect');
  });
  const settle = async () => {
    for (let turn = 0; turn < 100; turn++) await setImmediate();
  };
  await settle();
  expect(worked.sort()).toEqual(['broken', 'stored']);
  await vi.advanceTimersByTimeAsync(5_000);
  await settle();
  expect(worked.sort()).toEqual(['broken', 'stored', 'stored']);
  due.delete('stored');
  await vi.advanceTimersByTimeAsync(55_000);
  await settle();
  expect(worked.sort()).toEqual(['broken', 'broken', 'stored', 'stored']);
});
