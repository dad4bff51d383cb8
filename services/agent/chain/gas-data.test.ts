import { bcs } from '@mysten/sui/bcs';
import { Transaction } from '@mysten/sui/transactions';
import { expect, test } from 'vitest';
import { withBudget } from './gas-data.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;
const [agent, stranger, coin] = [id('a'), id('b'), id('c')];
const payment = [{ coinId: coin, version: 1, digest: '1'.repeat(32), balance: 0n }];
const own = { sender: agent, payer: agent, payment };

/** Returns a transaction as a node completes it from a checked kind, and that kind. */
async function completed(change: (tx: Transaction) => void = () => undefined) {
  const tx = new Transaction();
  tx.moveCall({ target: `${id('d')}::lend::deposit` });
  const kind = Buffer.from(await tx.build({ onlyTransactionKind: true })).toString('base64');
  tx.setSender(agent);
  tx.setGasBudget(1_000_000_000);
  tx.setGasPrice(1_000);
  tx.setGasPayment([{ objectId: coin, version: 1, digest: '1'.repeat(32) }]);
  change(tx);
  return [await tx.build(), kind] as const;
}

test('what is signed is what was checked, with the leased coin, the node’s price, and our budget, for good', async () => {
  const [bytes, kind] = await completed((tx) => tx.setExpiration({ Epoch: 5 }));
  const signed = withBudget(bytes, kind, own, 5_000_000n);
  const { V1 } = bcs.TransactionData.parse(signed);
  expect(bcs.TransactionKind.serialize(V1!.kind).toBase64()).toBe(kind);
  expect(V1).toMatchObject({
    sender: agent,
    gasData: { owner: agent, budget: '5000000', price: '1000', payment: [{ objectId: coin, version: '1' }] },
    expiration: { $kind: 'None' },
  });
});

test('another address may pay, where that is who was asked to', async () => {
  const [bytes, kind] = await completed((tx) => tx.setGasOwner(stranger));
  const { gasData } = bcs.TransactionData.parse(withBudget(bytes, kind, { ...own, payer: stranger }, 1n)).V1!;
  expect(gasData.owner).toBe(stranger);
});

test.each<[string, (tx: Transaction) => void]>([
  ['another call', (tx) => void tx.moveCall({ target: `${id('d')}::lend::rob` })],
  ['another sender', (tx) => tx.setSender(stranger)],
  ['a sponsor', (tx) => tx.setGasOwner(stranger)],
  ['another coin', (tx) => tx.setGasPayment([{ objectId: id('e'), version: 1, digest: '1'.repeat(32) }])],
  [
    'another version of the coin',
    (tx) => tx.setGasPayment([{ objectId: coin, version: 2, digest: '1'.repeat(32) }]),
  ],
  [
    'a second coin',
    (tx) =>
      tx.setGasPayment([coin, id('e')].map((objectId) => ({ objectId, version: 1, digest: '1'.repeat(32) }))),
  ],
])('%s is not signed', async (_what, change) => {
  const [bytes, kind] = await completed(change);
  expect(() => withBudget(bytes, kind, own, 1n)).toThrow(
    expect.objectContaining({ code: 'unexpected_transaction' }),
  );
});

test('what no coin pays is not signed', async () => {
  const [bytes, kind] = await completed();
  const data = bcs.TransactionData.parse(bytes).V1!;
  const unpaid = { V1: { ...data, gasData: { ...data.gasData, payment: [] } } };
  const unpaidBytes = bcs.TransactionData.serialize(unpaid).toBytes();
  expect(() => withBudget(unpaidBytes, kind, own, 1n)).toThrow(
    expect.objectContaining({ code: 'unexpected_transaction' }),
  );
});
