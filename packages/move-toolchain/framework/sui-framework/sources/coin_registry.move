/// What is known of each currency, in an object whose id derives from its type. One shared registry at 0xc.
module sui::coin_registry;

use std::ascii;
use std::string::String;
use std::type_name::{Self, TypeName};
use sui::bag::{Self, Bag};
use sui::balance::{Balance, Supply};
use sui::coin::{Self, Coin, CoinMetadata, DenyCapV2, RegulatedCoinMetadata, TreasuryCap};
use sui::derived_object;
use sui::dynamic_field as field;
use sui::transfer::Receiving;
use sui::types;
use sui::vec_map::{Self, VecMap};

public use fun make_supply_fixed_init as CurrencyInitializer.make_supply_fixed;
public use fun make_supply_burn_only_init as CurrencyInitializer.make_supply_burn_only;

#[error(code = 0)]
const EMetadataCapAlreadyClaimed: vector<u8> = b"The metadata cap was claimed before.";
#[error(code = 1)]
const ENotSystemAddress: vector<u8> = b"Only the system can make the registry.";
#[error(code = 2)]
const ECurrencyAlreadyExists: vector<u8> = b"There is a currency of this type.";
#[error(code = 3)]
const EDenyListStateAlreadySet: vector<u8> = b"Whether the currency is regulated is known.";
#[error(code = 5)]
const ECannotUpdateManagedMetadata: vector<u8> = b"The metadata cap is claimed: only it changes metadata.";
#[error(code = 6)]
const EInvalidSymbol: vector<u8> = b"The symbol is not printable ASCII.";
#[error(code = 7)]
const EDenyCapAlreadyCreated: vector<u8> = b"The currency is regulated.";
#[error(code = 8)]
const ECurrencyAlreadyRegistered: vector<u8> = b"The currency is registered.";
#[error(code = 9)]
const EEmptySupply: vector<u8> = b"The supply is zero.";
#[error(code = 10)]
const ESupplyNotBurnOnly: vector<u8> = b"The supply is not burn-only.";
#[error(code = 11)]
const EInvariantViolation: vector<u8> = b"The supply was given up before.";
#[error(code = 12)]
const EDeletionNotSupported: vector<u8> = b"Metadata cannot be deleted.";
#[error(code = 13)]
const ENotOneTimeWitness: vector<u8> = b"The value is not a one-time witness.";
#[error(code = 14)]
const EBorrowLegacyMetadata: vector<u8> = b"The currency was made without the registry: it has metadata.";
#[error(code = 15)]
const EDuplicateBorrow: vector<u8> = b"The metadata was returned before.";

/// The version of the deny list that regulated currencies use.
const REGULATED_COIN_VERSION: u8 = 0;

/// The extra field of currencies that were made with the registry.
const NEW_CURRENCY_MARKER: vector<u8> = b"is_new_currency";

public struct CoinRegistry has key {
    id: UID,
}

public struct ExtraField(TypeName, vector<u8>) has store;

/// What the id of a currency derives from.
public struct CurrencyKey<phantom T>() has copy, drop, store;

/// The field of a currency that has its metadata while nobody borrows it.
public struct LegacyMetadataKey() has copy, drop, store;

/// Metadata was borrowed, and is returned in the same transaction.
public struct Borrow<phantom T> {}

/// The right to change a currency's metadata.
public struct MetadataCap<phantom T> has key, store {
    id: UID,
}

public struct Currency<phantom T> has key {
    id: UID,
    decimals: u8,
    name: String,
    symbol: String,
    description: String,
    icon_url: String,
    /// Always there; an option, so that it can be exchanged.
    supply: Option<SupplyState<T>>,
    regulated: RegulatedState,
    treasury_cap_id: Option<ID>,
    metadata_cap_id: MetadataCapState,
    extra_fields: VecMap<String, ExtraField>,
}

public enum SupplyState<phantom T> has store {
    Fixed(Supply<T>),
    BurnOnly(Supply<T>),
    /// The TreasuryCap decides.
    Unknown,
}

