import {
  createFunctionReader,
  createObjectReader,
  packageVersions,
} from '@adaptor-marketplace/adaptor/chain';
import type { CallSpec, ExecutableOp, ListedManifest } from '@adaptor-marketplace/adaptor/manifest';
import { resolveOps } from '@adaptor-marketplace/adaptor/transactions';
import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import { describe, expect, test } from 'vitest';
import { address } from '../../test/support/read-model.ts';
import { chooseOp, listBrokenRoleOps, listOpeners, listRoleOps, valuesFor } from './choose-op.ts';
import { deriveRequirements, type ProtocolStep } from './request.ts';

const {
  OpenSignatureBody_Type: Kind,
  OpenSignature_Reference: Reference,
  Owner_OwnerKind: OwnerKind,
} = GrpcTypes;
const packageId = address(0x100);
const poolId = address(0x200);
const [a, b, share] = ['a::A', 'b::B', 'share::SHARE'].map((name) => `${address(0x300)}::${name}`) as [
  string,
  string,
  string,
];

const wallet = { role: 'wallet' } as const;
const amount = { role: 'amount' } as const;
const minOut = { role: 'minOut' } as const;
const pool = { role: 'object', objectId: poolId } as const;

const op = (
  entry: string,
  typeArgs: string[],
  args: CallSpec['args'],
  more: Partial<ExecutableOp> = {},
): ExecutableOp => ({ kind: 'swap', module: 'm', entry, call: { typeArgs, args }, ...more });

/** A node on which every function takes `&mut Pool<T0, T1>` second of four, and every object is of one type. */
function createNode(objectType: string, ops: readonly ExecutableOp[]): SuiGrpcClient {
  const parameter = (typeParameter: number): GrpcTypes.OpenSignatureBody => ({
    type: Kind.TYPE_PARAMETER,
    typeParameter,
    typeParameterInstantiation: [],
  });
  const body = {
    type: Kind.DATATYPE,
    typeName: `${packageId}::pool::Pool`,
    typeParameterInstantiation: [parameter(0), parameter(1)],
  };
  const parameters = [parameter(0), body, parameter(0), parameter(0)].map((one) => ({
    reference: Reference.MUTABLE,
    body: one,
  }));
  const getFunction = async ({ name }: GrpcTypes.GetFunctionRequest) => {
    const { length } = ops.find(({ entry }) => entry === name)!.call!.typeArgs;
    const typeParameters = Array.from({ length }, () => ({ constraints: [], isPhantom: true }));
    const called = { visibility: GrpcTypes.FunctionDescriptor_Visibility.PUBLIC, isEntry: false };
    return { response: { function: { name, ...called, typeParameters, parameters, returns: [] } } };
  };
  const owner = { kind: OwnerKind.SHARED, version: 1n };
  return {
    movePackageService: { getFunction },
    ledgerService: {
      batchGetObjects: async ({ requests }: GrpcTypes.BatchGetObjectsRequest) => ({
        response: {
          objects: requests.map(({ objectId }) => {
            const object = { objectId, version: 1n, digest: '1', owner, objectType };
            return { result: { oneofKind: 'object', object } };
          }),
        },
      }),
    },
  } as unknown as SuiGrpcClient;
}

/** The entry and the coins of the op that is chosen among ops on a pool of A and B. */
async function chosen(ops: ExecutableOp[], step: ProtocolStep, supported?: string[], type = 'pool::Pool') {
  const node = createNode(`${packageId}::${type}<${a},${b}>`, ops);
  const chain = {
    functions: createFunctionReader(node),
    objects: createObjectReader(node),
    versions: packageVersions(node),
  };
  const resolved = await resolveOps(chain, packageId, ops);
  const found = chooseOp(resolved, deriveRequirements(step), supported);
  return (
    found && {
      entry: found.op.entry,
      coinIn: found.coinIn,
      coinOut: found.coinOut,
      spends: found.spends,
      receives: found.receives,
    }
  );
}

const args = [wallet, pool, amount, minOut];
const there = op('a_to_b', ['coinIn', 'coinOut'], args);
const back = op('b_to_a', ['coinOut', 'coinIn'], args);
const swap = (coinIn: string, coinOut: string): ProtocolStep => ({
  action: 'swap',
  coinIn,
  coinOut,
  amountIn: '7',
  minOut: '1',
  adaptor: undefined,
});

