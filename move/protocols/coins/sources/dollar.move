/// A coin with six decimals whose supply is its publisher's to decide, for examples and tests.
module coins::dollar;

use sui::{coin, url};

/// A PNG picture of 40 pixels.
const LOGO: vector<u8> =
    b"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACgAAAAoAgMAAADxkFD+AAAACVBMVEUAAAAPdm7////f4OhYAAAAAXRSTlMAQObYZgAAAGpJREFUeNqd0bENwCAMBMCnYAT2YQQKPptlCU8ZAbb4AilKXJ0EWPgNACDhRYbzYJssg30ocVaN83WjLHZ/7z02U7Ai8zLSbjZlCfZ3MshJs1+UDs4vfzhPIWOec9CgJD4JVaLWBchaYlkPJx9954z6cZoAAAAASUVORK5CYII=";

public struct DOLLAR has drop {}

fun init(witness: DOLLAR, ctx: &mut TxContext) {
    let (treasury, metadata) = coin::create_currency(
        witness,
        6,
        b"HUSD",
        b"Harbour Dollar",
        b"A dollar that buys nothing.",
        option::some(url::new_unsafe_from_bytes(LOGO)),
        ctx,
    );
    transfer::public_freeze_object(metadata);
    transfer::public_transfer(treasury, ctx.sender())
}

#[test_only]
public fun init_for_testing(ctx: &mut TxContext) {
    init(DOLLAR {}, ctx)
}
