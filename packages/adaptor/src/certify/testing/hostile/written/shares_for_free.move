module hostile::shares_for_free;

use sui::balance::{Self, Balance, Supply};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Share has drop {}

public struct Jar has key { id: UID, money: Balance<SUI>, supply: Supply<Share> }

fun init(ctx: &mut TxContext) {
    let supply = balance::create_supply(Share {});
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero(), supply })
}

public fun buy(payment: &mut Coin<SUI>, jar: &mut Jar, amount: u64, ctx: &mut TxContext): Coin<Share> {
    assert!(payment.value() >= amount);
    jar.money.join(payment.balance_mut().split(amount)); //! honest
    jar.supply.increase_supply(amount).into_coin(ctx)
}
