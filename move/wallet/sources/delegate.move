/// The addresses that may use services with the wallet's money, with their budgets and their expiry. A delegate
/// has a budget for each service and for each coin. A payment reduces both, and also the service's grant in
/// `wallet::wallet`. The owner needs no budget and has none.
module wallet::delegate;

use std::type_name::{Self, TypeName};
use sui::clock::Clock;
use sui::dynamic_field as field;
use sui::event;
use sui::table::{Self, Table};
use sui::vec_map::{Self, VecMap};
use wallet::allowance;
use wallet::type_names;
use wallet::wallet::Wallet;

/// The wallet has no delegates yet: `initialize` them.
const ENotInitialized: u64 = 1;
/// The wallet has delegates already.
const EAlreadyInitialized: u64 = 2;
/// The address is not a delegate.
const ENotFound: u64 = 3;
/// The address is a delegate already.
const EAlreadyExists: u64 = 4;
/// The delegate has no budget for the service.
const EServiceNotSet: u64 = 5;
/// The delegate has no budget for the coin.
const ECoinNotSet: u64 = 6;
/// More than the delegate's budget for the service.
const EInsufficientServiceAllowance: u64 = 7;
/// More than the delegate's budget for the coin.
const EInsufficientCoinAllowance: u64 = 8;
/// The spender is neither the owner nor a delegate.
const ENotDelegate: u64 = 9;
/// The service holds no grant for the coin.
const EServiceNotAuthorized: u64 = 10;
/// The owner needs no budget.
const EMainOwnerNoAllowance: u64 = 11;
/// The delegate has expired.
const EExpired: u64 = 12;
/// An increase or decrease of zero.
const EZeroAmount: u64 = 13;
/// An unlimited budget can only be changed by setting it.
const EUnlimited: u64 = 14;
/// The increased budget would be unlimited or exceed a u64.
const ETooLarge: u64 = 15;

/// The dynamic field of the wallet that stores its delegates.
const DELEGATE_KEY: vector<u8> = b"delegate";

public struct Delegate has store {
    entries: Table<address, Entry>,
}

/// The budgets of one delegate. u64::MAX is unlimited.
public struct Entry has drop, store {
    by_service: VecMap<TypeName, u64>,
    by_coin: VecMap<TypeName, u64>,
    /// The first moment, in milliseconds since the epoch, at which the delegate is expired.
    expires_at_ms: Option<u64>,
}

// Readers ignore unknown fields at the end, so new fields are only appended.

public struct Initialized has copy, drop {
    wallet_id: ID,
    main_owner: address,
}

public struct Added has copy, drop {
    wallet_id: ID,
    delegate: address,
}

public struct Removed has copy, drop {
    wallet_id: ID,
    delegate: address,
}

/// Zero: the budget was removed or is used up.
public struct ServiceAllowanceChanged has copy, drop {
    wallet_id: ID,
    delegate: address,
    service: TypeName,
    new_amount: u64,
}

public struct CoinAllowanceChanged has copy, drop {
    wallet_id: ID,
    delegate: address,
    coin: TypeName,
    new_amount: u64,
}

public struct ServiceAllowanceDebited has copy, drop {
    wallet_id: ID,
    spender: address,
    service: TypeName,
    amount: u64,
    remaining: u64,
}

public struct CoinAllowanceDebited has copy, drop {
    wallet_id: ID,
    spender: address,
    coin: TypeName,
    amount: u64,
    remaining: u64,
}

public struct ExpiryChanged has copy, drop {
    wallet_id: ID,
    delegate: address,
    expires_at_ms: Option<u64>,
}

// === The owner's side ===

public fun initialize(wallet: &mut Wallet, ctx: &mut TxContext) {
    wallet.assert_owner(ctx);
    assert!(!is_initialized(wallet), EAlreadyInitialized);
    field::add(wallet.uid_mut(), DELEGATE_KEY, Delegate { entries: table::new(ctx) });
    event::emit(Initialized { wallet_id: wallet.id(), main_owner: wallet.owner() })
}

