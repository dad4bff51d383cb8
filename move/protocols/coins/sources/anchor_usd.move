/// The coin of a stablecoin issuer: its treasury belongs into the issuer.
module coins::anchor_usd;

use sui::coin;

public struct ANCHOR_USD has drop {}

fun init(witness: ANCHOR_USD, ctx: &mut TxContext) {
    let (treasury, metadata) = coin::create_currency(
        witness,
        6,
        b"aUSD",
        b"Anchor Dollar",
        b"A dollar that more than a dollar is pledged for.",
        option::none(),
        ctx,
    );
    transfer::public_freeze_object(metadata);
    transfer::public_transfer(treasury, ctx.sender())
}

#[test_only]
public fun init_for_testing(ctx: &mut TxContext) {
    init(ANCHOR_USD {}, ctx)
}
