import { join } from 'node:path';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { beforeAll, describe, expect, test } from 'vitest';
import type { PackageContent } from '../packages/source.ts';
import { introspect } from './introspect.ts';
import { createSource, moveDir, publishedFolders, publishedText } from './testing/packages.ts';
import type { IntrospectedOp } from './types.ts';

const market = `module probe::market;
use sui::balance::Balance;
use sui::coin::Coin;

const ETooLittle: u64 = 0;

public struct Market<phantom C> has key { id: UID, money: Balance<C>, rate: u64, fees: u64 }
public struct Quote { worth: u64, note: u64 }
public enum Order has copy, drop { Market { size: u64 }, Limit { size: u64, price: u64 } }

public fun rate<C>(market: &Market<C>): u64 { market.rate }

public fun sell<C>(market: &mut Market<C>, shares: u64, least: u64, ctx: &mut TxContext): Coin<C> {
    let worth = shares * market.rate;
    assert!(worth >= least, ETooLittle);
    market.money.split(worth).into_coin(ctx)
}

public fun quote<C>(market: &Market<C>, note: u64): Quote { Quote { worth: market.money.value(), note } }

public fun fill<C>(market: &mut Market<C>, quote: Quote, least: u64, ctx: &mut TxContext): Coin<C> {
    let Quote { worth, note } = quote;
    market.fees = note;
    assert!(worth >= least, ETooLittle);
    market.money.split(worth).into_coin(ctx)
}

public fun put<C>(market: &mut Market<C>, coin: Coin<C>) { market.money.join(coin.into_balance()); }

public fun size_of(order: &Order): u64 {
    match (order) { Order::Market { size } => *size, Order::Limit { size, .. } => *size }
}

public fun market_order(size: u64): Order { Order::Market { size } }
`;

const adaptor = `module probe::adaptor;
use probe::market::{Self, Market};
use sui::balance::Balance;
use sui::clock::Clock;
use sui::coin::Coin;
use wallet::intent::{Self, WalletWitness};
use wallet::wallet::Wallet;

const ELate: u64 = 0;
const EBadTick: u64 = 1;

public struct Probe has drop {}
public struct Ghost<phantom T> has drop {}
public struct Told has copy, drop { size: u64, side: bool }

fun within(clock: &Clock, deadline_ms: u64) { assert!(clock.timestamp_ms() <= deadline_ms, ELate) }

fun pay<C>(wallet: &mut Wallet, market: &mut Market<C>, amount: u64, clock: &Clock, ctx: &mut TxContext) {
    let recipient = object::id_address(market);
    let request = intent::request_payment<_, C>(Probe {}, amount, recipient);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    market.put(coin);
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Probe {}, amount, recipient))
}

public fun deadline_first<C>(
    wallet: &mut Wallet, market: &mut Market<C>, deadline_ms: u64, tick: u64, amount: u64, clock: &Clock,
    ctx: &mut TxContext,
) {
    within(clock, deadline_ms);
    assert!(tick % 60 == 0, EBadTick);
    pay(wallet, market, amount, clock, ctx)
}

public fun clamped<C>(
    wallet: &mut Wallet, market: &mut Market<C>, amount: u64, index: u64, clock: &Clock, ctx: &mut TxContext,
) {
    let mut left = if (amount > market.rate()) market.rate() else amount;
    let mut turns = index;
    while (turns > 0) { turns = turns - 1; left = left.min(1_000_000) };
    pay(wallet, market, left, clock, ctx)
}

public fun sell_shares<C>(
    wallet: &mut Wallet, market: &mut Market<C>, shares: u64, floor: u64, ctx: &mut TxContext,
) {
    let coin = market.sell(shares, floor, ctx);
    wallet.receive_from_service(coin, Probe {})
}

public fun through_values<C>(
    wallet: &mut Wallet, market: &mut Market<C>, floor: Option<u64>, least: u64, ctx: &mut TxContext,
) {
    let _ = floor;
    let quote = market.quote(7);
    let coin = market.fill(quote, least, ctx);
    wallet.receive_from_service(coin, Probe {})
}

public fun with_rate<C>(
    wallet: &mut Wallet, market: &mut Market<C>, amount: u64, rate: u64, clock: &Clock, ctx: &mut TxContext,
) {
    pay(wallet, market, amount, clock, ctx);
    let rest = market.sell(rate * 2, 0, ctx);
    wallet.receive_from_service(rest, Probe {})
}

public fun told(_: &Wallet, size: u64, side: bool) { sui::event::emit(Told { size, side }) }

public fun by_order<C>(wallet: &mut Wallet, market: &mut Market<C>, size: u64, clock: &Clock, ctx: &mut TxContext) {
    let order = market::market_order(size);
    pay(wallet, market, order.size_of(), clock, ctx)
}

public fun begin<C>(
    wallet: &mut Wallet, amount: u64, clock: &Clock, ctx: &mut TxContext,
): (Coin<C>, WalletWitness<Probe, C>) {
    intent::validate_and_pay(wallet, intent::request_payment<_, C>(Probe {}, amount, @0x1), clock, ctx)
}

public fun finish<C>(wallet: &Wallet, witness: WalletWitness<Probe, C>, amount: u64) {
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Probe {}, amount, @0x1))
}

public fun takes_balance<C>(market: &mut Market<C>, balance: Balance<C>, ctx: &mut TxContext) {
    market.put(balance.into_coin(ctx))
}

public fun takes_any<T: drop>(_: T) {}
public fun takes_coin<C>(market: &mut Market<C>, coin: Coin<C>) { market.put(coin) }
public fun lends<C>(market: &Market<C>): &Market<C> { market }
public(package) fun inside(_: u64) {}
fun hidden(_: u64) {}
entry fun started(_: u64) { inside(1); hidden(1) }
entry fun asks(_: vector<Option<ID>>, _: &mut TxContext) {}
`;

