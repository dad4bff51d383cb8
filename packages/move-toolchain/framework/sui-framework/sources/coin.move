/// Balances as objects, and the right to make and burn them.
module sui::coin;

use std::ascii;
use std::string;
use std::type_name;
use sui::balance::{Self, Balance, Supply};
use sui::deny_list::DenyList;
use sui::types;
use sui::url::{Self, Url};

public use fun treasury_into_supply as TreasuryCap.into_supply;
public use fun sui::pay::split_vec as Coin.split_vec;
public use fun sui::pay::join_vec as Coin.join_vec;
public use fun sui::pay::split_and_transfer as Coin.split_and_transfer;
public use fun sui::pay::divide_and_keep as Coin.divide_and_keep;

/// A currency can only be made with a one-time witness.
const EBadWitness: u64 = 0;
/// The argument makes no sense.
const EInvalidArg: u64 = 1;
/// The coin is smaller than what is taken from it.
const ENotEnough: u64 = 2;
/// The currency was made without the right to pause it.
const EGlobalPauseNotAllowed: u64 = 3;

/// Where the deny list has the lists of coins.
const DENY_LIST_COIN_INDEX: u64 = 0;

public struct Coin<phantom T> has key, store {
    id: UID,
    balance: Balance<T>,
}

public struct CoinMetadata<phantom T> has key, store {
    id: UID,
    decimals: u8,
    name: string::String,
    symbol: ascii::String,
    description: string::String,
    icon_url: Option<Url>,
}

public struct TreasuryCap<phantom T> has key, store {
    id: UID,
    total_supply: Supply<T>,
}

/// Says that a currency can deny addresses. Always immutable.
public struct RegulatedCoinMetadata<phantom T> has key {
    id: UID,
    coin_metadata_object: ID,
    deny_cap_object: ID,
}

/// The right to deny addresses the use of a currency's coins: as inputs at once, and from the next epoch on as
/// what they receive.
public struct DenyCapV2<phantom T> has key, store {
    id: UID,
    allow_global_pause: bool,
}

/// The same right, for the first version of the deny list.
public struct DenyCap<phantom T> has key, store {
    id: UID,
}

public fun total_supply<T>(cap: &TreasuryCap<T>): u64 {
    cap.total_supply.supply_value()
}

public fun treasury_into_supply<T>(treasury: TreasuryCap<T>): Supply<T> {
    let TreasuryCap { id, total_supply } = treasury;
    id.delete();
    total_supply
}

public fun supply_immut<T>(treasury: &TreasuryCap<T>): &Supply<T> {
    &treasury.total_supply
}

/// The older form of `supply_immut`.
public fun supply<T>(treasury: &mut TreasuryCap<T>): &Supply<T> {
    &treasury.total_supply
}

public fun supply_mut<T>(treasury: &mut TreasuryCap<T>): &mut Supply<T> {
    &mut treasury.total_supply
}

public fun value<T>(self: &Coin<T>): u64 {
    self.balance.value()
}

public fun balance<T>(coin: &Coin<T>): &Balance<T> {
    &coin.balance
}

public fun balance_mut<T>(coin: &mut Coin<T>): &mut Balance<T> {
    &mut coin.balance
}

/// Adds a coin's balance to the funds of an address.
public fun send_funds<T>(coin: Coin<T>, recipient: address) {
    coin.into_balance().send_funds(recipient)
}

public fun redeem_funds<T>(
    withdrawal: sui::funds_accumulator::Withdrawal<Balance<T>>,
    ctx: &mut TxContext,
): Coin<T> {
    balance::redeem_funds(withdrawal).into_coin(ctx)
}

public fun from_balance<T>(balance: Balance<T>, ctx: &mut TxContext): Coin<T> {
    Coin { id: object::new(ctx), balance }
}

public fun into_balance<T>(coin: Coin<T>): Balance<T> {
    let Coin { id, balance } = coin;
    id.delete();
    balance
}

