import { bcs } from '@mysten/sui/bcs';
import { Inputs, Transaction } from '@mysten/sui/transactions';
import { expect, test } from 'vitest';
import { callsOf } from './calls.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;
const wallet = Inputs.SharedObjectRef({ objectId: id('a'), initialSharedVersion: 1, mutable: true });
const owned = { objectId: id('b'), version: 1, digest: '1'.repeat(32) };

async function kindOf(make: (tx: Transaction) => void): Promise<string> {
  const tx = new Transaction();
  make(tx);
  return Buffer.from(await tx.build({ onlyTransactionKind: true })).toString('base64');
}
const call = (tx: Transaction, ...given: unknown[]) =>
  tx.moveCall({ target: '0xd::lend::deposit', arguments: given as never });

test('calls are read with their types and arguments in full, types of every kind', async () => {
  const types = ['u64', 'vector<u8>', '0x2::pair::Pair<0x2::sui::SUI, bool>'];
  const kind = await kindOf((tx) =>
    tx.moveCall({
      target: '0xd::lend::deposit',
      typeArguments: types,
      arguments: [tx.object(wallet), tx.pure.u64(5n)],
    }),
  );
  const { calls, objectIds } = callsOf(kind);
  expect(objectIds).toEqual([id('a')]);
  expect(calls).toEqual([
    {
      target: `${id('d')}::lend::deposit`,
      typeArguments: ['u64', 'vector<u8>', `${id('2')}::pair::Pair<${id('2')}::sui::SUI,bool>`],
      arguments: [
        { kind: 'object', objectId: id('a') },
        { kind: 'pure', bytes: bcs.u64().serialize(5n).toBase64() },
      ],
    },
  ]);
});

test.each<[string, (tx: Transaction) => void]>([
  ['a coin split off the gas', (tx) => void tx.splitCoins(tx.gas, [1n])],
  ['a transfer', (tx) => tx.transferObjects([tx.object(Inputs.ObjectRef(owned))], id('c'))],
  ['a merge', (tx) => void tx.mergeCoins(tx.gas, [tx.object(Inputs.ObjectRef(owned))])],
  ['a vector', (tx) => void tx.makeMoveVec({ type: 'u64', elements: [tx.pure.u64(1n)] })],
  ['a package', (tx) => void tx.publish({ modules: [[1]], dependencies: [] })],
  ['the gas coin as an argument', (tx) => void call(tx, tx.gas)],
  ['one of several results', (tx) => void call(tx, call(tx)[1])],
  ['an object to be received', (tx) => void call(tx, tx.object(Inputs.ReceivingRef(owned)))],
  ['money of the agent’s', (tx) => void call(tx, tx.withdrawal({ amount: 1n }))],
  ['no command', () => undefined],
  ['more commands than any action needs', (tx) => Array.from({ length: 129 }, () => call(tx))],
])('a draft with %s is not signed', async (_what, make) => {
  const kind = await kindOf(make);
  expect(() => callsOf(kind)).toThrow(/drafted another transaction than was asked for/);
});

test.each<[string, (tx: Transaction) => void]>([
  ['a shared object', (tx) => tx.object(wallet)],
  ['an owned object', (tx) => tx.object(Inputs.ObjectRef(owned))],
  ['an object to be received', (tx) => tx.object(Inputs.ReceivingRef(owned))],
  ['money of the agent’s', (tx) => tx.withdrawal({ amount: 1n })],
  ['a value', (tx) => tx.pure.u64(1n)],
])('a draft with %s that no call uses is not signed', async (_what, add) => {
  const kind = await kindOf((tx) => void call(tx, tx.object.clock()));
  const tx = Transaction.fromKind(kind);
  add(tx);
  const more = await tx.build({ onlyTransactionKind: true });
  expect(Transaction.fromKind(more).getData().inputs).toHaveLength(2);
  expect(() => callsOf(Buffer.from(more).toString('base64'))).toThrow(/takes in what no call uses/);
});

test('bytes that the chain may read otherwise are not signed', async () => {
  const kind = await kindOf((tx) => void call(tx));
  const bytes = Buffer.from(kind, 'base64');
  const more = Buffer.concat([bytes, Buffer.of(0)]).toString('base64');
  const deep = Buffer.concat([bytes.subarray(0, -2), Buffer.alloc(300_000, 6)]).toString('base64');
  for (const forged of ['', 'AQAA', '%', more, bytes.subarray(0, -1).toString('base64'), deep]) {
    expect(() => callsOf(forged)).toThrow(/it is no programmable transaction/);
  }
});
