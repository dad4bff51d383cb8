module hostile::returns_withdrawal;

use sui::balance::{Self, Balance};
use sui::funds_accumulator::Withdrawal;
use sui::sui::SUI;

public struct Jar has key { id: UID, owner: address, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    let owner = ctx.sender();
    transfer::share_object(Jar { id: object::new(ctx), owner, money: balance::zero() })
}

/// The right to the money of the jar's address can be dropped, so it does not look like money.
public fun ticket(jar: &mut Jar, amount: u64): Withdrawal<Balance<SUI>> { //! planted
    balance::withdraw_funds_from_object<SUI>(&mut jar.id, amount) //! planted
} //! planted

public fun ticket(jar: &mut Jar, amount: u64): u64 { amount + jar.money.value() } //! honest
