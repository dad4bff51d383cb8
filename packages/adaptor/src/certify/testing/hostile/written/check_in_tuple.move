module hostile::check_in_tuple;

use sui::balance::{Self, Balance};
use sui::clock::Clock;
use sui::coin::Coin;
use sui::sui::SUI;

public struct Price has key { id: UID, value: u64, at_ms: u64 }

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Price { id: object::new(ctx), value: 2, at_ms: 0 });
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

public fun sell(payment: Coin<SUI>, jar: &mut Jar, price: &Price, clock: &Clock, ctx: &mut TxContext): Coin<SUI> {
    let (value, _) = read(price, clock); //! planted
    let (value, is_fresh) = read(price, clock); //! honest
    assert!(is_fresh); //! honest
    let worth = payment.value() * value;
    jar.money.join(payment.into_balance());
    jar.money.split(worth).into_coin(ctx)
}

fun read(price: &Price, clock: &Clock): (u64, bool) {
    (price.value, clock.timestamp_ms() < price.at_ms + 60_000)
}