test('of a pool with an op for each way, the one whose coins the pool settles so is taken', async () => {
  expect(await chosen([there, back], swap(a, b))).toMatchObject({ entry: 'a_to_b' });
  expect(await chosen([there, back], swap(b, a))).toMatchObject({
    entry: 'b_to_a',
    coinIn: b,
    coinOut: a,
    spends: [{ coinType: b, amount: 7n }],
  });
});

test('a pair that no pool has, or a coin that the adaptor does not support, is not swapped', async () => {
  expect(await chosen([there, back], swap(a, share))).toBeUndefined();
  expect(await chosen([there, back], swap(a, b), [a])).toBeUndefined();
  expect(await chosen([there, back], swap(a, b), ['*'])).toBeDefined();
});

test('an object of another type than the function takes settles nothing, so the coins are those asked for', async () => {
  expect(await chosen([there], swap(b, share), undefined, 'other::Pool')).toMatchObject({
    coinIn: b,
    coinOut: share,
  });
});

test('an op with another number of arguments than its function is never called', async () => {
  expect(
    await chosen([op('a_to_b', ['coinIn', 'coinOut'], [wallet, pool, amount])], swap(a, b)),
  ).toBeUndefined();
});

test('an op that takes a coin of which nothing says what it is is never called', async () => {
  const order: ProtocolStep = { action: 'perpMarginDeposit', marketId: poolId, amount: '5' };
  expect(await chosen([op('deposit_margin', [a, b], args)], order)).toBeUndefined();
  expect(await chosen([op('deposit_margin', [a, 'coinIn'], args)], order)).toMatchObject({ coinIn: b });
  expect(
    await chosen([op('deposit_margin', [a, 'coinIn'], args)], {
      ...order,
      marketId: poolId.replace('2', '3'),
    }),
  ).toBeUndefined();
});

test('a coin that nothing settles is the one other coin that the adaptor supports', async () => {
  const repay: ProtocolStep = { action: 'stablecoinRepay', amount: '5', collateralAmount: '2' };
  const open = op('repay_and_withdraw', ['coinIn', a, 'coinOut'], args);
  expect(await chosen([open], repay, [a, share])).toMatchObject({ coinIn: a, coinOut: share });
});

test('a stated minimum of a coin that nothing settles is not asked for in vain: the op does not serve', async () => {
  const open = op('repay_and_withdraw', ['coinIn', a, 'coinOut'], args);
  const repay: ProtocolStep = { action: 'stablecoinRepay', amount: '5', collateralAmount: '2' };
  expect(await chosen([open], repay, [a, b, share])).toBeUndefined();
  const savings: ProtocolStep = { action: 'stablecoinSavingsDeposit', amount: '5' };
  const save = op('save', ['coinIn', a, 'coinOut'], args);
  expect(await chosen([save], savings, [a, b, share])).toMatchObject({ coinIn: a, coinOut: undefined });
  expect(await chosen([save], { ...savings, minOut: '3' }, [a, b, share])).toBeUndefined();
});

test('what is stated to come in is expected also of an op without an argument for it', async () => {
  const bare = op('a_to_b', ['coinIn', 'coinOut'], [wallet, pool, amount, { role: 'clock' }]);
  expect(await chosen([bare], { ...swap(a, b), minOut: '4' } as ProtocolStep)).toMatchObject({
    spends: [{ coinType: a, amount: 7n }],
    receives: [{ coinType: b, amount: 4n }],
  });
  const deposit: ProtocolStep = { action: 'lendingADeposit', coinType: a, amount: '5', adaptor: undefined };
  const supply = op('deposit', ['coinIn', 'coinOut'], [wallet, pool, amount, { role: 'clock' }]);
  expect(await chosen([supply], deposit)).toMatchObject({ coinOut: b, receives: [] });
  expect(await chosen([supply], { ...deposit, minOut: '3' })).toMatchObject({
    receives: [{ coinType: b, amount: 3n }],
  });
});

test('what only moves an asset of the wallet takes nothing out of it', async () => {
  const withdraw: ProtocolStep = {
    action: 'lendingCWithdraw',
    coinType: a,
    amount: '5',
    minOut: '4',
    adaptor: undefined,
  };
  expect(await chosen([op('withdraw', ['coinOut', b], args)], withdraw)).toMatchObject({
    coinOut: a,
    spends: [],
  });
  const shares = op('withdraw', ['coinOut', 'coinIn'], args, { intentMode: 'D' });
  expect(await chosen([shares], withdraw)).toMatchObject({ spends: [{ coinType: b, amount: 5n }] });
});

