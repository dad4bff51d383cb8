module incidents::nemo;

use sui::balance::{Self, Balance};
use sui::coin::Coin;

public struct AdminCap has key { id: UID }

public struct State has key { id: UID, index: u64 }

public struct Market<phantom C> has key { id: UID, money: Balance<C>, shares: Balance<Share> }

public struct Share has drop {}

fun init(ctx: &mut TxContext) {
    transfer::transfer(AdminCap { id: object::new(ctx) }, ctx.sender())
}

public fun create<C>(_: &AdminCap, ctx: &mut TxContext) {
    transfer::share_object(State { id: object::new(ctx), index: 1 });
    transfer::share_object(Market<C> { id: object::new(ctx), money: balance::zero(), shares: balance::zero() })
}

public fun set_index(_: &AdminCap, state: &mut State, index: u64) { state.index = index }

/// Answers how much a purchase takes at an index.
public fun get_amount_in(state: &mut State, amount_out: u64, index: u64): u64 {
    state.index = index; //! planted
    amount_out * index / state.index.max(1)
}

public fun redeem<C>(market: &mut Market<C>, state: &State, shares: Coin<Share>, ctx: &mut TxContext): Coin<C> {
    let amount = shares.value() * state.index;
    market.shares.join(shares.into_balance());
    market.money.split(amount).into_coin(ctx)
}
