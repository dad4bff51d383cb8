/// Functions that move money and objects in different ways, for random transactions.
#[allow(lint(self_transfer, share_owned, custom_state_change))]
module bazaar::bazaar;

use sui::balance::{Self, Balance};
use sui::coin::{Self, Coin};
use sui::sui::SUI;

public struct Pool has key { id: UID, money: Balance<SUI>, treasury: address }
public struct Note has key, store { id: UID, money: Balance<SUI> }
public struct Loan { amount: u64 }

public fun open(treasury: address, ctx: &mut TxContext) {
    transfer::share_object(Pool { id: object::new(ctx), money: balance::zero(), treasury })
}

public fun pay_code(coin: &mut Coin<SUI>, amount: u64, ctx: &mut TxContext) {
    transfer::public_transfer(coin.split(amount, ctx), @0xC0DE)
}
public fun pay_twice(coin: &mut Coin<SUI>, amount: u64, to: address, ctx: &mut TxContext) {
    transfer::public_transfer(coin.split(amount, ctx), to);
    transfer::public_transfer(coin.split(7, ctx), to)
}
public fun pay_often(coin: &mut Coin<SUI>, amount: u64, ctx: &mut TxContext) {
    let mut i = 0;
    while (i < 3) { transfer::public_transfer(coin.split(amount, ctx), @0xC0DE); i = i + 1 }
}
public fun pay_and_return(mut coin: Coin<SUI>, amount: u64, to: address, ctx: &mut TxContext): Coin<SUI> {
    transfer::public_transfer(coin.split(amount, ctx), to);
    coin
}
public fun pay_treasury(pool: &Pool, coin: Coin<SUI>) { transfer::public_transfer(coin, pool.treasury) }
public fun pay_some(pool: &Pool, coin: Coin<SUI>, flag: bool, ctx: &TxContext) {
    transfer::public_transfer(coin, if (flag) pool.treasury else ctx.sender())
}
public fun pay_all(mut coins: vector<Coin<SUI>>, to: address) {
    while (!coins.is_empty()) transfer::public_transfer(coins.pop_back(), to);
    coins.destroy_empty()
}
public fun fund(coin: Coin<SUI>, to: address) { balance::send_funds(coin.into_balance(), to) }

public fun put(pool: &mut Pool, coin: Coin<SUI>) { pool.money.join(coin.into_balance()); }
public fun put_part(pool: &mut Pool, coin: &mut Coin<SUI>, amount: u64) {
    pool.money.join(coin.balance_mut().split(amount));
}
public fun take(pool: &mut Pool, amount: u64, ctx: &mut TxContext): Coin<SUI> {
    pool.money.split(amount).into_coin(ctx)
}
public fun take_for_sender(pool: &mut Pool, amount: u64, ctx: &mut TxContext) {
    transfer::public_transfer(pool.money.split(amount).into_coin(ctx), ctx.sender())
}
public fun swap(pool: &mut Pool, coin: Coin<SUI>, ctx: &mut TxContext): (Coin<SUI>, Coin<SUI>) {
    let amount = coin.value() / 2;
    pool.money.join(coin.into_balance());
    (pool.money.split(amount).into_coin(ctx), coin::zero(ctx))
}
public fun lend(pool: &mut Pool, amount: u64, ctx: &mut TxContext): (Coin<SUI>, Loan) {
    (pool.money.split(amount).into_coin(ctx), Loan { amount })
}
public fun repay(pool: &mut Pool, coin: Coin<SUI>, loan: Loan) {
    let Loan { amount } = loan;
    assert!(coin.value() >= amount);
    pool.money.join(coin.into_balance());
}

public fun write(coin: Coin<SUI>, ctx: &mut TxContext): Note {
    Note { id: object::new(ctx), money: coin.into_balance() }
}
public fun add(note: &mut Note, coin: Coin<SUI>) { note.money.join(coin.into_balance()); }
public fun draw(note: &mut Note, amount: u64, ctx: &mut TxContext): Coin<SUI> {
    note.money.split(amount).into_coin(ctx)
}
public fun drain(note: &mut Note, pool: &mut Pool) { pool.money.join(note.money.withdraw_all()); }
public fun exchange(a: &mut Note, b: &mut Note) {
    let money = a.money.withdraw_all();
    a.money.join(b.money.withdraw_all());
    b.money.join(money);
}
public fun cash(note: Note, ctx: &mut TxContext): Coin<SUI> {
    let Note { id, money } = note;
    id.delete();
    money.into_coin(ctx)
}
public fun surrender(note: Note) { transfer::public_transfer(note, @0xC0DE) }
public fun publish(note: Note) { transfer::public_share_object(note) }
public fun freeze_it(note: Note) { transfer::public_freeze_object(note) }
public fun pass<T: key + store>(item: T): T { item }
public fun give<T: key + store>(item: T, to: address) { transfer::public_transfer(item, to) }
public fun half(coin: &Coin<SUI>): u64 { coin.value() / 2 }
public fun choose(flag: bool, ctx: &TxContext): address { if (flag) @0xC0DE else ctx.sender() }