const twice = `module probe::twice;
public fun round_and_round(n: u64): u64 { if (n == 0) 0 else back(n - 1) }
public fun back(n: u64): u64 { round_and_round(n) }
`;

const files = {
  'Move.toml': moveToml('probe', ['wallet']).replace('../wallet', 'wallet'),
  'sources/market.move': market,
  'sources/adaptor.move': adaptor,
  'sources/twice.move': twice,
};

let probe: PackageContent;
let wallet: PackageContent;
let ops: IntrospectedOp[];

beforeAll(async () => {
  const folders = await publishedFolders([join(moveDir, 'wallet')]);
  wallet = await folders.read(folders.deriveId('wallet'));
  probe = await publishedText(files, moveDir);
  ops = (await introspect(createSource([probe, wallet]), probe.id, { walletPackageId: wallet.id })).ops;
});

const op = (entry: string) => ops.find((candidate) => candidate.entry === entry)!;
const numbers = (entry: string) =>
  op(entry)
    .params.filter(({ type }) => type === 'u64')
    .map(({ role, confidence }) => `${role} ${confidence}`);

describe('a number is called', () => {
  test('an amount only where the wallet pays it, not where it is a deadline or a tick before it', () => {
    expect(numbers('deadline_first')).toEqual(['pure high', 'pure high', 'amount high']);
  });

  test('an amount also where no more than something else of it is paid, after loops and branches', () => {
    expect(numbers('clamped')).toEqual(['amount high', 'pure high']);
  });

  test('an amount with less certainty where what comes out is computed from it, and a minimum where it is compared', () => {
    expect(numbers('sell_shares')).toEqual(['amount medium', 'minOut high']);
  });

  test('a minimum where another package compares it with what was packed in between', () => {
    expect(numbers('through_values')).toEqual(['minOut high']);
  });

  test('no amount where it only goes into what comes back, beside an amount that is paid as it is', () => {
    expect(numbers('with_rate')).toEqual(['amount high', 'pure high']);
  });

  test('an amount through the variants of an enum', () => {
    expect(numbers('by_order')).toEqual(['amount high']);
  });
});

