import type { Parameter } from '@adaptor-marketplace/adaptor/chain';
import type { ListedOp } from '@adaptor-marketplace/adaptor/manifest';
import { GrpcTypes } from '@mysten/sui/grpc';
import { expect, test } from 'vitest';
import type { CatalogEntry } from '../../db/queries/catalog/entry-schema.ts';
import { deriveRequirements } from '../../lib/actions/request.ts';
import type { NetworkDependencies } from './draft-step.ts';
import { draftProtocolStep } from './protocols.ts';

const { OpenSignatureBody_Type: Kind } = GrpcTypes;
const id = (digit: string) => `0x${digit.repeat(64)}`;
const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;

const param = (type: GrpcTypes.OpenSignatureBody_Type, typeName?: string): Parameter => ({
  reference: 'mutable',
  type: { type, typeName, typeParameterInstantiation: [] },
});
const parameters = [param(Kind.DATATYPE, `${id('a')}::wallet::Wallet`), param(Kind.U64)];

const callable = { isCallable: true, isPublic: true, returns: [] };

/** A node whose packages have one function, `lend::supply`. */
const dependencies = {
  functions: {
    signature: async (_, __, name) =>
      name === 'supply'
        ? { status: 'found', value: { ...callable, typeParameters: 1, parameters } }
        : { status: 'absent', reason: 'not found' },
  },
  objects: { read: async () => new Map() },
} as Partial<NetworkDependencies> as NetworkDependencies;

const op = (entry: string, ...roles: string[]) => ({
  kind: 'lend',
  module: 'lend',
  entry,
  call: { typeArgs: ['coinIn'], args: roles.map((role) => ({ role })) },
});
const supply = op('supply', 'wallet', 'amount');

function drafted(...ops: ListedOp[]) {
  const entry = {
    packageId: id('1'),
    serviceType: `${id('1')}::lend::Lend`,
    manifest: { name: 'Lender', ops },
  };
  const step = { action: 'lendingADeposit', coinType: sui, amount: '5' } as const;
  return draftProtocolStep(dependencies, id('b'), {
    step,
    slot: 'lendingA',
    required: deriveRequirements({ ...step, adaptor: undefined }),
    setting: {},
    entry: entry as unknown as CatalogEntry,
  });
}

test.each<[string, ListedOp[], string, RegExp]>([
  [
    'without a kind',
    [{ ...supply, kind: undefined }],
    'op_not_executable',
    /Op 0 of Lender: kind: missing\./,
  ],
  [
    'with a call that is none',
    [op('other', 'wallet'), { ...supply, call: { typeArgs: [], args: [{ role: 'owner' }] } }],
    ...(['op_not_executable', /Op 1 of Lender: call\.args\.0\.role: /] as const),
  ],
  ['without a call', [{ ...supply, call: undefined }], 'op_not_executable', /The op has no call\./],
  [
    'with fewer arguments than the function',
    [op('supply', 'wallet')],
    ...([
      'op_not_executable',
      /lend::supply of Lender: The function takes 2 arguments, the call has 1\./,
    ] as const),
  ],
  [
    'with arguments in another order',
    [op('supply', 'amount', 'wallet')],
    ...(['op_not_executable', /Argument 0 of the function is not for the role amount/] as const),
  ],
  [
    'of a function that does not exist',
    [op('deposit', 'wallet', 'amount')],
    ...(['op_not_executable', /The package has no such function/] as const),
  ],
  ['of another role', [op('repay', 'wallet', 'amount')], 'op_not_found', /Lender has no op for deposit/],
])('an op %s is refused with its reason', async (_, ops, code, detail) => {
  await expect(drafted(...ops)).rejects.toMatchObject({
    status: 422,
    code,
    message: expect.stringMatching(detail),
  });
});

test('an op that cannot be executed stands in the way of no other', async () => {
  const part = await drafted({ ...supply, kind: 'burn' }, op('supply', 'wallet'), {}, supply);
  expect(part.spends).toEqual([{ coinType: sui, amount: 5n }]);
});
