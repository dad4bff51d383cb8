module hostile::loan_without_receipt;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI> }

/// A debt. The transaction fails unless it is repaid.
public struct Receipt { owed: u64 }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

public fun put(jar: &mut Jar, money: Coin<SUI>) { jar.money.join(money.into_balance()); }

public fun borrow(jar: &mut Jar, amount: u64, ctx: &mut TxContext): (Coin<SUI>, Receipt) { //! honest
    (jar.money.split(amount).into_coin(ctx), Receipt { owed: amount + 1 }) //! honest
} //! honest

public fun borrow(jar: &mut Jar, amount: u64, ctx: &mut TxContext): Coin<SUI> { //! planted
    let Receipt { owed: _ } = Receipt { owed: amount + 1 }; //! planted
    jar.money.split(amount).into_coin(ctx) //! planted
} //! planted

public fun repay(jar: &mut Jar, receipt: Receipt, payment: Coin<SUI>) {
    let Receipt { owed } = receipt;
    assert!(payment.value() == owed);
    jar.money.join(payment.into_balance());
}
