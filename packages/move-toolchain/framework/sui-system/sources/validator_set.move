/// Who validates: one validator, and nobody waits to become another.
module sui_system::validator_set;

use sui::bag::{Self, Bag};
use sui::balance::Balance;
use sui::priority_queue as queue;
use sui::sui::SUI;
use sui::table::{Self, Table};
use sui::table_vec::{Self, TableVec};
use sui::vec_map::{Self, VecMap};
use sui_system::staking_pool::{FungibleStakedSui, PoolTokenExchangeRate, StakedSui, StakingPool};
use sui_system::validator::Validator;
use sui_system::validator_wrapper::ValidatorWrapper;
use sui_system::voting_power;

/// 1 SUI.
const MIN_STAKING_THRESHOLD: u64 = 1_000_000_000;

const ENoPoolFound: u64 = 3;
const ENotAValidator: u64 = 4;
const EStakingBelowThreshold: u64 = 10;

public struct ValidatorSet has store {
    /// As of the epoch's beginning.
    total_stake: u64,
    active_validators: vector<Validator>,
    pending_active_validators: TableVec<Validator>,
    /// Places in `active_validators`.
    pending_removals: vector<u64>,
    /// The address of a pool's validator.
    staking_pool_mappings: Table<ID, address>,
    inactive_validators: Table<ID, ValidatorWrapper>,
    validator_candidates: Table<address, ValidatorWrapper>,
    /// For how many epochs their stake was too low.
    at_risk_validators: VecMap<address, u64>,
    extra_fields: Bag,
}

/// A set of one, which has all the power.
public(package) fun of_one(mut validator: Validator, ctx: &mut TxContext): ValidatorSet {
    validator.set_voting_power(voting_power::total_voting_power());
    let mut staking_pool_mappings = table::new(ctx);
    staking_pool_mappings.add(validator.staking_pool_id(), validator.sui_address());
    ValidatorSet {
        total_stake: validator.total_stake(),
        active_validators: vector[validator],
        pending_active_validators: table_vec::empty(ctx),
        pending_removals: vector[],
        staking_pool_mappings,
        inactive_validators: table::new(ctx),
        validator_candidates: table::new(ctx),
        at_risk_validators: vec_map::empty(),
        extra_fields: bag::new(ctx),
    }
}

public(package) fun request_add_stake(
    self: &mut ValidatorSet,
    validator_address: address,
    stake: Balance<SUI>,
    ctx: &mut TxContext,
): StakedSui {
    assert!(stake.value() >= MIN_STAKING_THRESHOLD, EStakingBelowThreshold);
    let sender = ctx.sender();
    self.candidate_or_active_mut(validator_address).request_add_stake(stake, sender, ctx)
}

public(package) fun request_withdraw_stake(
    self: &mut ValidatorSet,
    staked_sui: StakedSui,
    ctx: &TxContext,
): Balance<SUI> {
    self.of_pool_mut(staked_sui.pool_id()).request_withdraw_stake(staked_sui, ctx)
}

public(package) fun convert_to_fungible_staked_sui(
    self: &mut ValidatorSet,
    staked_sui: StakedSui,
    ctx: &mut TxContext,
): FungibleStakedSui {
    self.of_pool_mut(staked_sui.pool_id()).convert_to_fungible_staked_sui(staked_sui, ctx)
}

public(package) fun redeem_fungible_staked_sui(
    self: &mut ValidatorSet,
    fungible_staked_sui: FungibleStakedSui,
    ctx: &TxContext,
): Balance<SUI> {
    self.of_pool_mut(fungible_staked_sui.pool_id()).redeem_fungible_staked_sui(fungible_staked_sui, ctx)
}

