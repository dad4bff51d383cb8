module hostile::admin_checked_for_large_rates;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI>, admin: address, fee: u64 }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero(), admin: ctx.sender(), fee: 100 })
}

public fun set_fee(jar: &mut Jar, fee: u64, ctx: &TxContext) {
    if (fee > 1_000) set_large(jar, fee, ctx) //! planted
    else store(jar, fee) //! planted
    set_large(jar, fee, ctx) //! honest
}

fun set_large(jar: &mut Jar, fee: u64, ctx: &TxContext) {
    assert!(ctx.sender() == jar.admin);
    store(jar, fee)
}

fun store(jar: &mut Jar, fee: u64) { jar.fee = fee }

public fun pay(purse: &mut Coin<SUI>, jar: &mut Jar) {
    jar.money.join(purse.balance_mut().split(jar.fee));
}
