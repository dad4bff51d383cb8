module hostile::takes_withdrawal;

use sui::balance::{Self, Balance};
use sui::funds_accumulator::Withdrawal;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

/// The caller's address pays.
public fun check(funds: Withdrawal<Balance<SUI>>, jar: &mut Jar): u256 {
    let limit = funds.limit();
    jar.money.join(balance::redeem_funds(funds)); //! planted
    limit
}
