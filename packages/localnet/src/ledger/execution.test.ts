import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Secp256k1Keypair } from '@mysten/sui/keypairs/secp256k1';
import { Transaction } from '@mysten/sui/transactions';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Argument, Command } from '../execution/types.ts';
import { faucetKeypair } from './genesis.ts';
import { clockId, coinBalance as u64After } from './move-types.ts';
import { Account, referenceTo, TestNetwork } from './testing/network.ts';
import type { CheckpointRecord, TransactionRecord } from './types.ts';

let network: TestNetwork;
let alice: Account;
const receiver = `0x${'b0'.repeat(32)}`;

beforeEach(async () => {
  network = await TestNetwork.open();
  alice = await network.account(10_000_000_000n, 2_000_000_000n, 1_000_000_000n);
});

afterEach(() => network.ledger.close());

function pay(amount: number | bigint): Transaction {
  const transaction = new Transaction();
  transaction.transferObjects([transaction.splitCoins(transaction.gas, [amount])], receiver);
  return transaction;
}

test('the sender pays exactly what the effects say, beside what was sent', async () => {
  const before = alice.balance();
  const { effects, balanceChanges } = await alice.execute(pay(5_000));
  const gas = effects.gasUsed;
  const cost = BigInt(gas.computationCost) + BigInt(gas.storageCost) - BigInt(gas.storageRebate);
  expect(alice.balance()).toBe(before - 5_000n - cost);
  expect(balanceChanges.find(({ address }) => address === alice.address)?.amount).toBe(-5_000n - cost);
  expect(network.ledger.getBalance(receiver, '0x2::sui::SUI').coins).toBe(5_000n);
});

test('all of the payment coins are joined into the first, and the others are gone', async () => {
  const [first, second, third] = alice.coins();
  const transaction = pay(11_500_000_000n);
  transaction.setGasPayment([second!, first!, third!].map(referenceTo));
  const { effects, failureDescription } = await alice.execute(transaction);
  expect(failureDescription).toBeUndefined();
  expect(alice.coins().map(({ id }) => id)).toEqual([second!.id]);
  const changed = new Map(effects.changedObjects);
  expect(changed.get(first!.id)?.idOperation.$kind).toBe('Deleted');
  expect(effects.changedObjects[effects.gasObjectIndex ?? -1]?.[0]).toBe(second!.id);
});

test('the budget cannot be spent by the transaction itself', async () => {
  const transaction = pay(9_950_000_000n);
  transaction.setGasBudget(100_000_000);
  const { failureDescription } = await alice.execute(transaction);
  expect(failureDescription).toMatch(/^InsufficientCoinBalance in command 0/);
});

test('a failed transaction pays for its computation and changes nothing else', async () => {
  const before = alice.balance();
  const [richest] = alice.coins();
  const transaction = new Transaction();
  transaction.moveCall({ target: '0x2::coin::no_such_function' });
  const { effects, failureDescription, events } = await alice.execute(transaction);
  expect(failureDescription).toMatch(/^FunctionNotFound in command 0/);
  expect(effects.status.Failure?.error.$kind).toBe('FunctionNotFound');
  expect(before - alice.balance()).toBe(BigInt(effects.gasUsed.computationCost));
  expect(effects.changedObjects.map(([id]) => id)).toEqual([richest!.id]);
  expect(events).toEqual([]);
  expect(alice.coins()[0]?.version).toBe(richest!.version + 1n);
});

test('an argument that names what is not there is reported with the indices that it named', async () => {
  const missing: Argument = { $kind: 'NestedResult', NestedResult: [7, 3] };
  const merge: Command = {
    $kind: 'MergeCoins',
    MergeCoins: { destination: { $kind: 'GasCoin' }, sources: [missing] },
  };
  const { effects } = network.ledger.simulate({
    sender: alice.address,
    inputs: [],
    commands: [merge],
    gas: {},
  }).transaction;
  expect(effects.status.Failure?.error.CommandArgumentError).toMatchObject({
    argIdx: 1,
    kind: { IndexOutOfBounds: { idx: 7 } },
  });
});

test('a transaction that cannot pay for what it stores fails, within its budget', async () => {
  const before = alice.balance();
  const transaction = new Transaction();
  const coins = transaction.splitCoins(
    transaction.gas,
    Array.from({ length: 50 }, () => 1),
  );
  transaction.transferObjects(
    Array.from({ length: 50 }, (_, i) => coins[i]!),
    receiver,
  );
  transaction.setGasBudget(5_000_000);
  const { effects } = await alice.execute(transaction);
  expect(effects.status.Failure?.error.$kind).toBe('InsufficientGas');
  expect(before - alice.balance()).toBeLessThanOrEqual(5_000_000n);
  expect(network.ledger.getBalance(receiver, '0x2::sui::SUI').coins).toBe(0n);
});

test('the same bytes sent again, or twice at once, execute once', async () => {
  const bytes = await alice.build(pay(7));
  const signatures = [await alice.sign(bytes)];
  const answers = await Promise.all([1, 2, 3].map(() => network.ledger.execute(bytes, signatures)));
  network.ledger.createCheckpoint();
  answers.push(await network.ledger.execute(bytes, signatures));
  expect(new Set(answers.map(({ effectsDigest }) => effectsDigest)).size).toBe(1);
  expect(network.ledger.getBalance(receiver, '0x2::sui::SUI').coins).toBe(7n);
  expect(answers.at(-1)?.checkpoint).toBe(1n);
});

