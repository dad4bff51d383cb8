/// Two coins of which boards hold any amount.
module money_guard::coins;

use sui::balance::{Self, Balance, Supply};

public struct A has drop {}

public struct B has drop {}

/// Of the package's publisher, who hands out what tests need.
public struct Mint has key {
    id: UID,
    a: Supply<A>,
    b: Supply<B>,
}

fun init(ctx: &mut TxContext) {
    let (a, b) = (balance::create_supply(A {}), balance::create_supply(B {}));
    transfer::share_object(Mint { id: object::new(ctx), a, b })
}

public fun mint_a(mint: &mut Mint, amount: u64): Balance<A> {
    mint.a.increase_supply(amount)
}

public fun mint_b(mint: &mut Mint, amount: u64): Balance<B> {
    mint.b.increase_supply(amount)
}
