/// Addresses that may not use coins of a type. One shared object at 0x403, which `sui::coin` writes to.
module sui::deny_list;

use sui::bag::{Self, Bag};
use sui::config::{Self, Config};
use sui::dynamic_object_field as object_field;
use sui::event;
use sui::table::{Self, Table};
use sui::vec_set::{Self, VecSet};

/// Only the system may make the list.
const ENotSystemAddress: u64 = 0;
/// The address is not on the list.
const ENotDenied: u64 = 1;
/// The address cannot be put on a list.
const EInvalidAddress: u64 = 1;

/// Where the lists of coins are.
const COIN_INDEX: u64 = 0;

/// Ids of the system's own packages and objects.
const RESERVED: vector<address> = vector[
    @0x0, @0x1, @0x2, @0x3, @0x4, @0x5, @0x6, @0x7, @0x8, @0x9, @0xa, @0xb, @0xc, @0xd, @0xe, @0xf,
    @0x403, @0xdee9,
];

public struct DenyList has key {
    id: UID,
    /// By what is denied: a `PerTypeList` for coins.
    lists: Bag,
}

// Lists of the second version: a config for each type, in a dynamic object field.

/// The right to write to the configs.
public struct ConfigWriteCap() has drop;

/// Names the config of a type.
public struct ConfigKey has copy, drop, store {
    per_type_index: u64,
    per_type_key: vector<u8>,
}

/// Names the setting of an address.
public struct AddressKey(address) has copy, drop, store;

/// Names the setting that denies everyone.
public struct GlobalPauseKey() has copy, drop, store;

public struct PerTypeConfigCreated has copy, drop, store {
    key: ConfigKey,
    config_id: ID,
}

/// The lists of the first version.
public struct PerTypeList has key, store {
    id: UID,
    /// For how many types an address is denied.
    denied_count: Table<address, u64>,
    denied_addresses: Table<vector<u8>, VecSet<address>>,
}

#[allow(unused_function)]
fun create(ctx: &mut TxContext) {
    assert!(ctx.sender() == @0x0, ENotSystemAddress);
    let lists = new_lists(ctx);
    transfer::share_object(DenyList { id: object::sui_deny_list_object_id(), lists })
}

fun new_lists(ctx: &mut TxContext): Bag {
    let mut lists = bag::new(ctx);
    let coins = PerTypeList {
        id: object::new(ctx),
        denied_count: table::new(ctx),
        denied_addresses: table::new(ctx),
    };
    lists.add(COIN_INDEX, coins);
    lists
}

public(package) fun v2_add(
    self: &mut DenyList,
    per_type_index: u64,
    per_type_key: vector<u8>,
    addr: address,
    ctx: &mut TxContext,
) {
    let config = self.config_mut!(ConfigKey { per_type_index, per_type_key }, ctx);
    config.set_for_next_epoch(&mut ConfigWriteCap(), AddressKey(addr), true, ctx)
}

public(package) fun v2_remove(
    self: &mut DenyList,
    per_type_index: u64,
    per_type_key: vector<u8>,
    addr: address,
    ctx: &mut TxContext,
) {
    let config = self.config_mut!(ConfigKey { per_type_index, per_type_key }, ctx);
    config.remove_for_next_epoch<_, _, bool>(&mut ConfigWriteCap(), AddressKey(addr), ctx)
}

public(package) fun v2_contains_current_epoch(
    self: &DenyList,
    per_type_index: u64,
    per_type_key: vector<u8>,
    addr: address,
    ctx: &TxContext,
): bool {
    self.is_set_now(ConfigKey { per_type_index, per_type_key }, AddressKey(addr), ctx)
}

public(package) fun v2_contains_next_epoch(
    self: &DenyList,
    per_type_index: u64,
    per_type_key: vector<u8>,
    addr: address,
): bool {
    self.is_set_next(ConfigKey { per_type_index, per_type_key }, AddressKey(addr))
}

public(package) fun v2_enable_global_pause(
    self: &mut DenyList,
    per_type_index: u64,
    per_type_key: vector<u8>,
    ctx: &mut TxContext,
) {
    let config = self.config_mut!(ConfigKey { per_type_index, per_type_key }, ctx);
    config.set_for_next_epoch(&mut ConfigWriteCap(), GlobalPauseKey(), true, ctx)
}

public(package) fun v2_disable_global_pause(
    self: &mut DenyList,
    per_type_index: u64,
    per_type_key: vector<u8>,
    ctx: &mut TxContext,
) {
    let config = self.config_mut!(ConfigKey { per_type_index, per_type_key }, ctx);
    config.remove_for_next_epoch<_, _, bool>(&mut ConfigWriteCap(), GlobalPauseKey(), ctx)
}

