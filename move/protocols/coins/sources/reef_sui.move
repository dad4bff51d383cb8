/// The share of a vault that holds SUI: its treasury belongs into the vault.
module coins::reef_sui;

use sui::coin;

public struct REEF_SUI has drop {}

fun init(witness: REEF_SUI, ctx: &mut TxContext) {
    let (treasury, metadata) = coin::create_currency(
        witness,
        9,
        b"rSUI",
        b"Reef SUI",
        b"A share of the Reef Vault.",
        option::none(),
        ctx,
    );
    transfer::public_freeze_object(metadata);
    transfer::public_transfer(treasury, ctx.sender())
}

#[test_only]
public fun init_for_testing(ctx: &mut TxContext) {
    init(REEF_SUI {}, ctx)
}
