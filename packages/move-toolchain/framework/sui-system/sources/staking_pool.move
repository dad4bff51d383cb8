/// Stake with one validator. Stake is principal until its activation epoch, and earns from then on.
module sui_system::staking_pool;

use sui::bag::{Self, Bag};
use sui::balance::{Self, Balance};
use sui::sui::SUI;
use sui::table::{Self, Table};

public use fun fungible_staked_sui_pool_id as FungibleStakedSui.pool_id;
public use fun fungible_staked_sui_value as FungibleStakedSui.value;
public use fun join_fungible_staked_sui as FungibleStakedSui.join;
public use fun join_staked_sui as StakedSui.join;
public use fun split_fungible_staked_sui as FungibleStakedSui.split;
public use fun split_staked_sui as StakedSui.split_to_sender;
public use fun stake_activation_epoch as StakedSui.activation_epoch;
public use fun staked_sui_amount as StakedSui.amount;
use fun principal_of as StakedSui.into_principal;

/// No part of a split stake is below it: 1 SUI.
const MIN_STAKING_THRESHOLD: u64 = 1_000_000_000;

/// The fungible stake is smaller than what is split off.
const EInsufficientPoolTokenBalance: u64 = 0;
/// The stake is with another pool.
const EWrongPool: u64 = 1;
/// The stake is smaller than what is split off.
const EInsufficientSuiTokenBalance: u64 = 3;
/// The pool's validator left.
const EDelegationToInactivePool: u64 = 10;
/// Stakes differ in pool or activation epoch.
const EIncompatibleStakedSui: u64 = 12;
/// The pool is active since an earlier epoch.
const EPoolAlreadyActive: u64 = 14;
const EDelegationOfZeroSui: u64 = 17;
const EStakedSuiBelowThreshold: u64 = 18;
/// The stake's activation epoch has not begun.
const ECannotMintFungibleStakedSuiYet: u64 = 19;
/// More would be paid out than the tokens are worth.
const EInvariantFailure: u64 = 20;

public struct StakingPool has key, store {
    id: UID,
    /// None: its validator is a candidate.
    activation_epoch: Option<u64>,
    deactivation_epoch: Option<u64>,
    /// Principal and rewards, as of the epoch's beginning.
    sui_balance: u64,
    rewards_pool: Balance<SUI>,
    pool_token_balance: u64,
    /// By epoch, as of its beginning.
    exchange_rates: Table<u64, PoolTokenExchangeRate>,
    /// What was staked in this epoch, and withdrawn: they count from the next one on.
    pending_stake: u64,
    pending_total_sui_withdraw: u64,
    pending_pool_token_withdraw: u64,
    extra_fields: Bag,
}

/// As many pool tokens are worth as much SUI; both zero: a token is a MIST.
public struct PoolTokenExchangeRate has copy, drop, store {
    sui_amount: u64,
    pool_token_amount: u64,
}

public struct StakedSui has key, store {
    id: UID,
    pool_id: ID,
    stake_activation_epoch: u64,
    principal: Balance<SUI>,
}

/// Stake in pool tokens, whatever its activation epoch was.
public struct FungibleStakedSui has key, store {
    id: UID,
    pool_id: ID,
    value: u64,
}

/// What all fungible stake of a pool stands for.
public struct FungibleStakedSuiData has key, store {
    id: UID,
    total_supply: u64,
    principal: Balance<SUI>,
}

public struct FungibleStakedSuiDataKey has copy, drop, store {}

public(package) fun new(ctx: &mut TxContext): StakingPool {
    StakingPool {
        id: object::new(ctx),
        activation_epoch: option::none(),
        deactivation_epoch: option::none(),
        sui_balance: 0,
        rewards_pool: balance::zero(),
        pool_token_balance: 0,
        exchange_rates: table::new(ctx),
        pending_stake: 0,
        pending_total_sui_withdraw: 0,
        pending_pool_token_withdraw: 0,
        extra_fields: bag::new(ctx),
    }
}

public(package) fun activate_staking_pool(pool: &mut StakingPool, epoch: u64) {
    assert!(pool.is_preactive(), EPoolAlreadyActive);
    pool.exchange_rates.add(epoch, par());
    pool.activation_epoch.fill(epoch)
}

public(package) fun request_add_stake(
    pool: &mut StakingPool,
    stake: Balance<SUI>,
    stake_activation_epoch: u64,
    ctx: &mut TxContext,
): StakedSui {
    assert!(!pool.is_inactive(), EDelegationToInactivePool);
    assert!(stake.value() > 0, EDelegationOfZeroSui);
    pool.pending_stake = pool.pending_stake + stake.value();
    StakedSui { id: object::new(ctx), pool_id: object::id(pool), stake_activation_epoch, principal: stake }
}