public(package) fun v2_is_global_pause_enabled_current_epoch(
    self: &DenyList,
    per_type_index: u64,
    per_type_key: vector<u8>,
    ctx: &TxContext,
): bool {
    self.is_set_now(ConfigKey { per_type_index, per_type_key }, GlobalPauseKey(), ctx)
}

public(package) fun v2_is_global_pause_enabled_next_epoch(
    self: &DenyList,
    per_type_index: u64,
    per_type_key: vector<u8>,
): bool {
    self.is_set_next(ConfigKey { per_type_index, per_type_key }, GlobalPauseKey())
}

/// Brings the addresses of a type from the first version to the second.
public(package) fun migrate_v1_to_v2(
    self: &mut DenyList,
    per_type_index: u64,
    per_type_key: vector<u8>,
    ctx: &mut TxContext,
) {
    let list: &mut PerTypeList = &mut self.lists[per_type_index];
    let mut denied = vector[];
    if (list.denied_addresses.contains(per_type_key)) {
        denied = list.denied_addresses.remove(per_type_key).into_keys()
    };
    denied.do_ref!(|addr| list.count_less(*addr));
    let config = self.config_mut!(ConfigKey { per_type_index, per_type_key }, ctx);
    denied.do!(|addr| config.set_for_next_epoch(&mut ConfigWriteCap(), AddressKey(addr), true, ctx))
}

/// The config of a type, which is made when it is first needed. A macro, so that `ctx` stays free.
macro fun config_mut(
    $self: &mut DenyList,
    $key: ConfigKey,
    $ctx: &mut TxContext,
): &mut Config<ConfigWriteCap> {
    let self = $self;
    let key = $key;
    if (!object_field::exists(&self.id, key)) self.add_config(key, $ctx);
    object_field::internal_borrow_mut(&mut self.id, key)
}

fun add_config(self: &mut DenyList, key: ConfigKey, ctx: &mut TxContext) {
    let config = config::new(&mut ConfigWriteCap(), ctx);
    let config_id = object::id(&config);
    object_field::internal_add(&mut self.id, key, config);
    event::emit(PerTypeConfigCreated { key, config_id })
}

fun is_set_now<Name: copy + drop + store>(
    self: &DenyList,
    key: ConfigKey,
    name: Name,
    ctx: &TxContext,
): bool {
    if (!object_field::exists(&self.id, key)) return false;
    let config: &Config<ConfigWriteCap> = object_field::internal_borrow(&self.id, key);
    config::read_setting<Name, bool>(object::id(config), name, ctx).destroy_or!(false)
}

fun is_set_next<Name: copy + drop + store>(self: &DenyList, key: ConfigKey, name: Name): bool {
    if (!object_field::exists(&self.id, key)) return false;
    let config: &Config<ConfigWriteCap> = object_field::internal_borrow(&self.id, key);
    config.read_setting_for_next_epoch<_, Name, bool>(name).destroy_or!(false)
}

public(package) fun v1_add(self: &mut DenyList, per_type_index: u64, `type`: vector<u8>, addr: address) {
    check_not_reserved(addr);
    let list: &mut PerTypeList = &mut self.lists[per_type_index];
    if (!list.denied_addresses.contains(`type`)) list.denied_addresses.add(`type`, vec_set::empty());
    if (list.denied_addresses[`type`].contains(&addr)) return;
    list.denied_addresses[`type`].insert(addr);
    if (!list.denied_count.contains(addr)) list.denied_count.add(addr, 0);
    let count = &mut list.denied_count[addr];
    *count = *count + 1
}

public(package) fun v1_remove(self: &mut DenyList, per_type_index: u64, `type`: vector<u8>, addr: address) {
    check_not_reserved(addr);
    let list: &mut PerTypeList = &mut self.lists[per_type_index];
    let denied = &mut list.denied_addresses[`type`];
    assert!(denied.contains(&addr), ENotDenied);
    denied.remove(&addr);
    list.count_less(addr)
}

public(package) fun v1_contains(
    self: &DenyList,
    per_type_index: u64,
    `type`: vector<u8>,
    addr: address,
): bool {
    if (RESERVED.contains(&addr)) return false;
    let list: &PerTypeList = &self.lists[per_type_index];
    list.denied_addresses.contains(`type`) && list.denied_addresses[`type`].contains(&addr)
}

fun count_less(list: &mut PerTypeList, addr: address) {
    let count = &mut list.denied_count[addr];
    *count = *count - 1;
    if (*count == 0) {
        list.denied_count.remove(addr);
    }
}

fun check_not_reserved(addr: address) {
    assert!(!RESERVED.contains(&addr), EInvalidAddress)
}

#[test_only]
public fun reserved_addresses(): vector<address> {
    RESERVED
}

#[test_only]
public fun create_for_test(ctx: &mut TxContext) {
    create(ctx)
}

#[test_only]
public fun new_for_testing(ctx: &mut TxContext): DenyList {
    let lists = new_lists(ctx);
    DenyList { id: object::new(ctx), lists }
}
