import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  allowsAction,
  allowsService,
  type BoundsChange,
  findCoinExcess,
  type KeyBounds,
  narrow,
} from './key-scope.ts';

const actions = ['spend', 'swap', 'vaultDeposit'];
const services = ['0x1::a::A', '0x2::b::B'];
const coins = ['0x2::sui::SUI', '0x3::usd::USD', 'toString'];
const times = [10, 20, 30];

const amounts = fc.dictionary(fc.constantFrom(...coins), fc.constantFrom('1', '5', '20'), {
  noNullPrototype: true,
});
const scope = fc.record(
  {
    actions: fc.subarray(actions),
    services: fc.subarray(services),
    maxPerRun: amounts,
    maxPerDay: amounts,
    unattended: fc.boolean(),
  },
  { requiredKeys: [] },
);
const bounds: fc.Arbitrary<KeyBounds> = fc
  .tuple(scope, fc.constantFrom(null, ...times))
  .map(([of, expiresMs]) => ({ ...of, expiresMs }));
const change: fc.Arbitrary<BoundsChange> = fc
  .tuple(scope, fc.constantFrom(undefined, ...times))
  .map(([of, expiresMs]) => ({ ...of, expiresMs }));

/** Everything that bounds allow in a small world: each run and each time. */
function allowed(of: KeyBounds): Set<string> {
  const may = new Set<string>();
  for (const action of actions) if (allowsAction(of, action)) may.add(action);
  for (const service of [...services, undefined]) if (allowsService(of, service)) may.add(String(service));
  for (const coin of coins) {
    for (const amount of [1n, 5n, 6n, 20n, 21n]) {
      if (!findCoinExcess(of, new Map([[coin, amount]]))) may.add(`${amount} of ${coin}`);
      const perDay = of.maxPerDay;
      const most = perDay && (Object.hasOwn(perDay, coin) ? BigInt(perDay[coin]!) : 0n);
      if (most === undefined || amount <= most) may.add(`${amount} of ${coin} a day`);
    }
  }
  if (of.unattended) may.add('unattended');
  for (const now of [5, ...times]) if (of.expiresMs === null || now < of.expiresMs) may.add(`at ${now}`);
  return may;
}

describe('narrowing a key', () => {
  test('never lets it do anything that it might not do before, over any number of changes', () => {
    fc.assert(
      fc.property(bounds, fc.array(change, { maxLength: 5 }), (first, changes) => {
        let now = first;
        for (const one of changes) {
          const narrowing = narrow(now, one);
          if (narrowing.kind === 'widened') continue;
          expect(allowed(now)).toEqual(allowed(now).union(allowed(narrowing.bounds)));
          now = narrowing.bounds;
        }
        expect(allowed(first).isSupersetOf(allowed(now))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test('does what was asked, or names a field that would allow more', () => {
    fc.assert(
      fc.property(bounds, change, (old, one) => {
        const asked: KeyBounds = JSON.parse(JSON.stringify({ ...old, ...one }));
        if (one.expiresMs === undefined) asked.expiresMs = old.expiresMs;
        const narrowing = narrow(old, one);
        if (narrowing.kind === 'narrowed') {
          expect(narrowing.bounds).toEqual(asked);
          return;
        }
        const alone = (of: KeyBounds) => {
          // If no actions are named, the services decide which actions are allowed.
          const services = narrowing.field === 'actions' && of.services ? { services: old.services! } : {};
          return allowed({ expiresMs: null, ...services, [narrowing.field]: of[narrowing.field] });
        };
        expect(alone(old).isSupersetOf(alone(asked))).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  test('leaves alone what a change does not name, and names the field that is wider', () => {
    const key: KeyBounds = { actions: ['spend'], maxPerRun: { [coins[0]!]: '5' }, expiresMs: 20 };
    expect(narrow(key, { maxPerDay: { [coins[0]!]: '9' } })).toEqual({
      kind: 'narrowed',
      bounds: { ...key, maxPerDay: { [coins[0]!]: '9' } },
    });
    const wider: [keyof KeyBounds, BoundsChange][] = [
      ['actions', { actions: ['spend', 'swap'] }],
      ['maxPerRun', { maxPerRun: { [coins[0]!]: '6' } }],
      ['maxPerRun', { maxPerRun: { toString: '1' } }],
      ['expiresMs', { expiresMs: 21 }],
    ];
    for (const [field, change] of wider) {
      expect(narrow(key, change)).toMatchObject({ kind: 'widened', field });
    }
  });
});

test('a list of coins allows no coin that it leaves out, and its own up to the amount', () => {
  const key = { maxPerRun: { [coins[0]!]: '5' } };
  const excess = (coin: string, amount: bigint) => findCoinExcess(key, new Map([[coin, amount]]));
  expect(excess(coins[0]!, 5n)).toBeUndefined();
  expect(excess(coins[0]!, 6n)).toMatchObject({ field: 'maxPerRun', most: 5n });
  expect(excess(coins[1]!, 1n)).toMatchObject({ coinType: coins[1], most: undefined });
  expect(excess('toString', 1n)).toMatchObject({ most: undefined });
});

test('a key for services spends only where its actions say so, and is not let to later', () => {
  expect(allowsAction({ services }, 'spend')).toBe(false);
  expect(allowsAction({ services: [] }, 'spend')).toBe(false);
  expect(allowsAction({ services }, 'swap')).toBe(true);
  expect(allowsAction({ services, actions: ['spend'] }, 'spend')).toBe(true);
  expect(allowsAction({ maxPerRun: {} }, 'spend')).toBe(true);
  expect(narrow({ services, expiresMs: null }, { actions: ['swap', 'spend'] })).toMatchObject({
    kind: 'widened',
    field: 'actions',
    reason: expect.stringContaining('spend'),
  });
});

test('an empty list allows nothing, and an absent one everything', () => {
  expect(allowsService({ services: [] }, services[0])).toBe(false);
  expect(allowsService({}, undefined)).toBe(true);
  expect(allowsService({ services }, undefined)).toBe(false);
  expect(findCoinExcess({ maxPerDay: {} }, new Map([[coins[0]!, 1n]]))).toMatchObject({ field: 'maxPerDay' });
});
