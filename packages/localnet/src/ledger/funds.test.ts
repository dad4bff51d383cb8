import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { bcs } from '@mysten/sui/bcs';
import { Transaction } from '@mysten/sui/transactions';
import { deriveDynamicFieldID, fromBase58, toBase58 } from '@mysten/sui/utils';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { derivedId } from '../vm/runtime/transaction-context.ts';
import { reservationOf } from './coin-reservations.ts';
import { sending, withdrawing } from './testing/funds.ts';
import { type Account, referenceTo, TestNetwork } from './testing/network.ts';
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
  public fun split_more(vault: &mut Vault) {
    let mut right = balance::withdraw_funds_from_object<SUI>(&mut vault.id, 1);
    right.split(2);
  }
  public fun join_other(vault: &mut Vault, ctx: &mut TxContext) {
    let mut other = object::new(ctx);
    let mut right = balance::withdraw_funds_from_object<SUI>(&mut vault.id, 1);
    right.join(balance::withdraw_funds_from_object<SUI>(&mut other, 1));
    other.delete()
  }
  public fun claim_twice(vault: &mut Vault) {
    sui::derived_object::claim(&mut vault.id, 1u8).delete();
    sui::derived_object::claim(&mut vault.id, 1u8).delete()
  }
}
module demo::gold {
  use sui::balance::{Self, Supply};
  public struct GOLD has drop {}
  public struct Pot has key { id: UID, supply: Supply<GOLD> }
  fun init(witness: GOLD, ctx: &mut TxContext) {
    let mut pot = Pot { id: object::new(ctx), supply: balance::create_supply(witness) };
    pot.supply.increase_supply(std::u64::max_value!()).send_funds(pot.id.to_address());
    transfer::transfer(pot, ctx.sender())
  }
  public fun turn(pot: &mut Pot, amount: u64) {
    let balance = balance::redeem_funds(balance::withdraw_funds_from_object<GOLD>(&mut pot.id, amount));
    balance.send_funds(pot.id.to_address())
  }
}`;
let network: TestNetwork;
let alice: Account;
let bob: Account;
let packageId: string;
let vaultId: string;
let potId: string;

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
  potId = objects.find(({ type }) => type.endsWith('::gold::Pot'))!.id;
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

test('a transaction adds to funds, and takes out of them, what a u64 holds in all', async () => {
  const turn = (...amounts: bigint[]) => {
    const transaction = new Transaction();
    const pot = transaction.objectRef(referenceTo(network.ledger.getObject(potId)!));
    for (const amount of amounts) {
      const target = `${packageId}::gold::turn`;
      transaction.moveCall({ target, arguments: [pot, transaction.pure.u64(amount)] });
    }
    return alice.execute(transaction);
  };
  const most = 2n ** 64n - 1n;
  expect((await turn(most)).failureDescription).toBeUndefined();
  const { effects } = await turn(most, 1n);
  expect(effects.status).toMatchObject({
    Failure: { error: { $kind: 'MovePrimitiveRuntimeError' }, command: '1' },
  });
});

/** Code and constant in the bits of an abort code that the compiler makes of `#[error(code = ...)]`. */
const codeIn = (abort: string) => Number((BigInt(abort) >> 48n) & 0xffn);

test.each([
  ['split_more', 'withdrawal_split', 1],
  ['join_other', 'withdrawal_join', 2],
  ['claim_twice', 'claim', 0],
])('an abort of the framework has its code: %s', async (name, functionName, code) => {
  const transaction = new Transaction();
  transaction.moveCall({
    target: `${packageId}::vault::${name}`,
    arguments: [transaction.object(vaultId)],
  });
  const { effects } = await alice.execute(await resolved(transaction));

  const abort = effects.status.Failure?.error.MoveAbort;
  expect([abort?.[0].functionName, codeIn(abort![1])]).toEqual([functionName, code]);
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
      minEpoch: '0',
      maxEpoch: '1',
      minTimestamp: null,
      maxTimestamp: null,
      chain: network.ledger.chainId,
      nonce: Math.floor(Math.random() * 2 ** 32),
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

  test('is what a simulation selects where funds are enough, before the coins where a command uses the gas coin', () => {
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
    ).toMatchObject([reserving(bob, fundsOf(bob.address)), { objectId: bob.coins()[0]!.id }]);
  });

  test('makes a gas coin, which takes the first new id', async () => {
    const transaction = free(5_000_000);
    transaction.transferObjects([transaction.splitCoins(transaction.gas, [0])], address('7'));
    const executed = await bob.execute(transaction);
    expect(executed.failureDescription).toBeUndefined();
    const ids = executed.objects.filter(({ change }) => change === 'created').map(({ id }) => id);
    expect(ids).toEqual([derivedId(fromBase58(executed.digest), 1n)]);
    const more = free(5_000_000);
    more.splitCoins(more.gas, [1]);
    expect((await bob.execute(more)).failureDescription).toContain('InsufficientCoinBalance');
  });
});

/** As the SDK makes it. */
const reserving = (owner: Account, amount: bigint) => {
  const { chainId } = network.ledger;
  return bcs.SuiObjectRef.parse(
    bcs.SuiObjectRef.serialize(reservationOf(owner.address, amount, chainId)).toBytes(),
  );
};