/// Adds a delegate without a budget and without an expiry.
public fun add(wallet: &mut Wallet, delegate: address, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    assert!(delegate != wallet.owner(), EMainOwnerNoAllowance);
    let entries = entries_mut(wallet);
    assert!(!entries.contains(delegate), EAlreadyExists);
    let (by_service, by_coin) = (vec_map::empty(), vec_map::empty());
    entries.add(delegate, Entry { by_service, by_coin, expires_at_ms: option::none() });
    event::emit(Added { wallet_id: wallet.id(), delegate })
}

/// Removes a delegate and its budgets.
public fun remove(wallet: &mut Wallet, delegate: address, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    let entries = entries_mut(wallet);
    assert!(entries.contains(delegate), ENotFound);
    entries.remove(delegate);
    event::emit(Removed { wallet_id: wallet.id(), delegate })
}

/// Sets when the delegate expires, in milliseconds since the epoch; none: never.
public fun set_expiry(
    wallet: &mut Wallet,
    delegate: address,
    expires_at_ms: Option<u64>,
    ctx: &TxContext,
) {
    entry_mut(wallet, delegate, ctx).expires_at_ms = expires_at_ms;
    event::emit(ExpiryChanged { wallet_id: wallet.id(), delegate, expires_at_ms })
}

/// Sets the delegate's budget for the service: u64::MAX is unlimited, zero removes it.
public fun set_service_allowance<ServiceT>(
    wallet: &mut Wallet,
    delegate: address,
    amount: u64,
    ctx: &TxContext,
) {
    let budgets = &mut entry_mut(wallet, delegate, ctx).by_service;
    let service = budgets.name<ServiceT>();
    budgets.set(service, amount);
    event::emit(ServiceAllowanceChanged {
        wallet_id: wallet.id(),
        delegate,
        service,
        new_amount: amount,
    })
}

public fun set_service_unlimited_allowance<ServiceT>(
    wallet: &mut Wallet,
    delegate: address,
    ctx: &TxContext,
) {
    set_service_allowance<ServiceT>(wallet, delegate, allowance::unlimited!(), ctx)
}

/// Adds `delta`. Without a budget for the service, the delegate starts from zero.
public fun increase_service_allowance<ServiceT>(
    wallet: &mut Wallet,
    delegate: address,
    delta: u64,
    ctx: &TxContext,
) {
    let budgets = &entry_mut(wallet, delegate, ctx).by_service;
    let amount = budgets.increased(&type_name::with_defining_ids<ServiceT>(), delta);
    set_service_allowance<ServiceT>(wallet, delegate, amount, ctx)
}

/// Subtracts `delta`.
public fun decrease_service_allowance<ServiceT>(
    wallet: &mut Wallet,
    delegate: address,
    delta: u64,
    ctx: &TxContext,
) {
    let budget = entry_mut(wallet, delegate, ctx)
        .by_service
        .try_get(&type_name::with_defining_ids<ServiceT>());
    assert!(budget.is_some(), EServiceNotSet);
    let left = decreased(budget.destroy_some(), delta, EInsufficientServiceAllowance);
    set_service_allowance<ServiceT>(wallet, delegate, left, ctx)
}

/// Sets the delegate's budget for the coin: u64::MAX is unlimited, zero removes it.
public fun set_coin_allowance<CoinT>(
    wallet: &mut Wallet,
    delegate: address,
    amount: u64,
    ctx: &TxContext,
) {
    let budgets = &mut entry_mut(wallet, delegate, ctx).by_coin;
    let coin = budgets.name<CoinT>();
    budgets.set(coin, amount);
    event::emit(CoinAllowanceChanged { wallet_id: wallet.id(), delegate, coin, new_amount: amount })
}

public fun set_coin_unlimited_allowance<CoinT>(
    wallet: &mut Wallet,
    delegate: address,
    ctx: &TxContext,
) {
    set_coin_allowance<CoinT>(wallet, delegate, allowance::unlimited!(), ctx)
}

