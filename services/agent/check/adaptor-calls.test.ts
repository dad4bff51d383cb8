import type { Manifest } from '@adaptor-marketplace/adaptor/manifest';
import type { OpChain } from '@adaptor-marketplace/adaptor/transactions';
import { GrpcTypes } from '@mysten/sui/grpc';
import { describe, expect, test } from 'vitest';
import type { CatalogEntry } from '../../../db/queries/catalog/entry-schema.ts';
import { deriveRequirements, type ProtocolStep } from '../../../lib/actions/request.ts';
import { checkAdaptorCalls, resolveBounds } from './adaptor-calls.ts';
import { type Call, type CallArgument, pureBytes } from './calls.ts';

const { OpenSignatureBody_Type: Kind } = GrpcTypes;

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
  target: `${packageId}::${target}`,
  typeArguments,
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

const place = { walletId: wallet, first: 0 };
const asked: ProtocolStep = { action: 'lendingADeposit', coinType: SUI, amount: '100', minOut: '90' };
const check = (calls: Call[], step: ProtocolStep = asked) =>
  checkAdaptorCalls(
    calls,
    { slot: 'lendingA', required: deriveRequirements(step), entry, setting: {} },
    place,
  );

test('the op that the action asks for passes, in any of its pools', () => {
  check([deposit()]);
  check([deposit({ into: otherPool })]);
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
  ['more in return', deposit({ least: 91n })],
  ['another clock', { ...deposit(), arguments: [...deposit().arguments.slice(0, 4), object(id('5'))] }],
  ['an argument more', { ...deposit(), arguments: [...deposit().arguments, u64(1n)] }],
  [
    'a result in the place of an amount',
    { ...deposit(), arguments: deposit().arguments.with(2, { kind: 'result', call: 0, index: 0 }) },
  ],
])('%s is not signed', (_what, forged) => {
  expect(() => check([forged])).toThrow(/drafted transaction does not match the request/);
});

test('a loan is of the amount that the action asks for, and not larger', () => {
  const step: ProtocolStep = {
    action: 'stablecoinBorrow',
    collateralType: SUI,
    collateralAmount: '100',
    borrowAmount: '90',
  };
  const listed = { ...entry, manifest: { ops: [lend('borrow')] } as unknown as Manifest };
  const borrow = (least: bigint) =>
    checkAdaptorCalls(
      [deposit({ target: 'lend::borrow', least })],
      { slot: 'stablecoin', required: deriveRequirements(step), entry: listed, setting: {} },
      place,
    );
  expect(borrow(90n)).toHaveLength(1);
  expect(() => borrow(91n)).toThrow(/another amount to bring/);
});

test('what the action asks for once is not called twice', () => {
  expect(() => check([deposit(), deposit()])).toThrow(/does not match the request/);
});

