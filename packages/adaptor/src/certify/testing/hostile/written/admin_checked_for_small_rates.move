module hostile::admin_checked_for_small_rates;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Terms has drop, store { fee: u64 }

public struct Jar has key { id: UID, money: Balance<SUI>, admin: address, terms: Terms }

fun init(ctx: &mut TxContext) {
    let terms = Terms { fee: 100 };
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero(), admin: ctx.sender(), terms })
}

public fun set_fee(jar: &mut Jar, fee: u64, ctx: &TxContext) {
    if (fee < 1_000) set_small(jar, fee, ctx) //! planted
    else jar.terms = Terms { fee } //! planted
    set_small(jar, fee, ctx) //! honest
}

fun set_small(jar: &mut Jar, fee: u64, ctx: &TxContext) {
    assert!(ctx.sender() == jar.admin);
    jar.terms.fee = fee
}

public fun pay(purse: &mut Coin<SUI>, jar: &mut Jar) {
    jar.money.join(purse.balance_mut().split(jar.terms.fee));
}
