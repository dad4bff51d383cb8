import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KvUnavailableError } from '../../../lib/kv/kv.ts';
import { createMemoryKv } from '../../../lib/kv/memory.ts';
import { attemptPolicy, createAttempts } from './attempts.ts';

const most = attemptPolicy.perMinute;

test('two processes that share a store count together, and each alone while it is out', async () => {
  const shared = createMemoryKv();
  let out = false;
  const kv: typeof shared = {
    ...shared,
    count: (...asked) =>
      out ? Promise.reject(new KvUnavailableError('It is out.')) : shared.count(...asked),
  };
  const [a, b] = [createAttempts(kv), createAttempts(kv)];
  for (let n = 0; n < 30; n++) await a.count('x');
  expect((await b.count('x')).count).toBe(31);
  out = true;
  expect((await b.count('x')).count).toBe(32);
  expect((await a.count('x')).count).toBe(31);
  for (let n = 0; n < most; n++) await b.count('x');
  expect(b.used('x')).toBeDefined();
  expect(b.used('y')).toBeUndefined();
  out = false;
  expect((await b.count('x')).count).toBeGreaterThan(most);
});

type Step = { address: string } | { waitMs: number } | { out: boolean };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ address: fc.constantFrom('x', 'y') }) },
  { weight: 1, arbitrary: fc.record({ waitMs: fc.integer({ min: 1, max: 70_000 }) }) },
  { weight: 1, arbitrary: fc.record({ out: fc.boolean() }) },
);

test('whenever the store is out, and however time goes, an address has at most sixty attempts a minute', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 300 }), async (steps) => {
      let nowMs = 0;
      let out = false;
      const store = createMemoryKv(() => nowMs);
      const kv: typeof store = {
        ...store,
        count: (...asked) => (out ? Promise.reject(new KvUnavailableError('out')) : store.count(...asked)),
      };
      const attempts = createAttempts(kv, () => nowMs);
      const allowedAtMs = new Map<string, number[]>();
      for (const next of steps) {
        if ('waitMs' in next) nowMs += next.waitMs;
        else if ('out' in next) out = next.out;
        else {
          const { address } = next;
          const { count, endsInMs } = await attempts.count(address);
          expect(endsInMs).toBeGreaterThan(0);
          expect(endsInMs).toBeLessThanOrEqual(60_000);
          if (count <= most) allowedAtMs.set(address, [...(allowedAtMs.get(address) ?? []), nowMs]);
          expect(attempts.used(address) !== undefined).toBe(count >= most);
        }
      }
      // Two windows can meet within one minute, each with its own sixty.
      for (const times of allowedAtMs.values()) {
        for (const from of times) {
          expect(times.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(2 * most);
        }
      }
    }),
  );
});
