import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coalesce, createSingleFlight } from './single-flight.ts';

describe('coalesce', () => {
  test('every caller sees a state no older than the call, and two runs never overlap', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.boolean(), { maxLength: 12 }),
        async (scheduler, failures) => {
          let state = 0;
          let seen = -1;
          let running = 0;
          let runningMax = 0;
          const refresh = coalesce(async () => {
            runningMax = Math.max(runningMax, ++running);
            const read = state;
            await scheduler.schedule(Promise.resolve());
            seen = read;
            running--;
            if (failures[read]) throw new Error('failed');
          });
          const calls = failures.map(async (_, call) => {
            await scheduler.schedule(Promise.resolve());
            state++;
            const asked = state;
            await refresh().catch(() => undefined);
            expect([call, seen >= asked]).toEqual([call, true]);
          });
          await scheduler.waitFor(Promise.all(calls));
          expect(runningMax).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});

test('a caller that calls again as soon as its run ends shares the run that another caller waits for', async () => {
  let running = 0;
  const overlaps: number[] = [];
  const refresh = coalesce(async () => {
    overlaps.push(running);
    running++;
    await Promise.resolve();
    running--;
  });
  const twice = async () => {
    await refresh();
    await refresh();
  };
  await Promise.all([twice(), refresh()]);
  expect(overlaps).toEqual([0, 0]);
});

describe('createSingleFlight', () => {
  test('callers during a run share it, and the next call begins another one, also after a failure', async () => {
    const gates = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
    let begun = 0;
    const { run, idle } = createSingleFlight(() => gates[begun++]!.promise);
    await idle();
    const first = [run(), run()];
    expect(begun).toBe(1);
    gates[0]!.reject(new Error('failed'));
    for (const call of first) await expect(call).rejects.toThrow('failed');
    await idle();
    const second = run();
    gates[1]!.resolve(7);
    expect([await second, begun]).toEqual([7, 2]);
  });
});
