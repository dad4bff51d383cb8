import { bcs } from '@mysten/sui/bcs';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Inputs, Transaction } from '@mysten/sui/transactions';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPlainForm } from './plain-form.ts';

const id = (digit: string) => `0x${digit.repeat(64)}`;
const reference = (digit: string) => ({
  objectId: id(digit),
  version: '7',
  digest: '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi',
});

/** With every part that is looked at. */
async function transactionBytes(): Promise<Uint8Array> {
  const transaction = new Transaction();
  const coin = transaction.object(Inputs.ObjectRef(reference('1')));
  const received = transaction.object(Inputs.ReceivingRef(reference('2')));
  const shared = transaction.object(
    Inputs.SharedObjectRef({ objectId: id('3'), initialSharedVersion: 5, mutable: true }),
  );
  const [first, second] = transaction.splitCoins(transaction.gas, [1, 300]);
  transaction.mergeCoins(coin, [first!]);
  transaction.moveCall({
    target: `${id('4')}::a_module::a_function`,
    arguments: [shared, received, second!],
  });
  transaction.transferObjects([coin], id('5'));
  transaction.setSender(new Ed25519Keypair().toSuiAddress());
  transaction.setGasPayment([reference('6')]);
  transaction.setGasPrice(1_000);
  transaction.setGasBudget(50_000_000);
  return await transaction.build();
}

const isCanonical = (bytes: Uint8Array) => {
  try {
    const data = bcs.TransactionData.parse(Uint8Array.from(bytes));
    return Buffer.compare(bcs.TransactionData.serialize(data).toBytes(), bytes) === 0;
  } catch {
    return false;
  }
};

test('a usual transaction is found to be plain', async () => {
  expect(isPlainForm(await transactionBytes())).toBe(true);
});

test('whatever is changed of a transaction, what is found to be plain is the only encoding of what it holds', async () => {
  const bytes = await transactionBytes();
  let plain = 0;
  const check = (changed: Uint8Array) => {
    if (!isPlainForm(changed)) return;
    plain += 1;
    expect(isCanonical(changed)).toBe(true);
  };
  for (let at = 0; at < bytes.length; at += 1) {
    for (const value of [0, 1, 2, 3, 0x20, 0x21, 0x7f, 0x80, 0xff]) {
      const changed = Uint8Array.from(bytes);
      changed[at] = value;
      check(changed);
      check(Uint8Array.from([...bytes.subarray(0, at), value, ...bytes.subarray(at)]));
    }
    check(bytes.subarray(0, at));
  }
  expect(plain).toBeGreaterThan(bytes.length);
  expect(isPlainForm(Uint8Array.from([...bytes, 0]))).toBe(false);
  const place = fc.nat({ max: bytes.length - 1 });
  fc.assert(
    fc.property(fc.array(fc.tuple(place, fc.nat({ max: 255 })), { maxLength: 4 }), (changes) => {
      const changed = Uint8Array.from(bytes);
      for (const [at, value] of changes) changed[at] = value;
      check(changed);
    }),
  );
});
