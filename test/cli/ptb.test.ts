import type { FunctionReader } from '@adaptor-marketplace/adaptor/chain';
import {
  appendAction,
  attest,
  register,
  unlist,
  update,
  wallet,
} from '@adaptor-marketplace/adaptor/transactions';
import { fundWallet } from '@adaptor-marketplace/sdk/transactions';
import { GrpcTypes } from '@mysten/sui/grpc';
import { Transaction } from '@mysten/sui/transactions';
import { expect, test } from 'vitest';
import { CommandFailedError } from '../../packages/cli/src/io.ts';
import { formatPtb } from '../../packages/cli/src/ptb.ts';
import { readLine, toComparable } from '../support/cli/ptb-line.ts';

const { OpenSignatureBody_Type: Kind } = GrpcTypes;
const id = (digit: string) => `0x${digit.repeat(64)}`;
const text = { type: Kind.DATATYPE, typeName: '0x1::string::String', typeParameterInstantiation: [] };
const plain = (type: GrpcTypes.OpenSignatureBody_Type) => ({ type, typeParameterInstantiation: [] });
const of = (type: GrpcTypes.OpenSignatureBody_Type, item: object, typeName?: string) => ({
  type,
  typeParameterInstantiation: [item],
  ...(typeName && { typeName }),
});
const object = { type: Kind.DATATYPE, typeName: `${id('a')}::m::Object`, typeParameterInstantiation: [] };

/** Parameters of the called functions by name, as a node describes them. */
const parameters: Record<string, object[]> = {
  register: [object, plain(Kind.ADDRESS), text, text, of(Kind.VECTOR, plain(Kind.U8)), object],
  update: [object, text, plain(Kind.ADDRESS), text, of(Kind.VECTOR, plain(Kind.U8)), object],
  unlist: [object, text, object],
  attest: [object, text, plain(Kind.U8), text, object],
  grant_service_coin: [object, plain(Kind.U64)],
  may_take: [object, object, plain(Kind.U64)],
  all: [
    ...[plain(Kind.BOOL), plain(Kind.U16), plain(Kind.U256), plain(Kind.ADDRESS)],
    of(Kind.DATATYPE, plain(Kind.U64), '0x1::option::Option'),
    of(Kind.DATATYPE, plain(Kind.U64), '0x1::option::Option'),
    of(Kind.VECTOR, of(Kind.VECTOR, plain(Kind.U8))),
    { type: Kind.TYPE_PARAMETER, typeParameter: 0, typeParameterInstantiation: [] },
  ],
};
const functions = {
  async signature(_package: string, _module: string, name: string) {
    const known = (parameters[name] ?? Array(4).fill(object)).map((type) => ({ reference: 'none', type }));
    return { status: 'found', value: { isCallable: true, typeParameters: 0, parameters: known } };
  },
} as unknown as FunctionReader;

const registry = { packageId: id('b'), objectId: id('c') };
const listing = {
  serviceType: `${id('d')}::nest_egg::NestEgg`,
  packageId: id('d'),
  manifestUri: "https://files.example/it's here?a=1&b=$HOME;`rm -rf *`",
  manifestHash: '0f'.repeat(32),
};
const target = { packageId: id('e'), wallet: id('f') };

const transactions: Record<string, (tx: Transaction) => void> = {
  register: (tx) => register(tx, registry, listing),
  update: (tx) => update(tx, registry, listing),
  unlist: (tx) => unlist(tx, registry, listing.serviceType),
  attest: (tx) => attest(tx, registry, { serviceType: listing.serviceType, score: 5, commentUri: '' }),
  'a new wallet with a deposit and a grant'(tx) {
    const made = wallet.create(tx, id('e'));
    wallet.deposit(tx, made, { coinType: '0x2::sui::SUI', coin: tx.splitCoins(tx.gas, [5_000_000_000n]) });
    const coins = { service: listing.serviceType, coinType: '0x2::sui::SUI', allowance: 2n ** 64n - 1n };
    wallet.grantServiceCoin(tx, made, coins);
    wallet.share(tx, made);
  },
  'an action within bounds'(tx) {
    const bounds = {
      service: listing.serviceType,
      takes: [{ coinType: '0x2::sui::SUI', amount: 7n }],
      brings: [],
    };
    appendAction(tx, target, bounds, () => wallet.setPaused(tx, target, false));
  },
  'coins that are split and sent'(tx) {
    const [one, other] = tx.splitCoins(tx.gas, [1n, 2n]);
    tx.transferObjects([one!, other!], id('1'));
  },
  'values of every kind'(tx) {
    tx.moveCall({
      target: `${id('e')}::m::all`,
      typeArguments: ['u128', `vector<${listing.serviceType}>`],
      arguments: [
        ...[tx.pure.bool(true), tx.pure.u16(7), tx.pure.u256(2n ** 200n), tx.pure.address(id('9'))],
        ...[tx.pure.option('u64', 3n), tx.pure.option('u64', null)],
        tx.pure('vector<vector<u8>>', [[1, 2], []]),
        tx.pure.u128(5n),
      ],
    });
  },
};
parameters.set_paused = [object, plain(Kind.BOOL)];

test.each(Object.keys(transactions))(
  'the line of %s, read back, is the transaction that was built',
  async (name) => {
    const tx = new Transaction();
    tx.setSender(id('8'));
    transactions[name]!(tx);
    const line = await formatPtb(tx.getData(), 12_345n, functions);
    expect(line).not.toContain('\n');
    const { transaction, gasBudget } = await readLine(line);
    expect(gasBudget).toBe(12_345n);
    expect(toComparable(transaction)).toEqual(toComparable(tx));
  },
);

test.each([
  ['both quotes', `it's "new"`],
  ['a backslash', 'a\\b'],
  ['a control', 'a\u001b[2J'],
])('a text with %s, for which the grammar has no words, is refused', async (_, commentUri) => {
  const tx = new Transaction();
  attest(tx, registry, { serviceType: listing.serviceType, score: 5, commentUri });
  await expect(formatPtb(tx.getData(), 1n, functions)).rejects.toThrow(CommandFailedError);
});

test('a command that the line cannot say is refused by its name', async () => {
  const published = new Transaction();
  published.publish({ modules: [], dependencies: [] });
  await expect(formatPtb(published.getData(), 1n, functions)).rejects.toThrow(/command Publish/);
  const funded = fundWallet(
    id('8'),
    { packageId: id('e'), walletId: id('f') },
    { coinType: '0x2::sui::SUI', amount: 1n },
  );
  await expect(formatPtb(funded.getData(), 1n, functions)).rejects.toThrow(/command \$Intent/);
});
