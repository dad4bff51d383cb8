import { bcs } from '@mysten/sui/bcs';
import { Transaction } from '@mysten/sui/transactions';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { budgetFor, chargedOf, withBudget } from './prepare.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;
const [agent, stranger, coin] = [id('a'), id('b'), id('c')];
const own = { sender: agent, payer: agent };

/** What a node makes of the checked kind, and the kind. */
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

test('what is signed is what was checked, with the node’s coins and price, and our budget, for good', async () => {
  const [bytes, kind] = await completed((tx) => tx.setExpiration({ Epoch: 5 }));
  const signed = withBudget(bytes, kind, own, 5_000_000n);
  expect(signed.payment).toEqual([coin]);
  const { V1 } = bcs.TransactionData.parse(signed.bytes);
  expect(bcs.TransactionKind.serialize(V1!.kind).toBase64()).toBe(kind);
  expect(V1).toMatchObject({
    sender: agent,
    gasData: { owner: agent, budget: '5000000', price: '1000', payment: [{ objectId: coin, version: '1' }] },
    expiration: { $kind: 'None' },
  });
});

test('another address may pay, where that is who was asked to', async () => {
  const [bytes, kind] = await completed((tx) => tx.setGasOwner(stranger));
  const { gasData } = bcs.TransactionData.parse(
    withBudget(bytes, kind, { sender: agent, payer: stranger }, 1n).bytes,
  ).V1!;
  expect(gasData.owner).toBe(stranger);
});

test.each<[string, (tx: Transaction) => void]>([
  ['another call', (tx) => void tx.moveCall({ target: `${id('d')}::lend::rob` })],
  ['another sender', (tx) => tx.setSender(stranger)],
  ['a sponsor', (tx) => tx.setGasOwner(stranger)],
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
    expect.objectContaining({ code: 'agent_out_of_gas' }),
  );
});

test('a budget is a quarter more than was used before the rebate, rounded up, and two million MIST', () => {
  const used = (computation: number, storage: number, rebate: number) => ({
    ...{ computationCost: String(computation), storageCost: String(storage), storageRebate: String(rebate) },
  });
  expect(budgetFor(used(1_000_000, 3_000_001, 2_900_000))).toBe(7_000_002n);
  expect(budgetFor(used(0, 1, 0))).toBe(2_000_002n);
  expect(chargedOf(used(1_000_000, 3_000_000, 2_900_000))).toBe(1_100_000n);
  expect(chargedOf(used(1_000_000, 0, 2_900_000))).toBe(0n);
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 60n), fc.bigInt(0n, 2n ** 60n), (computation, storage) => {
      const gas = { computationCost: `${computation}`, storageCost: `${storage}`, storageRebate: '0' };
      const fixed = budgetFor(gas) - 2_000_000n;
      expect(
        fixed * 4n >= (computation + storage) * 5n && (fixed - 1n) * 4n < (computation + storage) * 5n,
      ).toBe(true);
    }),
  );
});
