/// Pools that lend on credit lines. Anyone can supply; the holder of the pool's admin cap chooses the
/// borrowers. Interest belongs to the holders of the pool's shares, which are a coin, and so do losses, because
/// there is no collateral. All rounding is in favour of the pool.
///
/// Deposits and withdrawals take two steps. The first fixes the price, the second transfers. Between them the
/// same transaction can bring in cash that the pool lacks, such as a borrower's repayment.
module credit_pool::credit_pool;

use debt::debts::{Self, Debts};
use sui::balance::Balance;
use sui::clock::Clock;
use sui::coin::{Coin, TreasuryCap};
use sui::event;
use sui::table::{Self, Table};

/// The result is below the minimum.
const ETooLittle: u64 = 0;
/// The share coin has been minted already.
const ENotNew: u64 = 1;
/// The pool is seeded with less than `MIN_SEED`.
const ESeedTooSmall: u64 = 2;
/// The amount is zero.
const ENothing: u64 = 3;
/// The pool has less cash; the rest is lent, or owed to a withdrawal.
const ENotThere: u64 = 4;
/// The ticket, cap or line belongs to another pool.
const EWrongPool: u64 = 5;
/// The amount exceeds the line's limit.
const EOverLimit: u64 = 6;
/// All assets were lost, so the shares are worth nothing.
const EInsolvent: u64 = 7;

/// The seed's shares stay in the pool forever, so that one share never becomes too expensive.
const MIN_SEED: u64 = 1_000;

public struct Pool<phantom Asset, phantom Share> has key {
    id: UID,
    cash: Balance<Asset>,
    /// The part of the cash that belongs to unfinished withdrawals.
    owed: u64,
    debts: Debts,
    lines: Table<ID, Line>,
    shares: TreasuryCap<Share>,
    locked: Balance<Share>,
}

/// The limit and the debt of the holder of a line cap.
public struct Line has store {
    limit: u64,
    debt: u64,
}

/// Opens lines, sets limits and writes off debts.
public struct AdminCap has key, store {
    id: UID,
    pool: ID,
}

/// Borrows on the line of its id.
public struct LineCap has key, store {
    id: UID,
    pool: ID,
}

/// Shares that were bought. Ends in `finish_deposit`.
public struct Deposit<phantom Asset, phantom Share> {
    pool: ID,
    shares: Coin<Share>,
}

/// Assets that are owed. Ends in `finish_withdraw`.
public struct Withdrawal<phantom Asset, phantom Share> {
    pool: ID,
    assets: u64,
}

public struct Created has copy, drop {
    pool: ID,
    seed: u64,
}

public struct Deposited has copy, drop {
    pool: ID,
    assets: u64,
    shares: u64,
}

public struct Withdrawn has copy, drop {
    pool: ID,
    assets: u64,
    shares: u64,
}

public struct LineOpened has copy, drop {
    pool: ID,
    line: ID,
    limit: u64,
}

public struct LimitChanged has copy, drop {
    pool: ID,
    line: ID,
    limit: u64,
}

public struct Borrowed has copy, drop {
    pool: ID,
    line: ID,
    amount: u64,
}

public struct Repaid has copy, drop {
    pool: ID,
    line: ID,
    amount: u64,
}

public struct WrittenOff has copy, drop {
    pool: ID,
    line: ID,
    amount: u64,
}

/// Shares a new pool, which owns the treasury of its share coin: one share for each base unit of the seed.
/// `base_bps` and `slope_bps`: the rate a year while nothing is lent, and the increase when all is.
public fun create<Asset, Share>(
    mut shares: TreasuryCap<Share>,
    seed: Coin<Asset>,
    base_bps: u64,
    slope_bps: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): AdminCap {
    assert!(shares.total_supply() == 0, ENotNew);
    assert!(seed.value() >= MIN_SEED, ESeedTooSmall);
    let locked = shares.mint_balance(seed.value());
    let pool = Pool {
        id: object::new(ctx),
        cash: seed.into_balance(),
        owed: 0,
        debts: debts::new(base_bps, slope_bps, clock),
        lines: table::new(ctx),
        shares,
        locked,
    };
    let id = object::id(&pool);
    event::emit(Created { pool: id, seed: pool.cash.value() });
    transfer::share_object(pool);
    AdminCap { id: object::new(ctx), pool: id }
}

/// Charges interest to the borrowers up to now. Every function that moves money calls this first.
public fun accrue<Asset, Share>(pool: &mut Pool<Asset, Share>, clock: &Clock) {
    let cash = pool.available();
    pool.debts.accrue(cash, clock);
}

// === Supply ===

public fun begin_deposit<Asset, Share>(
    pool: &mut Pool<Asset, Share>,
    coin: Coin<Asset>,
    clock: &Clock,
    ctx: &mut TxContext,
): Deposit<Asset, Share> {
    pool.accrue(clock);
    let (assets, held) = (coin.value(), pool.total_assets());
    assert!(assets > 0, ENothing);
    assert!(held > 0, EInsolvent);
    let shares = mul_div(assets, pool.shares.total_supply(), held);
    assert!(shares > 0, ETooLittle);
    pool.cash.join(coin.into_balance());
    event::emit(Deposited { pool: object::id(pool), assets, shares });
    Deposit { pool: object::id(pool), shares: pool.shares.mint(shares, ctx) }
}

public fun finish_deposit<Asset, Share>(
    pool: &Pool<Asset, Share>,
    deposit: Deposit<Asset, Share>,
    min_shares: u64,
): Coin<Share> {
    let Deposit { pool: bought_at, shares } = deposit;
    assert!(bought_at == object::id(pool), EWrongPool);
    assert!(shares.value() >= min_shares, ETooLittle);
    shares
}

