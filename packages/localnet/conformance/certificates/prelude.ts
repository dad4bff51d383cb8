/** Types and helpers that generated functions use, and the functions that make the objects they are called with. */
export const prelude = `
#[allow(unused, lint(self_transfer, share_owned, freeze_wrapped, custom_state_change))]
module demo::world {
use sui::bag::{Self, Bag};
use sui::balance::{Self, Balance};
use sui::coin::{Self, Coin, TreasuryCap};
use sui::dynamic_field as df;
use sui::dynamic_object_field as dof;
use sui::table::{Self, Table};
use demo::wallet::Wallet;

public struct WORLD has drop {}
public struct Config has copy, drop, store { fee: u64, to: address, on: bool }
public enum Mode has copy, drop, store { Off, Flat { fee: u64 }, To { who: address, fee: u64 } }
public struct Item has store { coin: Coin<WORLD>, owner: address, price: u64 }
public struct Box has key, store { id: UID, coin: Coin<WORLD>, note: u64, owner: address }
public struct Receipt { amount: u64, coin: Coin<WORLD>, to: address }
public struct Vault has key, store {
    id: UID,
    funds: Balance<WORLD>,
    fees: Balance<WORLD>,
    cap: TreasuryCap<WORLD>,
    admin: address,
    treasury: address,
    fee: u64,
    limit: u64,
    paused: bool,
    config: Config,
    mode: Mode,
    queue: vector<Coin<WORLD>>,
    items: vector<Item>,
    reserve: Option<Coin<WORLD>>,
    shares: Table<address, u64>,
    pots: Table<u64, Balance<WORLD>>,
    extra: Bag,
}

public fun id(v: &Vault): address { v.id.to_inner().to_address() }
public fun own_address(v: &Vault): address { object::id_address(v) }
public fun uid(v: &mut Vault): &mut UID { &mut v.id }
public fun funds(v: &mut Vault): &mut Balance<WORLD> { &mut v.funds }
public fun fees(v: &mut Vault): &mut Balance<WORLD> { &mut v.fees }
public fun queue(v: &mut Vault): &mut vector<Coin<WORLD>> { &mut v.queue }
public fun held(v: &Vault): u64 { v.funds.value() }
public fun least(a: u64, b: u64): u64 { if (a < b) a else b }
public fun fee(v: &Vault): u64 { v.fee }
public fun set_fee(v: &mut Vault, fee: u64) { v.fee = fee }
public fun limit(v: &Vault): u64 { v.limit }
public fun set_limit(v: &mut Vault, limit: u64) { v.limit = limit }
public fun paused(v: &Vault): bool { v.paused }
public fun set_paused(v: &mut Vault, paused: bool) { v.paused = paused }
public fun admin(v: &Vault): address { v.admin }
public fun treasury(v: &Vault): address { v.treasury }
public fun set_treasury(v: &mut Vault, to: address) { v.treasury = to }
public fun config(v: &Vault): Config { v.config }
public fun config_mut(v: &mut Vault): &mut Config { &mut v.config }
public fun set_config(v: &mut Vault, config: Config) { v.config = config }
public fun config_of(fee: u64, to: address, on: bool): Config { Config { fee, to, on } }
public fun config_fee(c: &Config): u64 { c.fee }
public fun config_to(c: &Config): address { c.to }
public fun config_on(c: &Config): bool { c.on }
public fun set_config_to(c: &mut Config, to: address) { c.to = to }
public fun mode_fee(v: &Vault): u64 {
    match (&v.mode) { Mode::Off => 0, Mode::Flat { fee } => *fee, Mode::To { who: _, fee } => *fee + 1 }
}
public fun mode_who(v: &Vault): address {
    match (v.mode) { Mode::Off => @0xdead, Mode::Flat { fee: _ } => v.admin, Mode::To { who, fee: _ } => who }
}
public fun set_mode(v: &mut Vault, who: address, fee: u64) {
    v.mode = if (fee == 0) Mode::Off else if (fee % 2 == 0) Mode::Flat { fee } else Mode::To { who, fee }
}
public fun raise_mode(v: &mut Vault, by: u64) {
    match (&mut v.mode) { Mode::Off => (), Mode::Flat { fee } => *fee = by, Mode::To { who: _, fee } => *fee = *fee / 2 + by % 7 }
}
public fun share(v: &Vault, who: address): u64 { if (v.shares.contains(who)) v.shares[who] else 0 }
public fun has_share(v: &Vault, who: address): bool { v.shares.contains(who) }
public fun set_share(v: &mut Vault, who: address, n: u64) {
    if (v.shares.contains(who)) *&mut v.shares[who] = n else v.shares.add(who, n)
}
public fun drop_share(v: &mut Vault, who: address): u64 { if (v.shares.contains(who)) v.shares.remove(who) else 0 }
public fun put_pot(v: &mut Vault, key: u64, b: Balance<WORLD>) {
    let key = key % 4;
    if (v.pots.contains(key)) { v.pots[key].join(b); } else v.pots.add(key, b)
}
public fun take_pot(v: &mut Vault, key: u64): Balance<WORLD> {
    let key = key % 4;
    if (v.pots.contains(key)) v.pots.remove(key) else balance::zero()
}
public fun split_pot(v: &mut Vault, key: u64, n: u64): Balance<WORLD> {
    let key = key % 4;
    if (!v.pots.contains(key)) return balance::zero();
    let pot = &mut v.pots[key];
    let n = least(n, pot.value());
    pot.split(n)
}
public fun put_extra(v: &mut Vault, key: address, c: Coin<WORLD>) {
    if (v.extra.contains(key)) v.extra.borrow_mut<address, Coin<WORLD>>(key).join(c) else v.extra.add(key, c)
}
public fun take_extra(v: &mut Vault, key: address, ctx: &mut TxContext): Coin<WORLD> {
    if (v.extra.contains_with_type<address, Coin<WORLD>>(key)) v.extra.remove(key) else coin::zero(ctx)
}
public fun put_field(v: &mut Vault, key: u64, c: Coin<WORLD>) {
    if (df::exists_with_type<u64, Coin<WORLD>>(&v.id, key)) df::borrow_mut<u64, Coin<WORLD>>(&mut v.id, key).join(c)
    else df::add(&mut v.id, key, c)
}
public fun take_field(v: &mut Vault, key: u64, ctx: &mut TxContext): Coin<WORLD> {
    if (df::exists_with_type<u64, Coin<WORLD>>(&v.id, key)) df::remove(&mut v.id, key) else coin::zero(ctx)
}
public fun put_object(v: &mut Vault, key: bool, b: Box) {
    if (dof::exists_with_type<bool, Box>(&v.id, key)) {
        let Box { id, coin, note: _, owner: _ } = b;
        id.delete();
        dof::borrow_mut<bool, Box>(&mut v.id, key).coin.join(coin)
    } else dof::add(&mut v.id, key, b)
}
public fun take_object(v: &mut Vault, key: bool, ctx: &mut TxContext): Box {
    if (dof::exists_with_type<bool, Box>(&v.id, key)) dof::remove(&mut v.id, key) else box(coin::zero(ctx), 0, @0x0, ctx)
}
public fun push(v: &mut Vault, c: Coin<WORLD>) { v.queue.push_back(c) }
public fun pop(v: &mut Vault, ctx: &mut TxContext): Coin<WORLD> {
    if (v.queue.is_empty()) coin::zero(ctx) else v.queue.pop_back()
}
public fun shuffle(v: &mut Vault) { let n = v.queue.length(); if (n > 1) v.queue.swap(0, n - 1) }
public fun push_item(v: &mut Vault, coin: Coin<WORLD>, owner: address, price: u64) { v.items.push_back(Item { coin, owner, price }) }
public fun pop_item(v: &mut Vault, ctx: &mut TxContext): (Coin<WORLD>, address) {
    if (v.items.is_empty()) return (coin::zero(ctx), @0x1);
    let Item { coin, owner, price: _ } = v.items.pop_back();
    (coin, owner)
}
public fun first_owner(v: &Vault): address { if (v.items.is_empty()) v.admin else v.items[0].owner }
public fun reprice(v: &mut Vault, price: u64) { let n = v.items.length(); n.do!(|i| v.items[i].price = price) }
public fun prices(v: &Vault): u64 { let mut sum = 0; v.items.do_ref!(|item| sum = sum + item.price % 100); sum }
public fun fill(v: &mut Vault, c: Coin<WORLD>) { if (v.reserve.is_some()) v.reserve.borrow_mut().join(c) else v.reserve.fill(c) }
public fun drain(v: &mut Vault, ctx: &mut TxContext): Coin<WORLD> { if (v.reserve.is_some()) v.reserve.extract() else coin::zero(ctx) }
public fun mint(v: &mut Vault, n: u64, ctx: &mut TxContext): Coin<WORLD> { v.cap.mint(n, ctx) }
public fun burn(v: &mut Vault, c: Coin<WORLD>): u64 { v.cap.burn(c) }
public fun box(coin: Coin<WORLD>, note: u64, owner: address, ctx: &mut TxContext): Box { Box { id: object::new(ctx), coin, note, owner } }
public fun unbox(b: Box): Coin<WORLD> { let Box { id, coin, note: _, owner: _ } = b; id.delete(); coin }
public fun box_coin(b: &mut Box): &mut Coin<WORLD> { &mut b.coin }
public fun box_note(b: &Box): u64 { b.note }
public fun set_note(b: &mut Box, note: u64) { b.note = note }
public fun box_owner(b: &Box): address { b.owner }
public fun receipt(amount: u64, coin: Coin<WORLD>, to: address): Receipt { Receipt { amount, coin, to } }
public fun settle(r: Receipt) { let Receipt { amount: _, coin, to } = r; transfer::public_transfer(coin, to) }
public fun open_receipt(r: Receipt): (u64, Coin<WORLD>, address) { let Receipt { amount, coin, to } = r; (amount, coin, to) }
public fun relay<T>(c: Coin<T>, to: address) { transfer::public_transfer(c, to) }
public fun pick<T>(flag: bool, a: T, b: T): (T, T) { if (flag) (a, b) else (b, a) }
public fun ping(n: u64, c: Coin<WORLD>, to: address, v: &mut Vault) { if (n == 0) transfer::public_transfer(c, to) else pong(n - 1, c, v.treasury, v) }
public fun pong(n: u64, c: Coin<WORLD>, to: address, v: &mut Vault) { if (n == 0) v.queue.push_back(c) else ping(n - 1, c, to, v) }
public fun larger(v: &mut Vault): &mut Balance<WORLD> { if (v.funds.value() > v.fees.value()) &mut v.funds else &mut v.fees }

public fun new_vault(witness: WORLD, n: u64, admin: address, treasury: address, fee: u64, flag: bool, ctx: &mut TxContext): Vault {
    let (mut cap, metadata) = coin::create_currency(witness, 9, b"", b"", b"", option::none(), ctx);
    transfer::public_freeze_object(metadata);
    let mut v = Vault {
        id: object::new(ctx),
        funds: cap.mint_balance(n), fees: cap.mint_balance(n / 3), cap, admin, treasury, fee, limit: n % 1000, paused: flag,
        config: Config { fee: fee + 1, to: treasury, on: flag },
        mode: Mode::Off, queue: vector[], items: vector[], reserve: option::none(),
        shares: table::new(ctx), pots: table::new(ctx), extra: bag::new(ctx),
    };
    v.set_mode(admin, fee);
    (n % 3).do!(|i| { let c = v.mint(n / 5 + i, ctx); v.push(c); let c = v.mint(i + 1, ctx); v.push_item(c, admin, i) });
    if (flag) { v.set_share(admin, n); v.set_share(ctx.sender(), n / 2); let c = v.mint(50, ctx); v.fill(c) };
    if (n % 2 == 0) { let b = v.mint(n, ctx).into_balance(); v.put_pot(n / 2, b); let c = v.mint(n, ctx); v.put_extra(admin, c) };
    if (fee % 2 == 0) {
        let c = v.mint(n + 7, ctx);
        v.put_field(fee % 3, c);
        let b = box(v.mint(n, ctx), n, admin, ctx);
        v.put_object(flag, b)
    };
    v
}
public fun new_coin(n: u64, v: &mut Vault, ctx: &mut TxContext): Coin<WORLD> { v.mint(n, ctx) }
public fun new_box(n: u64, v: &mut Vault, owner: address, ctx: &mut TxContext): Box { let c = v.mint(n, ctx); box(c, n % 9, owner, ctx) }
public fun new_wallet(n: u64, v: &mut Vault, owner: address, ctx: &mut TxContext): Wallet<WORLD> {
    demo::wallet::new(v.mint(n, ctx).into_balance(), owner, ctx)
}
}
`;

