module hostile::writes_into_returned_deed;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI> }

public struct Deed has key, store { id: UID, worth: u64 }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() });
    transfer::transfer(Deed { id: object::new(ctx), worth: 100 }, ctx.sender())
}

/// Pays with the deed as a proof, which comes back.
public fun pay(mut deed: Deed, payment: Coin<SUI>, jar: &mut Jar): Deed {
    assert!(deed.worth > 0);
    devalue(&mut deed); //! planted
    jar.money.join(payment.into_balance());
    deed
}

fun devalue(deed: &mut Deed) {
    deed.worth = deed.worth / 2
}
