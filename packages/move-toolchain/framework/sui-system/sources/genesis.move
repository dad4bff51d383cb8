/// How the system state comes to be.
module sui_system::genesis;

use sui::balance::Balance;
use sui::sui::SUI;
use sui_system::sui_system;
use sui_system::sui_system_state_inner;
use sui_system::validator;
use sui_system::validator_set;

/// The network begins in epoch 0.
const ENotCalledAtGenesis: u64 = 0;

#[allow(unused_function)]
/// Called once, by the system: one validator, with all stake there is, which is its own.
fun create(
    id: UID,
    stake: Balance<SUI>,
    validator_address: address,
    name: vector<u8>,
    description: vector<u8>,
    gas_price: u64,
    protocol_version: u64,
    epoch_start_timestamp_ms: u64,
    ctx: &mut TxContext,
) {
    assert!(ctx.epoch() == 0, ENotCalledAtGenesis);
    let mut validator = validator::new_at_genesis(validator_address, name, description, gas_price, ctx);
    validator.request_add_stake_at_genesis(stake, validator_address, ctx);
    let validators = validator_set::of_one(validator, ctx);
    let inner = sui_system_state_inner::create(validators, protocol_version, epoch_start_timestamp_ms, ctx);
    sui_system::create(id, inner)
}
