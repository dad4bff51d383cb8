/// A validator and the stake with it.
module sui_system::validator;

use std::string::String;
use sui::bag::{Self, Bag};
use sui::balance::Balance;
use sui::event;
use sui::sui::SUI;
use sui::url::{Self, Url};
use sui_system::staking_pool::{Self, FungibleStakedSui, PoolTokenExchangeRate, StakedSui, StakingPool};
use sui_system::validator_cap;

const EInvalidStakeAmount: u64 = 11;

public struct ValidatorMetadata has store {
    sui_address: address,
    protocol_pubkey_bytes: vector<u8>,
    network_pubkey_bytes: vector<u8>,
    worker_pubkey_bytes: vector<u8>,
    proof_of_possession: vector<u8>,
    name: String,
    description: String,
    image_url: Url,
    project_url: Url,
    net_address: String,
    p2p_address: String,
    primary_address: String,
    worker_address: String,
    next_epoch_protocol_pubkey_bytes: Option<vector<u8>>,
    next_epoch_proof_of_possession: Option<vector<u8>>,
    next_epoch_network_pubkey_bytes: Option<vector<u8>>,
    next_epoch_worker_pubkey_bytes: Option<vector<u8>>,
    next_epoch_net_address: Option<String>,
    next_epoch_p2p_address: Option<String>,
    next_epoch_primary_address: Option<String>,
    next_epoch_worker_address: Option<String>,
    extra_fields: Bag,
}

public struct Validator has store {
    metadata: ValidatorMetadata,
    voting_power: u64,
    operation_cap_id: ID,
    gas_price: u64,
    staking_pool: StakingPool,
    /// In ten thousandths.
    commission_rate: u64,
    next_epoch_stake: u64,
    next_epoch_gas_price: u64,
    next_epoch_commission_rate: u64,
    extra_fields: Bag,
}

public struct StakingRequestEvent has copy, drop {
    pool_id: ID,
    validator_address: address,
    staker_address: address,
    epoch: u64,
    amount: u64,
}

public struct UnstakingRequestEvent has copy, drop {
    pool_id: ID,
    validator_address: address,
    staker_address: address,
    stake_activation_epoch: u64,
    unstaking_epoch: u64,
    principal_amount: u64,
    reward_amount: u64,
}

public struct ConvertingToFungibleStakedSuiEvent has copy, drop {
    pool_id: ID,
    stake_activation_epoch: u64,
    staked_sui_principal_amount: u64,
    fungible_staked_sui_amount: u64,
}

public struct RedeemingFungibleStakedSuiEvent has copy, drop {
    pool_id: ID,
    fungible_staked_sui_amount: u64,
    sui_amount: u64,
}

/// A validator without keys and places in a network: it signs nothing.
public(package) fun new_at_genesis(
    sui_address: address,
    name: vector<u8>,
    description: vector<u8>,
    gas_price: u64,
    ctx: &mut TxContext,
): Validator {
    let metadata = ValidatorMetadata {
        sui_address,
        protocol_pubkey_bytes: vector[],
        network_pubkey_bytes: vector[],
        worker_pubkey_bytes: vector[],
        proof_of_possession: vector[],
        name: name.to_string(),
        description: description.to_string(),
        image_url: url::new_unsafe_from_bytes(vector[]),
        project_url: url::new_unsafe_from_bytes(vector[]),
        net_address: b"".to_string(),
        p2p_address: b"".to_string(),
        primary_address: b"".to_string(),
        worker_address: b"".to_string(),
        next_epoch_protocol_pubkey_bytes: option::none(),
        next_epoch_proof_of_possession: option::none(),
        next_epoch_network_pubkey_bytes: option::none(),
        next_epoch_worker_pubkey_bytes: option::none(),
        next_epoch_net_address: option::none(),
        next_epoch_p2p_address: option::none(),
        next_epoch_primary_address: option::none(),
        next_epoch_worker_address: option::none(),
        extra_fields: bag::new(ctx),
    };
    let mut staking_pool = staking_pool::new(ctx);
    staking_pool.activate_staking_pool(ctx.epoch());
    Validator {
        metadata,
        voting_power: 0,
        operation_cap_id: validator_cap::new_unverified_validator_operation_cap_and_transfer(sui_address, ctx),
        gas_price,
        staking_pool,
        commission_rate: 0,
        next_epoch_stake: 0,
        next_epoch_gas_price: gas_price,
        next_epoch_commission_rate: 0,
        extra_fields: bag::new(ctx),
    }
}

