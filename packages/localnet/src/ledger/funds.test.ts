import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { bcs } from '@mysten/sui/bcs';
import { Transaction } from '@mysten/sui/transactions';
import { deriveDynamicFieldID } from '@mysten/sui/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Account, TestNetwork } from './testing/network.ts';
import type { ExecutedTransaction } from './types.ts';

const SUI = '0x2::sui::SUI';
const VAULT = `
module demo::vault {
  use sui::{balance, coin::Coin, sui::SUI};
  public struct Vault has key { id: UID }
  fun init(ctx: &mut TxContext) { transfer::share_object(Vault { id: object::new(ctx) }) }
  public fun fund(vault: &Vault, coin: Coin<SUI>) { coin.send_funds(vault.id.to_address()) }
  public fun take(vault: &mut Vault, amount: u64, to: address) {
    balance::redeem_funds(balance::withdraw_funds_from_object<SUI>(&mut vault.id, amount)).send_funds(to)
  }
}`;

let network: TestNetwork;
let alice: Account;
let bob: Account;
let packageId: string;
let vaultId: string;

beforeAll(async () => {
  network = await TestNetwork.open();
  alice = await network.account(10_000_000_000n);
  bob = await network.account(1_000_000_000n);
  const manifest = '[package]\nname = "demo"\nedition = "2024"\n[addresses]\ndemo = "0x0"\n';
  const { modules, dependencies } = await compileSources({
    'Move.toml': manifest,
    'sources/vault.move': VAULT,
  });
  const publish = new Transaction();
  const cap = publish.publish({ modules: modules.map((bytes) => [...bytes]), dependencies });
  publish.transferObjects([cap], alice.address);
  const { objects } = await alice.execute(publish);
  packageId = objects.find(({ type }) => type === 'package')!.id;
  vaultId = objects.find(({ type }) => type.endsWith('::vault::Vault'))!.id;
});

afterAll(() => network.ledger.close());

const fundsOf = (owner: string) => network.ledger.getBalance(owner, SUI).funds;

/** What the effects say of funds: owner, operation, amount. */
function fundsIn({ effects }: ExecutedTransaction) {
  return effects.changedObjects.flatMap(([, { outputState }]) => {
    const write = outputState.AccumulatorWriteV1;
    return write ? [[write.address.address, write.operation.$kind, write.value.Integer]] : [];
  });
}

function sending(recipient: string, amount: number): Transaction {
  const transaction = new Transaction();
  transaction.moveCall({
    target: '0x2::coin::send_funds',
    typeArguments: [SUI],
    arguments: [transaction.splitCoins(transaction.gas, [amount]), transaction.pure.address(recipient)],
  });
  return transaction;
}

/** Withdraws at most `limit` and sends what was redeemed. */
function withdrawing(limit: number, recipient: string): Transaction {
  const transaction = new Transaction();
  const balance = transaction.moveCall({
    target: '0x2::balance::redeem_funds',
    typeArguments: [SUI],
    arguments: [transaction.withdrawal({ amount: limit })],
  });
  transaction.moveCall({
    target: '0x2::balance::send_funds',
    typeArguments: [SUI],
    arguments: [balance, transaction.pure.address(recipient)],
  });
  return transaction;
}

const address = (digit: string) => `0x${digit.repeat(64)}`;

test("a balance that is sent is the recipient's, without an object, under the id that the chain counts it at", async () => {
  const to = address('1');
  const executed = await alice.execute(sending(to, 1_000));
  expect(executed.failureDescription).toBeUndefined();
  expect(network.ledger.getBalance(to, SUI)).toMatchObject({ coins: 0n, funds: 1_000n });
  const key = '0x2::accumulator::Key<0x2::balance::Balance<0x2::sui::SUI>>';
  const id = deriveDynamicFieldID('0xacc', key, bcs.Address.serialize(to).toBytes());
  const [, change] = executed.effects.changedObjects.find(([each]) => each === id)!;
  expect(change).toMatchObject({
    inputState: { NotExist: true },
    idOperation: { None: true },
    outputState: { AccumulatorWriteV1: { address: { address: to } } },
  });
  expect(fundsIn(executed)).toEqual([[to, 'Merge', '1000']]);
  expect(executed.balanceChanges.find((each) => each.address === to)?.amount).toBe(1_000n);
  const listed = network.ledger.listBalances(to, { limit: 10 }).items;
  expect(listed).toMatchObject([{ coins: 0n, funds: 1_000n }]);
});

