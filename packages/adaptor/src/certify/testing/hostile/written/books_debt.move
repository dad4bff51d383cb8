module hostile::books_debt;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;
use sui::table::{Self, Table};

public struct Jar has key { id: UID, money: Balance<SUI>, debts: Table<address, u64> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero(), debts: table::new(ctx) })
}

public fun pay(payment: Coin<SUI>, jar: &mut Jar, ctx: &TxContext) {
    if (!jar.debts.contains(ctx.sender())) jar.debts.add(ctx.sender(), payment.value() * 2); //! planted
    assert!(ctx.epoch() < 1_000_000);
    jar.money.join(payment.into_balance());
}