describe('coin reservations', () => {
  const budget = 100_000_000n;
  let carol: Account;
  beforeEach(async () => {
    carol = await network.account(400_000_000n, 300_000_000n);
    await alice.execute(sending(carol.address, 500_000_000));
  });

  /** What the sender lost. */
  const costOf = ({ effects: { gasUsed } }: ExecutedTransaction) =>
    BigInt(gasUsed.computationCost) + BigInt(gasUsed.storageCost) - BigInt(gasUsed.storageRebate);
  const paidWith = (transaction: Transaction, ...payment: ReturnType<typeof reserving>[]) => {
    transaction.setGasPayment(payment);
    return transaction;
  };
  const splitting = (amount: bigint) => {
    const transaction = new Transaction();
    transaction.transferObjects([transaction.splitCoins(transaction.gas, [amount])], address('8'));
    return transaction;
  };
  const coinsOf = () => carol.coins().map(referenceTo);

  test('are made as the SDK makes them', async () => {
    const { createCoinReservationRef } = await import(
      new URL('./coin-reservation.mjs', import.meta.resolve('@mysten/sui/utils')).href
    );
    expect(reserving(carol, 7n)).toEqual(
      createCoinReservationRef(7n, carol.address, network.ledger.chainId, '0'),
    );
  });

  test('pay before coins: funds take the coins in, and the gas coin has both', async () => {
    const executed = await carol.execute(
      paidWith(splitting(1_000_000_000n), reserving(carol, 500_000_000n), ...coinsOf()),
    );
    expect(executed.failureDescription).toBeUndefined();
    expect(executed.effects.gasObjectIndex).toBeNull();
    expect(carol.coins()).toEqual([]);
    expect(fundsOf(carol.address)).toBe(200_000_000n - costOf(executed));
    const [created] = executed.objects.filter(({ change }) => change === 'created');
    expect(created?.id).toBe(derivedId(fromBase58(executed.digest), 1n));
  });

  test('pay after a coin, which takes them in', async () => {
    const [coin] = coinsOf();
    const executed = await carol.execute(
      paidWith(splitting(700_000_000n), coin!, reserving(carol, 500_000_000n)),
    );
    expect(executed.failureDescription).toBeUndefined();
    expect(fundsOf(carol.address)).toBe(0n);
    expect(carol.coins().map(({ id }) => id)).toContain(coin!.objectId);
    expect(carol.balance()).toBe(500_000_000n - costOf(executed));
  });

  test('give back what a transaction that fails did not use, and keep the coins', async () => {
    const failed = await carol.execute(
      paidWith(splitting(2_000_000_000n), reserving(carol, 200_000_000n), ...coinsOf()),
    );
    expect(failed.failureDescription).toContain('InsufficientCoinBalance');
    expect(carol.coins()).toEqual([]);
    expect(fundsOf(carol.address)).toBe(1_200_000_000n - costOf(failed));
  });

  test('are charged where the gas coin went: to a new coin, or to funds', async () => {
    const given = new Transaction();
    given.transferObjects([given.gas], address('9'));
    const moved = await carol.execute(paidWith(given, reserving(carol, 300_000_000n)));
    expect(moved.failureDescription).toBeUndefined();
    expect(fundsOf(carol.address)).toBe(200_000_000n);
    expect(network.ledger.getBalance(address('9'), SUI).coins).toBe(300_000_000n - costOf(moved));
    for (const payment of [[reserving(carol, 200_000_000n)], coinsOf()]) {
      const sent = new Transaction();
      sent.moveCall({
        target: '0x2::coin::send_funds',
        typeArguments: [SUI],
        arguments: [sent.gas, sent.pure.address(address('a'))],
      });
      const before = fundsOf(address('a'));
      const executed = await carol.execute(paidWith(sent, ...payment));
      expect(executed.failureDescription).toBeUndefined();
      const paid = payment.length === 1 ? 200_000_000n : 700_000_000n;
      expect(fundsOf(address('a')) - before).toBe(paid - costOf(executed));
    }
    expect([carol.balance(), fundsOf(carol.address)]).toEqual([0n, 0n]);
  });

  test("are refused where they are not of the sender's SUI here and now, or more than there is", async () => {
    const refusal = (...payment: ReturnType<typeof reserving>[]) =>
      carol.execute(paidWith(splitting(1n), ...payment)).then(String, (error) => error.reason);
    const [coin] = coinsOf();
    expect(await refusal(reserving(bob, budget))).toBe('GasObjectNotOwnedObject');
    const later = fromBase58(reserving(carol, budget).digest);
    later[8] = 1;
    expect(await refusal({ ...reserving(carol, budget), digest: toBase58(later) })).toBe(
      'TransactionExpired',
    );
    expect(await refusal(coin!, reserving(carol, 0n))).toBe('InvalidWithdrawReservation');
    expect(await refusal(reserving(carol, budget - 1n))).toBe('GasBalanceTooLow');
    expect(await refusal(reserving(carol, 500_000_001n))).toBe('InvalidWithdrawReservation');
    expect(await refusal(...new Array(11).fill(reserving(carol, budget)))).toBe('SizeLimitExceeded');
    const input = splitting(1n);
    input.transferObjects([input.objectRef(reserving(carol, 1n))], address('8'));
    await expect(carol.execute(input)).rejects.toMatchObject({ reason: 'Unsupported' });
    expect(fundsOf(carol.address)).toBe(500_000_000n);
  });
});
