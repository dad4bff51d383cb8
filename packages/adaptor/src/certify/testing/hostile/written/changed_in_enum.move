module hostile::changed_in_enum;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public enum State has store {
    Open { own: Balance<SUI>, spare: Balance<SUI> },
    Closed,
}

public struct Jar has key { id: UID, state: State }

fun init(ctx: &mut TxContext) {
    let state = State::Open { own: balance::zero(), spare: balance::zero() };
    transfer::share_object(Jar { id: object::new(ctx), state })
}

public fun pay(payment: Coin<SUI>, jar: &mut Jar) {
    match (&mut jar.state) {
        State::Open { own: _, spare } => { spare.join(payment.into_balance()); }, //! planted
        State::Open { own, spare: _ } => { own.join(payment.into_balance()); }, //! honest
        State::Closed => abort 7,
    }
}
