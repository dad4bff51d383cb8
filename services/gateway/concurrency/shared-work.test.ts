import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCachedWork, shareReads } from './shared-work.ts';

describe('sharedReads', () => {
  const patient = { running: 3, waiting: 1_000, waitMs: Number.POSITIVE_INFINITY };
  const refusal = expect.objectContaining({ status: 503, code: 'node_busy' });

  test('however callers come, reads are bounded, one for each key, and begin after the call', async () => {
    const calls = fc.array(
      fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), fails: fc.boolean() }),
      {
        maxLength: 30,
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), calls, async (scheduler, all) => {
        let clock = 0;
        const under = new Map<string, number>();
        const read = shareReads(patient, async (key) => {
          under.set(key, (under.get(key) ?? 0) + 1);
          expect(Math.max(...under.values())).toBe(1);
          expect(under.size).toBeLessThanOrEqual(patient.running);
          const began = ++clock;
          await scheduler.schedule(Promise.resolve());
          under.delete(key);
          if (all[began % all.length]!.fails) throw new Error('failed');
          return { key, began };
        });
        const asking = all.map(async ({ key }) => {
          await scheduler.schedule(Promise.resolve());
          const called = ++clock;
          const answer = await read(key).catch(() => undefined);
          if (answer) expect([answer.key, answer.began > called]).toEqual([key, true]);
        });
        await scheduler.waitFor(Promise.all(asking));
        expect(under.size).toBe(0);
      }),
    );
  });

  test('a read beyond the bounds is refused, and a free slot goes to the next one', async () => {
    const ends: (() => void)[] = [];
    const read = shareReads({ ...patient, running: 1, waiting: 1 }, async (key) => {
      await new Promise<void>((resolve) => ends.push(resolve));
      return key;
    });
    const [first, second] = [read('a'), read('b')];
    await expect(read('c')).rejects.toEqual(refusal);
    ends.shift()!();
    expect(await first).toBe('a');
    await expect.poll(() => ends.length).toBe(1);
    ends.shift()!();
    expect(await second).toBe('b');
  });

  test('a read that waited too long does not begin', async () => {
    const begun: string[] = [];
    let end = () => {};
    const read = shareReads({ ...patient, running: 1, waitMs: -1 }, async (key) => {
      begun.push(key);
      await new Promise<void>((resolve) => {
        end = resolve;
      });
    });
    await expect(read('late')).rejects.toEqual(refusal);
    expect(begun).toEqual([]);
    end();
  });
});

describe('cachedWork', () => {
  const bounds = { running: 3, waiting: 1_000, waitMs: Number.POSITIVE_INFINITY, deadlineMs: 3_600_000 };
  const open = { ...bounds, bytesMax: 1_000, estimateBytes: () => 1 };
  const never = new AbortController().signal;

  test('however callers come and go, a key is worked on once at a time, and each caller that stays gets a result', async () => {
    const call = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      fails: fc.boolean(),
      leaves: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(call, { maxLength: 20 }), async (scheduler, calls) => {
        const under = new Set<string>();
        const cached = createCachedWork<{ key: string }>(open);
        const asking = calls.map(async ({ key, fails, leaves }, i) => {
          await scheduler.schedule(Promise.resolve());
          const gone = new AbortController();
          const asked = cached(key, gone.signal, async (signal) => {
            // Abandoned work may still be ending.
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

  test('work is aborted when its last caller leaves, and the next call begins again', async () => {
    const cached = createCachedWork<{ run: number }>(open);
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
    const asked = [cached('a', first.signal, work), cached('a', second.signal, work)];
    first.abort();
    await expect(asked[0]).rejects.toThrow('abort');
    expect(runs).toBe(1);
    second.abort();
    await expect(asked[1]).rejects.toThrow('abort');
    expect(await cached('a', never, work)).toEqual({ run: 2 });
    expect(await cached('a', never, work)).toEqual({ run: 2 });
    expect(runs).toBe(2);
  });

  test('a failure is not cached', async () => {
    const cached = createCachedWork<{ run: number }>(open);
    await expect(cached('a', never, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await cached('a', never, () => Promise.resolve({ run: 2 }))).toEqual({ run: 2 });
  });

  test('results beyond the bytes are dropped, the least recently used first', async () => {
    const cached = createCachedWork<{ run: number }>({ ...open, bytesMax: 20, estimateBytes: () => 10 });
    let runs = 0;
    const work = () => Promise.resolve({ run: ++runs });
    for (const key of ['a', 'b', 'c', 'b', 'c', 'a']) await cached(key, never, work);
    expect(runs).toBe(4);
  });

  test('work that does not end in its time is a timeout of the node', async () => {
    const cached = createCachedWork<object>({ ...open, deadlineMs: 1 });
    const endless = (signal: AbortSignal) =>
      new Promise<object>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    await expect(cached('a', never, endless)).rejects.toMatchObject({ status: 504, code: 'node_timeout' });
  });

  test('work beyond the bounds is refused', async () => {
    const cached = createCachedWork<object>({ ...open, running: 1, waiting: 1 });
    const { promise, resolve } = Promise.withResolvers<object>();
    const [first, second] = [cached('a', never, () => promise), cached('b', never, () => promise)];
    await expect(cached('c', never, () => promise)).rejects.toMatchObject({ status: 503, code: 'node_busy' });
    resolve({});
    expect([await first, await second]).toEqual([{}, {}]);
  });
});