/** A wallet, which the analysis recognizes by its name. */
export const wallet = `
#[allow(unused)]
module demo::wallet {
use sui::balance::Balance;
use sui::dynamic_field as df;

public struct Wallet<phantom T> has key, store { id: UID, owner: address, spent: u64 }

public fun new<T>(b: Balance<T>, owner: address, ctx: &mut TxContext): Wallet<T> {
    let mut w = Wallet { id: object::new(ctx), owner, spent: 0 };
    df::add(&mut w.id, 0u8, b);
    let n = w.held() / 3;
    let spare = df::borrow_mut<u8, Balance<T>>(&mut w.id, 0).split(n);
    w.put_spare(spare);
    w
}
public fun put_spare<T>(w: &mut Wallet<T>, b: Balance<T>) {
    if (df::exists_with_type<u8, Balance<T>>(&w.id, 1)) {
        df::borrow_mut<u8, Balance<T>>(&mut w.id, 1).join(b);
    } else df::add(&mut w.id, 1u8, b)
}
public fun take_spare<T>(w: &mut Wallet<T>): Balance<T> {
    if (df::exists_with_type<u8, Balance<T>>(&w.id, 1)) df::remove(&mut w.id, 1u8) else sui::balance::zero()
}
public fun held<T>(w: &Wallet<T>): u64 { df::borrow<u8, Balance<T>>(&w.id, 0).value() }
public fun owner<T>(w: &Wallet<T>): address { w.owner }
public fun take<T>(w: &mut Wallet<T>, n: u64): Balance<T> {
    w.spent = w.spent + n;
    df::borrow_mut<u8, Balance<T>>(&mut w.id, 0).split(n)
}
public fun put<T>(w: &mut Wallet<T>, b: Balance<T>) { df::borrow_mut<u8, Balance<T>>(&mut w.id, 0).join(b); }
}
`;