/// Stake that is active from the first epoch on.
public(package) fun request_add_stake_at_genesis(
    self: &mut Validator,
    stake: Balance<SUI>,
    staker_address: address,
    ctx: &mut TxContext,
) {
    assert!(stake.value() > 0, EInvalidStakeAmount);
    self.next_epoch_stake = self.next_epoch_stake + stake.value();
    let staked_sui = self.staking_pool.request_add_stake(stake, ctx.epoch(), ctx);
    self.staking_pool.process_pending_stake();
    transfer::public_transfer(staked_sui, staker_address)
}

/// Stake that is active from the next epoch on.
public(package) fun request_add_stake(
    self: &mut Validator,
    stake: Balance<SUI>,
    staker_address: address,
    ctx: &mut TxContext,
): StakedSui {
    let amount = stake.value();
    assert!(amount > 0, EInvalidStakeAmount);
    let epoch = ctx.epoch();
    let staked_sui = self.staking_pool.request_add_stake(stake, epoch + 1, ctx);
    if (self.is_preactive()) self.staking_pool.process_pending_stake();
    self.next_epoch_stake = self.next_epoch_stake + amount;
    let (pool_id, validator_address) = (self.staking_pool_id(), self.sui_address());
    event::emit(StakingRequestEvent { pool_id, validator_address, staker_address, epoch, amount });
    staked_sui
}

public(package) fun request_withdraw_stake(
    self: &mut Validator,
    staked_sui: StakedSui,
    ctx: &TxContext,
): Balance<SUI> {
    let principal_amount = staked_sui.amount();
    let stake_activation_epoch = staked_sui.activation_epoch();
    let withdrawn = self.staking_pool.request_withdraw_stake(staked_sui, ctx);
    self.next_epoch_stake = self.next_epoch_stake - withdrawn.value();
    event::emit(UnstakingRequestEvent {
        pool_id: self.staking_pool_id(),
        validator_address: self.sui_address(),
        staker_address: ctx.sender(),
        stake_activation_epoch,
        unstaking_epoch: ctx.epoch(),
        principal_amount,
        reward_amount: withdrawn.value() - principal_amount,
    });
    withdrawn
}

public(package) fun convert_to_fungible_staked_sui(
    self: &mut Validator,
    staked_sui: StakedSui,
    ctx: &mut TxContext,
): FungibleStakedSui {
    let stake_activation_epoch = staked_sui.activation_epoch();
    let staked_sui_principal_amount = staked_sui.amount();
    let converted = self.staking_pool.convert_to_fungible_staked_sui(staked_sui, ctx);
    event::emit(ConvertingToFungibleStakedSuiEvent {
        pool_id: self.staking_pool_id(),
        stake_activation_epoch,
        staked_sui_principal_amount,
        fungible_staked_sui_amount: converted.value(),
    });
    converted
}

public(package) fun redeem_fungible_staked_sui(
    self: &mut Validator,
    fungible_staked_sui: FungibleStakedSui,
    ctx: &TxContext,
): Balance<SUI> {
    let fungible_staked_sui_amount = fungible_staked_sui.value();
    let redeemed = self.staking_pool.redeem_fungible_staked_sui(fungible_staked_sui, ctx);
    self.next_epoch_stake = self.next_epoch_stake - redeemed.value();
    event::emit(RedeemingFungibleStakedSuiEvent {
        pool_id: self.staking_pool_id(),
        fungible_staked_sui_amount,
        sui_amount: redeemed.value(),
    });
    redeemed
}

public fun is_preactive(self: &Validator): bool {
    self.staking_pool.is_preactive()
}

public fun metadata(self: &Validator): &ValidatorMetadata {
    &self.metadata
}

public fun sui_address(self: &Validator): address {
    self.metadata.sui_address
}

public fun name(self: &Validator): &String {
    &self.metadata.name
}

public fun description(self: &Validator): &String {
    &self.metadata.description
}

public fun image_url(self: &Validator): &Url {
    &self.metadata.image_url
}

public fun project_url(self: &Validator): &Url {
    &self.metadata.project_url
}

public fun network_address(self: &Validator): &String {
    &self.metadata.net_address
}

public fun p2p_address(self: &Validator): &String {
    &self.metadata.p2p_address
}

public fun primary_address(self: &Validator): &String {
    &self.metadata.primary_address
}

public fun worker_address(self: &Validator): &String {
    &self.metadata.worker_address
}

public fun protocol_pubkey_bytes(self: &Validator): &vector<u8> {
    &self.metadata.protocol_pubkey_bytes
}

public fun proof_of_possession(self: &Validator): &vector<u8> {
    &self.metadata.proof_of_possession
}

