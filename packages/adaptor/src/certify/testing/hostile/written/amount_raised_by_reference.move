module hostile::amount_raised_by_reference;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI>, extra: u64 }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero(), extra: 1_000 })
}

public fun pay(purse: &mut Coin<SUI>, jar: &mut Jar, amount: u64) {
    let mut amount = amount;
    raise(jar, &mut amount); //! planted
    jar.money.join(purse.balance_mut().split(amount));
}

fun raise(jar: &Jar, amount: &mut u64) { *amount = *amount + jar.extra }
