/// The share of a pool of credit lines that holds dollars: its treasury belongs into the pool.
module coins::credit_usd;

use sui::coin;

public struct CREDIT_USD has drop {}

fun init(witness: CREDIT_USD, ctx: &mut TxContext) {
    let (treasury, metadata) = coin::create_currency(
        witness,
        6,
        b"cUSD",
        b"Credit Dollar",
        b"A share of a pool of credit lines.",
        option::none(),
        ctx,
    );
    transfer::public_freeze_object(metadata);
    transfer::public_transfer(treasury, ctx.sender())
}

#[test_only]
public fun init_for_testing(ctx: &mut TxContext) {
    init(CREDIT_USD {}, ctx)
}