test('a type that the manifest fixes may be a primitive one, and no other is put in its place', () => {
  const op = { ...lend('deposit'), call: { typeArgs: ['u64', '0x2::sui::SUI'], args: [] } };
  const fixed = { ...entry, manifest: { ops: [op] } as unknown as Manifest };
  const calling = (...types: string[]) =>
    checkAdaptorCalls(
      [call('lend::deposit', types)],
      { slot: 'lendingA', required: deriveRequirements(asked), entry: fixed, setting: {} },
      place,
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

describe('an order is placed by an op that takes what it states', () => {
  const step: ProtocolStep = {
    action: 'perpOrder',
    marketId: pool,
    side: 'short',
    size: '5',
    limitPrice: '7',
  };
  const { args } = order.call!;
  const shorted = [object(wallet), object(pool), bool(false), u64(5n), u64(7n), bool(false)];
  /** Checks an order by this op, with the arguments that its manifest requires. */
  const place = (over: typeof args, given: CallArgument[]) => {
    const listed = { ...manifest, ops: [{ ...order, call: { ...order.call!, args: over } }] };
    const required = deriveRequirements(step);
    return checkAdaptorCalls(
      [call('perp::order', [USD], ...given)],
      { slot: 'perp', required, entry: { ...entry, manifest: listed }, setting: {} },
      { walletId: wallet, first: 0 },
    );
  };
  const fixedTo = (place: number, value: unknown) =>
    args.map((one, at) => (at === place ? { ...one, value } : one));
  const without = (place: number) => args.filter((_, at) => at !== place);

  test.each<[string, number, unknown, CallArgument]>([
    ['its side', 2, true, bool(true)],
    ['its size', 3, '6', u64(6n)],
    ['its limit', 4, '9', u64(9n)],
  ])('not by one that has no argument for %s, or fixes it to another', (_what, at, value, forged) => {
    const refused = /is not an op of /;
    expect(place(args, shorted)).toHaveLength(1);
    expect(() => place(without(at) as typeof args, shorted.toSpliced(at, 1))).toThrow(refused);
    expect(() => place(fixedTo(at, value) as typeof args, shorted.toSpliced(at, 1, forged))).toThrow(refused);
  });

  test('also by one that is for its side alone', () => {
    expect(place(fixedTo(2, false) as typeof args, shorted)).toHaveLength(1);
  });
});

describe('which coins an op moves, and what opens an account', () => {
  const share = `${id('f')}::share::SHARE`;
  const fixed = (objectId: string) => ({ role: 'object' as const, objectId });
  const op = (
    name: string,
    typeArgs: string[],
    objectId = pool,
    more: Partial<Manifest['ops'][number]> = {},
  ) =>
    ({
      kind: 'lend',
      module: 'lend',
      entry: name,
      call: { typeArgs, args: [{ role: 'wallet' }, fixed(objectId), { role: 'amount' }] },
      ...more,
    }) as Manifest['ops'][number];
  const opener = (objectId = pool, typeArgs = ['coinIn']) =>
    op('open_account', typeArgs, objectId, {
      call: { typeArgs, args: [{ role: 'wallet' }, fixed(objectId)] },
    });

  /** A node on which every function takes `&mut Pool<T0, T1>` second, and every object is of this type. */
  const createChain = (type: string, ops: Manifest['ops']): OpChain => {
    const parameter = (place: number) => ({
      type: Kind.TYPE_PARAMETER,
      typeParameter: place,
      typeParameterInstantiation: [],
    });
    const body = {
      type: Kind.DATATYPE,
      typeName: `${packageId}::pool::Pool`,
      typeParameterInstantiation: [parameter(0), parameter(1)],
    };
    const parameters = [parameter(0), body, parameter(0)].map((one) => ({
      reference: 'mutable' as const,
      type: one,
    }));
    return {
      functions: {
        signature: async (_packageId, _module, name) => ({
          status: 'found',
          value: {
            isCallable: true,
            isPublic: true,
            returns: [],
            typeParameters: ops.find(({ entry }) => entry === name)?.call?.typeArgs.length ?? 0,
            parameters: parameters.slice(0, name === 'open_account' ? 2 : 3),
          },
        }),
      },
      objects: {
        read: async (ids) =>
          new Map(
            [...ids].map((objectId) => [
              objectId,
              { objectId, type, kind: 'shared', initialSharedVersion: '1' },
            ]),
          ),
      },
      versions: { readOriginalId: async (value) => ({ status: 'found', value }) },
    };
  };

  async function bounds(
    ops: Manifest['ops'],
    calls: Call[],
    step: ProtocolStep,
    {
      supportedCoins,
      type = `${packageId}::pool::Pool<${SUI},${USD}>`,
    }: { supportedCoins?: string[]; type?: string } = {},
  ) {
    const listed = {
      slot: 'lendingA' as const,
      required: deriveRequirements(step),
      setting: {},
      entry: { ...entry, manifest: { ops, supportedCoins } as unknown as Manifest },
    };
    return await resolveBounds(createChain(type, ops), checkAdaptorCalls(calls, listed, place), listed);
  }
  const depositing = (...types: string[]) =>
    call('lend::deposit', types, object(wallet), object(pool), u64(100n));
  const opening = (type = SUI, objectId = pool) =>
    call('lend::open_account', [type], object(wallet), object(objectId));
  const elsewhere = `${packageId}::other::Thing`;

  test('a coin that the request does not name is the one of the op’s object', async () => {
    const saving: ProtocolStep = { action: 'stablecoinSavingsDeposit', amount: '100' };
    const save = op('save', ['coinIn', 'coinOut']);
    const saved = (...types: string[]) => call('lend::save', types, object(wallet), object(pool), u64(100n));
    expect(await bounds([save], [saved(SUI, USD)], saving)).toEqual({
      takes: [{ coinType: SUI, amount: 100n }],
      brings: [],
    });
    await expect(bounds([save], [saved(USD, SUI)], saving)).rejects.toThrow(`it is for ${USD}, not ${SUI}`);
  });

  test('a coin that only the publisher names is not let go', async () => {
    const saving: ProtocolStep = { action: 'stablecoinSavingsDeposit', amount: '100' };
    const save = op('save', ['coinIn']);
    const saved = call('lend::save', [USD], object(wallet), object(pool), u64(100n));
    await expect(bounds([save], [saved], saving, { supportedCoins: [USD], type: elsewhere })).rejects.toThrow(
      /the coin that its op takes is unknown/,
    );
  });

  test('a coin that nothing names is not let go either', async () => {
    const saving: ProtocolStep = { action: 'stablecoinSavingsDeposit', amount: '100' };
    const saved = call('lend::save', [USD], object(wallet), object(pool), u64(100n));
    await expect(bounds([op('save', ['coinIn'])], [saved], saving, { type: elsewhere })).rejects.toThrow(
      /the coins that its op moves are unknown/,
    );
  });

  test('an object of other coins than the request’s is not worked on', async () => {
    const ops = [op('deposit', ['coinIn'])];
    const other = `${packageId}::pool::Pool<${USD},${share}>`;
    await expect(bounds(ops, [depositing(SUI)], asked, { type: other })).rejects.toThrow(
      /the coins that its op moves/,
    );
  });

  test('an account is opened before the op, for the same coin and on the same objects', async () => {
    const ops = [opener(), opener(otherPool), op('deposit', ['coinIn'])];
    const step: ProtocolStep = { ...asked, minOut: undefined };
    expect(await bounds(ops, [opening(), depositing(SUI)], step)).toEqual({
      takes: [{ coinType: SUI, amount: 100n }],
      brings: [],
    });
    await expect(bounds(ops, [opening(USD), depositing(SUI)], step)).rejects.toThrow(/it is for .*USD, not/);
    await expect(bounds(ops, [opening(SUI, otherPool), depositing(SUI)], step)).rejects.toThrow(
      /works on other objects than the matching op/,
    );
    await expect(bounds(ops, [opening(), opening(), depositing(SUI)], step)).rejects.toThrow(
      /opens an account twice/,
    );
  });

  test.each<[string, Manifest['ops'][number], Call]>([
    [
      'an amount',
      op('open_account', ['coinIn']),
      call('lend::open_account', [SUI], object(wallet), object(pool), u64(100n)),
    ],
    [
      'a coin of the wallet’s',
      { ...opener(), intentMode: 'A' },
      call('lend::open_account', [SUI], object(wallet), object(pool)),
    ],
  ])('what opens an account for %s is not called unasked', async (_what, open, opened) => {
    const step: ProtocolStep = { ...asked, minOut: undefined };
    await expect(bounds([open, op('deposit', ['coinIn'])], [opened, depositing(SUI)], step)).rejects.toThrow(
      /open_account is not an op of /,
    );
  });
});
