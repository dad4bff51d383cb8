module hostile::attaches_to_sent_object;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::dynamic_field;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI> }

/// Looks empty. The money is below its id.
public struct Note has key { id: UID }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

public fun pay(payment: Coin<SUI>, jar: &mut Jar, ctx: &mut TxContext) {
    let mut money = payment.into_balance();
    let share = money.value() / 10;
    let mut id = object::new(ctx);
    dynamic_field::add(&mut id, b"x", money.split(share)); //! planted
    jar.money.join(money);
    dynamic_field::add(&mut id, b"x", share); //! honest
    transfer::transfer(Note { id }, @0xbad)
}