/// Makes what was staked a part of the pool.
public(package) fun process_pending_stake(pool: &mut StakingPool) {
    let rate = PoolTokenExchangeRate {
        sui_amount: pool.sui_balance,
        pool_token_amount: pool.pool_token_balance,
    };
    pool.sui_balance = pool.sui_balance + pool.pending_stake;
    pool.pool_token_balance = rate.tokens_for(pool.sui_balance);
    pool.pending_stake = 0
}

/// Principal and rewards. Stake that is not active yet is taken back as it was.
public(package) fun request_withdraw_stake(
    pool: &mut StakingPool,
    staked_sui: StakedSui,
    ctx: &TxContext,
): Balance<SUI> {
    let staked_in = staked_sui.stake_activation_epoch;
    if (staked_in > ctx.epoch()) {
        let principal = staked_sui.into_principal();
        pool.pending_stake = pool.pending_stake - principal.value();
        return principal
    };
    assert!(staked_sui.pool_id == object::id(pool), EWrongPool);
    let mut withdrawn = staked_sui.into_principal();
    let tokens = pool.pool_token_exchange_rate_at_epoch(staked_in).tokens_for(withdrawn.value());
    let reward = pool.reward_at(tokens, withdrawn.value(), ctx.epoch());
    withdrawn.join(pool.rewards_pool.split(reward));
    pool.withdraw_later(withdrawn.value(), tokens);
    withdrawn
}

public(package) fun convert_to_fungible_staked_sui(
    pool: &mut StakingPool,
    staked_sui: StakedSui,
    ctx: &mut TxContext,
): FungibleStakedSui {
    let StakedSui { id, pool_id, stake_activation_epoch: staked_in, principal } = staked_sui;
    assert!(pool_id == object::id(pool), EWrongPool);
    assert!(ctx.epoch() >= staked_in, ECannotMintFungibleStakedSuiYet);
    id.delete();
    let value = pool.pool_token_exchange_rate_at_epoch(staked_in).tokens_for(principal.value());
    let key = FungibleStakedSuiDataKey {};
    if (pool.extra_fields.contains(key)) {
        let data: &mut FungibleStakedSuiData = &mut pool.extra_fields[key];
        data.total_supply = data.total_supply + value;
        data.principal.join(principal);
    } else {
        let data = FungibleStakedSuiData { id: object::new(ctx), total_supply: value, principal };
        pool.extra_fields.add(key, data)
    };
    FungibleStakedSui { id: object::new(ctx), pool_id, value }
}

public(package) fun redeem_fungible_staked_sui(
    pool: &mut StakingPool,
    fungible_staked_sui: FungibleStakedSui,
    ctx: &TxContext,
): Balance<SUI> {
    let FungibleStakedSui { id, pool_id, value } = fungible_staked_sui;
    assert!(pool_id == object::id(pool), EWrongPool);
    id.delete();
    let rate = pool.pool_token_exchange_rate_at_epoch(ctx.epoch());
    let data: &mut FungibleStakedSuiData = &mut pool.extra_fields[FungibleStakedSuiDataKey {}];
    let supply = data.total_supply;
    let worth = rate.sui_for(supply);
    // The principal is paid out first where all tokens are worth less.
    let from_principal = data.principal.value().min(worth);
    let principal = share(value, from_principal, supply);
    let reward = share(value, worth - from_principal, supply);
    assert!(principal + reward <= rate.sui_for(value), EInvariantFailure);
    data.total_supply = supply - value;
    let mut redeemed = data.principal.split(principal);
    redeemed.join(pool.rewards_pool.split(reward));
    pool.withdraw_later(redeemed.value(), value);
    redeemed
}

/// What a stake is worth in an epoch.
public(package) fun calculate_rewards(pool: &StakingPool, staked_sui: &StakedSui, epoch: u64): u64 {
    let principal = staked_sui.amount();
    let rate = pool.pool_token_exchange_rate_at_epoch(staked_sui.stake_activation_epoch);
    principal + pool.reward_at(rate.tokens_for(principal), principal, epoch)
}

public fun sui_balance(pool: &StakingPool): u64 {
    pool.sui_balance
}

public fun pool_id(staked_sui: &StakedSui): ID {
    staked_sui.pool_id
}

public fun fungible_staked_sui_pool_id(fungible_staked_sui: &FungibleStakedSui): ID {
    fungible_staked_sui.pool_id
}

public fun staked_sui_amount(staked_sui: &StakedSui): u64 {
    staked_sui.principal.value()
}

public fun stake_activation_epoch(staked_sui: &StakedSui): u64 {
    staked_sui.stake_activation_epoch
}

public fun is_preactive(pool: &StakingPool): bool {
    pool.activation_epoch.is_none()
}

public fun is_inactive(pool: &StakingPool): bool {
    pool.deactivation_epoch.is_some()
}

public fun fungible_staked_sui_value(fungible_staked_sui: &FungibleStakedSui): u64 {
    fungible_staked_sui.value
}

