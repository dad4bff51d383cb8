import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Standing } from './standing.ts';

const position = fc.bigInt({ min: 0n, max: 40n });
const step = fc.oneof(
  fc.record({ kind: fc.constant('require' as const), position }),
  fc.record({ kind: fc.constant('observe' as const), position }),
  fc.record({ kind: fc.constant('fail' as const) }),
);

test('a replica is ready exactly while its last probe succeeded and reached the last requirement', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const standing = new Standing();
      let [failing, replayed, required] = [true, -1n, 0n];
      for (const [nowMs, one] of steps.entries()) {
        if (one.kind === 'fail') {
          standing.fail();
          failing = true;
        } else if (one.kind === 'observe') {
          standing.observe(one.position);
          [failing, replayed] = [false, one.position];
        } else {
          standing.require(one.position, nowMs);
          required = one.position;
        }
        const state = standing.state(nowMs, 5_000);
        expect(state === 'ready').toBe(!failing && replayed >= required);
        expect(state === 'failing').toBe(failing);
      }
    }),
  );
});

test('lag counts from the first position that a replica has not replayed, and ends with the last', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 100 }), (count, reached) => {
      const standing = new Standing();
      standing.observe(0n);
      for (let at = 1; at <= count; at += 1) standing.require(BigInt(at), at * 1_000);
      standing.observe(BigInt(reached));
      const nowMs = 200_000;
      expect(standing.lagMs(nowMs)).toBe(reached >= count ? 0 : nowMs - (reached + 1) * 1_000);
      expect(standing.state(nowMs, 5_000)).toBe(reached >= count ? 'ready' : 'lagging');
    }),
  );
});

test('a replica that stays behind for hours costs bounded memory, and its lag still grows', () => {
  const standing = new Standing();
  standing.observe(0n);
  for (let at = 1; at <= 100_000; at += 1) standing.require(BigInt(at), at);
  expect(standing.lagMs(100_000)).toBe(99_999);
});
