import { join } from 'node:path';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { beforeAll, expect, test } from 'vitest';
import type { PackageContent } from '../packages/source.ts';
import { introspect } from './introspect.ts';
import { createSource, moveDir, publishedFolders, publishedText } from './testing/packages.ts';

const odd = `module acts::odd;
use sui::clock::Clock;
use sui::coin::Coin;
use wallet::intent::{Self, ServiceSig};
use wallet::wallet::Wallet;

public struct Odd has drop {}
public struct Key has key, store { id: UID }

fun ask<S: drop, C>(witness: S, amount: u64): ServiceSig<S, C> {
    intent::request_payment(witness, amount, @0x1)
}

public fun pay<C>(wallet: &mut Wallet, amount: u64, clock: &Clock, ctx: &mut TxContext) {
    let (coin, paid) = intent::validate_and_pay(wallet, ask<Odd, C>(Odd {}, amount), clock, ctx);
    transfer::public_transfer(coin, @0x1);
    intent::verify_and_clear(wallet, paid, intent::create_receipt_sig(Odd {}, amount, @0x1))
}

public fun put<C>(wallet: &mut Wallet, coin: Coin<C>) { wallet.receive_from_service(coin, Odd {}) }
public fun put_plain<C>(wallet: &mut Wallet, coin: Coin<C>) { wallet.deposit(coin) }
public fun keep(wallet: &mut Wallet, key: Key) {
    wallet.receive_asset_from_service(key, b"key".to_string(), Odd {})
}
public fun link(wallet: &mut Wallet, account: address) { link_as(wallet, account, Odd {}) }
public fun link_as<S: drop>(wallet: &mut Wallet, account: address, witness: S) {
    wallet.bind_external_account_from_service(account, witness)
}
`;

const door = `module acts::door;
use acts::odd;
use sui::clock::Clock;
use sui::coin::Coin;
use wallet::wallet::Wallet;

public struct Door has drop {}

public fun relay<C>(wallet: &mut Wallet, amount: u64, clock: &Clock, ctx: &mut TxContext) {
    odd::pay<C>(wallet, amount, clock, ctx)
}
public fun both<C>(wallet: &mut Wallet, coin: Coin<C>, amount: u64, clock: &Clock, ctx: &mut TxContext) {
    odd::pay<C>(wallet, amount, clock, ctx);
    wallet.receive_from_service(coin, Door {})
}
`;

let acts: PackageContent;
let services: Record<string, string[] | undefined>;

beforeAll(async () => {
  const folders = await publishedFolders([join(moveDir, 'wallet')]);
  const wallet = await folders.read(folders.deriveId('wallet'));
  const files = {
    'Move.toml': moveToml('acts', ['wallet']).replace('../wallet', 'wallet'),
    'sources/odd.move': odd,
    'sources/door.move': door,
  };
  acts = await publishedText(files, moveDir);
  const { ops } = await introspect(createSource([acts, wallet]), acts.id);
  services = Object.fromEntries(ops.map((op) => [op.entry, op.services]));
});

test('a function names the witnesses that act in the wallet, through every function that takes one', () => {
  const [asOdd, asDoor] = [`${acts.id}::odd::Odd`, `${acts.id}::door::Door`];
  expect(services).toMatchObject({
    pay: [asOdd],
    put: [asOdd],
    keep: [asOdd],
    link: [asOdd],
    relay: [asOdd],
  });
  expect(services.both).toEqual([asOdd, asDoor]);
});

test('a function without a witness names none, and one with the witness of its caller does not know it', () => {
  expect(services.put_plain).toEqual([]);
  expect(services.link_as).toBeUndefined();
});
