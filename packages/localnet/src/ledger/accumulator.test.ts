import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bcs } from '@mysten/sui/bcs';
import { Transaction } from '@mysten/sui/transactions';
import { deriveDynamicFieldID } from '@mysten/sui/utils';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { accumulatorRootId } from './move-types.ts';
import { sending, withdrawing } from './testing/funds.ts';
import { Account, TestNetwork } from './testing/network.ts';
import { idOfType, publishModule } from './testing/publish.ts';

const READER = `
module demo::reader {
  use sui::{accumulator::AccumulatorRoot, balance, coin::Coin, event, sui::SUI};
  public struct Settled has copy, drop { value: u64 }
  public fun read(root: &AccumulatorRoot, owner: address) {
    event::emit(Settled { value: balance::settled_funds_value<SUI>(root, owner) })
  }
  public fun give_then_read(root: &AccumulatorRoot, coin: Coin<SUI>, owner: address) {
    coin.send_funds(owner);
    read(root, owner)
  }
}`;

const SUI = '0x2::sui::SUI';
const bob = `0x${'b0b'.padStart(64, '0')}`;
let directory: string;
let network: TestNetwork;
let alice: Account;
let packageId: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'accumulator-'));
});
afterAll(() => rm(directory, { recursive: true }));
beforeEach(async () => {
  network = await TestNetwork.open(join(directory, `${crypto.randomUUID()}.sqlite`));
  alice = await network.account(10_000_000_000n);
  packageId = idOfType(await publishModule(alice, READER), 'package');
});
afterEach(() => network.ledger.close());

function rootOf(transaction: Transaction, mutable = false) {
  return transaction.sharedObjectRef({ objectId: accumulatorRootId, initialSharedVersion: 1, mutable });
}

async function settled(owner: string): Promise<bigint> {
  const transaction = new Transaction();
  transaction.moveCall({
    target: `${packageId}::reader::read`,
    arguments: [rootOf(transaction), transaction.pure.address(owner)],
  });
  return valueIn(await alice.execute(transaction));
}

function valueIn(executed: Awaited<ReturnType<Account['execute']>>): bigint {
  expect(executed.failureDescription).toBeUndefined();
  return BigInt(bcs.u64().parse(Uint8Array.from(executed.events[0]!.contents)));
}

/** The field that counts somebody's SUI, by the id that clients derive. */
function fieldOf(owner: string) {
  const type = '0x2::accumulator::Key<0x2::balance::Balance<0x2::sui::SUI>>';
  return network.ledger.getObject(
    deriveDynamicFieldID(accumulatorRootId, type, bcs.Address.serialize(owner).toBytes()),
  );
}

test('a transaction reads of an address balance what it was at the end of the last checkpoint', async () => {
  await alice.execute(sending(bob, 500));
  expect(await settled(bob)).toBe(0n);
  expect(network.ledger.getBalance(bob, SUI).funds).toBe(500n);
  network.ledger.createCheckpoint();
  expect(await settled(bob)).toBe(500n);
  const transaction = new Transaction();
  transaction.moveCall({
    target: `${packageId}::reader::give_then_read`,
    arguments: [
      rootOf(transaction),
      transaction.splitCoins(transaction.gas, [20]),
      transaction.pure.address(bob),
    ],
  });
  expect(valueIn(await alice.execute(transaction))).toBe(500n);
  network.ledger.createCheckpoint();
  expect(await settled(bob)).toBe(520n);
  expect(await settled(alice.address)).toBe(0n);
});

test('a listener hears of the transactions that settle a checkpoint, with those that they settle', async () => {
  const heard: string[] = [];
  network.ledger.onCheckpoint((_, transactions) => heard.push(...transactions.map(({ digest }) => digest)));
  await alice.execute(sending(bob, 500));
  const { transactionDigests } = network.ledger.createCheckpoint();
  // The prologue, what was sent, the sum, and the number of fields.
  expect(transactionDigests.length).toBeGreaterThanOrEqual(4);
  expect(heard).toEqual(transactionDigests);
});