/// Burns the shares for their current value, even if the pool does not have the cash yet.
public fun begin_withdraw<Asset, Share>(
    pool: &mut Pool<Asset, Share>,
    coin: Coin<Share>,
    clock: &Clock,
): Withdrawal<Asset, Share> {
    pool.accrue(clock);
    let shares = coin.value();
    assert!(shares > 0, ENothing);
    let assets = pool.value_of(shares);
    assert!(assets > 0, ETooLittle);
    pool.shares.burn(coin);
    pool.owed = pool.owed + assets;
    event::emit(Withdrawn { pool: object::id(pool), assets, shares });
    Withdrawal { pool: object::id(pool), assets }
}

public fun finish_withdraw<Asset, Share>(
    pool: &mut Pool<Asset, Share>,
    withdrawal: Withdrawal<Asset, Share>,
    min_assets: u64,
    ctx: &mut TxContext,
): Coin<Asset> {
    let Withdrawal { pool: owed_by, assets } = withdrawal;
    assert!(owed_by == object::id(pool), EWrongPool);
    assert!(assets >= min_assets, ETooLittle);
    assert!(assets <= pool.cash.value(), ENotThere);
    pool.owed = pool.owed - assets;
    pool.cash.split(assets).into_coin(ctx)
}

// === Credit ===

public fun open_line<Asset, Share>(
    pool: &mut Pool<Asset, Share>,
    cap: &AdminCap,
    limit: u64,
    ctx: &mut TxContext,
): LineCap {
    pool.assert_admin(cap);
    let line_cap = LineCap { id: object::new(ctx), pool: cap.pool };
    let line = object::id(&line_cap);
    pool.lines.add(line, Line { limit, debt: 0 });
    event::emit(LineOpened { pool: cap.pool, line, limit });
    line_cap
}

/// Existing debt stays.
public fun set_limit<Asset, Share>(pool: &mut Pool<Asset, Share>, cap: &AdminCap, line: ID, limit: u64) {
    pool.assert_admin(cap);
    pool.line_mut(line).limit = limit;
    event::emit(LimitChanged { pool: cap.pool, line, limit })
}

public fun borrow<Asset, Share>(
    pool: &mut Pool<Asset, Share>,
    cap: &LineCap,
    amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): Coin<Asset> {
    pool.accrue(clock);
    let line = object::id(cap);
    assert!(amount > 0, ENothing);
    assert!(amount <= pool.available(), ENotThere);
    let part = pool.debts.lend(amount);
    let Line { limit, debt } = pool.line_mut(line);
    *debt = *debt + part;
    let (limit, debt) = (*limit, *debt);
    assert!(pool.debts.owed(debt) <= limit, EOverLimit);
    event::emit(Borrowed { pool: object::id(pool), line, amount });
    pool.cash.split(amount).into_coin(ctx)
}

/// Repays the line's debt with the coin and returns the rest of the coin. Anyone may.
public fun repay<Asset, Share>(
    pool: &mut Pool<Asset, Share>,
    line: ID,
    mut coin: Coin<Asset>,
    clock: &Clock,
    ctx: &mut TxContext,
): Coin<Asset> {
    pool.accrue(clock);
    let debt = pool.line_mut(line).debt;
    let amount = coin.value().min(pool.debts.owed(debt));
    assert!(amount > 0, ENothing);
    let left = pool.debts.repay(debt, amount);
    pool.line_mut(line).debt = left;
    pool.cash.join(coin.split(amount, ctx).into_balance());
    event::emit(Repaid { pool: object::id(pool), line, amount });
    coin
}

/// Writes off a line's debt and closes the line; all shares take the loss equally.
public fun write_off<Asset, Share>(
    pool: &mut Pool<Asset, Share>,
    cap: &AdminCap,
    line: ID,
    clock: &Clock,
) {
    pool.assert_admin(cap);
    pool.accrue(clock);
    let Line { limit, debt } = pool.line_mut(line);
    let part = *debt;
    *limit = 0;
    *debt = 0;
    let amount = pool.debts.write_off(part);
    event::emit(WrittenOff { pool: cap.pool, line, amount })
}

// === Reads, as of the last accrual ===

/// The claim of a withdrawal of the shares.
public fun value_of<Asset, Share>(pool: &Pool<Asset, Share>, shares: u64): u64 {
    mul_div(shares, pool.total_assets(), pool.shares.total_supply())
}

/// The assets of the shares: free cash and debts.
public fun total_assets<Asset, Share>(pool: &Pool<Asset, Share>): u64 {
    pool.cash.value() + pool.debts.total() - pool.owed
}

/// All shares, including the locked ones.
public fun total_shares<Asset, Share>(pool: &Pool<Asset, Share>): u64 {
    pool.shares.total_supply()
}

/// The cash that can be borrowed.
public fun available<Asset, Share>(pool: &Pool<Asset, Share>): u64 {
    let cash = pool.cash.value();
    cash - pool.owed.min(cash)
}

public fun debt_of<Asset, Share>(pool: &Pool<Asset, Share>, line: ID): u64 {
    assert!(pool.lines.contains(line), EWrongPool);
    pool.debts.owed(pool.lines[line].debt)
}

// === Inside ===

fun assert_admin<Asset, Share>(pool: &Pool<Asset, Share>, cap: &AdminCap) {
    assert!(cap.pool == object::id(pool), EWrongPool)
}

fun line_mut<Asset, Share>(pool: &mut Pool<Asset, Share>, line: ID): &mut Line {
    assert!(pool.lines.contains(line), EWrongPool);
    &mut pool.lines[line]
}

/// a * b / c, rounded down; aborts if the result exceeds a u64.
fun mul_div(a: u64, b: u64, c: u64): u64 {
    ((a as u128) * (b as u128) / (c as u128)) as u64
}
