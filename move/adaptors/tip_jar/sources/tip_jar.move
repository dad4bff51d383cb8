/// Jars that anyone tips and only their owner empties.
module tip_jar::tip_jar;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::event;
use sui::sui::SUI;

/// Only the owner of the jar may empty it.
const ENotOwner: u64 = 0;
/// A tip of nothing.
const ENoTip: u64 = 1;

/// Names this service in the adaptor registry.
public struct TipJar has drop {}

public struct Jar has key {
    id: UID,
    owner: address,
    tips: Balance<SUI>,
    /// All that was ever tipped, in MIST.
    received: u64,
}

public struct Tipped has copy, drop {
    jar: ID,
    from: address,
    amount: u64,
}

/// Opens a shared jar of the sender's.
public fun open(ctx: &mut TxContext) {
    let owner = ctx.sender();
    transfer::share_object(Jar { id: object::new(ctx), owner, tips: balance::zero(), received: 0 })
}

public fun tip(jar: &mut Jar, coin: Coin<SUI>, ctx: &TxContext) {
    let amount = coin.value();
    assert!(amount > 0, ENoTip);
    jar.received = jar.received + amount;
    jar.tips.join(coin.into_balance());
    event::emit(Tipped { jar: object::id(jar), from: ctx.sender(), amount })
}

/// Everything in the jar, for its owner.
public fun empty(jar: &mut Jar, ctx: &mut TxContext): Coin<SUI> {
    assert!(ctx.sender() == jar.owner, ENotOwner);
    jar.tips.withdraw_all().into_coin(ctx)
}

public fun held(jar: &Jar): u64 {
    jar.tips.value()
}

public fun received(jar: &Jar): u64 {
    jar.received
}
