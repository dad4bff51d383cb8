module hostile::liquidates_for_the_sender;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;
use sui::table::{Self, Table};

public struct Jar has key { id: UID, shares: Table<address, Balance<SUI>> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), shares: table::new(ctx) })
}

public fun save(jar: &mut Jar, payment: Coin<SUI>, ctx: &TxContext) {
    let owner = ctx.sender();
    if (!jar.shares.contains(owner)) jar.shares.add(owner, balance::zero());
    jar.shares[owner].join(payment.into_balance());
}

/// Pays the savings of an owner out.
public fun close(jar: &mut Jar, owner: address, ctx: &mut TxContext) {
    let coin = jar.shares.remove(owner).into_coin(ctx);
    transfer::public_transfer(coin, ctx.sender()); //! planted
    transfer::public_transfer(coin, owner); //! honest
}