describe('op roles', () => {
  const op = (entry: string, kind: 'swap' | 'lend', module = 'm') => ({
    kind,
    module,
    entry,
    call: { typeArgs: [], args: [] },
  });
  const manifest: ListedManifest = {
    name: 'N',
    category: 'Lend',
    summary: 'S',
    serviceType: '0x1::m::W',
    packageId: '0x1',
    ops: [
      op('supply', 'lend'),
      op('put', 'lend', 'other'),
      op('put', 'lend'),
      op('exchange', 'swap'),
      { kind: 'swap', module: 'm', entry: 'quote' },
    ],
  };
  const found = (...args: Parameters<typeof listRoleOps> extends [unknown, ...infer Rest] ? Rest : never) =>
    listRoleOps(manifest, ...args).map(({ module, entry }) => `${module}::${entry}`);

  test('an op serves a role by its name, or by the name that the setting gives it and no other', () => {
    expect(found('deposit', undefined)).toEqual(['m::supply']);
    expect(found('deposit', { deposit: 'other::put' })).toEqual(['other::put']);
    expect(found('withdraw', { deposit: 'other::put' })).toEqual([]);
  });

  test('what swaps serves to swap, whatever it is called, as far as it can be executed', () => {
    expect(found('swap', undefined)).toEqual(['m::exchange']);
  });

  test('an op that is not well-formed is never executed, and stands in the way of no other', () => {
    const odd = [
      { ...op('supply', 'lend'), kind: undefined },
      { ...op('supply', 'lend'), call: { typeArgs: [], args: [{ role: 'owner' }] } },
      { ...op('supply', 'lend'), label: 'x'.repeat(129) },
      { ...op('supply', 'lend'), entry: ['supply'] },
      { ...op('supply', 'lend'), call: { typeArgs: [], args: Array(129).fill({ role: 'wallet' }) } },
    ];
    const mixed = { ops: [...odd, ...manifest.ops] };
    expect(listRoleOps(mixed, 'deposit', undefined)).toEqual([manifest.ops[0]]);
    expect(listRoleOps({ ops: odd }, 'deposit', { deposit: 'm::supply' })).toEqual([]);
    const opener = { ...op('open_account', 'lend'), kind: undefined };
    expect(listOpeners({ ops: [opener] }, 'lendingC', undefined)).toEqual([]);
  });

  test('why an op that would serve a role cannot be executed is known', () => {
    const ops = [
      { module: 'm', entry: 'flip', call: { typeArgs: [], args: [] } },
      { kind: 'lend', module: 'm', entry: 'supply' },
      op('withdraw', 'lend'),
    ];
    const missing = { code: 'invalid_op', detail: 'kind: missing.' };
    expect(listBrokenRoleOps({ ops }, 'swap', undefined)).toEqual([{ index: 0, reason: missing }]);
    expect(listBrokenRoleOps({ ops }, 'deposit', undefined)).toMatchObject([
      { index: 1, reason: { code: 'no_call' } },
    ]);
    expect(listBrokenRoleOps({ ops }, 'withdraw', undefined)).toEqual([]);
  });
});

describe('op arguments', () => {
  const asked = (name: string, value?: unknown) => ({
    role: 'pure' as const,
    type: 'u64',
    name,
    ...(value !== undefined && { value }),
  });
  const op = (...args: CallSpec['args']): ExecutableOp => ({
    kind: 'custom',
    module: 'm',
    entry: 'order',
    call: { typeArgs: [], args },
  });
  const values = { size: '5', limit: '7', reduceOnly: false };

  test("values are given by the manifest's names, whatever their case", () => {
    const order = op(asked('Size'), asked('limit_price'), { role: 'wallet' }, asked('reduce_only'));
    expect(valuesFor(order, values)).toEqual({ Size: '5', limit_price: '7', reduce_only: false });
  });

  test('a name that means nothing to us is given what the setting says, and nothing without it', () => {
    const order = op(asked('quantum'), asked('__proto__'), asked('size', 9));
    expect(valuesFor(order, values)).toEqual({});
    expect(valuesFor(order, values, { quantum: 'size' })).toEqual({ quantum: '5' });
  });
});
