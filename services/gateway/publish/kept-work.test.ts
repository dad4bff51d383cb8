import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keptWork } from './kept-work.ts';

const bounds = { running: 3, waiting: 1_000, waitMs: Number.POSITIVE_INFINITY, deadlineMs: 3_600_000 };
const open = { ...bounds, bytesMax: 1_000, bytesOf: () => 1 };
const never = new AbortController().signal;

test('however callers come and go, a key is worked on once at a time, and each who stays gets a result', async () => {
  const call = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    fails: fc.boolean(),
    leaves: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(call, { maxLength: 20 }), async (scheduler, calls) => {
      const under = new Set<string>();
      const kept = keptWork<{ key: string }>(open);
      const asking = calls.map(async ({ key, fails, leaves }, i) => {
        await scheduler.schedule(Promise.resolve());
        const gone = new AbortController();
        const asked = kept(key, gone.signal, async (signal) => {
          // What was abandoned may still be ending.
          if (!signal.aborted) expect(under.has(`${key} ${i}`)).toBe(false);
          under.add(`${key} ${i}`);
          expect(under.size).toBeLessThanOrEqual(bounds.running);
          await scheduler.schedule(Promise.resolve());
          under.delete(`${key} ${i}`);
          signal.throwIfAborted();
          if (fails) throw new Error('failed');
          return { key };
        }).then(
          (result) => result.key,
          (error: Error) => error.message,
        );
        if (leaves) gone.abort(new Error('left'));
        const answer = await asked;
        expect(leaves ? [key, 'failed', 'left'] : [key, 'failed']).toContain(answer);
      });
      await scheduler.waitFor(Promise.all(asking));
    }),
  );
});

test('work that nobody waits for any more is told to end, and what comes next begins anew', async () => {
  const kept = keptWork<{ run: number }>(open);
  let runs = 0;
  const work = (signal: AbortSignal) => {
    runs++;
    const run = runs;
    if (run > 1) return Promise.resolve({ run });
    return new Promise<{ run: number }>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  };
  const [first, second] = [new AbortController(), new AbortController()];
  const asked = [kept('a', first.signal, work), kept('a', second.signal, work)];
  first.abort();
  await expect(asked[0]).rejects.toThrow('abort');
  expect(runs).toBe(1);
  second.abort();
  await expect(asked[1]).rejects.toThrow('abort');
  expect(await kept('a', never, work)).toEqual({ run: 2 });
  expect(await kept('a', never, work)).toEqual({ run: 2 });
  expect(runs).toBe(2);
});

test('a failure is not kept', async () => {
  const kept = keptWork<{ run: number }>(open);
  await expect(kept('a', never, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await kept('a', never, () => Promise.resolve({ run: 2 }))).toEqual({ run: 2 });
});

test('results beyond the bytes are forgotten, the longest unused first', async () => {
  const kept = keptWork<{ run: number }>({ ...open, bytesMax: 20, bytesOf: () => 10 });
  let runs = 0;
  const work = () => Promise.resolve({ run: ++runs });
  for (const key of ['a', 'b', 'c', 'b', 'c', 'a']) await kept(key, never, work);
  expect(runs).toBe(4);
});

test('work that is not over in its time is a timeout of the node', async () => {
  const kept = keptWork<object>({ ...open, deadlineMs: 1 });
  const endless = (signal: AbortSignal) =>
    new Promise<object>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  await expect(kept('a', never, endless)).rejects.toMatchObject({ status: 504, code: 'node_timeout' });
});

test('what is beyond the bounds is refused', async () => {
  const kept = keptWork<object>({ ...open, running: 1, waiting: 1 });
  const { promise, resolve } = Promise.withResolvers<object>();
  const [first, second] = [kept('a', never, () => promise), kept('b', never, () => promise)];
  await expect(kept('c', never, () => promise)).rejects.toMatchObject({ status: 503, code: 'node_busy' });
  resolve({});
  expect([await first, await second]).toEqual([{}, {}]);
});
