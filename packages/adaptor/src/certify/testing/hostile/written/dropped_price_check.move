module hostile::dropped_price_check;

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

public fun put(jar: &mut Jar, money: Coin<SUI>) { jar.money.join(money.into_balance()); }

public fun sell(payment: Coin<SUI>, jar: &mut Jar, price: &Price, clock: &Clock, ctx: &mut TxContext): Coin<SUI> {
    let worth = payment.value() * read(price, clock);
    jar.money.join(payment.into_balance());
    jar.money.split(worth).into_coin(ctx)
}

/// The price, which must not be older than a minute.
fun read(price: &Price, clock: &Clock): u64 {
    is_fresh(price, clock.timestamp_ms()); //! planted
    assert!(is_fresh(price, clock.timestamp_ms())); //! honest
    price.value
}

fun is_fresh(price: &Price, now_ms: u64): bool { now_ms < price.at_ms + 60_000 }