public enum RegulatedState has copy, drop, store {
    Regulated { cap: ID, allow_global_pause: Option<bool>, variant: u8 },
    Unregulated,
    /// Of a currency that was made without the registry.
    Unknown,
}

public enum MetadataCapState has copy, drop, store {
    Claimed(ID),
    Unclaimed,
    Deleted,
}

/// A currency that is being made; `finalize` ends it.
public struct CurrencyInitializer<phantom T> {
    currency: Currency<T>,
    extra_fields: Bag,
    is_otw: bool,
}

#[allow(unused_function)]
fun create(ctx: &TxContext) {
    assert!(ctx.sender() == @0x0, ENotSystemAddress);
    transfer::share_object(CoinRegistry { id: object::sui_coin_registry_object_id() })
}

fun check_symbol(symbol: &String) {
    assert!(symbol.as_bytes().all!(|byte| ascii::is_printable_char(*byte)), EInvalidSymbol)
}

public fun new_currency<T: key>(
    registry: &mut CoinRegistry,
    decimals: u8,
    symbol: String,
    name: String,
    description: String,
    icon_url: String,
    ctx: &mut TxContext,
): (CurrencyInitializer<T>, TreasuryCap<T>) {
    assert!(!registry.exists<T>(), ECurrencyAlreadyExists);
    check_symbol(&symbol);
    let treasury = coin::new_treasury_cap(ctx);
    let currency = Currency<T> {
        id: derived_object::claim(&mut registry.id, CurrencyKey<T>()),
        decimals,
        name,
        symbol,
        description,
        icon_url,
        supply: option::some(SupplyState::Unknown),
        regulated: RegulatedState::Unregulated,
        treasury_cap_id: option::some(object::id(&treasury)),
        metadata_cap_id: MetadataCapState::Unclaimed,
        extra_fields: vec_map::empty(),
    };
    (CurrencyInitializer { currency, extra_fields: bag::new(ctx), is_otw: false }, treasury)
}

/// The currency goes to the registry, where `finalize_registration` gives it its derived id.
public fun new_currency_with_otw<T: drop>(
    otw: T,
    decimals: u8,
    symbol: String,
    name: String,
    description: String,
    icon_url: String,
    ctx: &mut TxContext,
): (CurrencyInitializer<T>, TreasuryCap<T>) {
    assert!(types::is_one_time_witness(&otw), ENotOneTimeWitness);
    check_symbol(&symbol);
    let treasury = coin::new_treasury_cap(ctx);
    let currency = Currency<T> {
        id: object::new(ctx),
        decimals,
        name,
        symbol,
        description,
        icon_url,
        supply: option::some(SupplyState::Unknown),
        regulated: RegulatedState::Unregulated,
        treasury_cap_id: option::some(object::id(&treasury)),
        metadata_cap_id: MetadataCapState::Unclaimed,
        extra_fields: vec_map::empty(),
    };
    (CurrencyInitializer { currency, extra_fields: bag::new(ctx), is_otw: true }, treasury)
}

public fun claim_metadata_cap<T>(
    currency: &mut Currency<T>,
    _: &TreasuryCap<T>,
    ctx: &mut TxContext,
): MetadataCap<T> {
    assert!(!currency.is_metadata_cap_claimed(), EMetadataCapAlreadyClaimed);
    currency.new_metadata_cap(ctx)
}

fun new_metadata_cap<T>(currency: &mut Currency<T>, ctx: &mut TxContext): MetadataCap<T> {
    let cap = MetadataCap { id: object::new(ctx) };
    currency.metadata_cap_id = MetadataCapState::Claimed(object::id(&cap));
    cap
}

public fun make_regulated<T>(
    init: &mut CurrencyInitializer<T>,
    allow_global_pause: bool,
    ctx: &mut TxContext,
): DenyCapV2<T> {
    assert!(init.currency.regulated == RegulatedState::Unregulated, EDenyCapAlreadyCreated);
    let cap = coin::new_deny_cap_v2(allow_global_pause, ctx);
    init.currency.regulated = regulated_by(&cap);
    cap
}