test('every written object gets one version above everything that the transaction saw', async () => {
  await alice.execute(pay(1));
  const [richest, other] = alice.coins();
  expect(richest!.version).toBeGreaterThan(other!.version);
  const resolved = network.ledger.simulate({
    sender: alice.address,
    inputs: [
      { kind: 'object', objectId: other!.id },
      { kind: 'pure', bytes: Buffer.from('b0'.repeat(32), 'hex') },
    ],
    commands: [
      {
        $kind: 'TransferObjects',
        TransferObjects: { objects: [{ $kind: 'Input', Input: 0 }], address: { $kind: 'Input', Input: 1 } },
      },
    ],
    gas: {
      payment: [{ objectId: richest!.id, version: richest!.version, digest: richest!.digest }],
      budget: 10_000_000n,
    },
  });
  const { effects } = await network.ledger.execute(resolved.transaction.bcs, [
    await alice.sign(resolved.transaction.bcs),
  ]);
  expect(effects.lamportVersion).toBe(String(richest!.version + 1n));
  expect(network.ledger.getObject(other!.id)?.version).toBe(richest!.version + 1n);
  expect(network.ledger.getObject(other!.id, other!.version)?.digest).toBe(other!.digest);
});

test('the clock moves once per checkpoint, before the first transaction that could read it', async () => {
  const shown = () => {
    const clock = network.ledger.getObject(clockId);
    return clock?.kind === 'move' ? u64After(clock.contents) : undefined;
  };
  const first = network.passTime(1_000);
  network.ledger.createCheckpoint();
  const second = network.passTime(500);
  await alice.execute(pay(1));
  expect(shown()).toBe(BigInt(second));
  network.passTime(700);
  await alice.execute(pay(1));
  expect(shown()).toBe(BigInt(second));
  const checkpoint = network.ledger.createCheckpoint();
  expect(checkpoint.timestampMs).toBe(second);
  expect(checkpoint.transactionDigests).toHaveLength(3);
  expect(first).toBeLessThan(second);
  const prologue = network.ledger.getTransaction(checkpoint.transactionDigests[0]!);
  expect(prologue?.data.V1.kind.ConsensusCommitPrologue?.commitTimestampMs).toBe(String(second));
});

test('a checkpoint without transactions is a checkpoint, and time never runs backwards', async () => {
  const { timestampMs, sequence } = network.ledger.createCheckpoint();
  network.passTime(-60_000);
  const next = network.ledger.createCheckpoint();
  expect(next).toMatchObject({ sequence: sequence + 1n, timestampMs, transactionDigests: [] });
});

test('a listener hears of each checkpoint with its transactions in ledger order, until it stops', async () => {
  const heard: { checkpoint: CheckpointRecord; transactions: TransactionRecord[] }[] = [];
  const stop = network.ledger.onCheckpoint((checkpoint, transactions) =>
    heard.push({ checkpoint, transactions }),
  );
  const executed = [await alice.execute(pay(1)), await alice.execute(pay(2))];
  network.ledger.createCheckpoint();
  stop();
  network.ledger.createCheckpoint();
  expect(heard).toHaveLength(1);
  expect(heard[0]?.transactions.map(({ digest }) => digest)).toEqual(heard[0]?.checkpoint.transactionDigests);
  expect(heard[0]?.transactions.slice(-2).map(({ digest }) => digest)).toEqual(
    executed.map(({ digest }) => digest),
  );
  expect(heard[0]?.transactions.at(-1)).toMatchObject({
    checkpoint: 1n,
    timestampMs: heard[0]?.checkpoint.timestampMs,
  });
});

test.each([
  ['few', 2],
  ['many', 600],
])('a listener gets %s transactions as they are stored', async (_amount, count) => {
  for (let each = 0; each < count; each += 1) await alice.execute(pay(1));
  const heard: TransactionRecord[] = [];
  network.ledger.onCheckpoint((_, transactions) => heard.push(...transactions));
  const { sequence } = network.ledger.createCheckpoint();
  const stored = network.transactions().filter(({ checkpoint }) => checkpoint === sequence);
  const whole = (each: TransactionRecord) => ({
    ...each,
    objects: each.objects,
    signatures: each.signatures,
  });
  expect(heard.map(whole)).toEqual(stored.map(whole));
  expect(heard.length).toBeGreaterThan(count);
});

test('transactions execute in the order in which they come, however long their signatures take to check', async () => {
  const bank = new Account(network.ledger, faucetKeypair());
  const keys = [0, 1, 2, 3, 4, 5].map((index) =>
    index % 2 === 0 ? Ed25519Keypair.generate() : Secp256k1Keypair.generate(),
  );
  const accounts = keys.map((key) => new Account(network.ledger, key));
  const funding = new Transaction();
  for (const { address } of accounts) {
    funding.transferObjects([funding.splitCoins(funding.gas, [1_000_000_000])], address);
  }
  await bank.execute(funding);
  const signed = [];
  for (const account of accounts) {
    const transaction = new Transaction();
    transaction.transferObjects([transaction.splitCoins(transaction.gas, [1])], bank.address);
    const bytes = await account.build(transaction);
    signed.push({ bytes, signature: await account.sign(bytes) });
  }
  const forged = network.ledger.execute(signed[0]!.bytes, [signed[1]!.signature]);
  const executed = signed.map(({ bytes, signature }) => network.ledger.execute(bytes, [signature]));
  await expect(forged).rejects.toMatchObject({ reason: 'InvalidSignature' });
  const digests = (await Promise.all(executed)).map(({ digest }) => digest);
  network.ledger.createCheckpoint();
  expect(
    network
      .transactions()
      .slice(-digests.length)
      .map(({ digest }) => digest),
  ).toEqual(digests);
});
