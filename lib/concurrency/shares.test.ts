import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createShares } from './shares.ts';

class Full extends Error {
  readonly kind: string;
  constructor(kind: string) {
    super(`all slots of ${kind} are taken`);
    this.kind = kind;
  }
}

const holder = fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined });
const action = fc.oneof(
  fc.record({ caller: holder, owner: holder }),
  fc.record({ release: fc.nat({ max: 20 }) }),
);

test('no holder and not all together have more than their slots, and a release returns one slot', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const max = { owner: 2, all: 5, caller: 3 };
      const shares = createShares(max);
      const held: { caller: string | undefined; owner: string | undefined; release: () => void }[] = [];
      const released: (() => void)[] = [];
      for (const one of actions) {
        if ('release' in one) {
          const [left] = held.splice(one.release, 1);
          left?.release();
          if (left) released.push(left.release);
          // A second release returns nothing.
          released[0]?.();
        } else {
          const full = [
            one.owner !== undefined &&
              held.filter(({ owner }) => owner === one.owner).length >= max.owner &&
              'owner',
            held.length >= max.all && 'all',
            one.caller !== undefined &&
              held.filter(({ caller }) => caller === one.caller).length >= max.caller &&
              'caller',
          ].find((kind) => kind !== false);
          const take = () => shares.take(one, (kind) => new Full(kind));
          if (full === undefined) held.push({ ...one, release: take() });
          else expect(take).toThrow(`all slots of ${full} are taken`);
        }
        expect(shares.count()).toBe(held.length);
      }
    }),
  );
});
