import { expect, test } from 'vitest';
import type { CatalogEntry } from '../../../db/queries/catalog/entry.ts';
import { type ProtocolStep, wantedOf } from '../../../lib/actions/wanted.ts';
import type { Manifest } from '../../../lib/adaptor/manifest.ts';
import { checkAdaptorCalls } from './adaptor.ts';
import { type Call, type CallArgument, pureBytes } from './calls.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;
const [wallet, pool, otherPool, packageId] = [id('a'), id('b'), id('c'), id('d')];
const [SUI, USD] = [`${id('2')}::sui::SUI`, `${id('e')}::usd::USD`];
const clock = id('6');

const lendArgs = (objectId: string) => [
  { role: 'wallet' as const },
  { role: 'object' as const, objectId },
  { role: 'amount' as const },
  { role: 'minOut' as const },
  { role: 'clock' as const },
];
const lend = (entry: string, objectId = pool) =>
  ({
    kind: 'lend',
    module: 'lend',
    entry,
    call: { typeArgs: ['coinIn'], args: lendArgs(objectId) },
  }) satisfies Manifest['ops'][number];
const order: Manifest['ops'][number] = {
  kind: 'custom',
  module: 'perp',
  entry: 'order',
  call: {
    typeArgs: [USD],
    args: [
      { role: 'wallet' },
      { role: 'object', objectId: pool },
      { role: 'pure', type: 'bool', name: 'long' },
      { role: 'pure', type: 'u64', name: 'size' },
      { role: 'pure', type: 'u64', name: 'limit' },
      { role: 'pure', type: 'bool', name: 'reduceOnly' },
    ],
  },
};
const ops = [
  lend('open_account'),
  lend('deposit'),
  lend('deposit', otherPool),
  lend('withdraw'),
  { ...lend('drain'), call: undefined },
  order,
];
const manifest = { ops } as unknown as Manifest;
const entry = { packageId, serviceType: `${packageId}::lend::Lend`, manifest } as CatalogEntry;

const object = (objectId: string): CallArgument => ({ kind: 'object', objectId });
const u64 = (value: bigint): CallArgument => ({ kind: 'pure', bytes: pureBytes.u64(value) });
const bool = (value: boolean): CallArgument => ({ kind: 'pure', bytes: value ? 'AQ==' : 'AA==' });
const call = (target: string, typeArguments: string[], ...args: CallArgument[]): Call => ({
  ...{ target: `${packageId}::${target}`, typeArguments },
  arguments: args,
});
const deposit = ({
  of = wallet,
  into = pool,
  amount = 100n,
  least = 90n,
  coin = SUI,
  target = 'lend::deposit',
} = {}) => call(target, [coin], object(of), object(into), u64(amount), u64(least), object(clock));

const asked: ProtocolStep = { action: 'lendingADeposit', coinType: SUI, amount: '100', minOut: '90' };
const check = (calls: Call[], step: ProtocolStep = asked) =>
  checkAdaptorCalls(calls, { wanted: wantedOf(step), entry, named: {} }, wallet);

test('the op that the action asks for passes, in any of its pools, also when it brings more', () => {
  check([deposit()]);
  check([deposit({ into: otherPool })]);
  check([deposit({ least: 95n })]);
});

test.each([
  ['another op of the adaptor', deposit({ target: 'lend::withdraw' })],
  ['an op that the manifest lists without a call', deposit({ target: 'lend::drain' })],
  ['a function that the manifest does not name', deposit({ target: 'lend::rob' })],
  ['another package', { ...deposit(), target: `${id('f')}::lend::deposit` }],
  ['another wallet', deposit({ of: id('1') })],
  ['another object', deposit({ into: id('1') })],
  ['another coin', deposit({ coin: USD })],
  ['a larger amount', deposit({ amount: 101n })],
  ['less in return', deposit({ least: 89n })],
  ['another clock', { ...deposit(), arguments: [...deposit().arguments.slice(0, 4), object(id('5'))] }],
  ['an argument more', { ...deposit(), arguments: [...deposit().arguments, u64(1n)] }],
  [
    'a result in the place of an amount',
    { ...deposit(), arguments: deposit().arguments.with(2, { kind: 'result', call: 0 }) },
  ],
])('%s is not signed', (_what, forged) => {
  expect(() => check([forged])).toThrow(/drafted another transaction than was asked for/);
});

test('what the action asks for once is not called twice', () => {
  expect(() => check([deposit(), deposit()])).toThrow(/another transaction/);
});

test('a type that the manifest fixes may be a primitive one, and no other is put in its place', () => {
  const op = { ...lend('deposit'), call: { typeArgs: ['u64', '0x2::sui::SUI'], args: [] } };
  const fixed = { ...entry, manifest: { ops: [op] } as unknown as Manifest };
  const calling = (...types: string[]) =>
    checkAdaptorCalls(
      [call('lend::deposit', types)],
      { wanted: wantedOf(asked), entry: fixed, named: {} },
      wallet,
    );
  calling('u64', SUI);
  expect(() => calling('u8', SUI)).toThrow(/its manifest says u64/);
  expect(() => calling('u64', USD)).toThrow(/its manifest says 0x2::sui::SUI/);
});

test('an order keeps its side, its limit and that it only reduces', () => {
  const step: ProtocolStep = {
    action: 'perpOrder',
    marketId: pool,
    side: 'long',
    size: '5',
    limitPrice: '7',
  };
  const placed = (long: boolean, size: bigint, limit: bigint, reduceOnly: boolean) => [
    call(
      'perp::order',
      [USD],
      object(wallet),
      object(pool),
      bool(long),
      u64(size),
      u64(limit),
      bool(reduceOnly),
    ),
  ];
  check(placed(true, 5n, 7n, false), step);
  for (const forged of [
    placed(false, 5n, 7n, false),
    placed(true, 6n, 7n, false),
    placed(true, 5n, 8n, false),
    placed(true, 5n, 7n, true),
  ]) {
    expect(() => check(forged, step)).toThrow(/has a value that was not asked for/);
  }
});
