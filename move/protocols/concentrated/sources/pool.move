/// Pools of two coins whose liquidity is in ranges of prices: each position earns the fees of the trades in its own
/// range, and its part of a reward that is paid out evenly over time. All rounding is in favour of the pool: what
/// comes in is rounded up, what goes out is rounded down, and the rest stays in the pool.
module concentrated::pool;

use concentrated::growth::{Self, Growth};
use concentrated::sqrt_price;
use concentrated::tick_set::{Self, TickSet};
use sui::balance::{Self, Balance};
use sui::clock::Clock;
use sui::coin::Coin;
use sui::event;
use sui::table::{Self, Table};

/// The result is below the minimum.
const ETooLittle: u64 = 0;
/// The amount is zero.
const ENothing: u64 = 1;
/// The fee is above ten percent, the spacing is not within 1..1000, or the first price is outside of all ticks.
const EBadPool: u64 = 2;
/// The range is empty, or its bounds are not ticks of the pool.
const EBadRange: u64 = 3;
/// The cap or the position belongs to another pool.
const EWrongPool: u64 = 4;
/// More liquidity than the position has, or than a tick can have.
const ETooMuchLiquidity: u64 = 5;
/// The liquidity ends before all of the coin is traded.
const ENoLiquidity: u64 = 6;
/// The position still has liquidity, fees or rewards.
const ENotEmpty: u64 = 7;

/// The unit of fees.
const MILLION: u64 = 1_000_000;
const MAX_FEE_PPM: u64 = 100_000;
const MAX_SPACING: u32 = 1_000;
/// The maximum over all ticks, so that the arithmetic of prices stays within 256 bits.
const MAX_LIQUIDITY: u128 = (1 << 96) - 1;

public struct Pool<phantom A, phantom B, phantom Reward> has key {
    id: UID,
    a: Balance<A>,
    b: Balance<B>,
    rewards: Balance<Reward>,
    /// The fee of a trade, in millionths, for the liquidity in use.
    fee_ppm: u64,
    /// Ranges begin and end at multiples of it.
    spacing: u32,
    /// The root of the current price, as in `sqrt_price`.
    root: u128,
    /// The highest tick in use at or below the price. At a tick's own price, that tick if it was reached from below.
    edge: Option<u32>,
    /// The liquidity of all ranges that contain the price.
    active: u128,
    growth: Growth,
    ticks: Table<u32, Tick>,
    used: TickSet,
    /// The rest of the rewards, which is paid evenly until `rewards_end_ms`.
    unpaid: u64,
    rewards_end_ms: u64,
    accrued_at_ms: u64,
}

/// A bound of ranges.
public struct Tick has drop, store {
    root: u128,
    /// The liquidity of the ranges that begin and of those that end here.
    begins: u128,
    ends: u128,
    /// The earnings of a unit of liquidity on the other side of the price, plus a constant.
    outside: Growth,
}

/// Liquidity in a range of prices. It belongs to its holder.
public struct Position has key, store {
    id: UID,
    pool: ID,
    lower: u32,
    upper: u32,
    liquidity: u128,
    /// The earnings of a unit of liquidity in the range when `owed` was last updated.
    settled: Growth,
    owed_a: u64,
    owed_b: u64,
    owed_reward: u64,
}

/// Adds rewards.
public struct AdminCap has key, store {
    id: UID,
    pool: ID,
}

public struct Created has copy, drop {
    pool: ID,
    fee_ppm: u64,
    spacing: u32,
    root: u128,
}

public struct Opened has copy, drop {
    pool: ID,
    position: ID,
    lower: u32,
    upper: u32,
}

public struct LiquidityAdded has copy, drop {
    pool: ID,
    position: ID,
    liquidity: u128,
    a: u64,
    b: u64,
}

public struct LiquidityRemoved has copy, drop {
    pool: ID,
    position: ID,
    liquidity: u128,
    a: u64,
    b: u64,
}

public struct FeesCollected has copy, drop {
    pool: ID,
    position: ID,
    a: u64,
    b: u64,
}

public struct RewardCollected has copy, drop {
    pool: ID,
    position: ID,
    amount: u64,
}

public struct Closed has copy, drop {
    pool: ID,
    position: ID,
}

public struct Swapped has copy, drop {
    pool: ID,
    a_to_b: bool,
    amount_in: u64,
    amount_out: u64,
    fee: u64,
    /// After the swap.
    root: u128,
}

public struct RewardAdded has copy, drop {
    pool: ID,
    amount: u64,
    end_ms: u64,
}