public fun take<T>(balance: &mut Balance<T>, value: u64, ctx: &mut TxContext): Coin<T> {
    balance.split(value).into_coin(ctx)
}

public fun put<T>(balance: &mut Balance<T>, coin: Coin<T>) {
    balance.join(coin.into_balance());
}

public entry fun join<T>(self: &mut Coin<T>, c: Coin<T>) {
    self.balance.join(c.into_balance());
}

public fun split<T>(self: &mut Coin<T>, split_amount: u64, ctx: &mut TxContext): Coin<T> {
    self.balance.split(split_amount).into_coin(ctx)
}

public fun divide_into_n<T>(self: &mut Coin<T>, n: u64, ctx: &mut TxContext): vector<Coin<T>> {
    assert!(n > 0, EInvalidArg);
    assert!(n <= self.value(), ENotEnough);
    let part = self.value() / n;
    vector::tabulate!(n - 1, |_| self.split(part, ctx))
}

public fun zero<T>(ctx: &mut TxContext): Coin<T> {
    balance::zero().into_coin(ctx)
}

public fun destroy_zero<T>(c: Coin<T>) {
    c.into_balance().destroy_zero()
}

public fun create_currency<T: drop>(
    witness: T,
    decimals: u8,
    symbol: vector<u8>,
    name: vector<u8>,
    description: vector<u8>,
    icon_url: Option<Url>,
    ctx: &mut TxContext,
): (TreasuryCap<T>, CoinMetadata<T>) {
    assert!(types::is_one_time_witness(&witness), EBadWitness);
    let cap = TreasuryCap { id: object::new(ctx), total_supply: balance::create_supply(witness) };
    let metadata = CoinMetadata {
        id: object::new(ctx),
        decimals,
        name: name.to_string(),
        symbol: symbol.to_ascii_string(),
        description: description.to_string(),
        icon_url,
    };
    (cap, metadata)
}

public fun create_regulated_currency_v2<T: drop>(
    witness: T,
    decimals: u8,
    symbol: vector<u8>,
    name: vector<u8>,
    description: vector<u8>,
    icon_url: Option<Url>,
    allow_global_pause: bool,
    ctx: &mut TxContext,
): (TreasuryCap<T>, DenyCapV2<T>, CoinMetadata<T>) {
    let (treasury, metadata) =
        create_currency(witness, decimals, symbol, name, description, icon_url, ctx);
    let cap = new_deny_cap_v2(allow_global_pause, ctx);
    mark_regulated(&metadata, object::id(&cap), ctx);
    (treasury, cap, metadata)
}

#[deprecated(note = b"Use `create_regulated_currency_v2`.")]
public fun create_regulated_currency<T: drop>(
    witness: T,
    decimals: u8,
    symbol: vector<u8>,
    name: vector<u8>,
    description: vector<u8>,
    icon_url: Option<Url>,
    ctx: &mut TxContext,
): (TreasuryCap<T>, DenyCap<T>, CoinMetadata<T>) {
    let (treasury, metadata) =
        create_currency(witness, decimals, symbol, name, description, icon_url, ctx);
    let cap = DenyCap { id: object::new(ctx) };
    mark_regulated(&metadata, object::id(&cap), ctx);
    (treasury, cap, metadata)
}

fun mark_regulated<T>(metadata: &CoinMetadata<T>, deny_cap_object: ID, ctx: &mut TxContext) {
    transfer::freeze_object(RegulatedCoinMetadata<T> {
        id: object::new(ctx),
        coin_metadata_object: object::id(metadata),
        deny_cap_object,
    })
}

public fun migrate_regulated_currency_to_v2<T>(
    deny_list: &mut DenyList,
    cap: DenyCap<T>,
    allow_global_pause: bool,
    ctx: &mut TxContext,
): DenyCapV2<T> {
    let DenyCap { id } = cap;
    id.delete();
    deny_list.migrate_v1_to_v2(DENY_LIST_COIN_INDEX, denied_type<T>(), ctx);
    new_deny_cap_v2(allow_global_pause, ctx)
}

