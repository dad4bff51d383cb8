/// What the system state holds in its present version.
module sui_system::sui_system_state_inner;

use sui::bag::{Self, Bag};
use sui::balance::{Self, Balance};
use sui::sui::SUI;
use sui::vec_map::{Self, VecMap};
use sui::vec_set::VecSet;
use sui_system::stake_subsidy::{Self, StakeSubsidy};
use sui_system::storage_fund::{Self, StorageFund};
use sui_system::validator_set::ValidatorSet;

const VERSION: u64 = 2;
/// An epoch that does not end is given a hundred years, so that its end is a date all the same.
const EPOCH_DURATION_MS: u64 = 3_153_600_000_000;

public struct SystemParametersV2 has store {
    epoch_duration_ms: u64,
    stake_subsidy_start_epoch: u64,
    min_validator_count: u64,
    max_validator_count: u64,
    min_validator_joining_stake: u64,
    validator_low_stake_threshold: u64,
    validator_very_low_stake_threshold: u64,
    validator_low_stake_grace_period: u64,
    extra_fields: Bag,
}

public struct SuiSystemStateInnerV2 has store {
    epoch: u64,
    protocol_version: u64,
    system_state_version: u64,
    validators: ValidatorSet,
    storage_fund: StorageFund,
    parameters: SystemParametersV2,
    reference_gas_price: u64,
    validator_report_records: VecMap<address, VecSet<address>>,
    stake_subsidy: StakeSubsidy,
    safe_mode: bool,
    safe_mode_storage_rewards: Balance<SUI>,
    safe_mode_computation_rewards: Balance<SUI>,
    safe_mode_storage_rebates: u64,
    safe_mode_non_refundable_storage_fee: u64,
    epoch_start_timestamp_ms: u64,
    extra_fields: Bag,
}

public(package) fun version(): u64 {
    VERSION
}

public(package) fun create(
    validators: ValidatorSet,
    protocol_version: u64,
    epoch_start_timestamp_ms: u64,
    ctx: &mut TxContext,
): SuiSystemStateInnerV2 {
    let parameters = SystemParametersV2 {
        epoch_duration_ms: EPOCH_DURATION_MS,
        stake_subsidy_start_epoch: 0,
        min_validator_count: 1,
        max_validator_count: 1,
        min_validator_joining_stake: 0,
        validator_low_stake_threshold: 0,
        validator_very_low_stake_threshold: 0,
        validator_low_stake_grace_period: 0,
        extra_fields: bag::new(ctx),
    };
    SuiSystemStateInnerV2 {
        epoch: ctx.epoch(),
        protocol_version,
        system_state_version: VERSION,
        reference_gas_price: validators.derive_reference_gas_price(),
        validators,
        storage_fund: storage_fund::empty(),
        parameters,
        validator_report_records: vec_map::empty(),
        stake_subsidy: stake_subsidy::none(ctx),
        safe_mode: false,
        safe_mode_storage_rewards: balance::zero(),
        safe_mode_computation_rewards: balance::zero(),
        safe_mode_storage_rebates: 0,
        safe_mode_non_refundable_storage_fee: 0,
        epoch_start_timestamp_ms,
        extra_fields: bag::new(ctx),
    }
}

public(package) fun system_state_version(self: &SuiSystemStateInnerV2): u64 {
    self.system_state_version
}

public(package) fun validators(self: &SuiSystemStateInnerV2): &ValidatorSet {
    &self.validators
}

public(package) fun validators_mut(self: &mut SuiSystemStateInnerV2): &mut ValidatorSet {
    &mut self.validators
}