/// Adds `delta`. Without a budget for the coin, the delegate starts from zero.
public fun increase_coin_allowance<CoinT>(
    wallet: &mut Wallet,
    delegate: address,
    delta: u64,
    ctx: &TxContext,
) {
    let budgets = &entry_mut(wallet, delegate, ctx).by_coin;
    let amount = budgets.increased(&type_name::with_defining_ids<CoinT>(), delta);
    set_coin_allowance<CoinT>(wallet, delegate, amount, ctx)
}

/// Subtracts `delta`.
public fun decrease_coin_allowance<CoinT>(
    wallet: &mut Wallet,
    delegate: address,
    delta: u64,
    ctx: &TxContext,
) {
    let budget = entry_mut(wallet, delegate, ctx)
        .by_coin
        .try_get(&type_name::with_defining_ids<CoinT>());
    assert!(budget.is_some(), ECoinNotSet);
    let left = decreased(budget.destroy_some(), delta, EInsufficientCoinAllowance);
    set_coin_allowance<CoinT>(wallet, delegate, left, ctx)
}

// === A payment ===

/// For the module of a service: sends `amount` to `recipient`, and reduces the service's grant and the sender's
/// budgets.
public fun spend<ServiceT: drop, CoinT>(
    _witness: ServiceT,
    wallet: &mut Wallet,
    amount: u64,
    recipient: address,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    assert!(wallet.is_authorized<ServiceT, CoinT>(), EServiceNotAuthorized);
    debit<ServiceT, CoinT>(wallet, ctx.sender(), amount, clock);
    transfer::public_transfer(wallet.pay_by_service<ServiceT, CoinT>(amount, ctx), recipient)
}

/// Subtracts `amount` from both budgets of the spender, who is the owner or a delegate that has not expired.
public(package) fun debit<ServiceT, CoinT>(
    wallet: &mut Wallet,
    spender: address,
    amount: u64,
    clock: &Clock,
) {
    if (spender == wallet.owner()) return;
    let wallet_id = wallet.id();
    let entries = entries_mut(wallet);
    assert!(entries.contains(spender), ENotDelegate);
    let entry = &mut entries[spender];
    assert!(!entry.is_over(clock), EExpired);

    let service = type_name::with_defining_ids<ServiceT>();
    assert!(entry.by_service.contains(&service), EServiceNotSet);
    let budget = &mut entry.by_service[&service];
    assert!(amount <= *budget, EInsufficientServiceAllowance);
    *budget = allowance::less(*budget, amount);
    let remaining = *budget;
    event::emit(ServiceAllowanceDebited { wallet_id, spender, service, amount, remaining });

    let coin = type_name::with_defining_ids<CoinT>();
    assert!(entry.by_coin.contains(&coin), ECoinNotSet);
    let budget = &mut entry.by_coin[&coin];
    assert!(amount <= *budget, EInsufficientCoinAllowance);
    *budget = allowance::less(*budget, amount);
    let remaining = *budget;
    event::emit(CoinAllowanceDebited { wallet_id, spender, coin, amount, remaining })
}

// === Reads ===

/// The unlimited allowance.
public fun unlimited_allowance(): u64 {
    allowance::unlimited!()
}

public fun is_initialized(wallet: &Wallet): bool {
    field::exists_with_type<_, Delegate>(wallet.uid(), DELEGATE_KEY)
}

/// The current owner of the wallet.
public fun main_owner(wallet: &Wallet): address {
    wallet.owner()
}

/// Whether the address is a delegate, even an expired one.
public fun contains(wallet: &Wallet, delegate: address): bool {
    is_initialized(wallet) && entries(wallet).contains(delegate)
}

/// When the delegate expires, in milliseconds since the epoch.
public fun expires_at_ms(wallet: &Wallet, delegate: address): Option<u64> {
    assert!(contains(wallet, delegate), ENotFound);
    entries(wallet)[delegate].expires_at_ms
}

/// What the address may have the service take before it expires: u64::MAX for the owner, who has no limit; zero
/// without a budget, and for other services during an action.
public fun service_allowance<ServiceT>(wallet: &Wallet, delegate: address): u64 {
    if (!wallet.lets<ServiceT>()) return 0;
    if (delegate == wallet.owner()) return allowance::unlimited!();
    if (!contains(wallet, delegate)) return 0;
    let service = type_name::with_defining_ids<ServiceT>();
    entries(wallet)[delegate].by_service.try_get(&service).destroy_or!(0)
}

