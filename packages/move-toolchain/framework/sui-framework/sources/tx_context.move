/// What a running transaction knows about itself. The values come from the chain, not from the struct.
module sui::tx_context;

#[test_only]
const TX_HASH_LENGTH: u64 = 32;

#[test_only]
const EBadTxHashLength: u64 = 0;

#[allow(unused_field)]
public struct TxContext has drop {
    sender: address,
    tx_hash: vector<u8>,
    epoch: u64,
    epoch_timestamp_ms: u64,
    ids_created: u64,
}

public fun sender(_self: &TxContext): address {
    native_sender()
}

public fun digest(self: &TxContext): &vector<u8> {
    &self.tx_hash
}

public fun epoch(_self: &TxContext): u64 {
    native_epoch()
}

public fun epoch_timestamp_ms(_self: &TxContext): u64 {
    native_epoch_timestamp_ms()
}

public fun sponsor(_self: &TxContext): Option<address> {
    let mut found = native_sponsor();
    if (found.is_empty()) option::none() else option::some(found.pop_back())
}

public fun fresh_object_address(_ctx: &mut TxContext): address {
    fresh_id()
}

public fun reference_gas_price(_self: &TxContext): u64 {
    native_rgp()
}

public fun gas_price(_self: &TxContext): u64 {
    native_gas_price()
}

native fun native_sender(): address;
native fun native_epoch(): u64;
native fun native_epoch_timestamp_ms(): u64;
native fun native_sponsor(): vector<address>;
native fun native_rgp(): u64;
native fun native_gas_price(): u64;
native fun fresh_id(): address;
#[allow(unused_function)]
native fun derive_id(tx_hash: vector<u8>, ids_created: u64): address;

#[test_only]
native fun native_ids_created(): u64;
#[test_only]
native fun native_gas_budget(): u64;
#[test_only]
native fun last_created_id(): address;
#[test_only]
native fun replace(
    sender: address,
    tx_hash: vector<u8>,
    epoch: u64,
    epoch_timestamp_ms: u64,
    ids_created: u64,
    rgp: u64,
    gas_price: u64,
    gas_budget: u64,
    sponsor: vector<address>,
);

#[test_only]
public fun create(
    sender: address,
    tx_hash: vector<u8>,
    epoch: u64,
    epoch_timestamp_ms: u64,
    ids_created: u64,
    rgp: u64,
    gas_price: u64,
    gas_budget: u64,
    sponsor: Option<address>,
): TxContext {
    assert!(tx_hash.length() == TX_HASH_LENGTH, EBadTxHashLength);
    let sponsor = sponsor.to_vec();
    replace(sender, tx_hash, epoch, epoch_timestamp_ms, ids_created, rgp, gas_price, gas_budget, sponsor);
    TxContext { sender: @0x0, tx_hash, epoch: 0, epoch_timestamp_ms: 0, ids_created: 0 }
}

#[test_only]
public fun new(
    sender: address,
    tx_hash: vector<u8>,
    epoch: u64,
    epoch_timestamp_ms: u64,
    ids_created: u64,
): TxContext {
    assert!(tx_hash.length() == TX_HASH_LENGTH, EBadTxHashLength);
    let (rgp, price, budget) = (native_rgp(), native_gas_price(), native_gas_budget());
    let sponsor = native_sponsor();
    replace(sender, tx_hash, epoch, epoch_timestamp_ms, ids_created, rgp, price, budget, sponsor);
    TxContext { sender: @0x0, tx_hash, epoch: 0, epoch_timestamp_ms: 0, ids_created: 0 }
}

#[test_only]
public fun new_from_hint(
    addr: address,
    hint: u64,
    epoch: u64,
    epoch_timestamp_ms: u64,
    ids_created: u64,
): TxContext {
    new(addr, dummy_tx_hash_with_hint(hint), epoch, epoch_timestamp_ms, ids_created)
}

#[test_only]
public fun dummy(): TxContext {
    new(@0x0, dummy_tx_hash_with_hint(0x5eed), 0, 0, 0)
}

#[test_only]
public fun dummy_tx_hash_with_hint(hint: u64): vector<u8> {
    let mut hash = std::bcs::to_bytes(&hint);
    while (hash.length() < TX_HASH_LENGTH) hash.push_back(0);
    hash
}

#[test_only]
public fun ids_created(_self: &TxContext): u64 {
    native_ids_created()
}

#[test_only]
public fun get_ids_created(self: &TxContext): u64 {
    self.ids_created()
}

#[test_only]
public fun gas_budget(_self: &TxContext): u64 {
    native_gas_budget()
}

#[test_only]
public fun last_created_object_id(_self: &TxContext): address {
    last_created_id()
}

#[test_only]
public fun increment_epoch_number(self: &mut TxContext) {
    let (epoch, timestamp_ms) = (native_epoch() + 1, native_epoch_timestamp_ms());
    *self = new(native_sender(), self.tx_hash, epoch, timestamp_ms, native_ids_created());
}

#[test_only]
public fun increment_epoch_timestamp(self: &mut TxContext, delta_ms: u64) {
    let (epoch, timestamp_ms) = (native_epoch(), native_epoch_timestamp_ms() + delta_ms);
    *self = new(native_sender(), self.tx_hash, epoch, timestamp_ms, native_ids_created());
}
