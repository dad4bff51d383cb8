/// Pools of two coins that trade at a constant product. The content of a pool, including the fees of its trades,
/// belongs to the holders of its shares. All rounding is in favour of the pool.
module pool::pool;

use sui::balance::Balance;
use sui::coin::Coin;
use sui::event;

/// The result is below the minimum.
const ETooLittle: u64 = 0;
/// One of the amounts is zero.
const ENothing: u64 = 1;
/// The fee is above ten percent.
const EFeeTooHigh: u64 = 2;
/// The shares belong to another pool.
const EWrongPool: u64 = 3;
/// There are fewer shares.
const ETooManyShares: u64 = 4;

const BPS: u64 = 10_000;
const MAX_FEE_BPS: u64 = 1_000;

/// Shares that stay locked. Without them, the first depositor could make one share so expensive, by trading with a
/// nearly empty pool, that the next deposit buys none.
const LOCKED_SHARES: u64 = 1_000;

/// Shares of one pool. They are not a coin, because two coins can have several pools, with shares of different value.
public struct Shares<phantom A, phantom B> has key, store {
    id: UID,
    pool: ID,
    amount: u64,
}

public struct Pool<phantom A, phantom B> has key {
    id: UID,
    a: Balance<A>,
    b: Balance<B>,
    /// The fee: the part of a payment that stays in the pool.
    fee_bps: u64,
    /// All shares, including the locked ones.
    shares: u64,
}

public struct Opened has copy, drop {
    pool: ID,
    fee_bps: u64,
}

public struct Swapped has copy, drop {
    pool: ID,
    a_to_b: bool,
    amount_in: u64,
    amount_out: u64,
}

public struct LiquidityAdded has copy, drop {
    pool: ID,
    a: u64,
    b: u64,
    shares: u64,
}

public struct LiquidityRemoved has copy, drop {
    pool: ID,
    a: u64,
    b: u64,
    shares: u64,
}

/// Opens a shared pool; the ratio of the two amounts is its first price.
public fun open<A, B>(a: Coin<A>, b: Coin<B>, fee_bps: u64, ctx: &mut TxContext): Shares<A, B> {
    assert!(fee_bps <= MAX_FEE_BPS, EFeeTooHigh);
    let (amount_a, amount_b) = (a.value(), b.value());
    let all = ((amount_a as u128) * (amount_b as u128)).sqrt() as u64;
    assert!(all > LOCKED_SHARES, ENothing);
    let (a, b) = (a.into_balance(), b.into_balance());
    let pool = Pool { id: object::new(ctx), a, b, fee_bps, shares: all };
    let id = object::id(&pool);
    event::emit(Opened { pool: id, fee_bps });
    event::emit(LiquidityAdded { pool: id, a: amount_a, b: amount_b, shares: all });
    transfer::share_object(pool);
    Shares { id: object::new(ctx), pool: id, amount: all - LOCKED_SHARES }
}

/// Buys shares at the pool's ratio, and returns the excess of one coin.
public fun add_liquidity<A, B>(
    pool: &mut Pool<A, B>,
    mut a: Coin<A>,
    mut b: Coin<B>,
    min_shares: u64,
    ctx: &mut TxContext,
): (Shares<A, B>, Coin<A>, Coin<B>) {
    let (held_a, held_b, supply) = (pool.a.value(), pool.b.value(), pool.shares);
    let by_a = (a.value() as u128) * (supply as u128) / (held_a as u128);
    let by_b = (b.value() as u128) * (supply as u128) / (held_b as u128);
    let shares = by_a.min(by_b) as u64;
    assert!(shares > 0, ENothing);
    assert!(shares >= min_shares, ETooLittle);
    let amount_a = mul_div_up(shares, held_a, supply);
    let amount_b = mul_div_up(shares, held_b, supply);
    pool.a.join(a.split(amount_a, ctx).into_balance());
    pool.b.join(b.split(amount_b, ctx).into_balance());
    pool.shares = supply + shares;
    let id = object::id(pool);
    event::emit(LiquidityAdded { pool: id, a: amount_a, b: amount_b, shares });
    (Shares { id: object::new(ctx), pool: id, amount: shares }, a, b)
}

