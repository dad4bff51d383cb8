import { describe, expect, test } from 'vitest';
import { createRunTracker } from './driven-runs.ts';

describe('the runs of a process', () => {
  const worker = 7;
  const never = new Promise<void>(() => undefined);

  test('a run of this worker is undriven where nothing drives it under that number', async () => {
    const driven = createRunTracker();
    driven.drive({ run: 1, worker }, never);
    driven.drive({ run: 2, worker: 6 }, never);
    expect(await driven.findUndriven(worker, async () => [1, 2, 3])).toEqual([2, 3]);
  });

  test('a run that is stored and about to be driven is not undriven', async () => {
    const driven = createRunTracker();
    const stored = Promise.withResolvers<void>();
    const opened = driven.trackOpening(async () => {
      await stored.promise;
      driven.drive({ run: 1, worker }, never);
    });
    const found = driven.findUndriven(worker, async () => [1]);
    stored.resolve();
    await opened;
    expect(await found).toEqual([]);
  });

  test('a run whose opening failed after it was stored is undriven', async () => {
    const driven = createRunTracker();
    const failing = Promise.withResolvers<void>();
    const opened = driven.trackOpening(() => failing.promise);
    const found = driven.findUndriven(worker, async () => [1]);
    failing.reject(new Error('Connection terminated unexpectedly'));
    await expect(opened).rejects.toThrow('Connection terminated');
    expect(await found).toEqual([1]);
  });

  test('a run that ends while it is looked for is not undriven', async () => {
    const driven = createRunTracker();
    const work = Promise.withResolvers<void>();
    driven.drive({ run: 1, worker }, work.promise);
    let reads = 0;
    const read = async () => {
      reads += 1;
      if (reads > 1) return [];
      work.resolve();
      await driven.waitForAll();
      return [1];
    };
    expect([await driven.findUndriven(worker, read), reads]).toEqual([[], 2]);
  });
});