/// How the deny list names a type of coin.
fun denied_type<T>(): vector<u8> {
    type_name::with_original_ids<T>().into_string().into_bytes()
}

public fun deny_list_v2_add<T>(
    deny_list: &mut DenyList,
    _: &mut DenyCapV2<T>,
    addr: address,
    ctx: &mut TxContext,
) {
    deny_list.v2_add(DENY_LIST_COIN_INDEX, denied_type<T>(), addr, ctx)
}

public fun deny_list_v2_remove<T>(
    deny_list: &mut DenyList,
    _: &mut DenyCapV2<T>,
    addr: address,
    ctx: &mut TxContext,
) {
    deny_list.v2_remove(DENY_LIST_COIN_INDEX, denied_type<T>(), addr, ctx)
}

public fun deny_list_v2_contains_current_epoch<T>(
    deny_list: &DenyList,
    addr: address,
    ctx: &TxContext,
): bool {
    deny_list.v2_contains_current_epoch(DENY_LIST_COIN_INDEX, denied_type<T>(), addr, ctx)
}

public fun deny_list_v2_contains_next_epoch<T>(deny_list: &DenyList, addr: address): bool {
    deny_list.v2_contains_next_epoch(DENY_LIST_COIN_INDEX, denied_type<T>(), addr)
}

public fun deny_list_v2_enable_global_pause<T>(
    deny_list: &mut DenyList,
    deny_cap: &mut DenyCapV2<T>,
    ctx: &mut TxContext,
) {
    assert!(deny_cap.allow_global_pause, EGlobalPauseNotAllowed);
    deny_list.v2_enable_global_pause(DENY_LIST_COIN_INDEX, denied_type<T>(), ctx)
}

public fun deny_list_v2_disable_global_pause<T>(
    deny_list: &mut DenyList,
    deny_cap: &mut DenyCapV2<T>,
    ctx: &mut TxContext,
) {
    assert!(deny_cap.allow_global_pause, EGlobalPauseNotAllowed);
    deny_list.v2_disable_global_pause(DENY_LIST_COIN_INDEX, denied_type<T>(), ctx)
}

public fun deny_list_v2_is_global_pause_enabled_current_epoch<T>(
    deny_list: &DenyList,
    ctx: &TxContext,
): bool {
    deny_list.v2_is_global_pause_enabled_current_epoch(DENY_LIST_COIN_INDEX, denied_type<T>(), ctx)
}

public fun deny_list_v2_is_global_pause_enabled_next_epoch<T>(deny_list: &DenyList): bool {
    deny_list.v2_is_global_pause_enabled_next_epoch(DENY_LIST_COIN_INDEX, denied_type<T>())
}

#[deprecated(note = b"Use `deny_list_v2_add`.")]
public fun deny_list_add<T>(
    deny_list: &mut DenyList,
    _: &mut DenyCap<T>,
    addr: address,
    _ctx: &mut TxContext,
) {
    deny_list.v1_add(DENY_LIST_COIN_INDEX, denied_type<T>(), addr)
}

#[deprecated(note = b"Use `deny_list_v2_remove`.")]
public fun deny_list_remove<T>(
    deny_list: &mut DenyList,
    _: &mut DenyCap<T>,
    addr: address,
    _ctx: &mut TxContext,
) {
    deny_list.v1_remove(DENY_LIST_COIN_INDEX, denied_type<T>(), addr)
}

#[deprecated(note = b"Use `deny_list_v2_contains_next_epoch`.")]
public fun deny_list_contains<T>(deny_list: &DenyList, addr: address): bool {
    deny_list.v1_contains(DENY_LIST_COIN_INDEX, denied_type<T>(), addr)
}

public fun mint<T>(cap: &mut TreasuryCap<T>, value: u64, ctx: &mut TxContext): Coin<T> {
    cap.mint_balance(value).into_coin(ctx)
}

