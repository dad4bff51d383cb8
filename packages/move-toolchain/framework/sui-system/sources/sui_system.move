/// The system state, in one shared object at 0x5, and how stake comes and goes.
module sui_system::sui_system;

use sui::balance::Balance;
use sui::coin::Coin;
use sui::dynamic_field;
use sui::sui::SUI;
use sui::table::Table;
use sui::vec_map::{Self, VecMap};
use sui_system::staking_pool::{FungibleStakedSui, PoolTokenExchangeRate, StakedSui};
use sui_system::sui_system_state_inner::{Self, SuiSystemStateInnerV2};
use sui_system::validator_set::ValidatorSet;

const EWrongInnerVersion: u64 = 1;

public struct SuiSystemState has key {
    id: UID,
    /// The name of the field with the state.
    version: u64,
}

public(package) fun create(id: UID, inner: SuiSystemStateInnerV2) {
    let version = sui_system_state_inner::version();
    let mut self = SuiSystemState { id, version };
    dynamic_field::add(&mut self.id, version, inner);
    transfer::share_object(self)
}

public entry fun request_add_stake(
    wrapper: &mut SuiSystemState,
    stake: Coin<SUI>,
    validator_address: address,
    ctx: &mut TxContext,
) {
    let staked_sui = wrapper.request_add_stake_non_entry(stake, validator_address, ctx);
    transfer::public_transfer(staked_sui, ctx.sender())
}

public fun request_add_stake_non_entry(
    wrapper: &mut SuiSystemState,
    stake: Coin<SUI>,
    validator_address: address,
    ctx: &mut TxContext,
): StakedSui {
    wrapper.validators_mut().request_add_stake(validator_address, stake.into_balance(), ctx)
}

/// Stakes an amount of all coins together, or all of it; what is left goes back to the sender.
public entry fun request_add_stake_mul_coin(
    wrapper: &mut SuiSystemState,
    stakes: vector<Coin<SUI>>,
    stake_amount: Option<u64>,
    validator_address: address,
    ctx: &mut TxContext,
) {
    let mut coins = stakes;
    let last = coins.pop_back();
    let mut all = coins.fold!(last, |mut sum, coin| { sum.join(coin); sum }).into_balance();
    let stake = if (stake_amount.is_some()) all.split(stake_amount.destroy_some()) else all.withdraw_all();
    if (all.value() == 0) all.destroy_zero()
    else transfer::public_transfer(all.into_coin(ctx), ctx.sender());
    let staked_sui = wrapper.validators_mut().request_add_stake(validator_address, stake, ctx);
    transfer::public_transfer(staked_sui, ctx.sender())
}

public entry fun request_withdraw_stake(
    wrapper: &mut SuiSystemState,
    staked_sui: StakedSui,
    ctx: &mut TxContext,
) {
    let withdrawn = wrapper.request_withdraw_stake_non_entry(staked_sui, ctx);
    transfer::public_transfer(withdrawn.into_coin(ctx), ctx.sender())
}

public fun request_withdraw_stake_non_entry(
    wrapper: &mut SuiSystemState,
    staked_sui: StakedSui,
    ctx: &mut TxContext,
): Balance<SUI> {
    wrapper.validators_mut().request_withdraw_stake(staked_sui, ctx)
}

public fun convert_to_fungible_staked_sui(
    wrapper: &mut SuiSystemState,
    staked_sui: StakedSui,
    ctx: &mut TxContext,
): FungibleStakedSui {
    wrapper.validators_mut().convert_to_fungible_staked_sui(staked_sui, ctx)
}

public fun redeem_fungible_staked_sui(
    wrapper: &mut SuiSystemState,
    fungible_staked_sui: FungibleStakedSui,
    ctx: &TxContext,
): Balance<SUI> {
    wrapper.validators_mut().redeem_fungible_staked_sui(fungible_staked_sui, ctx)
}

public fun validator_address_by_pool_id(wrapper: &mut SuiSystemState, pool_id: &ID): address {
    wrapper.validators_mut().validator_address_by_pool_id(pool_id)
}

public fun pool_exchange_rates(
    wrapper: &mut SuiSystemState,
    pool_id: &ID,
): &Table<u64, PoolTokenExchangeRate> {
    wrapper.validators_mut().pool_exchange_rates(pool_id)
}

public fun active_validator_addresses(wrapper: &mut SuiSystemState): vector<address> {
    wrapper.active_validator_addresses_ref()
}

public fun active_validator_addresses_ref(wrapper: &SuiSystemState): vector<address> {
    wrapper.validators().active_validator_addresses()
}

public fun active_validator_voting_powers(wrapper: &SuiSystemState): VecMap<address, u64> {
    let validators = wrapper.validators();
    let mut powers = vec_map::empty();
    validators.active_validator_addresses().do!(|at| powers.insert(at, validators.validator_voting_power(at)));
    powers
}

#[allow(unused_function)]
/// What a stake is worth, for simulations.
fun calculate_rewards(self: &mut SuiSystemState, staked_sui: &StakedSui, ctx: &TxContext): u64 {
    let pool_id = staked_sui.pool_id();
    self.validators_mut().staking_pool(&pool_id).calculate_rewards(staked_sui, ctx.epoch())
}

fun validators(self: &SuiSystemState): &ValidatorSet {
    let inner: &SuiSystemStateInnerV2 = dynamic_field::borrow(&self.id, self.version);
    assert!(inner.system_state_version() == self.version, EWrongInnerVersion);
    inner.validators()
}

fun validators_mut(self: &mut SuiSystemState): &mut ValidatorSet {
    let inner: &mut SuiSystemStateInnerV2 = dynamic_field::borrow_mut(&mut self.id, self.version);
    assert!(inner.system_state_version() == self.version, EWrongInnerVersion);
    inner.validators_mut()
}
