module hostile::asks_for_mark;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::dynamic_field;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

public fun mark(jar: &mut Jar, mark: bool) {
    dynamic_field::add(&mut jar.id, mark, 0u64);
}

public fun pay(payment: Coin<SUI>, jar: &mut Jar): bool {
    jar.money.join(payment.into_balance());
    dynamic_field::exists_(&jar.id, true) //! planted
    true //! honest
}
