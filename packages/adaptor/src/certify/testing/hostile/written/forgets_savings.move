module hostile::forgets_savings;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::dynamic_field;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

public fun save(payment: Coin<SUI>, jar: &mut Jar, ctx: &TxContext) {
    dynamic_field::add(&mut jar.id, ctx.sender(), payment.value());
    jar.money.join(payment.into_balance());
}

/// The savings of an address.
public fun check(jar: &mut Jar, saver: address): u64 {
    dynamic_field::remove(&mut jar.id, saver) //! planted
    *dynamic_field::borrow(&jar.id, saver) //! honest
}
