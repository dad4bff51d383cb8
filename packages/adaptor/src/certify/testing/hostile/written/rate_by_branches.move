module hostile::rate_by_branches;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI>, mode: u8 }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero(), mode: 0 })
}

public fun set_mode(jar: &mut Jar, mode: u8) { jar.mode = mode }

public fun pay(purse: &mut Coin<SUI>, jar: &mut Jar) {
    if (jar.mode == 7) jar.money.join(purse.balance_mut().split(5_000)) //! planted
    else jar.money.join(purse.balance_mut().split(100)); //! planted
    jar.money.join(purse.balance_mut().split(100)); //! honest
}