fun regulated_by<T>(cap: &DenyCapV2<T>): RegulatedState {
    RegulatedState::Regulated {
        cap: object::id(cap),
        allow_global_pause: option::some(cap.allow_global_pause()),
        variant: REGULATED_COIN_VERSION,
    }
}

public fun make_supply_fixed_init<T>(init: &mut CurrencyInitializer<T>, cap: TreasuryCap<T>) {
    assert!(cap.total_supply() > 0, EEmptySupply);
    init.currency.make_supply_fixed(cap)
}

public fun make_supply_burn_only_init<T>(init: &mut CurrencyInitializer<T>, cap: TreasuryCap<T>) {
    assert!(cap.total_supply() > 0, EEmptySupply);
    init.currency.make_supply_burn_only(cap)
}

public fun make_supply_fixed<T>(currency: &mut Currency<T>, cap: TreasuryCap<T>) {
    currency.set_supply(SupplyState::Fixed(cap.into_supply()))
}

public fun make_supply_burn_only<T>(currency: &mut Currency<T>, cap: TreasuryCap<T>) {
    currency.set_supply(SupplyState::BurnOnly(cap.into_supply()))
}

fun set_supply<T>(currency: &mut Currency<T>, state: SupplyState<T>) {
    match (currency.supply.swap(state)) {
        SupplyState::Unknown => (),
        SupplyState::Fixed(_supply) => abort EInvariantViolation,
        SupplyState::BurnOnly(_supply) => abort EInvariantViolation,
    }
}

#[allow(lint(share_owned))]
public fun finalize<T>(builder: CurrencyInitializer<T>, ctx: &mut TxContext): MetadataCap<T> {
    let is_otw = builder.is_otw;
    let (currency, cap) = builder.finished(ctx);
    currency.give_away(is_otw);
    cap
}

public fun finalize_and_delete_metadata_cap<T>(builder: CurrencyInitializer<T>, ctx: &mut TxContext) {
    let is_otw = builder.is_otw;
    let (mut currency, cap) = builder.finished(ctx);
    currency.delete_metadata_cap(cap);
    currency.give_away(is_otw)
}

fun finished<T>(builder: CurrencyInitializer<T>, ctx: &mut TxContext): (Currency<T>, MetadataCap<T>) {
    let CurrencyInitializer { mut currency, extra_fields, is_otw: _ } = builder;
    extra_fields.destroy_empty();
    let cap = currency.new_metadata_cap(ctx);
    let marker = ExtraField(type_name::with_original_ids<bool>(), NEW_CURRENCY_MARKER);
    currency.extra_fields.insert(NEW_CURRENCY_MARKER.to_string(), marker);
    (currency, cap)
}

#[allow(lint(share_owned))]
fun give_away<T>(currency: Currency<T>, is_otw: bool) {
    if (is_otw) transfer::transfer(currency, object::sui_coin_registry_address())
    else transfer::share_object(currency)
}

public fun finalize_registration<T>(
    registry: &mut CoinRegistry,
    currency: Receiving<Currency<T>>,
    _ctx: &mut TxContext,
) {
    let Currency {
        id,
        decimals,
        name,
        symbol,
        description,
        icon_url,
        supply,
        regulated,
        treasury_cap_id,
        metadata_cap_id,
        extra_fields,
    } = transfer::receive(&mut registry.id, currency);
    id.delete();
    transfer::share_object(Currency<T> {
        id: derived_object::claim(&mut registry.id, CurrencyKey<T>()),
        decimals,
        name,
        symbol,
        description,
        icon_url,
        supply,
        regulated,
        treasury_cap_id,
        metadata_cap_id,
        extra_fields,
    })
}

public fun delete_metadata_cap<T>(currency: &mut Currency<T>, cap: MetadataCap<T>) {
    let MetadataCap { id } = cap;
    id.delete();
    currency.metadata_cap_id = MetadataCapState::Deleted
}

public fun burn<T>(currency: &mut Currency<T>, coin: Coin<T>) {
    currency.burn_balance(coin.into_balance())
}