/// Whether the address may use the service for the wallet now: it is the owner, or a delegate that has not
/// expired and has a budget for the service, even a used-up one. During an action this is false for other
/// services.
public fun is_service_authorized<ServiceT>(wallet: &Wallet, delegate: address, clock: &Clock): bool {
    if (!wallet.lets<ServiceT>()) return false;
    if (delegate == wallet.owner()) return true;
    if (!contains(wallet, delegate)) return false;
    let entry = &entries(wallet)[delegate];
    !entry.is_over(clock) && entry.by_service.contains(&type_name::with_defining_ids<ServiceT>())
}

/// What the address may spend of the coin before it expires: u64::MAX for the owner, who has no limit; zero
/// without a budget.
public fun coin_allowance<CoinT>(wallet: &Wallet, delegate: address): u64 {
    if (delegate == wallet.owner()) return allowance::unlimited!();
    if (!contains(wallet, delegate)) return 0;
    let coin = type_name::with_defining_ids<CoinT>();
    entries(wallet)[delegate].by_coin.try_get(&coin).destroy_or!(0)
}

/// The number of services for which the delegate has a budget.
public fun service_count(wallet: &Wallet, delegate: address): u64 {
    if (contains(wallet, delegate)) entries(wallet)[delegate].by_service.length() else 0
}

/// The number of coins for which the delegate has a budget.
public fun coin_count(wallet: &Wallet, delegate: address): u64 {
    if (contains(wallet, delegate)) entries(wallet)[delegate].by_coin.length() else 0
}

// === Inside ===

fun entries(wallet: &Wallet): &Table<address, Entry> {
    &field::borrow<_, Delegate>(wallet.uid(), DELEGATE_KEY).entries
}

fun entries_mut(wallet: &mut Wallet): &mut Table<address, Entry> {
    assert!(is_initialized(wallet), ENotInitialized);
    &mut field::borrow_mut<_, Delegate>(wallet.uid_mut(), DELEGATE_KEY).entries
}

fun entry_mut(wallet: &mut Wallet, delegate: address, ctx: &TxContext): &mut Entry {
    wallet.assert_owner(ctx);
    assert!(delegate != wallet.owner(), EMainOwnerNoAllowance);
    let entries = entries_mut(wallet);
    assert!(entries.contains(delegate), ENotFound);
    &mut entries[delegate]
}

fun is_over(entry: &Entry, clock: &Clock): bool {
    entry.expires_at_ms.is_some_and!(|end| clock.timestamp_ms() >= *end)
}

use fun name as VecMap.name;

/// The key of the budget. An existing budget can be changed and removed whatever its key is.
fun name<T>(budgets: &VecMap<TypeName, u64>): TypeName {
    let name = type_name::with_defining_ids<T>();
    if (budgets.contains(&name)) name else type_names::bounded<T>()
}

use fun set as VecMap.set;

fun set(budgets: &mut VecMap<TypeName, u64>, key: TypeName, amount: u64) {
    if (budgets.contains(&key)) {
        budgets.remove(&key);
    };
    if (amount > 0) budgets.insert(key, amount)
}

use fun increased as VecMap.increased;

fun increased(budgets: &VecMap<TypeName, u64>, key: &TypeName, delta: u64): u64 {
    assert!(delta > 0, EZeroAmount);
    let budget = budgets.try_get(key).destroy_or!(0);
    assert!(budget != allowance::unlimited!(), EUnlimited);
    // The sum stays below the unlimited amount.
    assert!(delta < allowance::unlimited!() - budget, ETooLarge);
    budget + delta
}

fun decreased(budget: u64, delta: u64, insufficient: u64): u64 {
    assert!(delta > 0, EZeroAmount);
    assert!(budget != allowance::unlimited!(), EUnlimited);
    assert!(delta <= budget, insufficient);
    budget - delta
}
