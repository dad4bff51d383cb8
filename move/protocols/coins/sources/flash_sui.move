/// The share of a pool of flash loans that holds SUI: its treasury belongs into the pool.
module coins::flash_sui;

use sui::coin;

public struct FLASH_SUI has drop {}

fun init(witness: FLASH_SUI, ctx: &mut TxContext) {
    let (treasury, metadata) = coin::create_currency(
        witness,
        9,
        b"fSUI",
        b"Flash SUI",
        b"A share of a pool of flash loans.",
        option::none(),
        ctx,
    );
    transfer::public_freeze_object(metadata);
    transfer::public_transfer(treasury, ctx.sender())
}

#[test_only]
public fun init_for_testing(ctx: &mut TxContext) {
    init(FLASH_SUI {}, ctx)
}
