import { Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { denyListId } from './move-types.ts';
import { type Account, referenceTo, TestNetwork } from './testing/network.ts';
import { idOfType, publishModule } from './testing/publish.ts';

const COINS = (version: 'currency' | 'currency_v2') => `
module demo::gold {
  use sui::coin;
  public struct GOLD has drop {}
  #[allow(deprecated_usage)]
  fun init(witness: GOLD, ctx: &mut TxContext) {
    let (mut treasury, cap, metadata) = coin::create_regulated_${version}(
      witness, 2, b"GOLD", b"Gold", b"", option::none(), ${version === 'currency' ? '' : 'true, '}ctx,
    );
    let sender = ctx.sender();
    coin::mint_and_transfer(&mut treasury, 100, sender, ctx);
    transfer::public_transfer(treasury, sender);
    transfer::public_transfer(cap, sender);
    transfer::public_freeze_object(metadata);
  }
}`;

let network: TestNetwork;
let issuer: Account;
let holder: Account;

beforeAll(async () => {
  network = await TestNetwork.open();
  issuer = await network.account(10_000_000_000n);
  holder = await network.account(1_000_000_000n);
});
afterAll(() => network.ledger.close());

const owned = (id: string) => referenceTo(network.ledger.getObject(id)!);

/** A regulated currency whose only coin belongs to the holder. */
async function currency(version: 'currency' | 'currency_v2') {
  const published = await publishModule(issuer, COINS(version));
  const coin = idOfType(published, /::coin::Coin<.*::gold::GOLD>$/);
  const cap = idOfType(published, /::coin::DenyCap(V2)?</);
  const type = `${idOfType(published, 'package')}::gold::GOLD`;
  const give = new Transaction();
  give.transferObjects([give.objectRef(owned(coin))], holder.address);
  await issuer.execute(give);
  const change = async (name: string, address?: string) => {
    const transaction = new Transaction();
    const list = { objectId: denyListId, initialSharedVersion: 1, mutable: true };
    transaction.moveCall({
      target: `0x2::coin::${name}`,
      typeArguments: [type],
      arguments: [
        transaction.sharedObjectRef(list),
        transaction.objectRef(owned(cap)),
        ...(address ? [transaction.pure.address(address)] : []),
      ],
    });
    const { failureDescription } = await issuer.execute(transaction);
    expect(failureDescription).toBeUndefined();
  };
  /** The holder sends the coin to itself. */
  const use = () => {
    const transaction = new Transaction();
    transaction.transferObjects([transaction.objectRef(owned(coin))], holder.address);
    return holder.execute(transaction);
  };
  return { type, change, use };
}

test('a denied address cannot use the coin, pays nothing, and can again once it is removed', async () => {
  const { type, change, use } = await currency('currency_v2');
  await use();
  await change('deny_list_v2_add', issuer.address);
  expect((await use()).failureDescription).toBeUndefined();
  await change('deny_list_v2_add', holder.address);
  const before = holder.balance();
  await expect(use()).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    reason: 'AddressDeniedForCoin',
    message: expect.stringContaining(`Address ${holder.address} is denied for coin ${type.slice(2)}`),
  });
  expect(holder.balance()).toBe(before);
  await change('deny_list_v2_remove', holder.address);
  expect((await use()).failureDescription).toBeUndefined();
});

test('a paused currency is used by no one', async () => {
  const { change, use } = await currency('currency_v2');
  await change('deny_list_v2_enable_global_pause');
  await expect(use()).rejects.toMatchObject({ reason: 'CoinTypeGlobalPause' });
  await change('deny_list_v2_disable_global_pause');
  expect((await use()).failureDescription).toBeUndefined();
});

test('the first version of the list counts too', async () => {
  const { change, use } = await currency('currency');
  await change('deny_list_add', holder.address);
  await expect(use()).rejects.toMatchObject({ reason: 'AddressDeniedForCoin' });
  await change('deny_list_remove', holder.address);
  expect((await use()).failureDescription).toBeUndefined();
});

test('funds of a coin are denied like its objects', async () => {
  const { type, change, use } = await currency('currency_v2');
  const fund = new Transaction();
  const coin = network.ledger
    .listOwnedObjects(holder.address, { limit: 100 })
    .items.find((each) => each.kind === 'move' && each.type.includes(type))!;
  fund.moveCall({
    target: '0x2::coin::send_funds',
    typeArguments: [type],
    arguments: [fund.splitCoins(fund.objectRef(referenceTo(coin)), [10]), fund.pure.address(holder.address)],
  });
  expect((await holder.execute(fund)).failureDescription).toBeUndefined();
  await change('deny_list_v2_add', holder.address);
  await expect(use()).rejects.toMatchObject({ reason: 'AddressDeniedForCoin' });
  const withdraw = new Transaction();
  withdraw.moveCall({
    target: '0x2::coin::redeem_funds',
    typeArguments: [type],
    arguments: [withdraw.withdrawal({ amount: 10, type })],
  });
  await expect(holder.execute(withdraw)).rejects.toMatchObject({ reason: 'AddressDeniedForCoin' });
});

test('effects name the deny list as the config of an epoch where owners are left with coins other than SUI', async () => {
  const published = await publishModule(issuer, COINS('currency_v2'));
  const lists = ({ effects }: Awaited<ReturnType<Account['execute']>>) => effects.unchangedConsensusObjects;
  const config = [denyListId, { $kind: 'PerEpochConfig', PerEpochConfig: true }];
  const give = new Transaction();
  const coin = idOfType(published, /::coin::Coin<.*::gold::GOLD>$/);
  give.transferObjects([give.objectRef(owned(coin))], holder.address);
  expect(lists(await issuer.execute(give))).toEqual([config]);
  const pay = new Transaction();
  pay.transferObjects([pay.splitCoins(pay.gas, [1])], holder.address);
  expect(lists(await issuer.execute(pay))).toEqual([]);
});