/// Shares a new pool. `root` is the root of its first price, as in `sqrt_price`.
public fun create<A, B, Reward>(
    fee_ppm: u64,
    spacing: u32,
    root: u128,
    clock: &Clock,
    ctx: &mut TxContext,
): AdminCap {
    assert!(fee_ppm <= MAX_FEE_PPM && 0 < spacing && spacing <= MAX_SPACING, EBadPool);
    let (lowest, highest) = (sqrt_price::at_tick(0), sqrt_price::at_tick(sqrt_price::max_tick()));
    assert!(lowest <= root && root <= highest, EBadPool);
    let pool = Pool<A, B, Reward> {
        id: object::new(ctx),
        a: balance::zero(),
        b: balance::zero(),
        rewards: balance::zero(),
        fee_ppm,
        spacing,
        root,
        edge: option::none(),
        active: 0,
        growth: growth::zero(),
        ticks: table::new(ctx),
        used: tick_set::new(ctx),
        unpaid: 0,
        rewards_end_ms: 0,
        accrued_at_ms: clock.timestamp_ms(),
    };
    let id = object::id(&pool);
    event::emit(Created { pool: id, fee_ppm, spacing, root });
    transfer::share_object(pool);
    AdminCap { id: object::new(ctx), pool: id }
}

/// Adds rewards. All unpaid rewards are then paid evenly over `duration_ms` from now.
public fun add_reward<A, B, Reward>(
    pool: &mut Pool<A, B, Reward>,
    cap: &AdminCap,
    coin: Coin<Reward>,
    duration_ms: u64,
    clock: &Clock,
) {
    assert!(cap.pool == object::id(pool), EWrongPool);
    let amount = coin.value();
    assert!(amount > 0 && duration_ms > 0, ENothing);
    pool.accrue(clock);
    pool.rewards.join(coin.into_balance());
    pool.unpaid = pool.unpaid + amount;
    pool.rewards_end_ms = clock.timestamp_ms() + duration_ms;
    event::emit(RewardAdded { pool: cap.pool, amount, end_ms: pool.rewards_end_ms })
}

// === Positions ===

/// An empty position from the price of tick `lower` to that of tick `upper`.
public fun open<A, B, Reward>(
    pool: &Pool<A, B, Reward>,
    lower: u32,
    upper: u32,
    ctx: &mut TxContext,
): Position {
    pool.assert_range(lower, upper);
    let position = Position {
        id: object::new(ctx),
        pool: object::id(pool),
        lower,
        upper,
        liquidity: 0,
        settled: growth::zero(),
        owed_a: 0,
        owed_b: 0,
        owed_reward: 0,
    };
    event::emit(Opened { pool: position.pool, position: object::id(&position), lower, upper });
    position
}

/// Adds as much liquidity as both coins allow, and returns the excess of one coin.
public fun add<A, B, Reward>(
    pool: &mut Pool<A, B, Reward>,
    position: &mut Position,
    mut a: Coin<A>,
    mut b: Coin<B>,
    min_liquidity: u128,
    clock: &Clock,
    ctx: &mut TxContext,
): (Coin<A>, Coin<B>) {
    pool.assert_own(position);
    pool.accrue(clock);
    let (lower, upper) = (position.lower, position.upper);
    let (liquidity, amount_a, amount_b) = pool.quote_add(lower, upper, a.value(), b.value());
    assert!(liquidity > 0, ENothing);
    assert!(liquidity >= min_liquidity, ETooLittle);
    pool.use_tick(lower);
    pool.use_tick(upper);
    pool.settle(position);
    position.liquidity = position.liquidity + liquidity;
    let most = MAX_LIQUIDITY / ((sqrt_price::max_tick() / pool.spacing + 1) as u128);
    let begin = &mut pool.ticks[lower];
    begin.begins = begin.begins + liquidity;
    assert!(begin.begins + begin.ends <= most, ETooMuchLiquidity);
    let end = &mut pool.ticks[upper];
    end.ends = end.ends + liquidity;
    assert!(end.begins + end.ends <= most, ETooMuchLiquidity);
    if (pool.is_in_range(lower, upper)) pool.active = pool.active + liquidity;
    pool.a.join(a.split(amount_a, ctx).into_balance());
    pool.b.join(b.split(amount_b, ctx).into_balance());
    event::emit(LiquidityAdded {
        pool: position.pool,
        position: object::id(position),
        liquidity,
        a: amount_a,
        b: amount_b,
    });
    (a, b)
}