/// Redeems the shares for their part of the pool.
public fun remove_liquidity<A, B>(
    pool: &mut Pool<A, B>,
    shares: Shares<A, B>,
    min_a: u64,
    min_b: u64,
    ctx: &mut TxContext,
): (Coin<A>, Coin<B>) {
    let Shares { id, pool: bought_of, amount } = shares;
    assert!(bought_of == object::id(pool), EWrongPool);
    id.delete();
    let a = mul_div(amount, pool.a.value(), pool.shares);
    let b = mul_div(amount, pool.b.value(), pool.shares);
    assert!(a >= min_a && b >= min_b, ETooLittle);
    pool.shares = pool.shares - amount;
    event::emit(LiquidityRemoved { pool: bought_of, a, b, shares: amount });
    (pool.a.split(a).into_coin(ctx), pool.b.split(b).into_coin(ctx))
}

/// Splits off `amount` of the shares, to send or redeem a part.
public fun split<A, B>(shares: &mut Shares<A, B>, amount: u64, ctx: &mut TxContext): Shares<A, B> {
    assert!(amount > 0, ENothing);
    assert!(amount <= shares.amount, ETooManyShares);
    shares.amount = shares.amount - amount;
    Shares { id: object::new(ctx), pool: shares.pool, amount }
}

public fun swap_a_to_b<A, B>(
    pool: &mut Pool<A, B>,
    coin: Coin<A>,
    min_out: u64,
    ctx: &mut TxContext,
): Coin<B> {
    let (id, fee_bps) = (object::id(pool), pool.fee_bps);
    swap(id, true, fee_bps, &mut pool.a, &mut pool.b, coin, min_out, ctx)
}

public fun swap_b_to_a<A, B>(
    pool: &mut Pool<A, B>,
    coin: Coin<B>,
    min_out: u64,
    ctx: &mut TxContext,
): Coin<A> {
    let (id, fee_bps) = (object::id(pool), pool.fee_bps);
    swap(id, false, fee_bps, &mut pool.b, &mut pool.a, coin, min_out, ctx)
}

/// The pool's balance of each coin.
public fun reserves<A, B>(pool: &Pool<A, B>): (u64, u64) {
    (pool.a.value(), pool.b.value())
}

public fun fee_bps<A, B>(pool: &Pool<A, B>): u64 {
    pool.fee_bps
}

/// All shares, including the locked ones.
public fun total_shares<A, B>(pool: &Pool<A, B>): u64 {
    pool.shares
}

/// The number of shares.
public fun amount<A, B>(shares: &Shares<A, B>): u64 {
    shares.amount
}

fun swap<In, Out>(
    pool: ID,
    a_to_b: bool,
    fee_bps: u64,
    reserve_in: &mut Balance<In>,
    reserve_out: &mut Balance<Out>,
    coin: Coin<In>,
    min_out: u64,
    ctx: &mut TxContext,
): Coin<Out> {
    let amount_in = coin.value();
    assert!(amount_in > 0, ENothing);
    // In units of 1/BPS of a coin, and as u256: two u64 and BPS do not fit a u128 together.
    let bought = (amount_in as u256) * ((BPS - fee_bps) as u256);
    let held = (reserve_in.value() as u256) * (BPS as u256);
    let amount_out = (bought * (reserve_out.value() as u256) / (held + bought)) as u64;
    assert!(amount_out > 0 && amount_out >= min_out, ETooLittle);
    reserve_in.join(coin.into_balance());
    event::emit(Swapped { pool, a_to_b, amount_in, amount_out });
    reserve_out.split(amount_out).into_coin(ctx)
}

/// a * b / c, rounded down. If a is at most c, it is at most b.
fun mul_div(a: u64, b: u64, c: u64): u64 {
    ((a as u128) * (b as u128) / (c as u128)) as u64
}

/// The same, rounded up.
fun mul_div_up(a: u64, b: u64, c: u64): u64 {
    ((a as u128) * (b as u128)).divide_and_round_up(c as u128) as u64
}
