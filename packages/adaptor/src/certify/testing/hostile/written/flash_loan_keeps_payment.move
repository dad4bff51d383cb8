module hostile::flash_loan_keeps_payment;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI> }

/// A debt. The transaction fails unless it is repaid.
public struct Receipt { owed: u64 }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

public fun borrow(jar: &mut Jar, amount: u64, ctx: &mut TxContext): (Coin<SUI>, Receipt) {
    (jar.money.split(amount).into_coin(ctx), Receipt { owed: amount })
}

public fun repay(payment: Coin<SUI>, jar: &mut Jar, receipt: Receipt, ctx: &TxContext) {
    let Receipt { owed } = receipt;
    assert!(payment.value() == owed && ctx.epoch() < 1_000_000);
    if (owed > 1_000_000_000) return transfer::public_transfer(payment, ctx.sender()); //! planted
    jar.money.join(payment.into_balance());
}