public fun network_pubkey_bytes(self: &Validator): &vector<u8> {
    &self.metadata.network_pubkey_bytes
}

public fun worker_pubkey_bytes(self: &Validator): &vector<u8> {
    &self.metadata.worker_pubkey_bytes
}

public fun next_epoch_network_address(self: &Validator): &Option<String> {
    &self.metadata.next_epoch_net_address
}

public fun next_epoch_p2p_address(self: &Validator): &Option<String> {
    &self.metadata.next_epoch_p2p_address
}

public fun next_epoch_primary_address(self: &Validator): &Option<String> {
    &self.metadata.next_epoch_primary_address
}

public fun next_epoch_worker_address(self: &Validator): &Option<String> {
    &self.metadata.next_epoch_worker_address
}

public fun next_epoch_protocol_pubkey_bytes(self: &Validator): &Option<vector<u8>> {
    &self.metadata.next_epoch_protocol_pubkey_bytes
}

public fun next_epoch_proof_of_possession(self: &Validator): &Option<vector<u8>> {
    &self.metadata.next_epoch_proof_of_possession
}

public fun next_epoch_network_pubkey_bytes(self: &Validator): &Option<vector<u8>> {
    &self.metadata.next_epoch_network_pubkey_bytes
}

public fun next_epoch_worker_pubkey_bytes(self: &Validator): &Option<vector<u8>> {
    &self.metadata.next_epoch_worker_pubkey_bytes
}

public fun operation_cap_id(self: &Validator): &ID {
    &self.operation_cap_id
}

public fun next_epoch_gas_price(self: &Validator): u64 {
    self.next_epoch_gas_price
}

#[deprecated(note = b"Use `total_stake`.")]
public fun total_stake_amount(self: &Validator): u64 {
    self.total_stake()
}

#[deprecated(note = b"Use `total_stake`.")]
public fun stake_amount(self: &Validator): u64 {
    self.total_stake()
}

public fun total_stake(self: &Validator): u64 {
    self.staking_pool.sui_balance()
}

public fun voting_power(self: &Validator): u64 {
    self.voting_power
}

public(package) fun set_voting_power(self: &mut Validator, voting_power: u64) {
    self.voting_power = voting_power
}

public fun pending_stake_amount(self: &Validator): u64 {
    self.staking_pool.pending_stake_amount()
}

public fun pending_stake_withdraw_amount(self: &Validator): u64 {
    self.staking_pool.pending_stake_withdraw_amount()
}

public fun gas_price(self: &Validator): u64 {
    self.gas_price
}

public fun commission_rate(self: &Validator): u64 {
    self.commission_rate
}

public fun pool_token_exchange_rate_at_epoch(self: &Validator, epoch: u64): PoolTokenExchangeRate {
    self.staking_pool.pool_token_exchange_rate_at_epoch(epoch)
}

public fun staking_pool_id(self: &Validator): ID {
    object::id(&self.staking_pool)
}

public(package) fun get_staking_pool_ref(self: &Validator): &StakingPool {
    &self.staking_pool
}

/// Whether they share an address, a name, a key or a place, now or from the next epoch on.
public fun is_duplicate(self: &Validator, other: &Validator): bool {
    let (a, b) = (&self.metadata, &other.metadata);
    a.sui_address == b.sui_address
        || a.name == b.name
        || meet(
            now_and_next(a.net_address, a.next_epoch_net_address),
            now_and_next(b.net_address, b.next_epoch_net_address),
        )
        || meet(
            now_and_next(a.p2p_address, a.next_epoch_p2p_address),
            now_and_next(b.p2p_address, b.next_epoch_p2p_address),
        )
        || meet(
            now_and_next(a.protocol_pubkey_bytes, a.next_epoch_protocol_pubkey_bytes),
            now_and_next(b.protocol_pubkey_bytes, b.next_epoch_protocol_pubkey_bytes),
        )
        || meet(a.network_and_worker_keys(), b.network_and_worker_keys())
}

fun network_and_worker_keys(self: &ValidatorMetadata): vector<vector<u8>> {
    let mut keys = now_and_next(self.network_pubkey_bytes, self.next_epoch_network_pubkey_bytes);
    keys.append(now_and_next(self.worker_pubkey_bytes, self.next_epoch_worker_pubkey_bytes));
    keys
}

fun now_and_next<T: copy + drop>(now: T, next: Option<T>): vector<T> {
    let mut values = vector[now];
    next.do!(|value| values.push_back(value));
    values
}

fun meet<T: drop>(values: vector<T>, others: vector<T>): bool {
    values.any!(|value| others.contains(value))
}