/// Removes liquidity. Fees and rewards stay until they are collected.
public fun remove<A, B, Reward>(
    pool: &mut Pool<A, B, Reward>,
    position: &mut Position,
    liquidity: u128,
    min_a: u64,
    min_b: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): (Coin<A>, Coin<B>) {
    pool.assert_own(position);
    assert!(liquidity > 0, ENothing);
    assert!(liquidity <= position.liquidity, ETooMuchLiquidity);
    pool.accrue(clock);
    pool.settle(position);
    let (lower, upper) = (position.lower, position.upper);
    let (a, b) = pool.amounts(lower, upper, liquidity, false);
    let (a, b) = (a as u64, b as u64);
    assert!(a >= min_a && b >= min_b, ETooLittle);
    position.liquidity = position.liquidity - liquidity;
    if (pool.is_in_range(lower, upper)) pool.active = pool.active - liquidity;
    let begin = &mut pool.ticks[lower];
    begin.begins = begin.begins - liquidity;
    let end = &mut pool.ticks[upper];
    end.ends = end.ends - liquidity;
    pool.leave_tick(lower);
    pool.leave_tick(upper);
    event::emit(LiquidityRemoved {
        pool: position.pool,
        position: object::id(position),
        liquidity,
        a,
        b,
    });
    (pool.a.split(a).into_coin(ctx), pool.b.split(b).into_coin(ctx))
}

/// The uncollected fees of the position.
public fun collect_fees<A, B, Reward>(
    pool: &mut Pool<A, B, Reward>,
    position: &mut Position,
    clock: &Clock,
    ctx: &mut TxContext,
): (Coin<A>, Coin<B>) {
    pool.assert_own(position);
    pool.accrue(clock);
    pool.settle(position);
    let (a, b) = (position.owed_a, position.owed_b);
    position.owed_a = 0;
    position.owed_b = 0;
    event::emit(FeesCollected { pool: position.pool, position: object::id(position), a, b });
    (pool.a.split(a).into_coin(ctx), pool.b.split(b).into_coin(ctx))
}

/// The uncollected reward of the position.
public fun collect_reward<A, B, Reward>(
    pool: &mut Pool<A, B, Reward>,
    position: &mut Position,
    clock: &Clock,
    ctx: &mut TxContext,
): Coin<Reward> {
    pool.assert_own(position);
    pool.accrue(clock);
    pool.settle(position);
    let amount = position.owed_reward;
    position.owed_reward = 0;
    event::emit(RewardCollected { pool: position.pool, position: object::id(position), amount });
    pool.rewards.split(amount).into_coin(ctx)
}

/// Deletes an empty position.
public fun close<A, B, Reward>(pool: &Pool<A, B, Reward>, position: Position) {
    pool.assert_own(&position);
    let Position { id, pool: pool_id, liquidity, owed_a, owed_b, owed_reward, .. } = position;
    assert!(liquidity == 0 && owed_a == 0 && owed_b == 0 && owed_reward == 0, ENotEmpty);
    event::emit(Closed { pool: pool_id, position: id.to_inner() });
    id.delete()
}

// === Swaps ===

public fun swap_a_to_b<A, B, Reward>(
    pool: &mut Pool<A, B, Reward>,
    coin: Coin<A>,
    min_out: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): Coin<B> {
    let out = pool.swap(true, coin.value(), min_out, clock);
    pool.a.join(coin.into_balance());
    pool.b.split(out).into_coin(ctx)
}

public fun swap_b_to_a<A, B, Reward>(
    pool: &mut Pool<A, B, Reward>,
    coin: Coin<B>,
    min_out: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): Coin<A> {
    let out = pool.swap(false, coin.value(), min_out, clock);
    pool.b.join(coin.into_balance());
    pool.a.split(out).into_coin(ctx)
}

// === Reads ===

/// The most liquidity that the amounts allow in the range at the current price, and the amounts that it needs.
public fun quote_add<A, B, Reward>(
    pool: &Pool<A, B, Reward>,
    lower: u32,
    upper: u32,
    max_a: u64,
    max_b: u64,
): (u128, u64, u64) {
    pool.assert_range(lower, upper);
    let (low, high) = (sqrt_price::at_tick(lower), sqrt_price::at_tick(upper));
    let root = pool.root;
    let liquidity = if (root <= low) sqrt_price::liquidity_of_a(max_a, low, high)
    else if (root >= high) sqrt_price::liquidity_of_b(max_b, low, high)
    else sqrt_price::liquidity_of_a(max_a, root, high).min(sqrt_price::liquidity_of_b(max_b, low, root));
    assert!(liquidity <= MAX_LIQUIDITY as u256, ETooMuchLiquidity);
    let liquidity = liquidity as u128;
    let (a, b) = pool.amounts(lower, upper, liquidity, true);
    (liquidity, a as u64, b as u64)
}

