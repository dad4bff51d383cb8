import { join } from 'node:path';
import {
  action as actions,
  type WalletTarget,
  wallet as wallets,
} from '@adaptor-marketplace/adaptor/transactions';
import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import type { Transaction } from '@mysten/sui/transactions';
import { beforeAll, describe, expect, test } from 'vitest';
import { moveDir } from '../../lib/contracts/move-dir.ts';
import { findCreatedObject } from '../../services/demo/publish.ts';
import { useForFile } from '../support/use-for-file.ts';
import { coinType, expectAbort, newWallet, startWalletPackages } from '../support/wallet-packages.ts';

/** A service that takes and returns any amount, and calls the functions of the wallet's owner. */
const shop = `module shop::shop;
use sui::clock::Clock;
use sui::coin::Coin;
use wallet::intent;
use wallet::wallet::Wallet;

public struct Shop has drop {}

public fun trade<C>(wallet: &mut Wallet, takes: u64, brings: u64, clock: &Clock, ctx: &mut TxContext) {
    let sig = intent::request_payment<_, C>(Shop {}, takes, @0xb0b);
    let (mut coin, witness) = intent::validate_and_pay(wallet, sig, clock, ctx);
    wallet.receive_from_service(coin.split(brings, ctx), Shop {});
    transfer::public_transfer(coin, @0xb0b);
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Shop {}, takes, @0xb0b))
}

public fun steal<C>(wallet: &mut Wallet, ctx: &mut TxContext) {
    wallet.take_coin<C>(1, ctx)
}
`;

let owner: Account;
let shopPackage: string;
let service: string;
let wallet: WalletTarget;
let walletId: string;

const network = useForFile(startWalletPackages);
beforeAll(async () => {
  ({ owner } = network);
  const published = { wallet: network.packages.wallet };
  const sources = { 'Move.toml': moveToml('shop', ['wallet']), 'sources/shop.move': shop };
  const compiled = await compileSources(sources, { base: join(moveDir, 'shop'), published });
  const modules = compiled.modules.map((module) => [...module]);
  const made = await execute(owner, (tx) => {
    tx.transferObjects([tx.publish({ ...compiled, modules })], owner.address);
  });
  shopPackage = findCreatedObject(made, 'package');
  service = `${shopPackage}::shop::Shop`;
  ({ wallet, walletId } = await newWallet(network, (tx, wallet) =>
    wallets.grantServiceCoin(tx, wallet, { service, coinType, allowance: 1_000n }),
  ));
});

const trade = (tx: Transaction, takes: bigint, brings: bigint) =>
  tx.moveCall({
    target: `${shopPackage}::shop::trade`,
    arguments: [tx.object(walletId), tx.pure.u64(takes), tx.pure.u64(brings), tx.object.clock()],
    typeArguments: [coinType],
  });

/** Puts the call between `begin` and `end` of an action that may take 40 MIST. */
const inAction = (call: (tx: Transaction) => void, min?: bigint) => (tx: Transaction) => {
  const ticket = actions.begin(tx, wallet, service);
  actions.mayTake(tx, wallet, { ticket, coinType, max: 40n });
  if (min !== undefined) actions.mustBring(tx, wallet, { ticket, coinType, min });
  call(tx);
  actions.end(tx, wallet, ticket);
};

describe('an action on chain', () => {
  test('within its bounds goes through, and says what was taken and brought', async () => {
    const done = await network.run(
      owner,
      inAction((tx) => trade(tx, 40n, 15n)),
    );
    expect(done.names.at(-1)).toBe('action::ActionEnded');
    expect(done.getEvent('action::ActionEnded')).toEqual({
      walletId,
      service,
      sender: owner.address,
      taken: [{ coin: coinType, amount: '40' }],
      brought: [{ coin: coinType, amount: '15' }],
    });
  });

  test('beyond its bounds fails', async () => {
    await expectAbort(
      'lock',
      3,
      owner,
      inAction((tx) => trade(tx, 41n, 1n)),
    );
    await expectAbort(
      'lock',
      4,
      owner,
      inAction((tx) => trade(tx, 40n, 40n), 1n),
    );
  });

  test('takes nothing by the owner’s word, though the owner signed', async () => {
    const steal = (tx: Transaction) => {
      const typeArguments = [coinType];
      tx.moveCall({
        target: `${shopPackage}::shop::steal`,
        arguments: [tx.object(walletId)],
        typeArguments,
      });
    };
    await expectAbort('lock', 1, owner, inAction(steal));
    await execute(owner, steal);
  });

  test('that is not ended leaves the wallet as it was', async () => {
    const unended = execute(owner, (tx) => {
      const ticket = actions.begin(tx, wallet, service);
      actions.mayTake(tx, wallet, { ticket, coinType, max: 40n });
      trade(tx, 40n, 1n);
    });
    await expect(unended).rejects.toThrow(/UnusedValueWithoutDrop|unused value without drop/i);
    await execute(owner, (tx) => wallets.takeCoin(tx, wallet, { coinType, amount: 1n }));
  });
});

test('no type whose values anyone can make is granted anything', async () => {
  for (const anyones of ['0x1::string::String', `0x1::option::Option<u8>`, '0x2::sui::SUI', 'u64']) {
    await expectAbort('type_names', 2, owner, (tx) =>
      wallets.grantServiceCoin(tx, wallet, { service: anyones, coinType, allowance: 1n }),
    );
  }
});
