/// A coin with six decimals whose supply is its publisher's to decide, for examples and tests.
module coins::dollar;

use sui::coin;

public struct DOLLAR has drop {}

fun init(witness: DOLLAR, ctx: &mut TxContext) {
    let (treasury, metadata) = coin::create_currency(
        witness,
        6,
        b"HUSD",
        b"Harbour Dollar",
        b"A dollar that buys nothing.",
        option::none(),
        ctx,
    );
    transfer::public_freeze_object(metadata);
    transfer::public_transfer(treasury, ctx.sender())
}

#[test_only]
public fun init_for_testing(ctx: &mut TxContext) {
    init(DOLLAR {}, ctx)
}
