import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coalesce } from './coalesce.ts';

test('every caller sees a state no older than the call, and never do two runs overlap', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.boolean(), { maxLength: 12 }),
      async (scheduler, failures) => {
        let state = 0;
        let seen = -1;
        let running = 0;
        const refresh = coalesce(async () => {
          expect(++running).toBe(1);
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
      },
    ),
  );
});
