module incidents::aftermath;

use sui::balance::{Self, Balance};
use sui::coin::Coin;

const EFeeTooHigh: u64 = 0;

public struct House<phantom C> has key { id: UID, money: Balance<C> }

/// `fee_max` is a signed number: the first bit says that it is negative.
public struct Account<phantom C> has key { id: UID, collateral: u256, fee_max: u256 }

public fun create<C>(ctx: &mut TxContext) {
    transfer::share_object(House<C> { id: object::new(ctx), money: balance::zero() })
}

public fun open<C>(house: &mut House<C>, payment: Coin<C>, ctx: &mut TxContext) {
    let collateral = payment.value() as u256;
    house.money.join(payment.into_balance());
    transfer::transfer(Account<C> { id: object::new(ctx), collateral, fee_max: 0 }, ctx.sender())
}

fun is_negative(n: u256): bool { n >> 255 == 1 }

fun is_at_most(a: u256, b: u256): bool {
    if (is_negative(a) != is_negative(b)) is_negative(a) else a <= b
}

fun subtract(a: u256, b: u256): u256 {
    if (is_negative(b)) a + (std::u256::max_value!() - b) + 1 else a - b
}

public fun trade<C>(account: &mut Account<C>, fee: u256) {
    assert!(is_at_most(fee, account.fee_max), EFeeTooHigh);
    assert!(!is_negative(fee), EFeeTooHigh); //! honest
    account.collateral = subtract(account.collateral, fee)
}

public fun withdraw<C>(house: &mut House<C>, account: &mut Account<C>, amount: u64, ctx: &mut TxContext): Coin<C> {
    account.collateral = account.collateral - (amount as u256);
    house.money.split(amount).into_coin(ctx)
}
