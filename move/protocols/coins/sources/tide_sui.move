/// The share of a pool of staked SUI: its treasury belongs into the pool.
module coins::tide_sui;

use sui::coin;

public struct TIDE_SUI has drop {}

fun init(witness: TIDE_SUI, ctx: &mut TxContext) {
    let (treasury, metadata) = coin::create_currency(
        witness,
        9,
        b"tSUI",
        b"Tide SUI",
        b"A share of a pool of staked SUI.",
        option::none(),
        ctx,
    );
    transfer::public_freeze_object(metadata);
    transfer::public_transfer(treasury, ctx.sender())
}

#[test_only]
public fun init_for_testing(ctx: &mut TxContext) {
    init(TIDE_SUI {}, ctx)
}