public fun split_fungible_staked_sui(
    fungible_staked_sui: &mut FungibleStakedSui,
    split_amount: u64,
    ctx: &mut TxContext,
): FungibleStakedSui {
    assert!(split_amount <= fungible_staked_sui.value, EInsufficientPoolTokenBalance);
    fungible_staked_sui.value = fungible_staked_sui.value - split_amount;
    FungibleStakedSui { id: object::new(ctx), pool_id: fungible_staked_sui.pool_id, value: split_amount }
}

public fun join_fungible_staked_sui(self: &mut FungibleStakedSui, other: FungibleStakedSui) {
    let FungibleStakedSui { id, pool_id, value } = other;
    assert!(pool_id == self.pool_id, EWrongPool);
    id.delete();
    self.value = self.value + value
}

public fun split(self: &mut StakedSui, split_amount: u64, ctx: &mut TxContext): StakedSui {
    let amount = self.amount();
    assert!(split_amount <= amount, EInsufficientSuiTokenBalance);
    assert!((amount - split_amount).min(split_amount) >= MIN_STAKING_THRESHOLD, EStakedSuiBelowThreshold);
    StakedSui {
        id: object::new(ctx),
        pool_id: self.pool_id,
        stake_activation_epoch: self.stake_activation_epoch,
        principal: self.principal.split(split_amount),
    }
}

public entry fun split_staked_sui(stake: &mut StakedSui, split_amount: u64, ctx: &mut TxContext) {
    transfer::transfer(stake.split(split_amount, ctx), ctx.sender())
}

public entry fun join_staked_sui(self: &mut StakedSui, other: StakedSui) {
    assert!(self.is_equal_staking_metadata(&other), EIncompatibleStakedSui);
    self.principal.join(other.into_principal());
}

public fun is_equal_staking_metadata(self: &StakedSui, other: &StakedSui): bool {
    self.pool_id == other.pool_id && self.stake_activation_epoch == other.stake_activation_epoch
}

/// The latest rate up to the epoch, and not after the pool's last one.
public fun pool_token_exchange_rate_at_epoch(pool: &StakingPool, epoch: u64): PoolTokenExchangeRate {
    if (pool.is_preactive() || *pool.activation_epoch.borrow() > epoch) return par();
    let first = *pool.activation_epoch.borrow();
    let mut at = pool.deactivation_epoch.get_with_default(epoch).min(epoch);
    while (at > first && !pool.exchange_rates.contains(at)) at = at - 1;
    if (at >= first && pool.exchange_rates.contains(at)) pool.exchange_rates[at] else par()
}

public fun pending_stake_amount(staking_pool: &StakingPool): u64 {
    staking_pool.pending_stake
}

public fun pending_stake_withdraw_amount(staking_pool: &StakingPool): u64 {
    staking_pool.pending_total_sui_withdraw
}

public(package) fun exchange_rates(pool: &StakingPool): &Table<u64, PoolTokenExchangeRate> {
    &pool.exchange_rates
}

public fun sui_amount(exchange_rate: &PoolTokenExchangeRate): u64 {
    exchange_rate.sui_amount
}

public fun pool_token_amount(exchange_rate: &PoolTokenExchangeRate): u64 {
    exchange_rate.pool_token_amount
}

fun principal_of(staked_sui: StakedSui): Balance<SUI> {
    let StakedSui { id, principal, .. } = staked_sui;
    id.delete();
    principal
}

/// What tokens are worth in an epoch beyond the principal, as far as the pool has it.
fun reward_at(pool: &StakingPool, tokens: u64, principal: u64, epoch: u64): u64 {
    let worth = pool.pool_token_exchange_rate_at_epoch(epoch).sui_for(tokens);
    if (worth <= principal) 0 else (worth - principal).min(pool.rewards_pool.value())
}

fun withdraw_later(pool: &mut StakingPool, sui: u64, tokens: u64) {
    pool.pending_total_sui_withdraw = pool.pending_total_sui_withdraw + sui;
    pool.pending_pool_token_withdraw = pool.pending_pool_token_withdraw + tokens
}

fun par(): PoolTokenExchangeRate {
    PoolTokenExchangeRate { sui_amount: 0, pool_token_amount: 0 }
}

fun is_par(rate: &PoolTokenExchangeRate): bool {
    rate.sui_amount == 0 || rate.pool_token_amount == 0
}

fun tokens_for(rate: &PoolTokenExchangeRate, sui: u64): u64 {
    if (rate.is_par()) sui else share(sui, rate.pool_token_amount, rate.sui_amount)
}

fun sui_for(rate: &PoolTokenExchangeRate, tokens: u64): u64 {
    if (rate.is_par()) tokens else share(tokens, rate.sui_amount, rate.pool_token_amount)
}

/// `part / whole` of an amount, rounded down.
fun share(part: u64, amount: u64, whole: u64): u64 {
    ((part as u128) * (amount as u128) / (whole as u128)) as u64
}
