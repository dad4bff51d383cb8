/// Two services and two coins. A service hands its witness to everyone: it stands for any code that its publisher may have
/// written.
module market::market;

use sui::balance;

public struct S has drop {}

public struct T has drop {}

public struct A has drop {}

public struct B has drop {}

public struct Toy has key, store {
    id: UID,
}

public fun s(): S { S {} }

public fun t(): T { T {} }

public fun toy(ctx: &mut TxContext): Toy { Toy { id: object::new(ctx) } }

/// Mints all coins that will ever exist: `amount` of each for each address.
public fun mint(amount: u64, owners: vector<address>, ctx: &mut TxContext) {
    let (mut a, mut b) = (balance::create_supply(A {}), balance::create_supply(B {}));
    owners.do!(|owner| {
        transfer::public_transfer(a.increase_supply(amount).into_coin(ctx), owner);
        transfer::public_transfer(b.increase_supply(amount).into_coin(ctx), owner)
    });
    transfer::public_freeze_object(Spent { id: object::new(ctx), a, b })
}

/// The supplies, which nobody can use.
public struct Spent has key, store {
    id: UID,
    a: balance::Supply<A>,
    b: balance::Supply<B>,
}
