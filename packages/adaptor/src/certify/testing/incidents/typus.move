module incidents::typus;

use sui::balance::{Self, Balance};
use sui::coin::Coin;

public struct ManagerCap has key { id: UID }

public struct UpdateAuthority has key { id: UID, authority: vector<address> }

public struct Oracle has key { id: UID, price: u64 }

public struct Pool<phantom A, phantom B> has key { id: UID, a: Balance<A>, b: Balance<B> }

fun init(ctx: &mut TxContext) {
    transfer::transfer(ManagerCap { id: object::new(ctx) }, ctx.sender())
}

public fun create<A, B>(_: &ManagerCap, price: u64, ctx: &mut TxContext) {
    transfer::share_object(UpdateAuthority { id: object::new(ctx), authority: vector[ctx.sender()] });
    transfer::share_object(Oracle { id: object::new(ctx), price });
    transfer::share_object(Pool<A, B> { id: object::new(ctx), a: balance::zero(), b: balance::zero() })
}

public fun update(oracle: &mut Oracle, updaters: &UpdateAuthority, price: u64, ctx: &TxContext) {
    updaters.authority.contains(&ctx.sender()); //! planted
    assert!(updaters.authority.contains(&ctx.sender())); //! honest
    oracle.price = price
}

public fun swap<A, B>(
    pool: &mut Pool<A, B>,
    oracle: &Oracle,
    payment: Coin<A>,
    ctx: &mut TxContext,
): Coin<B> {
    let amount = payment.value() * oracle.price;
    pool.a.join(payment.into_balance());
    pool.b.split(amount).into_coin(ctx)
}
