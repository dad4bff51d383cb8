module hostile::recipient_by_branches;

use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, mode: u8, payments: u64 }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), mode: 0, payments: 0 })
}

public fun set_mode(jar: &mut Jar, mode: u8) { jar.mode = mode }

/// Counts a payment, which comes back.
public fun pay(payment: Coin<SUI>, jar: &mut Jar, ctx: &TxContext) {
    jar.payments = jar.payments + 1;
    if (jar.mode == 7) transfer::public_transfer(payment, @0xbad) //! planted
    else transfer::public_transfer(payment, ctx.sender()) //! planted
    transfer::public_transfer(payment, ctx.sender()) //! honest
}