test('what is withdrawn leaves the sender, and what is not redeemed stays', async () => {
  const to = address('2');
  await alice.execute(sending(bob.address, 700));
  const executed = await bob.execute(withdrawing(500, to));
  expect(executed.failureDescription).toBeUndefined();
  expect([fundsOf(bob.address), fundsOf(to)]).toEqual([200n, 500n]);
  expect(fundsIn(executed)).toContainEqual([bob.address, 'Split', '500']);
  const unused = new Transaction();
  unused.moveCall({
    target: '0x2::funds_accumulator::withdrawal_limit',
    typeArguments: [`0x2::balance::Balance<${SUI}>`],
    arguments: [unused.withdrawal({ amount: 200 })],
  });
  expect(fundsIn(await bob.execute(unused))).toEqual([]);
  expect(fundsOf(bob.address)).toBe(200n);
  expect(fundsIn(await bob.execute(withdrawing(200, bob.address)))).toEqual([[bob.address, 'Merge', '0']]);
});

test('more than there is cannot be reserved, by one withdrawal or several, and nothing is charged', async () => {
  await alice.execute(sending(bob.address, 300));
  const held = fundsOf(bob.address);
  const before = bob.balance();
  await expect(bob.execute(withdrawing(Number(held) + 1, address('3')))).rejects.toMatchObject({
    reason: 'InvalidWithdrawReservation',
  });
  const twice = withdrawing(Number(held), address('3'));
  twice.withdrawal({ amount: 1 });
  await expect(bob.execute(twice)).rejects.toMatchObject({ reason: 'InvalidWithdrawReservation' });
  const foreign = withdrawing(1, address('3'));
  foreign.setGasOwner(bob.address);
  expect([fundsOf(bob.address), bob.balance()]).toEqual([held, before]);
});

test('a transaction that fails moves no funds', async () => {
  await alice.execute(sending(bob.address, 50));
  const held = fundsOf(bob.address);
  const transaction = withdrawing(50, address('4'));
  transaction.moveCall({
    target: `${packageId}::vault::take`,
    arguments: [
      transaction.object(vaultId),
      transaction.pure.u64(1_000_000),
      transaction.pure.address(address('4')),
    ],
  });
  const failed = await bob.execute(await resolved(transaction));
  expect(failed.failureDescription).toMatch(
    /abort code 5.*funds_accumulator|funds_accumulator.*abort code 5/,
  );
  expect([fundsOf(bob.address), fundsOf(address('4')), fundsIn(failed)]).toEqual([held, 0n, []]);
});

test('an object gives out what it has, with what the same transaction gave it', async () => {
  const to = address('5');
  const take = (transaction: Transaction, amount: number) =>
    transaction.moveCall({
      target: `${packageId}::vault::take`,
      arguments: [transaction.object(vaultId), transaction.pure.u64(amount), transaction.pure.address(to)],
    });
  const both = new Transaction();
  both.moveCall({
    target: `${packageId}::vault::fund`,
    arguments: [both.object(vaultId), both.splitCoins(both.gas, [900])],
  });
  take(both, 400);
  const executed = await alice.execute(await resolved(both));
  expect(executed.failureDescription).toBeUndefined();
  expect([fundsOf(vaultId), fundsOf(to)]).toEqual([500n, 400n]);
  expect(fundsIn(executed)).toContainEqual([vaultId, 'Merge', '500']);
  const tooMuch = new Transaction();
  take(tooMuch, 300);
  take(tooMuch, 300);
  expect((await alice.execute(await resolved(tooMuch))).failureDescription).toContain('in command 1');
  expect([fundsOf(vaultId), fundsOf(to)]).toEqual([500n, 400n]);
});

