/// Pools of staked SUI whose shares are a coin, so they can be held, sent and traded. An operator adds the
/// rewards, which raises the price of every share. Withdrawals are paid at once, minus a fee that stays in the
/// pool. All rounding is in favour of the pool.
///
/// The SUI stays in the pool: no validator is involved, and rewards are what the operator brings.
module liquid_stake::liquid_stake;

use sui::balance::Balance;
use sui::coin::{Coin, TreasuryCap};
use sui::event;
use sui::sui::SUI;

/// The result is below the minimum.
const ETooLittle: u64 = 0;
/// The share coin has been minted already.
const ENotNew: u64 = 1;
/// The pool is seeded with less than `MIN_SEED`.
const ESeedTooSmall: u64 = 2;
/// The payment is zero.
const ENothing: u64 = 3;
/// The fee is zero or above `MAX_FEE_BPS`.
const EBadFee: u64 = 4;
/// The cap belongs to another pool.
const EWrongPool: u64 = 5;
/// The reward is a larger part of the stake than the fee.
const ERewardTooLarge: u64 = 6;

const BPS: u64 = 10_000;
const MAX_FEE_BPS: u64 = 500;
/// The seed's shares stay in the pool forever, so that one share never becomes too expensive.
const MIN_SEED: u64 = 1_000;

public struct StakePool<phantom Share> has key {
    id: UID,
    staked: Balance<SUI>,
    /// The part of a withdrawal that stays in the pool.
    unstake_fee_bps: u64,
    shares: TreasuryCap<Share>,
    locked: Balance<Share>,
}

/// Adds rewards.
public struct OperatorCap has key, store {
    id: UID,
    pool: ID,
}

public struct Created has copy, drop {
    pool: ID,
    seed: u64,
    unstake_fee_bps: u64,
}

public struct Staked has copy, drop {
    pool: ID,
    sui: u64,
    shares: u64,
}

public struct Unstaked has copy, drop {
    pool: ID,
    /// The payment, without the fee.
    sui: u64,
    fee: u64,
    shares: u64,
}

public struct RewardAdded has copy, drop {
    pool: ID,
    sui: u64,
}

/// Shares a new pool, which owns the treasury of its share coin: one share for each MIST of the seed.
public fun create<Share>(
    mut shares: TreasuryCap<Share>,
    seed: Coin<SUI>,
    unstake_fee_bps: u64,
    ctx: &mut TxContext,
): OperatorCap {
    assert!(shares.total_supply() == 0, ENotNew);
    assert!(seed.value() >= MIN_SEED, ESeedTooSmall);
    assert!(0 < unstake_fee_bps && unstake_fee_bps <= MAX_FEE_BPS, EBadFee);
    let locked = shares.mint_balance(seed.value());
    let staked = seed.into_balance();
    let pool = StakePool { id: object::new(ctx), staked, unstake_fee_bps, shares, locked };
    let id = object::id(&pool);
    event::emit(Created { pool: id, seed: pool.staked.value(), unstake_fee_bps });
    transfer::share_object(pool);
    OperatorCap { id: object::new(ctx), pool: id }
}

public fun stake<Share>(
    pool: &mut StakePool<Share>,
    coin: Coin<SUI>,
    min_shares: u64,
    ctx: &mut TxContext,
): Coin<Share> {
    let sui = coin.value();
    assert!(sui > 0, ENothing);
    let shares = mul_div(sui, pool.shares.total_supply(), pool.staked.value());
    assert!(shares > 0 && shares >= min_shares, ETooLittle);
    pool.staked.join(coin.into_balance());
    event::emit(Staked { pool: object::id(pool), sui, shares });
    pool.shares.mint(shares, ctx)
}

/// Pays the current value of the shares, minus the fee.
public fun unstake<Share>(
    pool: &mut StakePool<Share>,
    coin: Coin<Share>,
    min_sui: u64,
    ctx: &mut TxContext,
): Coin<SUI> {
    let shares = coin.value();
    assert!(shares > 0, ENothing);
    let (sui, fee) = pool.quote_unstake(shares);
    assert!(sui > 0 && sui >= min_sui, ETooLittle);
    pool.shares.burn(coin);
    event::emit(Unstaked { pool: object::id(pool), sui, fee, shares });
    pool.staked.split(sui).into_coin(ctx)
}

/// Gives the coin to all holders of shares. A reward is at most as large a part of the stake as the fee, so a
/// deposit that comes only for the reward and leaves at once loses more than it gains.
public fun add_reward<Share>(pool: &mut StakePool<Share>, cap: &OperatorCap, coin: Coin<SUI>) {
    assert!(cap.pool == object::id(pool), EWrongPool);
    let sui = coin.value();
    assert!(sui > 0, ENothing);
    assert!(sui <= mul_div(pool.staked.value(), pool.unstake_fee_bps, BPS), ERewardTooLarge);
    pool.staked.join(coin.into_balance());
    event::emit(RewardAdded { pool: cap.pool, sui })
}

// === Reads ===

/// The value of the shares, before the fee.
public fun value_of<Share>(pool: &StakePool<Share>, shares: u64): u64 {
    mul_div(shares, pool.staked.value(), pool.shares.total_supply())
}

/// What `unstake` would pay for the shares, and its fee.
public fun quote_unstake<Share>(pool: &StakePool<Share>, shares: u64): (u64, u64) {
    let worth = pool.value_of(shares);
    let fee = ((worth as u128) * (pool.unstake_fee_bps as u128)).divide_and_round_up(BPS as u128) as u64;
    (worth - fee, fee)
}

/// All SUI in the pool: the stake, its rewards and the fees.
public fun total_staked<Share>(pool: &StakePool<Share>): u64 {
    pool.staked.value()
}

/// All shares, including the locked ones.
public fun total_shares<Share>(pool: &StakePool<Share>): u64 {
    pool.shares.total_supply()
}

public fun unstake_fee_bps<Share>(pool: &StakePool<Share>): u64 {
    pool.unstake_fee_bps
}

/// a * b / c, rounded down; aborts if the result exceeds a u64.
fun mul_div(a: u64, b: u64, c: u64): u64 {
    ((a as u128) * (b as u128) / (c as u128)) as u64
}
