import { join } from 'node:path';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import type { Localnet } from '@adaptor-marketplace/localnet';
import { type Account, createAccount, type Executed, execute } from '@adaptor-marketplace/localnet/account';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { type CompiledPackage, compilePackage, compileSources } from '@adaptor-marketplace/move-toolchain';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import type { Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { walletEvents } from '../../lib/chain/events/wallet.ts';
import { moveDir } from '../../lib/contracts/move-dir.ts';
import { findCreatedObject } from '../../services/demo/publish.ts';
import { createTesterClient } from '../support/tester-client.ts';

const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;
const till = `0x${'7'.repeat(64)}`;

/**
 * An adaptor that takes money in every way: as a payment, as an unattended pull, and as a swap that other code
 * finishes.
 */
const shop = `module shop::shop;
use sui::clock::Clock;
use sui::coin::Coin;
use wallet::intent::{Self, WalletSwapWitness};
use wallet::wallet::Wallet;

const TILL: address = @${till};

public struct Shop has drop {}

public fun buy<C>(wallet: &mut Wallet, price: u64, clock: &Clock, ctx: &mut TxContext) {
    let sig = intent::request_payment<_, C>(Shop {}, price, TILL);
    let (coin, witness) = intent::validate_and_pay(wallet, sig, clock, ctx);
    transfer::public_transfer(coin, TILL);
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Shop {}, price, TILL))
}

public fun charge<C>(wallet: &mut Wallet, price: u64, ctx: &mut TxContext) {
    let sig = intent::request_payment_unmetered<_, C>(Shop {}, price, TILL);
    let (coin, witness) = intent::validate_and_pay_unmetered(wallet, sig, ctx);
    transfer::public_transfer(coin, TILL);
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Shop {}, price, TILL))
}

public fun begin_swap<In, Out>(
    wallet: &mut Wallet, amount_in: u64, min_out: u64, clock: &Clock, ctx: &mut TxContext,
): (Coin<In>, WalletSwapWitness<Shop, In, Out>) {
    intent::validate_and_swap_out(wallet, intent::request_swap(Shop {}, amount_in, min_out), clock, ctx)
}

public fun finish_swap<In, Out>(
    wallet: &mut Wallet, witness: WalletSwapWitness<Shop, In, Out>, coin: Coin<Out>,
) {
    let amount_in = intent::wallet_swap_witness_amount_in(&witness);
    let receipt = intent::create_swap_receipt(Shop {}, amount_in, coin.value());
    intent::verify_swap_and_credit(wallet, witness, receipt, coin)
}
`;

let localnet: Localnet;
let client: ChainClient;
let owner: Account;
let agent: Account;
let walletPackage: string;
let shopPackage: string;

beforeAll(async () => {
  localnet = await startTestLocalnet({ checkpointIntervalMs: 20 });
  client = createTesterClient(localnet.rpcUrl);
  [owner, agent] = await Promise.all([newAccount(), newAccount()]);
  walletPackage = await publish(await compilePackage(join(moveDir, 'wallet')));
  const sources = { 'Move.toml': moveToml('shop', ['wallet']), 'sources/shop.move': shop };
  const options = { base: join(moveDir, 'shop'), published: { wallet: walletPackage } };
  shopPackage = await publish(await compileSources(sources, options));
});
afterAll(async () => {
  client.close();
  await localnet.close();
});

const newAccount = () => createAccount(client, localnet.faucetUrl);

async function publish({ modules, dependencies }: CompiledPackage): Promise<string> {
  const executed = await execute(owner, (tx) => {
    const upgradeCap = tx.publish({ modules: modules.map((module) => [...module]), dependencies });
    tx.transferObjects([upgradeCap], owner.address);
  });
  return findCreatedObject(executed, 'package');
}

const service = () => `${shopPackage}::shop::Shop`;

/** A wallet of the account's with 1000 MIST. It grants the shop 100 MIST, and 50 of them to the agent. */
async function newWallet(account: Account): Promise<string> {
  const executed = await execute(account, (tx) => {
    const target = (name: string) => `${walletPackage}::${name}`;
    const wallet = tx.moveCall({ target: target('wallet::create') });
    const call = (name: string, args: Parameters<Transaction['moveCall']>[0]['arguments'], types: string[]) =>
      tx.moveCall({ target: target(name), arguments: [wallet, ...(args ?? [])], typeArguments: types });
    const budget = [tx.pure.address(agent.address), tx.pure.u64(50)];
    call('wallet::deposit', [tx.splitCoins(tx.gas, [1000])], [sui]);
    call('wallet::grant_service_coin', [tx.pure.u64(100)], [service(), sui]);
    if (account !== agent) {
      call('delegate::initialize', [], []);
      call('delegate::add', [tx.pure.address(agent.address)], []);
      call('delegate::set_service_allowance', budget, [service()]);
      call('delegate::set_coin_allowance', budget, [sui]);
    }
    call('wallet::share', [], []);
  });
  return findCreatedObject(executed, '::wallet::Wallet');
}

/** The wallet events of a transaction, decoded with the codecs of the index. */
async function readEvents({ digest }: Executed) {
  const { Transaction: read } = await client.getTransaction({ digest, include: { events: true } });
  return (read?.events ?? []).map(({ eventType, bcs }) => {
    const name = eventType.slice(eventType.indexOf('::') + 2);
    if (!walletEvents.isName(name)) throw new Error(`${name} is not an event of a wallet`);
    return { name, fields: walletEvents.decode(name, bcs) };
  });
}

const buy = (wallet: string, price: number) => (tx: Transaction) => {
  tx.moveCall({
    target: `${shopPackage}::shop::buy`,
    arguments: [tx.object(wallet), tx.pure.u64(price), tx.object.clock()],
    typeArguments: [sui],
  });
};

const charge = (wallet: string, price: number) => (tx: Transaction) => {
  tx.moveCall({
    target: `${shopPackage}::shop::charge`,
    arguments: [tx.object(wallet), tx.pure.u64(price)],
    typeArguments: [sui],
  });
};

/** Takes 20 MIST out of one wallet, and brings `brought` to a wallet. */
const swap = (from: string, to: string, brought: number) => (tx: Transaction) => {
  const typeArguments = [sui, sui];
  const [coin, witness] = tx.moveCall({
    target: `${shopPackage}::shop::begin_swap`,
    arguments: [tx.object(from), tx.pure.u64(20), tx.pure.u64(5), tx.object.clock()],
    typeArguments,
  });
  const out = tx.splitCoins(coin!, [brought]);
  tx.moveCall({
    target: `${shopPackage}::shop::finish_swap`,
    arguments: [tx.object(to), witness!, out],
    typeArguments,
  });
  tx.transferObjects([coin!], till);
};

const aborts = (module: string, code: number) =>
  expect.objectContaining({
    message: expect.stringMatching(new RegExp(`abort code: ${code}, in '0x[0-9a-f]{64}::${module}::`)),
  });

describe('an adaptor on chain', () => {
  test('is paid by a delegate within grant and budget, and says which wallet paid', async () => {
    const wallet = await newWallet(owner);
    const events = await readEvents(await execute(agent, buy(wallet, 30)));
    expect(events.map(({ name }) => name)).toEqual([
      'delegate::ServiceAllowanceDebited',
      'delegate::CoinAllowanceDebited',
      'wallet::CoinWithdrawn',
      'intent::PaymentValidated',
      'intent::PaymentVerified',
    ]);
    expect(events[2]!.fields).toMatchObject({ walletId: wallet, amount: '30', allowanceLeft: '70' });
    expect(events[4]!.fields).toMatchObject({ walletId: wallet, amount: '30', recipient: till });
    await expect(execute(agent, buy(wallet, 21))).rejects.toEqual(aborts('delegate', 7));
    await expect(execute(owner, buy(wallet, 71))).rejects.toEqual(aborts('wallet', 16));
    await expect(execute(await newAccount(), buy(wallet, 1))).rejects.toEqual(aborts('delegate', 9));
  });

  test('takes nothing unattended before the owner lets it, and no more than the cap', async () => {
    const wallet = await newWallet(owner);
    await expect(execute(agent, charge(wallet, 1))).rejects.toEqual(aborts('wallet', 17));
    await execute(owner, (tx) => {
      tx.moveCall({
        target: `${walletPackage}::wallet::grant_service_pull`,
        arguments: [tx.object(wallet), tx.pure.u64(10)],
        typeArguments: [service(), sui],
      });
    });
    await execute(await newAccount(), charge(wallet, 10));
    await expect(execute(agent, charge(wallet, 1))).rejects.toEqual(aborts('wallet', 17));
  });

  test('brings the proceeds of a swap to the wallet that paid, never to the delegate’s own', async () => {
    const wallet = await newWallet(owner);
    const events = await readEvents(await execute(agent, swap(wallet, wallet, 9)));
    const verified = events.find(({ name }) => name === 'intent::SwapVerified');
    expect(verified?.fields).toMatchObject({ walletId: wallet, amountIn: '20', amountOut: '9' });
    const mine = await newWallet(agent);
    await expect(execute(agent, swap(wallet, mine, 9))).rejects.toEqual(aborts('intent', 5));
    await expect(execute(agent, swap(wallet, wallet, 4))).rejects.toEqual(aborts('intent', 4));
  });
});

test('a coin sent to the wallet’s identity is brought in by anyone', async () => {
  const wallet = await newWallet(owner);
  const sent = await execute(agent, (tx) => {
    tx.transferObjects([tx.splitCoins(tx.gas, [12])], wallet);
  });
  const swept = await execute(agent, (tx) => {
    tx.moveCall({
      target: `${walletPackage}::wallet::sweep_legacy_coin`,
      arguments: [tx.object(wallet), tx.object(findCreatedObject(sent, `::coin::Coin<${sui}>`))],
      typeArguments: [sui],
    });
  });
  const events = await readEvents(swept);
  expect(events.map(({ name }) => name)).toEqual(['wallet::CoinDeposited', 'wallet::LegacyCoinSwept']);
  expect(events[1]!.fields).toMatchObject({ walletId: wallet, amount: '12' });
});

test.each([
  ['sent', 'store', 'fun f(wallet: Wallet) { transfer::public_transfer(wallet, @0x1) }'],
  ['wrapped', 'store', 'public struct Box has key, store { id: UID, wallet: Wallet }'],
  ['dropped', 'drop', 'fun f(_wallet: Wallet) {}'],
])('a new wallet cannot be %s by another module, only shared', async (_, ability, item) => {
  const module = `module shop::shop;\nuse wallet::wallet::Wallet;\n${item}`;
  const sources = { 'Move.toml': moveToml('shop', ['wallet']), 'sources/shop.move': module };
  const options = { base: join(moveDir, 'shop'), allowUnpublished: true };
  await expect(compileSources(sources, options)).rejects.toThrow(`'${ability}'`);
});