test('the sums are dynamic fields of the root at 0xacc, which are gone when nothing is left', async () => {
  await alice.execute(sending(alice.address, 700));
  expect(fieldOf(alice.address)).toBeUndefined();
  network.ledger.createCheckpoint();
  const field = fieldOf(alice.address);
  expect(field).toMatchObject({ kind: 'move', owner: { kind: 'object', address: accumulatorRootId } });
  const U128 = bcs.struct('Field', { id: bcs.Address, name: bcs.Address, value: bcs.u128() });
  expect(field?.kind === 'move' && U128.parse(Uint8Array.from(field.contents))).toMatchObject({
    name: alice.address,
    value: '700',
  });
  await alice.execute(withdrawing(700, bob));
  network.ledger.createCheckpoint();
  expect(fieldOf(alice.address)).toBeUndefined();
  expect(await settled(alice.address)).toBe(0n);
  expect(await settled(bob)).toBe(700n);
  const { items } = network.ledger.listDynamicFields(accumulatorRootId, { limit: 10 });
  const count = items.find(({ nameType }) => nameType.endsWith('::AccumulatorObjectCountKey'));
  expect(count && bcs.u64().parse(Uint8Array.from(count.value))).toBe('1');
});

test('a checkpoint that moved funds ends with the transactions that settle them, and no other has any', async () => {
  await alice.execute(sending(bob, 1));
  await alice.execute(sending(bob, 2));
  const { transactionDigests } = network.ledger.createCheckpoint();
  const kinds = transactionDigests.map((digest) => network.ledger.getTransaction(digest)!.data.V1.kind.$kind);
  expect(kinds.slice(-3)).toEqual([
    'ProgrammableTransaction',
    'ProgrammableSystemTransaction',
    'ProgrammableSystemTransaction',
  ]);
  await settled(bob);
  expect(network.ledger.createCheckpoint().transactionDigests).toHaveLength(2);
});

test('what a killed process did not settle is settled by the next one', async () => {
  const path = join(directory, 'killed.sqlite');
  const first = await TestNetwork.open(path);
  const account = await first.account(1_000_000_000n);
  await account.execute(sending(bob, 33));
  first.ledger.close();
  network.ledger.close();
  network = await TestNetwork.open(path);
  network.ledger.createCheckpoint();
  const again = new Account(network.ledger, account.key);
  expect(fieldOf(bob)).toBeDefined();
  expect(again.balance()).toBeGreaterThan(0n);
});

test('more owners than one transaction may settle are settled by several', async () => {
  for (let from = 0; from < 250; from += 125) {
    const transaction = new Transaction();
    for (let i = from; i < from + 125; i += 1) {
      const coin = transaction.splitCoins(transaction.gas, [1]);
      const owner = transaction.pure.address(`0x${(0x1000 + i).toString(16).padStart(64, '0')}`);
      transaction.moveCall({
        target: '0x2::coin::send_funds',
        typeArguments: [SUI],
        arguments: [coin, owner],
      });
    }
    expect((await alice.execute(transaction)).failureDescription).toBeUndefined();
  }
  network.ledger.createCheckpoint();
  expect(network.ledger.listDynamicFields(accumulatorRootId, { limit: 1_000 }).items).toHaveLength(251);
  const settlements = network
    .transactions()
    .filter(({ data }) => data.V1.kind.$kind === 'ProgrammableSystemTransaction');
  expect(settlements).toHaveLength(4);
});

test('users cannot write the root', async () => {
  const changing = new Transaction();
  changing.moveCall({
    target: `${packageId}::reader::read`,
    arguments: [rootOf(changing, true), changing.pure.address(bob)],
  });
  await expect(alice.execute(changing)).rejects.toMatchObject({ reason: 'ImmutableParameterExpectedError' });
  const settling = new Transaction();
  settling.moveCall({
    target: '0x2::accumulator_settlement::settle_u128',
    typeArguments: [`0x2::balance::Balance<${SUI}>`],
    arguments: [
      rootOf(settling),
      ...[settling.pure.address(bob), settling.pure.u128(1), settling.pure.u128(0)],
    ],
  });
  expect((await alice.execute(settling)).failureDescription).toContain('NonEntryFunctionInvoked');
});