/** With the shared vault named in full. */
async function resolved(transaction: Transaction): Promise<Transaction> {
  const vault = network.ledger.getObject(vaultId);
  const owner = vault?.kind === 'move' ? vault.owner : undefined;
  if (owner?.kind !== 'shared') throw new Error('the vault is shared');
  for (const input of transaction.getData().inputs) {
    if (!input.UnresolvedObject) continue;
    const data = transaction.getData();
    const inputs = data.inputs.map((each) =>
      each.UnresolvedObject
        ? {
            $kind: 'Object' as const,
            Object: {
              $kind: 'SharedObject' as const,
              SharedObject: {
                objectId: vaultId,
                initialSharedVersion: String(owner.initialSharedVersion),
                mutable: true,
              },
            },
          }
        : each,
    );
    return Transaction.from(JSON.stringify({ ...data, version: 2, inputs }));
  }
  return transaction;
}

describe('gas from funds', () => {
  const valid = () => ({
    ValidDuring: {
      ...{ minEpoch: '0', maxEpoch: '1', minTimestamp: null, maxTimestamp: null },
      ...{ chain: network.ledger.chainId, nonce: Math.floor(Math.random() * 2 ** 32) },
    },
  });
  const free = (budget: number) => {
    const transaction = withdrawing(10, address('6'));
    transaction.setGasPayment([]);
    transaction.setGasBudget(budget);
    transaction.setExpiration(valid());
    return transaction;
  };

  test('pays exactly what the effects say, without a coin', async () => {
    await alice.execute(sending(bob.address, 50_000_000));
    const [before, coins] = [fundsOf(bob.address), bob.balance()];
    const executed = await bob.execute(free(5_000_000));
    expect(executed.failureDescription).toBeUndefined();
    const { gasUsed, gasObjectIndex } = executed.effects;
    const cost =
      BigInt(gasUsed.computationCost) + BigInt(gasUsed.storageCost) - BigInt(gasUsed.storageRebate);
    expect(gasObjectIndex).toBeNull();
    expect(fundsOf(bob.address)).toBe(before - cost - 10n);
    expect(bob.balance()).toBe(coins);
    expect(fundsIn(executed)).toContainEqual([bob.address, 'Split', String(cost + 10n)]);
  });

  test('is refused without an expiration, and where budget and withdrawals are more than there is', async () => {
    const forever = free(5_000_000);
    forever.setExpiration({ None: true });
    await expect(bob.execute(forever)).rejects.toMatchObject({ reason: 'MissingGasPayment' });
    const held = Number(fundsOf(bob.address));
    await expect(bob.execute(free(held - 9))).rejects.toMatchObject({ reason: 'InvalidWithdrawReservation' });
    expect((await bob.execute(free(held - 10))).failureDescription).toBeUndefined();
  });

  test('is what a simulation selects where funds are enough, and coins where a command uses the gas coin', () => {
    const draft = {
      sender: bob.address,
      inputs: [{ kind: 'pure' as const, bytes: bcs.u64().serialize(5).toBytes() }],
      commands: [],
      gas: {},
    };
    const payment = (commands: Parameters<typeof network.ledger.simulate>[0]['commands']) =>
      network.ledger.simulate({ ...draft, commands }, { selectGas: true }).transaction.data.V1.gasData
        .payment;
    const clock = { package: address('0').replace(/.$/, '2'), module: 'vec_set', function: 'empty' };
    const call = { ...clock, typeArguments: ['u8'], arguments: [] };
    expect(payment([{ $kind: 'MoveCall', MoveCall: call }])).toEqual([]);
    const split = { coin: { $kind: 'GasCoin' as const }, amounts: [{ $kind: 'Input' as const, Input: 0 }] };
    const to = { $kind: 'Result' as const, Result: 0 };
    const merge = { destination: { $kind: 'GasCoin' as const }, sources: [to] };
    expect(
      payment([
        { $kind: 'SplitCoins', SplitCoins: split },
        { $kind: 'MergeCoins', MergeCoins: merge },
      ]),
    ).toHaveLength(1);
  });
});
