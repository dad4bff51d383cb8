import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bcs } from '@mysten/sui/bcs';
import { Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomId } from './move-types.ts';
import { Account, TestNetwork } from './testing/network.ts';
import { idOfType, publishModule } from './testing/publish.ts';
import type { ExecutedTransaction } from './types.ts';

const DICE = `
module demo::dice {
  use sui::{event, random::Random};
  public struct Rolled has copy, drop { number: u256 }
  entry fun roll(random: &Random, ctx: &mut TxContext) {
    let mut generator = random.new_generator(ctx);
    event::emit(Rolled { number: generator.generate_u256() });
    event::emit(Rolled { number: generator.generate_u256() });
  }
  public fun nothing() {}
}`;

let directory: string;
let network: TestNetwork;
let alice: Account;
let packageId: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'localnet-'));
  network = await TestNetwork.open(join(directory, 'state.sqlite'));
  alice = await network.account(10_000_000_000n);
  packageId = idOfType(await publishModule(alice, DICE), 'package');
  network.ledger.createCheckpoint();
});

afterAll(async () => {
  network.ledger.close();
  await rm(directory, { recursive: true });
});

function rolling(mutable = false): Transaction {
  const transaction = new Transaction();
  const random = transaction.sharedObjectRef({ objectId: randomId, initialSharedVersion: 1, mutable });
  transaction.moveCall({ target: `${packageId}::dice::roll`, arguments: [random] });
  return transaction;
}

/** The numbers that a transaction drew. */
function numbersOf({ failureDescription, events }: ExecutedTransaction): string[] {
  expect(failureDescription).toBeUndefined();
  return events.map(({ contents }) => bcs.u256().parse(Uint8Array.from(contents)));
}

/** Kinds of the transactions in the newest checkpoint, and the random bytes that it made. */
function newest() {
  const { sequence } = network.ledger.createCheckpoint();
  const kinds = network
    .transactions()
    .filter(({ checkpoint }) => checkpoint === sequence)
    .map(({ data }) => data.V1.kind);
  return {
    kinds: kinds.map(({ $kind }) => $kind),
    updates: kinds.flatMap(({ RandomnessStateUpdate: update }) => (update ? [update] : [])),
  };
}

test('every transaction draws numbers of its own, from bytes that each checkpoint renews once', async () => {
  const drawn = [await alice.execute(rolling()), await alice.execute(rolling())].flatMap(numbersOf);
  const first = newest();
  expect(first.kinds).toEqual([
    'ConsensusCommitPrologue',
    'RandomnessStateUpdate',
    ...['ProgrammableTransaction', 'ProgrammableTransaction'],
  ]);
  drawn.push(...numbersOf(await alice.execute(rolling())));
  const second = newest();
  expect(new Set(drawn).size).toBe(6);
  expect([first, second].map(({ updates }) => updates[0]!.randomnessRound)).toEqual(['0', '1']);
  expect(second.updates[0]!.randomBytes).not.toEqual(first.updates[0]!.randomBytes);
});

test('a checkpoint whose transactions draw no numbers renews nothing', async () => {
  const transaction = new Transaction();
  transaction.moveCall({ target: `${packageId}::dice::nothing` });
  await alice.execute(transaction);
  expect(newest().kinds).toEqual(['ConsensusCommitPrologue', 'ProgrammableTransaction']);
});

test('a network that is opened again continues with the bytes of its unfinished checkpoint', async () => {
  await alice.execute(rolling());
  network.ledger.close();
  network = await TestNetwork.open(join(directory, 'state.sqlite'));
  alice = new Account(network.ledger, alice.key);
  await alice.execute(rolling());
  expect(newest().updates.map(({ randomnessRound }) => randomnessRound)).toEqual(['2']);
});

test('after a number was drawn, a transaction can only transfer and merge', async () => {
  const look = rolling();
  look.moveCall({ target: `${packageId}::dice::nothing` });
  await expect(alice.execute(look)).rejects.toMatchObject({
    reason: 'PostRandomCommandRestrictions',
    message: expect.stringContaining('can only be TransferObjects or MergeCoins'),
  });
  const before = new Transaction();
  const random = before.sharedObjectRef({ objectId: randomId, initialSharedVersion: 1, mutable: false });
  const coins = before.splitCoins(before.gas, [1, 2]);
  before.moveCall({ target: `${packageId}::dice::roll`, arguments: [random] });
  before.mergeCoins(coins[0]!, [coins[1]!]);
  before.transferObjects([coins[0]!], alice.address);
  expect(numbersOf(await alice.execute(before))).toHaveLength(2);
});

test('only the system changes the bytes', async () => {
  await expect(alice.execute(rolling(true))).rejects.toMatchObject({
    reason: 'ImmutableParameterExpectedError',
  });
  const update = new Transaction();
  const random = update.sharedObjectRef({ objectId: randomId, initialSharedVersion: 1, mutable: false });
  update.moveCall({
    target: '0x2::random::update_randomness_state',
    arguments: [random, update.pure.u64(9), update.pure.vector('u8', [1])],
  });
  const { failureDescription } = await alice.execute(update);
  expect(failureDescription).toContain('NonEntryFunctionInvoked');
});