/// The root of the current price, as in `sqrt_price`.
public fun root<A, B, Reward>(pool: &Pool<A, B, Reward>): u128 {
    pool.root
}

/// The liquidity of all ranges that contain the price.
public fun active<A, B, Reward>(pool: &Pool<A, B, Reward>): u128 {
    pool.active
}

/// The pool's balance of each coin, including fees, and of the reward.
public fun held<A, B, Reward>(pool: &Pool<A, B, Reward>): (u64, u64, u64) {
    (pool.a.value(), pool.b.value(), pool.rewards.value())
}

public fun spacing<A, B, Reward>(pool: &Pool<A, B, Reward>): u32 {
    pool.spacing
}

/// The ticks at which the position begins and ends.
public fun range(position: &Position): (u32, u32) {
    (position.lower, position.upper)
}

public fun liquidity(position: &Position): u128 {
    position.liquidity
}

// === Inside ===

fun assert_own<A, B, Reward>(pool: &Pool<A, B, Reward>, position: &Position) {
    assert!(position.pool == object::id(pool), EWrongPool)
}

fun assert_range<A, B, Reward>(pool: &Pool<A, B, Reward>, lower: u32, upper: u32) {
    assert!(lower < upper && upper <= sqrt_price::max_tick(), EBadRange);
    assert!(lower % pool.spacing == 0 && upper % pool.spacing == 0, EBadRange)
}

/// Pays the reward since the last call. Without active liquidity nothing is paid, and the remaining time
/// gets more.
fun accrue<A, B, Reward>(pool: &mut Pool<A, B, Reward>, clock: &Clock) {
    let now = clock.timestamp_ms();
    let (from, until) = (pool.accrued_at_ms, now.min(pool.rewards_end_ms));
    pool.accrued_at_ms = now;
    if (until <= from || pool.active == 0) return;
    let part = (pool.unpaid as u128) * ((until - from) as u128);
    let amount = (part / ((pool.rewards_end_ms - from) as u128)) as u64;
    pool.unpaid = pool.unpaid - amount;
    pool.growth.grow(0, 0, amount, pool.active)
}

/// The amounts of A and B in the liquidity at the current price.
fun amounts<A, B, Reward>(
    pool: &Pool<A, B, Reward>,
    lower: u32,
    upper: u32,
    liquidity: u128,
    up: bool,
): (u256, u256) {
    let (low, high) = (sqrt_price::at_tick(lower), sqrt_price::at_tick(upper));
    let root = pool.root.max(low).min(high);
    (
        sqrt_price::amount_a(liquidity, root, high, up),
        sqrt_price::amount_b(liquidity, low, root, up),
    )
}

fun use_tick<A, B, Reward>(pool: &mut Pool<A, B, Reward>, tick: u32) {
    if (pool.ticks.contains(tick)) return;
    let root = sqrt_price::at_tick(tick);
    let below = root <= pool.root;
    // The start of the outside earnings is arbitrary: only differences count.
    pool.ticks.add(tick, Tick { root, begins: 0, ends: 0, outside: growth::zero() });
    pool.used.insert(tick);
    if (below && !pool.is_below(tick)) pool.edge = option::some(tick);
}

fun leave_tick<A, B, Reward>(pool: &mut Pool<A, B, Reward>, tick: u32) {
    let Tick { begins, ends, .. } = &pool.ticks[tick];
    if (*begins > 0 || *ends > 0) return;
    pool.ticks.remove(tick);
    pool.used.remove(tick);
    if (pool.edge == option::some(tick)) pool.edge = pool.used.at_or_below(tick);
}

fun is_below<A, B, Reward>(pool: &Pool<A, B, Reward>, tick: u32): bool {
    pool.edge.is_some_and!(|edge| tick <= *edge)
}

/// Whether the price is in a range with ticks in use.
fun is_in_range<A, B, Reward>(pool: &Pool<A, B, Reward>, lower: u32, upper: u32): bool {
    pool.is_below(lower) && !pool.is_below(upper)
}