/// The highest price that a third of the power asks for, or exceeds.
public fun derive_reference_gas_price(self: &ValidatorSet): u64 {
    let entries = self.active_validators.map_ref!(|each| queue::new_entry(each.gas_price(), each.voting_power()));
    let mut prices = queue::new(entries);
    let dissent = voting_power::total_voting_power() - voting_power::quorum_threshold();
    let (mut power, mut price) = (0, 0);
    while (power < dissent) {
        let (next, of) = prices.pop_max();
        price = next;
        power = power + of;
    };
    price
}

public fun total_stake(self: &ValidatorSet): u64 {
    self.total_stake
}

public fun validator_total_stake_amount(self: &ValidatorSet, validator_address: address): u64 {
    validator_at(&self.active_validators, validator_address).total_stake()
}

public fun validator_stake_amount(self: &ValidatorSet, validator_address: address): u64 {
    validator_at(&self.active_validators, validator_address).total_stake()
}

public fun validator_voting_power(self: &ValidatorSet, validator_address: address): u64 {
    validator_at(&self.active_validators, validator_address).voting_power()
}

public fun validator_staking_pool_id(self: &ValidatorSet, validator_address: address): ID {
    validator_at(&self.active_validators, validator_address).staking_pool_id()
}

public fun staking_pool_mappings(self: &ValidatorSet): &Table<ID, address> {
    &self.staking_pool_mappings
}

public fun validator_address_by_pool_id(self: &mut ValidatorSet, pool_id: &ID): address {
    self.known_pool_mut(*pool_id).sui_address()
}

public(package) fun pool_exchange_rates(
    self: &mut ValidatorSet,
    pool_id: &ID,
): &Table<u64, PoolTokenExchangeRate> {
    self.staking_pool(pool_id).exchange_rates()
}

public(package) fun staking_pool(self: &mut ValidatorSet, pool_id: &ID): &StakingPool {
    self.known_pool_mut(*pool_id).get_staking_pool_ref()
}

public fun sum_voting_power_by_addresses(vs: &vector<Validator>, addresses: &vector<address>): u64 {
    let mut sum = 0;
    addresses.do_ref!(|at| sum = sum + validator_at(vs, *at).voting_power());
    sum
}

public fun active_validators(self: &ValidatorSet): &vector<Validator> {
    &self.active_validators
}

public fun is_validator_candidate(self: &ValidatorSet, addr: address): bool {
    self.validator_candidates.contains(addr)
}

public fun is_inactive_validator(self: &ValidatorSet, staking_pool_id: ID): bool {
    self.inactive_validators.contains(staking_pool_id)
}

public(package) fun active_validator_addresses(self: &ValidatorSet): vector<address> {
    self.active_validators.map_ref!(|each| each.sui_address())
}

/// The validator that a stake is with.
fun of_pool_mut(self: &mut ValidatorSet, pool_id: ID): &mut Validator {
    let known = self.staking_pool_mappings.contains(pool_id) || self.is_inactive_validator(pool_id);
    assert!(known, ENoPoolFound);
    self.known_pool_mut(pool_id)
}

fun known_pool_mut(self: &mut ValidatorSet, pool_id: ID): &mut Validator {
    if (self.staking_pool_mappings.contains(pool_id)) {
        let at = self.staking_pool_mappings[pool_id];
        self.candidate_or_active_mut(at)
    } else {
        self.inactive_validators[pool_id].load_validator_maybe_upgrade()
    }
}

fun candidate_or_active_mut(self: &mut ValidatorSet, validator_address: address): &mut Validator {
    if (self.validator_candidates.contains(validator_address)) {
        return self.validator_candidates[validator_address].load_validator_maybe_upgrade()
    };
    let index = self.active_validators.find_index!(|each| each.sui_address() == validator_address);
    assert!(index.is_some(), ENotAValidator);
    &mut self.active_validators[index.destroy_some()]
}

fun validator_at(validators: &vector<Validator>, validator_address: address): &Validator {
    let index = validators.find_index!(|each| each.sui_address() == validator_address);
    assert!(index.is_some(), ENotAValidator);
    &validators[index.destroy_some()]
}
