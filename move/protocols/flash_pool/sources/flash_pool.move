/// Pools that lend for the length of a transaction: the borrower returns the loan with a fee, or the
/// transaction fails. The fees belong to the holders of the pool's shares, which are a coin. All rounding is in
/// favour of the pool.
module flash_pool::flash_pool;

use sui::balance::Balance;
use sui::coin::{Coin, TreasuryCap};
use sui::event;

/// The result is below the minimum.
const ETooLittle: u64 = 0;
/// The share coin has been minted already.
const ENotNew: u64 = 1;
/// The pool is seeded with less than `MIN_SEED`.
const ESeedTooSmall: u64 = 2;
/// The amount is zero.
const ENothing: u64 = 3;
/// The fee is above one percent.
const EFeeTooHigh: u64 = 4;
/// The pool has less, perhaps because of a loan.
const ENotThere: u64 = 5;
/// The loan belongs to another pool.
const EWrongPool: u64 = 6;
/// The amount is not the loan plus its fee.
const EWrongAmount: u64 = 7;

const BPS: u64 = 10_000;
const MAX_FEE_BPS: u64 = 100;

/// The seed's shares stay in the pool forever, so that one share never becomes too expensive.
const MIN_SEED: u64 = 1_000;

public struct Pool<phantom Asset, phantom Share> has key {
    id: UID,
    cash: Balance<Asset>,
    /// The loans in this transaction.
    lent: u64,
    fee_bps: u64,
    shares: TreasuryCap<Share>,
    locked: Balance<Share>,
}

/// The debt of a loan, which only `repay` accepts, before the transaction ends.
public struct Loan<phantom Asset, phantom Share> {
    pool: ID,
    amount: u64,
    fee: u64,
}

public struct Created has copy, drop {
    pool: ID,
    seed: u64,
    fee_bps: u64,
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

public struct Lent has copy, drop {
    pool: ID,
    amount: u64,
    fee: u64,
}

/// Shares a new pool, which owns the treasury of its share coin: one share for each base unit of the seed.
public fun create<Asset, Share>(
    mut shares: TreasuryCap<Share>,
    seed: Coin<Asset>,
    fee_bps: u64,
    ctx: &mut TxContext,
): ID {
    assert!(shares.total_supply() == 0, ENotNew);
    assert!(seed.value() >= MIN_SEED, ESeedTooSmall);
    assert!(fee_bps <= MAX_FEE_BPS, EFeeTooHigh);
    let locked = shares.mint_balance(seed.value());
    let cash = seed.into_balance();
    let pool = Pool { id: object::new(ctx), cash, lent: 0, fee_bps, shares, locked };
    let id = object::id(&pool);
    event::emit(Created { pool: id, seed: pool.cash.value(), fee_bps });
    transfer::share_object(pool);
    id
}

public fun deposit<Asset, Share>(
    pool: &mut Pool<Asset, Share>,
    coin: Coin<Asset>,
    min_shares: u64,
    ctx: &mut TxContext,
): Coin<Share> {
    let assets = coin.value();
    assert!(assets > 0, ENothing);
    let shares = mul_div(assets, pool.shares.total_supply(), pool.total_assets());
    assert!(shares > 0 && shares >= min_shares, ETooLittle);
    pool.cash.join(coin.into_balance());
    event::emit(Deposited { pool: object::id(pool), assets, shares });
    pool.shares.mint(shares, ctx)
}

public fun withdraw<Asset, Share>(
    pool: &mut Pool<Asset, Share>,
    coin: Coin<Share>,
    min_assets: u64,
    ctx: &mut TxContext,
): Coin<Asset> {
    let shares = coin.value();
    assert!(shares > 0, ENothing);
    let assets = pool.value_of(shares);
    assert!(assets > 0 && assets >= min_assets, ETooLittle);
    assert!(assets <= pool.cash.value(), ENotThere);
    pool.shares.burn(coin);
    event::emit(Withdrawn { pool: object::id(pool), assets, shares });
    pool.cash.split(assets).into_coin(ctx)
}

/// Lends to anyone, until `repay`.
public fun borrow<Asset, Share>(
    pool: &mut Pool<Asset, Share>,
    amount: u64,
    ctx: &mut TxContext,
): (Coin<Asset>, Loan<Asset, Share>) {
    assert!(amount > 0, ENothing);
    assert!(amount <= pool.cash.value(), ENotThere);
    let fee = ((amount as u128) * (pool.fee_bps as u128)).divide_and_round_up(BPS as u128) as u64;
    pool.lent = pool.lent + amount;
    event::emit(Lent { pool: object::id(pool), amount, fee });
    (pool.cash.split(amount).into_coin(ctx), Loan { pool: object::id(pool), amount, fee })
}

/// Repays the loan with its fee, exactly.
public fun repay<Asset, Share>(
    pool: &mut Pool<Asset, Share>,
    loan: Loan<Asset, Share>,
    coin: Coin<Asset>,
) {
    let Loan { pool: lender, amount, fee } = loan;
    assert!(lender == object::id(pool), EWrongPool);
    assert!(coin.value() == amount + fee, EWrongAmount);
    pool.lent = pool.lent - amount;
    pool.cash.join(coin.into_balance());
}

/// What `repay` takes for the loan.
public fun due<Asset, Share>(loan: &Loan<Asset, Share>): u64 {
    loan.amount + loan.fee
}

/// What `withdraw` would pay for the shares.
public fun value_of<Asset, Share>(pool: &Pool<Asset, Share>, shares: u64): u64 {
    mul_div(shares, pool.total_assets(), pool.shares.total_supply())
}

/// The pool's money and its loans in this transaction, without fees.
public fun total_assets<Asset, Share>(pool: &Pool<Asset, Share>): u64 {
    pool.cash.value() + pool.lent
}

/// All shares, including the locked ones.
public fun total_shares<Asset, Share>(pool: &Pool<Asset, Share>): u64 {
    pool.shares.total_supply()
}

/// a * b / c, rounded down; aborts if the result exceeds a u64.
fun mul_div(a: u64, b: u64, c: u64): u64 {
    ((a as u128) * (b as u128) / (c as u128)) as u64
}