public fun mint_balance<T>(cap: &mut TreasuryCap<T>, value: u64): Balance<T> {
    cap.total_supply.increase_supply(value)
}

public entry fun burn<T>(cap: &mut TreasuryCap<T>, c: Coin<T>): u64 {
    cap.total_supply.decrease_supply(c.into_balance())
}

public entry fun mint_and_transfer<T>(
    c: &mut TreasuryCap<T>,
    amount: u64,
    recipient: address,
    ctx: &mut TxContext,
) {
    transfer::public_transfer(c.mint(amount, ctx), recipient)
}

public entry fun update_name<T>(_: &TreasuryCap<T>, metadata: &mut CoinMetadata<T>, name: string::String) {
    metadata.name = name
}

public entry fun update_symbol<T>(
    _: &TreasuryCap<T>,
    metadata: &mut CoinMetadata<T>,
    symbol: ascii::String,
) {
    metadata.symbol = symbol
}

public entry fun update_description<T>(
    _: &TreasuryCap<T>,
    metadata: &mut CoinMetadata<T>,
    description: string::String,
) {
    metadata.description = description
}

public entry fun update_icon_url<T>(
    _: &TreasuryCap<T>,
    metadata: &mut CoinMetadata<T>,
    url: ascii::String,
) {
    metadata.icon_url = option::some(url::new_unsafe(url))
}

public fun get_decimals<T>(metadata: &CoinMetadata<T>): u8 {
    metadata.decimals
}

public fun get_name<T>(metadata: &CoinMetadata<T>): string::String {
    metadata.name
}

public fun get_symbol<T>(metadata: &CoinMetadata<T>): ascii::String {
    metadata.symbol
}

public fun get_description<T>(metadata: &CoinMetadata<T>): string::String {
    metadata.description
}

public fun get_icon_url<T>(metadata: &CoinMetadata<T>): Option<Url> {
    metadata.icon_url
}

/// The metadata of a currency of the registry, for functions that take metadata.
public(package) fun new_coin_metadata<T>(
    decimals: u8,
    name: string::String,
    symbol: ascii::String,
    description: string::String,
    icon_url: ascii::String,
    ctx: &mut TxContext,
): CoinMetadata<T> {
    let icon_url = option::some(url::new_unsafe(icon_url));
    CoinMetadata { id: object::new(ctx), decimals, name, symbol, description, icon_url }
}

public(package) fun update_coin_metadata<T>(
    metadata: &mut CoinMetadata<T>,
    name: string::String,
    symbol: ascii::String,
    description: string::String,
    icon_url: ascii::String,
) {
    metadata.name = name;
    metadata.symbol = symbol;
    metadata.description = description;
    metadata.icon_url = option::some(url::new_unsafe(icon_url))
}

public(package) fun deny_cap_id<T>(metadata: &RegulatedCoinMetadata<T>): ID {
    metadata.deny_cap_object
}

public(package) fun new_deny_cap_v2<T>(allow_global_pause: bool, ctx: &mut TxContext): DenyCapV2<T> {
    DenyCapV2 { id: object::new(ctx), allow_global_pause }
}

public(package) fun new_treasury_cap<T>(ctx: &mut TxContext): TreasuryCap<T> {
    TreasuryCap { id: object::new(ctx), total_supply: balance::create_supply_internal() }
}

public(package) fun allow_global_pause<T>(cap: &DenyCapV2<T>): bool {
    cap.allow_global_pause
}

#[test_only]
public fun mint_for_testing<T>(value: u64, ctx: &mut TxContext): Coin<T> {
    balance::create_for_testing(value).into_coin(ctx)
}

#[test_only]
public fun burn_for_testing<T>(coin: Coin<T>): u64 {
    coin.into_balance().destroy_for_testing()
}

#[test_only]
public fun create_treasury_cap_for_testing<T>(ctx: &mut TxContext): TreasuryCap<T> {
    TreasuryCap { id: object::new(ctx), total_supply: balance::create_supply_for_testing() }
}