public fun burn_balance<T>(currency: &mut Currency<T>, balance: Balance<T>) {
    match (currency.supply.borrow_mut()) {
        SupplyState::BurnOnly(supply) => {
            supply.decrease_supply(balance);
        },
        _ => abort ESupplyNotBurnOnly,
    }
}

public fun set_name<T>(currency: &mut Currency<T>, _: &MetadataCap<T>, name: String) {
    currency.name = name
}

public fun set_description<T>(currency: &mut Currency<T>, _: &MetadataCap<T>, description: String) {
    currency.description = description
}

public fun set_icon_url<T>(currency: &mut Currency<T>, _: &MetadataCap<T>, icon_url: String) {
    currency.icon_url = icon_url
}

public fun set_treasury_cap_id<T>(currency: &mut Currency<T>, cap: &TreasuryCap<T>) {
    currency.treasury_cap_id.fill(object::id(cap))
}

// Currencies that were made without the registry.

public fun migrate_legacy_metadata<T>(
    registry: &mut CoinRegistry,
    legacy: &CoinMetadata<T>,
    _ctx: &mut TxContext,
) {
    assert!(!registry.exists<T>(), ECurrencyAlreadyRegistered);
    let symbol = legacy.get_symbol().to_string();
    check_symbol(&symbol);
    transfer::share_object(Currency<T> {
        id: derived_object::claim(&mut registry.id, CurrencyKey<T>()),
        decimals: legacy.get_decimals(),
        name: legacy.get_name(),
        symbol,
        description: legacy.get_description(),
        icon_url: legacy_icon(legacy),
        supply: option::some(SupplyState::Unknown),
        regulated: RegulatedState::Unknown,
        treasury_cap_id: option::none(),
        metadata_cap_id: MetadataCapState::Unclaimed,
        extra_fields: vec_map::empty(),
    })
}

fun legacy_icon<T>(legacy: &CoinMetadata<T>): String {
    legacy.get_icon_url().map!(|url| url.inner_url().to_string()).destroy_or!(b"".to_string())
}

public fun update_from_legacy_metadata<T>(currency: &mut Currency<T>, legacy: &CoinMetadata<T>) {
    assert!(!currency.is_metadata_cap_claimed(), ECannotUpdateManagedMetadata);
    currency.name = legacy.get_name();
    currency.symbol = legacy.get_symbol().to_string();
    currency.description = legacy.get_description();
    currency.decimals = legacy.get_decimals();
    currency.icon_url = legacy_icon(legacy)
}

public fun delete_migrated_legacy_metadata<T>(_: &mut Currency<T>, _: CoinMetadata<T>) {
    abort EDeletionNotSupported
}

/// The metadata of a currency that was made with the registry; it is made with the first borrow, and has the same id in all.
public fun borrow_legacy_metadata<T>(
    currency: &mut Currency<T>,
    ctx: &mut TxContext,
): (CoinMetadata<T>, Borrow<T>) {
    assert!(currency.extra_fields.contains(&NEW_CURRENCY_MARKER.to_string()), EBorrowLegacyMetadata);
    if (!field::exists(&currency.id, LegacyMetadataKey())) {
        let metadata: CoinMetadata<T> = coin::new_coin_metadata(
            currency.decimals,
            currency.name,
            currency.symbol.to_ascii(),
            currency.description,
            currency.icon_url.to_ascii(),
            ctx,
        );
        field::add(&mut currency.id, LegacyMetadataKey(), metadata);
    };
    let mut metadata: CoinMetadata<T> = field::remove(&mut currency.id, LegacyMetadataKey());
    currency.write_to(&mut metadata);
    (metadata, Borrow {})
}

public fun return_borrowed_legacy_metadata<T>(
    currency: &mut Currency<T>,
    mut legacy: CoinMetadata<T>,
    borrow: Borrow<T>,
    _ctx: &mut TxContext,
) {
    assert!(!field::exists(&currency.id, LegacyMetadataKey()), EDuplicateBorrow);
    let Borrow {} = borrow;
    currency.write_to(&mut legacy);
    field::add(&mut currency.id, LegacyMetadataKey(), legacy)
}

