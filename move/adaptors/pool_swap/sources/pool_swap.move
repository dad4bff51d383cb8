/// Pools of two coins that trade at a constant product. Whoever opened a pool owns what is in it.
module pool_swap::pool_swap;

use sui::balance::Balance;
use sui::coin::Coin;
use sui::event;

/// The pool would give less than the least that the trader takes.
const ETooLittle: u64 = 0;
/// A side of the pool, or what is paid in, is nothing.
const ENothing: u64 = 1;
/// The cap belongs to another pool.
const EWrongPool: u64 = 2;

const BPS: u128 = 10_000;
/// Of what is paid in, this stays in the pool without buying anything.
const FEE_BPS: u128 = 30;

/// Names this service in the adaptor registry.
public struct PoolSwap has drop {}

public struct Pool<phantom A, phantom B> has key {
    id: UID,
    a: Balance<A>,
    b: Balance<B>,
}

/// The right to close one pool.
public struct PoolCap has key, store {
    id: UID,
    pool: ID,
}

public struct Swapped has copy, drop {
    pool: ID,
    a_to_b: bool,
    amount_in: u64,
    amount_out: u64,
}

/// Opens a shared pool; the ratio of the two amounts is its first price.
public fun open<A, B>(a: Coin<A>, b: Coin<B>, ctx: &mut TxContext): PoolCap {
    assert!(a.value() > 0 && b.value() > 0, ENothing);
    let pool = Pool { id: object::new(ctx), a: a.into_balance(), b: b.into_balance() };
    let cap = PoolCap { id: object::new(ctx), pool: object::id(&pool) };
    transfer::share_object(pool);
    cap
}

public fun swap_a_to_b<A, B>(
    pool: &mut Pool<A, B>,
    coin: Coin<A>,
    min_out: u64,
    ctx: &mut TxContext,
): Coin<B> {
    let id = object::id(pool);
    swap(id, true, &mut pool.a, &mut pool.b, coin, min_out, ctx)
}

public fun swap_b_to_a<A, B>(
    pool: &mut Pool<A, B>,
    coin: Coin<B>,
    min_out: u64,
    ctx: &mut TxContext,
): Coin<A> {
    let id = object::id(pool);
    swap(id, false, &mut pool.b, &mut pool.a, coin, min_out, ctx)
}

/// Takes everything out of the pool, which trades nothing after that.
public fun close<A, B>(pool: &mut Pool<A, B>, cap: PoolCap, ctx: &mut TxContext): (Coin<A>, Coin<B>) {
    let PoolCap { id, pool: closed } = cap;
    assert!(closed == object::id(pool), EWrongPool);
    id.delete();
    (pool.a.withdraw_all().into_coin(ctx), pool.b.withdraw_all().into_coin(ctx))
}

/// What the pool holds of each coin.
public fun reserves<A, B>(pool: &Pool<A, B>): (u64, u64) {
    (pool.a.value(), pool.b.value())
}

fun swap<In, Out>(
    pool: ID,
    a_to_b: bool,
    reserve_in: &mut Balance<In>,
    reserve_out: &mut Balance<Out>,
    coin: Coin<In>,
    min_out: u64,
    ctx: &mut TxContext,
): Coin<Out> {
    let amount_in = coin.value();
    assert!(amount_in > 0 && reserve_out.value() > 0, ENothing);
    // In units of 1/BPS of a coin, and as u256: two u64 and BPS do not fit a u128 together.
    let bought = (amount_in as u256) * ((BPS - FEE_BPS) as u256);
    let held = (reserve_in.value() as u256) * (BPS as u256);
    let amount_out = (bought * (reserve_out.value() as u256) / (held + bought)) as u64;
    assert!(amount_out > 0 && amount_out >= min_out, ETooLittle);
    reserve_in.join(coin.into_balance());
    event::emit(Swapped { pool, a_to_b, amount_in, amount_out });
    reserve_out.split(amount_out).into_coin(ctx)
}