test('a plain value has the name of the field it goes into', () => {
  expect(op('told').params.map(({ role, name }) => [role, name])).toEqual([
    ['wallet', undefined],
    ['pure', 'size'],
    ['pure', 'side'],
  ]);
});

test('what a transaction cannot call alone says why', () => {
  const reasons = (...entries: string[]) =>
    Object.fromEntries(entries.map((entry) => [entry, op(entry).reason?.code]));
  expect(
    reasons('begin', 'finish', 'takes_balance', 'takes_any', 'takes_coin', 'lends', 'inside', 'hidden'),
  ).toEqual({
    begin: 'returns_hot_potato',
    finish: 'takes_hot_potato',
    takes_balance: 'takes_value',
    takes_any: 'takes_generic_value',
    takes_coin: 'takes_owned_object',
    lends: 'returns_reference',
    inside: 'not_callable',
    hidden: 'not_callable',
  });
  expect(reasons('started', 'asks', 'deadline_first', 'told')).toEqual({});
  expect(op('finish').reason?.detail).toMatch(
    /^Argument 1 \(0x\w{64}::intent::WalletWitness<.*, T0>\) only exists/,
  );
});

test('witnesses are what can name a service, and nothing else', async () => {
  const { witnesses } = await introspect(createSource([probe, wallet]), probe.id);
  expect(witnesses.map(({ name }) => name)).toEqual(['Probe']);
});

test('a wallet of a package that this host does not know is a wallet with less certainty', async () => {
  const other = await introspect(createSource([probe, wallet]), probe.id);
  const [param] = other.ops.find(({ entry }) => entry === 'told')!.params;
  expect(param).toMatchObject({ role: 'wallet', confidence: 'medium' });
});

test('an upgraded package keeps the ids by which its types were first defined', async () => {
  const [id, v2] = [`0x${'e'.repeat(64)}`, `0x${'d'.repeat(64)}`];
  const typeOrigins = new Map([...probe.typeOrigins, ['market::Market', v2], ['adaptor::Probe', v2]]);
  const upgraded = { ...probe, id, version: 3n, typeOrigins };
  const moved = `0x${'c'.repeat(64)}`;
  const linked = { ...upgraded, linkage: new Map([...probe.linkage, [wallet.id, moved]]) };
  const source = createSource([linked, { ...wallet, id: moved, version: 2n }]);
  const found = await introspect(source, id, { walletPackageId: wallet.id });
  expect(found.witnesses).toEqual([
    { module: 'adaptor', name: 'Probe', serviceType: `${v2}::adaptor::Probe`, warnings: [] },
  ]);
  const deposit = found.ops.find(({ entry }) => entry === 'deadline_first')!;
  expect(deposit.fqn).toBe(`${id}::adaptor::deadline_first`);
  expect(deposit.params.slice(0, 2)).toMatchObject([
    { type: `${wallet.id}::wallet::Wallet`, role: 'wallet', confidence: 'high' },
    { type: `${v2}::market::Market<T0>`, role: 'object' },
  ]);
  expect(deposit.params[4]).toMatchObject({ role: 'amount' });
});

test('a dependency that is not there makes guesses less certain, and nothing else', async () => {
  const { ops: guessed } = await introspect(createSource([probe]), probe.id);
  expect(guessed.map(({ fqn }) => fqn)).toEqual(ops.map(({ fqn }) => fqn));
  const first = guessed.find(({ entry }) => entry === 'clamped')!;
  expect(first.params.map(({ role, confidence }) => `${role} ${confidence}`)).toEqual([
    'wallet medium',
    'object high',
    'amount low',
    'pure high',
    'clock high',
    'ctx high',
  ]);
});

test('functions that call each other in a circle are read', () => {
  expect(op('back').params).toMatchObject([{ role: 'pure' }]);
});