fun write_to<T>(currency: &Currency<T>, metadata: &mut CoinMetadata<T>) {
    let (symbol, icon_url) = (currency.symbol.to_ascii(), currency.icon_url.to_ascii());
    metadata.update_coin_metadata(currency.name, symbol, currency.description, icon_url)
}

public fun migrate_regulated_state_by_metadata<T>(
    currency: &mut Currency<T>,
    metadata: &RegulatedCoinMetadata<T>,
) {
    assert!(currency.regulated == RegulatedState::Unknown, EDenyListStateAlreadySet);
    currency.regulated =
        RegulatedState::Regulated {
            cap: metadata.deny_cap_id(),
            allow_global_pause: option::none(),
            variant: REGULATED_COIN_VERSION,
        }
}

public fun migrate_regulated_state_by_cap<T>(currency: &mut Currency<T>, cap: &DenyCapV2<T>) {
    currency.regulated = regulated_by(cap)
}

public fun exists<T>(registry: &CoinRegistry): bool {
    derived_object::exists(&registry.id, CurrencyKey<T>())
}

public fun decimals<T>(currency: &Currency<T>): u8 {
    currency.decimals
}

public fun name<T>(currency: &Currency<T>): String {
    currency.name
}

public fun symbol<T>(currency: &Currency<T>): String {
    currency.symbol
}

public fun description<T>(currency: &Currency<T>): String {
    currency.description
}

public fun icon_url<T>(currency: &Currency<T>): String {
    currency.icon_url
}

public fun is_metadata_cap_claimed<T>(currency: &Currency<T>): bool {
    currency.metadata_cap_id != MetadataCapState::Unclaimed
}

public fun is_metadata_cap_deleted<T>(currency: &Currency<T>): bool {
    currency.metadata_cap_id == MetadataCapState::Deleted
}

public fun metadata_cap_id<T>(currency: &Currency<T>): Option<ID> {
    match (currency.metadata_cap_id) {
        MetadataCapState::Claimed(id) => option::some(id),
        _ => option::none(),
    }
}

public fun treasury_cap_id<T>(currency: &Currency<T>): Option<ID> {
    currency.treasury_cap_id
}

public fun deny_cap_id<T>(currency: &Currency<T>): Option<ID> {
    match (currency.regulated) {
        RegulatedState::Regulated { cap, .. } => option::some(cap),
        _ => option::none(),
    }
}

public fun is_supply_fixed<T>(currency: &Currency<T>): bool {
    match (currency.supply.borrow()) {
        SupplyState::Fixed(_) => true,
        _ => false,
    }
}

public fun is_supply_burn_only<T>(currency: &Currency<T>): bool {
    match (currency.supply.borrow()) {
        SupplyState::BurnOnly(_) => true,
        _ => false,
    }
}

public fun is_regulated<T>(currency: &Currency<T>): bool {
    currency.deny_cap_id().is_some()
}

/// Unless the TreasuryCap decides.
public fun total_supply<T>(currency: &Currency<T>): Option<u64> {
    match (currency.supply.borrow()) {
        SupplyState::Fixed(supply) => option::some(supply.value()),
        SupplyState::BurnOnly(supply) => option::some(supply.value()),
        SupplyState::Unknown => option::none(),
    }
}

#[test_only]
public fun create_coin_data_registry_for_testing(ctx: &mut TxContext): CoinRegistry {
    assert!(ctx.sender() == @0x0, ENotSystemAddress);
    CoinRegistry { id: object::new(ctx) }
}

#[test_only]
public fun unwrap_for_testing<T>(init: CurrencyInitializer<T>): Currency<T> {
    let CurrencyInitializer { currency, extra_fields, is_otw: _ } = init;
    extra_fields.destroy_empty();
    currency
}

#[test_only]
public fun finalize_unwrap_for_testing<T>(
    init: CurrencyInitializer<T>,
    ctx: &mut TxContext,
): (Currency<T>, MetadataCap<T>) {
    init.finished(ctx)
}
