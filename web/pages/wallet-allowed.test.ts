import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isUnlimited } from '../words/allowance.ts';
import {
  type Grant,
  groupByService,
  orders,
  readSelection,
  selectServices,
  shows,
  sumExposure,
} from './wallet-allowed.ts';

const unlimited = String(2n ** 64n - 1n);

const grant = (change: Partial<Grant> = {}): Grant => ({
  serviceType: '0x2::jar::Jar',
  coin: '0x2::sui::SUI',
  coinInfo: { symbol: 'SUI', decimals: 9 },
  allowance: '5',
  pullCap: null,
  grantedMs: 1_000,
  adaptor: {
    publisher: '0x1',
    publisherVerified: true,
    version: 1,
    manifest: { name: 'Jar', deprecated: null },
    warnings: [],
  },
  listing: null,
  ...change,
});
const named = (name: string, change: Partial<Grant> = {}): Grant =>
  grant({
    serviceType: `0x2::${name}::W`,
    adaptor: {
      publisher: '0x1',
      publisherVerified: true,
      version: 1,
      manifest: { name, deprecated: null },
      warnings: [],
    },
    ...change,
  });

const group = (grants: readonly Grant[], unused: readonly string[] = []) =>
  groupByService(grants, (serviceType) => ({
    lastMs: undefined,
    isUnused: unused.includes(serviceType),
    isComplete: true,
  }));
const select = (grants: readonly Grant[], search: string, unused?: readonly string[]) =>
  selectServices(group(grants, unused), readSelection(new URLSearchParams(search))).map(({ name }) => name);

const quarantined = { state: 'QUARANTINED', reason: 'It drains', sinceMs: 1 };
const all = [
  named('calm'),
  named('idle'),
  named('endless', { allowance: unlimited, coin: '0x3::usd::USD', coinInfo: null, grantedMs: 9_000 }),
  named('held', { listing: quarantined }),
  grant({ serviceType: '0x4::gone::Gone', adaptor: null }),
];
const unused = ['0x2::idle::W'];

test('services with the most danger come first, and each danger has a word', () => {
  expect(select(all, '', unused)).toEqual(['held', 'gone::Gone', 'endless', 'idle', 'calm']);
  const words = group(all, unused).map(({ flags }) => flags.map(({ word }) => word));
  expect(words).toEqual([
    [],
    ['Unused for 30 days'],
    ['Unlimited'],
    ['In quarantine'],
    ['Not in the catalog'],
  ]);
});

test('the url selects and sorts, and what it does not know is ignored', () => {
  expect(select(all, 'show=risky', unused)).toEqual(['held', 'gone::Gone', 'endless']);
  expect(select(all, 'show=unlimited', unused)).toEqual(['endless']);
  expect(select(all, 'show=unused', unused)).toEqual(['idle']);
  expect(select(all, 'coin=0x3::usd::USD', unused)).toEqual(['endless']);
  expect(select(all, 'sort=service', unused)).toEqual(['calm', 'endless', 'gone::Gone', 'held', 'idle']);
  expect(select(all, 'sort=granted', unused)[0]).toBe('endless');
  expect(select(all, 'show=constructor&sort=__proto__', unused)).toEqual(select(all, '', unused));
});

test('a service whose newest grant is limited is still flagged by its unlimited one', () => {
  const [one] = group([grant(), grant({ coin: '0x3::usd::USD', allowance: null, grantedMs: 2_000 })]);
  expect(one).toMatchObject({ grantedMs: 2_000, flags: [{ word: 'Unlimited' }] });
});

const grants = fc.array(
  fc.record({
    service: fc.constantFrom('a', 'b', 'c', 'd'),
    coin: fc.constantFrom('0x2::sui::SUI', '0x3::usd::USD', '0x4::eur::EUR'),
    allowance: fc.option(fc.oneof(fc.bigInt(0n, 2n ** 64n - 1n).map(String), fc.constant(unlimited))),
    grantedMs: fc.nat(),
  }),
  { maxLength: 40 },
);

test('the sums by coin are those of the grants, and no order or part has a service twice or invents one', () => {
  fc.assert(
    fc.property(
      grants,
      fc.constantFrom(...Object.keys(shows)),
      fc.constantFrom(...Object.keys(orders)),
      (made, show, order) => {
        const list = made.map(({ service, ...change }) => named(service, change));
        for (const { coin, limited, services, unlimited } of sumExposure(list)) {
          const own = list.filter((one) => one.coin === coin);
          const bounded = own.filter(({ allowance }) => !isUnlimited(allowance));
          expect(limited).toBe(bounded.reduce((total, { allowance }) => total + BigInt(allowance!), 0n));
          expect([services, unlimited]).toEqual([own.length, own.length - bounded.length]);
        }
        const shown = select(list, `show=${show}&sort=${order}`);
        const known = new Set<string>(made.map(({ service }) => service));
        expect(new Set(shown).size).toBe(shown.length);
        expect(shown.every((name) => known.has(name))).toBe(true);
        if (show === 'all') expect(shown.length).toBe(known.size);
      },
    ),
  );
});
