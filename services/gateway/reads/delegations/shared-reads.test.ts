import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sharedReads } from './shared-reads.ts';

const patient = { running: 3, waiting: 1_000, waitMs: Number.POSITIVE_INFINITY };
const refusal = expect.objectContaining({ status: 503, code: 'node_busy' });

test('however callers come, reads are bounded, one for each key, and begin after the call', async () => {
  const calls = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), fails: fc.boolean() }), {
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), calls, async (scheduler, all) => {
      let clock = 0;
      const under = new Map<string, number>();
      const read = sharedReads(patient, async (key) => {
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

test('what is beyond the bounds is refused, and a turn is given on', async () => {
  const ends: (() => void)[] = [];
  const read = sharedReads({ ...patient, running: 1, waiting: 1 }, async (key) => {
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
  const read = sharedReads({ ...patient, running: 1, waitMs: -1 }, async (key) => {
    begun.push(key);
    await new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  await expect(read('late')).rejects.toEqual(refusal);
  expect(begun).toEqual([]);
  end();
});