/// Adds the earnings since the last call to `owed`.
fun settle<A, B, Reward>(pool: &Pool<A, B, Reward>, position: &mut Position) {
    let (lower, upper) = (position.lower, position.upper);
    // The ticks of an empty position may be unused.
    if (!pool.ticks.contains(lower) || !pool.ticks.contains(upper)) return;
    let all = pool.growth;
    let outside = pool.ticks[lower].outside;
    let below = if (pool.is_below(lower)) outside else all.minus(outside);
    let outside = pool.ticks[upper].outside;
    let above = if (pool.is_below(upper)) all.minus(outside) else outside;
    let inside = all.minus(below).minus(above);
    if (position.liquidity > 0) {
        let (a, b, reward) = inside.minus(position.settled).earned(position.liquidity);
        position.owed_a = position.owed_a + a;
        position.owed_b = position.owed_b + b;
        position.owed_reward = position.owed_reward + reward;
    };
    position.settled = inside;
}

/// Trades all of `amount_in`, range by range, and returns the proceeds.
fun swap<A, B, Reward>(
    pool: &mut Pool<A, B, Reward>,
    a_to_b: bool,
    amount_in: u64,
    min_out: u64,
    clock: &Clock,
): u64 {
    assert!(amount_in > 0, ENothing);
    pool.accrue(clock);
    let (mut left, mut amount_out, mut fees) = (amount_in, 0, 0);
    while (left > 0) {
        let next = if (a_to_b) pool.edge
        else pool.used.at_or_above(pool.edge.map!(|edge| edge + 1).destroy_or!(0));
        assert!(next.is_some(), ENoLiquidity);
        let tick = next.destroy_some();
        let (used, out, fee) = pool.step(a_to_b, left, tick);
        left = left - used - fee;
        amount_out = amount_out + out;
        fees = fees + fee;
        if (left > 0) pool.cross(a_to_b, tick);
    };
    assert!(amount_out > 0 && amount_out >= min_out, ETooLittle);
    event::emit(Swapped {
        pool: object::id(pool),
        a_to_b,
        amount_in,
        amount_out,
        fee: fees,
        root: pool.root,
    });
    amount_out
}

/// Trades up to `left`, at most to the tick. Returns the traded amount without the fee, the proceeds, and the fee.
/// The traded amount and the fee are all of `left`, unless the tick is reached.
fun step<A, B, Reward>(
    pool: &mut Pool<A, B, Reward>,
    a_to_b: bool,
    left: u64,
    tick: u32,
): (u64, u64, u64) {
    let (root, target, active) = (pool.root, pool.ticks[tick].root, pool.active);
    let offered = mul_div(left, MILLION - pool.fee_ppm, MILLION);
    let needed = if (a_to_b) sqrt_price::amount_a(active, target, root, true)
    else sqrt_price::amount_b(active, root, target, true);
    let reached = needed <= offered as u256;
    let used = if (reached) needed as u64 else offered;
    let fee = if (reached) mul_div_up(used, pool.fee_ppm, MILLION - pool.fee_ppm) else left - used;
    pool.root = if (reached) target
    else if (a_to_b) sqrt_price::after_a(root, active, used)
    else sqrt_price::after_b(root, active, used);
    let out = if (a_to_b) sqrt_price::amount_b(active, pool.root, root, false)
    else sqrt_price::amount_a(active, root, pool.root, false);
    if (a_to_b) pool.growth.grow(fee, 0, 0, active) else pool.growth.grow(0, fee, 0, active);
    (used, out as u64, fee)
}

/// Crosses the tick.
fun cross<A, B, Reward>(pool: &mut Pool<A, B, Reward>, a_to_b: bool, tick: u32) {
    let all = pool.growth;
    let Tick { begins, ends, outside, .. } = &mut pool.ticks[tick];
    *outside = all.minus(*outside);
    if (a_to_b) {
        pool.active = pool.active + *ends - *begins;
        pool.edge = if (tick == 0) option::none() else pool.used.at_or_below(tick - 1);
    } else {
        pool.active = pool.active + *begins - *ends;
        pool.edge = option::some(tick);
    }
}

/// a * b / c, rounded down. If b is at most c, it is at most a.
fun mul_div(a: u64, b: u64, c: u64): u64 {
    ((a as u128) * (b as u128) / (c as u128)) as u64
}

/// The same, rounded up.
fun mul_div_up(a: u64, b: u64, c: u64): u64 {
    ((a as u128) * (b as u128)).divide_and_round_up(c as u128) as u64
}
