import { bcs } from '@mysten/sui/bcs';
import { Transaction } from '@mysten/sui/transactions';
import { expect, test } from 'vitest';
import { gasOf } from './gas.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;
const [agent, stranger, coin] = [id('a'), id('b'), id('c')];

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

test('what was checked, signed and paid by the agent, may be signed', async () => {
  expect(gasOf(...(await completed()), agent)).toEqual([coin]);
});

test.each<[string, string, (tx: Transaction) => void]>([
  ['another call', 'unexpected_transaction', (tx) => void tx.moveCall({ target: `${id('d')}::lend::rob` })],
  ['another sender', 'unexpected_transaction', (tx) => tx.setSender(stranger)],
  ['a sponsor', 'unexpected_transaction', (tx) => tx.setGasOwner(stranger)],
  ['an end after which it has no verdict', 'unexpected_transaction', (tx) => tx.setExpiration({ Epoch: 5 })],
  ['more gas than a run may cost', 'insufficient_gas', (tx) => tx.setGasBudget(1_000_000_001)],
])('%s is not signed', async (_what, code, change) => {
  const [bytes, kind] = await completed(change);
  expect(() => gasOf(bytes, kind, agent)).toThrow(expect.objectContaining({ code }));
});

test('what no coin pays is not signed', async () => {
  const [bytes, kind] = await completed();
  const data = bcs.TransactionData.parse(bytes).V1!;
  const unpaid = { V1: { ...data, gasData: { ...data.gasData, payment: [] } } };
  expect(() => gasOf(bcs.TransactionData.serialize(unpaid).toBytes(), kind, agent)).toThrow(
    expect.objectContaining({ code: 'agent_out_of_gas' }),
  );
});
