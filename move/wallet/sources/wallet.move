/// A shared wallet. It stores its owner's coins and assets, and pays them to the owner, to services within
/// their grants, and to policy spends. Two limits apply to a service: the grant of its (service, coin) here,
/// and, for anyone except the owner, the budgets in `wallet::delegate`.
module wallet::wallet;

use std::string::String;
use std::type_name::{Self, TypeName};
use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::dynamic_field as field;
use sui::event;
use sui::object_bag::{Self, ObjectBag};
use sui::table::{Self, Table};
use sui::transfer::Receiving;
use sui::vec_map::{Self, VecMap};
use wallet::allowance;
use wallet::lock;
use wallet::type_names;

/// Only the owner may do this.
const ENotYourWallet: u64 = 5;
/// The service has no grant.
const EAuthServiceNotFound: u64 = 10;
/// The service has no grant for this coin.
const EAuthCoinNotFound: u64 = 11;
/// The account is not bound to the wallet, and the sender is not its owner.
const EExternalAccountNotBound: u64 = 12;
/// The amount is zero.
const EZeroAmount: u64 = 13;
/// The owner paused the wallet.
const EPaused: u64 = 14;
/// The wallet has less of the coin.
const EInsufficientBalance: u64 = 15;
/// The amount exceeds the rest of the service's grant for this coin.
const EGrantExceeded: u64 = 16;
/// The amount exceeds the rest of the service's pull for this coin, or no pull was granted.
const EPullExceeded: u64 = 17;
/// The ownership was not offered to the sender.
const ENotOffered: u64 = 18;
/// The name of an asset is not 1..128 bytes long, or contains a NUL.
const EBadAssetName: u64 = 19;
/// The owner or the service already has an asset of this name in the wallet.
const EAssetNameTaken: u64 = 20;
/// The owner or the service has no asset of this type and name in the wallet.
const EAssetNotFound: u64 = 21;
/// The wallet has another version than this code: its owner calls `migrate` of the newest package.
const EWrongVersion: u64 = 23;
/// The wallet already has this version or a later one.
const EAlreadyNewest: u64 = 24;

/// Increased by each upgrade that must disable the code before it: functions that move money or grants only
/// work for wallets of this version.
const VERSION: u64 = 1;

const MAX_ASSET_NAME_BYTES: u64 = 128;

/// Has neither `store` nor `drop`. A new wallet can only be `share`d, so its owner and services can always
/// reach it.
public struct Wallet has key {
    id: UID,
    /// The version of the code that may change it (`VERSION`).
    version: u64,
    owner: address,
    /// The address that may accept the ownership.
    offered_to: Option<address>,
    paused: bool,
    /// By service, then by coin. Every service here has at least one coin.
    grants: Table<TypeName, VecMap<TypeName, Grant>>,
    /// The owner's assets under their names, those of services under `ServiceAssetKey`.
    assets: ObjectBag,
}

public struct Grant has drop, store {
    /// What the service may still take, in anyone's transaction. u64::MAX is unlimited.
    allowance: u64,
    /// How much of it the service may pull without its payer, or without any payer, in the transaction.
    /// u64::MAX is unlimited.
    pull: u64,
}

/// Names policy spends as the taker in `CoinWithdrawn`.
public struct PolicySpend has drop {}

/// The key of the wallet's coins of one type.
public struct BalanceKey<phantom CoinT>() has copy, drop, store;

/// The key of an account that the wallet has at another protocol.
public struct ExternalAccountBindingKey<phantom AccountT> has copy, drop, store {
    account: address,
}

/// The key of an asset that a service keeps in the wallet.
public struct ServiceAssetKey<phantom ServiceT> has copy, drop, store {
    name: String,
}

// Readers ignore unknown fields at the end, so new fields are only appended.

public struct WalletCreated has copy, drop {
    wallet_id: ID,
    owner: address,
    /// The address for coins for the wallet: `identity`.
    signer_address: address,
}

public struct ServiceGranted has copy, drop {
    wallet_id: ID,
    service: TypeName,
    coin: TypeName,
    allowance: u64,
}

/// The service may pull `cap` of the coin unattended; zero: it no longer may.
public struct ServicePullGranted has copy, drop {
    wallet_id: ID,
    service: TypeName,
    coin: TypeName,
    cap: u64,
}

public struct ServiceCoinRevoked has copy, drop {
    wallet_id: ID,
    service: TypeName,
    coin: TypeName,
}

/// All grants of the service ended.
public struct ServiceRevoked has copy, drop {
    wallet_id: ID,
    service: TypeName,
}

public struct CoinDeposited has copy, drop {
    wallet_id: ID,
    /// The service that credited it and has a grant; none for a deposit, a sweep or another service.
    service: Option<TypeName>,
    coin: TypeName,
    amount: u64,
}

public struct CoinWithdrawn has copy, drop {
    wallet_id: ID,
    /// The service that took it, `PolicySpend`, or none for the owner.
    service: Option<TypeName>,
    coin: TypeName,
    amount: u64,
    /// The rest of the service's grant for the coin; none if no grant was used.
    allowance_left: Option<u64>,
}

public struct LegacyCoinSwept has copy, drop {
    wallet_id: ID,
    coin: TypeName,
    amount: u64,
}

public struct AssetReclaimed has copy, drop {
    wallet_id: ID,
    asset_name: String,
}

public struct ServiceAssetStored has copy, drop {
    wallet_id: ID,
    service: TypeName,
    asset_name: String,
    asset: TypeName,
    asset_id: ID,
}

public struct ServiceAssetTaken has copy, drop {
    wallet_id: ID,
    service: TypeName,
    asset_name: String,
    asset: TypeName,
    asset_id: ID,
}

public struct WalletPauseChanged has copy, drop {
    wallet_id: ID,
    paused: bool,
}

public struct OwnerChanged has copy, drop {
    wallet_id: ID,
    previous: address,
    owner: address,
}

// === Life and ownership ===

/// Creates a wallet of the sender. Set it up and `share` it in the same transaction.
public fun create(ctx: &mut TxContext): Wallet {
    let owner = ctx.sender();
    let wallet = Wallet {
        id: object::new(ctx),
        version: VERSION,
        owner,
        offered_to: option::none(),
        paused: false,
        grants: table::new(ctx),
        assets: object_bag::new(ctx),
    };
    event::emit(WalletCreated { wallet_id: wallet.id(), owner, signer_address: wallet.identity() });
    wallet
}

/// Makes a new wallet a shared object.
#[allow(lint(share_owned))]
public fun share(wallet: Wallet) {
    transfer::share_object(wallet)
}

/// Creates a shared wallet of the sender.
public fun create_and_share(ctx: &mut TxContext): ID {
    let wallet = create(ctx);
    let id = wallet.id();
    wallet.share();
    id
}

/// Lets `new_owner` accept the ownership; an earlier offer ends. An offer to the owner withdraws the offer.
public fun offer_ownership(wallet: &mut Wallet, new_owner: address, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    wallet.offered_to = if (new_owner == wallet.owner) option::none() else option::some(new_owner);
}

/// Makes the sender the owner, if the ownership was offered to them. Grants, delegates, rules and caps stay. If
/// you do not trust those of the former owner, pause the wallet or revoke them in the same transaction.
public fun accept_ownership(wallet: &mut Wallet, ctx: &TxContext) {
    let owner = ctx.sender();
    assert!(wallet.offered_to == option::some(owner), ENotOffered);
    lock::assert_none(&wallet.id);
    wallet.assert_version();
    let previous = wallet.owner;
    wallet.owner = owner;
    wallet.offered_to = option::none();
    event::emit(OwnerChanged { wallet_id: wallet.id(), previous, owner })
}

/// Upgrades the wallet to the version of this code; older code then aborts. Only for the owner. Until then the
/// wallet works with the code of its version.
public fun migrate(wallet: &mut Wallet, ctx: &TxContext) {
    wallet.assert_owner_acts(ctx);
    assert!(wallet.version < VERSION, EAlreadyNewest);
    wallet.version = VERSION
}

/// A paused wallet pays no service and no policy spend, gives no asset to a service, and lets no service bind
/// an account. It still accepts deposits, and its owner can withdraw and reclaim.
public fun set_paused(wallet: &mut Wallet, paused: bool, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    if (wallet.paused == paused) return;
    wallet.paused = paused;
    event::emit(WalletPauseChanged { wallet_id: wallet.id(), paused })
}

// === Grants ===

/// Sets the allowance of `ServiceT` for `CoinT`: u64::MAX is unlimited, zero revokes. Callers other than the
/// owner also need budgets in `wallet::delegate`.
public fun grant_service_coin<ServiceT, CoinT>(wallet: &mut Wallet, allowance: u64, ctx: &TxContext) {
    if (allowance == 0) return wallet.revoke_service_coin<ServiceT, CoinT>(ctx);
    wallet.assert_owner(ctx);
    let (service, coin) = (type_names::witness<ServiceT>(), type_names::bounded<CoinT>());
    if (!wallet.grants.contains(service)) wallet.grants.add(service, vec_map::empty());
    let grants = &mut wallet.grants[service];
    if (grants.contains(&coin)) grants[&coin].allowance = allowance
    else grants.insert(coin, Grant { allowance, pull: 0 });
    event::emit(ServiceGranted { wallet_id: wallet.id(), service, coin, allowance })
}

/// Lets `ServiceT` pull up to `cap` of its grant of `CoinT` on its own: for a delegate who is not the sender,
/// or for no account. u64::MAX is unlimited, zero ends it.
public fun grant_service_pull<ServiceT, CoinT>(wallet: &mut Wallet, cap: u64, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    let service = type_name::with_defining_ids<ServiceT>();
    let coin = type_name::with_defining_ids<CoinT>();
    wallet.grant_mut(service, coin).pull = cap;
    event::emit(ServicePullGranted { wallet_id: wallet.id(), service, coin, cap })
}

/// Ends the grant of one coin, including the pull.
public fun revoke_service_coin<ServiceT, CoinT>(wallet: &mut Wallet, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    let service = type_name::with_defining_ids<ServiceT>();
    let coin = type_name::with_defining_ids<CoinT>();
    wallet.grant_mut(service, coin);
    wallet.grants[service].remove(&coin);
    if (wallet.grants[service].is_empty()) {
        wallet.grants.remove(service);
    };
    event::emit(ServiceCoinRevoked { wallet_id: wallet.id(), service, coin })
}

/// Ends all grants of the service.
public fun revoke_service<ServiceT>(wallet: &mut Wallet, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    let service = type_name::with_defining_ids<ServiceT>();
    assert!(wallet.grants.contains(service), EAuthServiceNotFound);
    wallet.grants.remove(service);
    event::emit(ServiceRevoked { wallet_id: wallet.id(), service })
}

// === Accounts elsewhere ===

/// Binds an account that the wallet has at another protocol. Binding it twice changes nothing.
public fun bind_external_account<AccountT>(wallet: &mut Wallet, account: address, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    wallet.bind<AccountT>(account)
}

/// Removes the binding, if there is one.
public fun unbind_external_account<AccountT>(wallet: &mut Wallet, account: address, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    field::remove_if_exists<_, bool>(&mut wallet.id, ExternalAccountBindingKey<AccountT> { account });
}

/// Lets a service with a grant bind an account that it opened for the wallet.
public fun bind_external_account_from_service<AccountT: drop>(
    wallet: &mut Wallet,
    account: address,
    _witness: AccountT,
) {
    wallet.assert_serves<AccountT>();
    wallet.bind<AccountT>(account)
}

/// During an action, false for every service except that of the action.
public fun is_external_account_bound<AccountT>(wallet: &Wallet, account: address): bool {
    wallet.lets<AccountT>() && wallet.has_binding<AccountT>(account)
}

/// The account is bound, or the sender is the wallet's owner and no action is open: during an action, the owner
/// consents only to what the action says.
public fun assert_external_account_bound_or_owner<AccountT>(
    wallet: &Wallet,
    account: address,
    ctx: &TxContext,
) {
    let bound = wallet.is_external_account_bound<AccountT>(account);
    let owner_acts = ctx.sender() == wallet.owner && !lock::is_open(&wallet.id);
    assert!(bound || owner_acts, EExternalAccountNotBound)
}

// === Assets ===

/// Puts an asset of the owner into the wallet.
public fun add_asset<Asset: key + store>(
    wallet: &mut Wallet,
    asset: Asset,
    name: String,
    ctx: &TxContext,
) {
    wallet.assert_owner(ctx);
    assert_asset_name(&name);
    type_names::bounded<Asset>();
    wallet.put_asset(name, asset)
}

/// Sends an asset of `add_asset` to the owner.
public fun reclaim_asset<Asset: key + store>(wallet: &mut Wallet, name: String, ctx: &TxContext) {
    wallet.assert_owner_acts(ctx);
    let asset: Asset = wallet.remove_asset(name);
    wallet.hand_back(asset, name)
}

/// Sends an asset that a service keeps in the wallet to the owner, whether or not the service has a grant.
public fun reclaim_service_asset<ServiceT, Asset: key + store>(
    wallet: &mut Wallet,
    name: String,
    ctx: &TxContext,
) {
    wallet.assert_owner_acts(ctx);
    let asset: Asset = wallet.remove_asset(ServiceAssetKey<ServiceT> { name });
    wallet.hand_back(asset, name)
}

/// Lets a service with a grant keep an asset in the wallet, under its own names.
public fun receive_asset_from_service<ServiceT: drop, Asset: key + store>(
    wallet: &mut Wallet,
    asset: Asset,
    name: String,
    _witness: ServiceT,
) {
    wallet.assert_knows<ServiceT>();
    assert_asset_name(&name);
    event::emit(ServiceAssetStored {
        wallet_id: wallet.id(),
        service: type_name::with_defining_ids<ServiceT>(),
        asset_name: name,
        asset: type_names::bounded<Asset>(),
        asset_id: object::id(&asset),
    });
    wallet.put_asset(ServiceAssetKey<ServiceT> { name }, asset)
}

/// Lets a service with a grant take its own asset out of the wallet. The service must check that the sender may
/// do this: `delegate::is_service_authorized`.
public fun take_asset_for_service<ServiceT: drop, Asset: key + store>(
    wallet: &mut Wallet,
    name: String,
    _witness: ServiceT,
): Asset {
    wallet.assert_serves<ServiceT>();
    let asset: Asset = wallet.remove_asset(ServiceAssetKey<ServiceT> { name });
    event::emit(ServiceAssetTaken {
        wallet_id: wallet.id(),
        service: type_name::with_defining_ids<ServiceT>(),
        asset_name: name,
        asset: type_name::with_defining_ids<Asset>(),
        asset_id: object::id(&asset),
    });
    asset
}

// === Coins ===

/// Puts a coin into the wallet. Anyone may.
public fun deposit<CoinT>(wallet: &mut Wallet, coin: Coin<CoinT>) {
    wallet.credit(coin.into_balance(), option::none())
}

/// Deposits a coin that was sent to the wallet's `identity`. Anyone may.
public fun sweep_legacy_coin<CoinT>(wallet: &mut Wallet, receiving: Receiving<Coin<CoinT>>) {
    let coin = transfer::public_receive(&mut wallet.id, receiving);
    let amount = coin.value();
    wallet.deposit(coin);
    event::emit(LegacyCoinSwept {
        wallet_id: wallet.id(),
        coin: type_name::with_defining_ids<CoinT>(),
        amount,
    })
}

/// Deposits a coin of a service. Without a grant it counts as a deposit of anyone.
public fun receive_from_service<ServiceT: drop, CoinT>(
    wallet: &mut Wallet,
    coin: Coin<CoinT>,
    _witness: ServiceT,
) {
    wallet.receive_from_service_internal<ServiceT, CoinT>(coin)
}

/// Sends `amount` to the owner.
public fun take_coin<CoinT>(wallet: &mut Wallet, amount: u64, ctx: &mut TxContext) {
    let coin = wallet.withdraw_coin<CoinT>(amount, ctx);
    transfer::public_transfer(coin, wallet.owner)
}

/// Returns `amount` to the owner's transaction.
public fun withdraw_coin<CoinT>(wallet: &mut Wallet, amount: u64, ctx: &mut TxContext): Coin<CoinT> {
    wallet.assert_owner_acts(ctx);
    wallet.debit<CoinT>(amount, option::none(), option::none(), ctx)
}

// === Reads ===

public fun id(wallet: &Wallet): ID {
    wallet.id.to_inner()
}

/// The version of the code that may change the wallet. Its owner can take assets out at any version.
public fun version(wallet: &Wallet): u64 {
    wallet.version
}

public fun owner(wallet: &Wallet): address {
    wallet.owner
}

/// The address that represents the wallet: that of its object. `sweep_legacy_coin` deposits coins that were
/// sent there.
public fun identity(wallet: &Wallet): address {
    wallet.id.to_address()
}

public fun uid(wallet: &Wallet): &UID {
    &wallet.id
}

public fun is_paused(wallet: &Wallet): bool {
    wallet.paused
}

/// The address that may accept the ownership.
public fun offered_to(wallet: &Wallet): Option<address> {
    wallet.offered_to
}

/// The wallet's balance of the coin.
public fun balance<CoinT>(wallet: &Wallet): u64 {
    let key = BalanceKey<CoinT>();
    if (!field::exists_with_type<_, Balance<CoinT>>(&wallet.id, key)) return 0;
    field::borrow<_, Balance<CoinT>>(&wallet.id, key).value()
}

/// Whether the service has a grant for the coin, even a used-up one.
public fun is_authorized<ServiceT, CoinT>(wallet: &Wallet): bool {
    let service = type_name::with_defining_ids<ServiceT>();
    let coin = type_name::with_defining_ids<CoinT>();
    wallet.grants.contains(service) && wallet.grants[service].contains(&coin)
}

/// The rest of the service's grant for the coin, u64::MAX if unlimited; zero without a grant.
public fun granted<ServiceT, CoinT>(wallet: &Wallet): u64 {
    if (!wallet.is_authorized<ServiceT, CoinT>()) return 0;
    let coin = type_name::with_defining_ids<CoinT>();
    wallet.grants[type_name::with_defining_ids<ServiceT>()][&coin].allowance
}

/// The rest of the service's pull for the coin, u64::MAX if limited by the grant only.
public fun pull_cap<ServiceT, CoinT>(wallet: &Wallet): u64 {
    if (!wallet.is_authorized<ServiceT, CoinT>()) return 0;
    let coin = type_name::with_defining_ids<CoinT>();
    wallet.grants[type_name::with_defining_ids<ServiceT>()][&coin].pull
}

/// Aborts unless the sender is the owner and no action is open: code in the owner's transaction does not act
/// for the owner during an action. For every module that gives the owner special rights.
public fun assert_owner_acts(wallet: &Wallet, ctx: &TxContext) {
    assert!(ctx.sender() == wallet.owner, ENotYourWallet);
    lock::assert_none(&wallet.id)
}

// === For the package ===

/// Checks that the owner may grant, or change how the wallet works.
public(package) fun assert_owner(wallet: &Wallet, ctx: &TxContext) {
    wallet.assert_owner_acts(ctx);
    wallet.assert_version()
}

public(package) fun assert_version(wallet: &Wallet) {
    assert!(wallet.version == VERSION, EWrongVersion)
}

/// Checks that the service has a grant and no action of another service is open.
public(package) fun assert_knows<ServiceT>(wallet: &Wallet) {
    wallet.assert_version();
    lock::assert_lets<ServiceT>(&wallet.id);
    let service = type_name::with_defining_ids<ServiceT>();
    assert!(wallet.grants.contains(service), EAuthServiceNotFound)
}

/// The same, and that the wallet is not paused.
public(package) fun assert_serves<ServiceT>(wallet: &Wallet) {
    assert!(!wallet.paused, EPaused);
    wallet.assert_knows<ServiceT>()
}

/// Whether no action is open, or one of the service.
public(package) fun lets<ServiceT>(wallet: &Wallet): bool {
    lock::lets<ServiceT>(&wallet.id)
}

public(package) fun uid_mut(wallet: &mut Wallet): &mut UID {
    wallet.assert_version();
    &mut wallet.id
}

/// Takes `amount` for a service, from its grant.
public(package) fun pay_by_service<ServiceT, CoinT>(
    wallet: &mut Wallet,
    amount: u64,
    ctx: &mut TxContext,
): Coin<CoinT> {
    wallet.assert_version();
    assert!(!wallet.paused, EPaused);
    let service = type_name::with_defining_ids<ServiceT>();
    let coin = type_name::with_defining_ids<CoinT>();
    lock::take<ServiceT>(&mut wallet.id, &coin, amount);
    let grant = wallet.grant_mut(service, coin);
    assert!(amount <= grant.allowance, EGrantExceeded);
    grant.allowance = allowance::less(grant.allowance, amount);
    let allowance_left = option::some(grant.allowance);
    wallet.debit(amount, option::some(service), allowance_left, ctx)
}

/// The same on the service's own account, also from its pull. Aborts during an action, which someone signs.
public(package) fun pull_by_service<ServiceT, CoinT>(
    wallet: &mut Wallet,
    amount: u64,
    ctx: &mut TxContext,
): Coin<CoinT> {
    lock::assert_none(&wallet.id);
    let service = type_name::with_defining_ids<ServiceT>();
    let grant = wallet.grant_mut(service, type_name::with_defining_ids<CoinT>());
    assert!(amount <= grant.pull, EPullExceeded);
    grant.pull = allowance::less(grant.pull, amount);
    wallet.pay_by_service<ServiceT, CoinT>(amount, ctx)
}

/// Takes `amount` for a confirmed policy spend.
public(package) fun pay_by_policy<CoinT>(
    wallet: &mut Wallet,
    amount: u64,
    ctx: &mut TxContext,
): Coin<CoinT> {
    wallet.assert_version();
    assert!(!wallet.paused, EPaused);
    lock::assert_none(&wallet.id);
    let taker = type_name::with_defining_ids<PolicySpend>();
    wallet.debit(amount, option::some(taker), option::none(), ctx)
}

public(package) fun receive_from_service_internal<ServiceT, CoinT>(
    wallet: &mut Wallet,
    coin: Coin<CoinT>,
) {
    wallet.assert_version();
    let (service, amount) = (type_name::with_defining_ids<ServiceT>(), coin.value());
    // Only a service with a grant is named: a deposit by others is not a use of them by the wallet.
    let named = if (wallet.grants.contains(service)) option::some(service) else option::none();
    wallet.credit(coin.into_balance(), named);
    lock::bring<ServiceT>(&mut wallet.id, &type_name::with_defining_ids<CoinT>(), amount)
}

// === Inside ===

fun grant_mut(wallet: &mut Wallet, service: TypeName, coin: TypeName): &mut Grant {
    assert!(wallet.grants.contains(service), EAuthServiceNotFound);
    let grants = &mut wallet.grants[service];
    assert!(grants.contains(&coin), EAuthCoinNotFound);
    &mut grants[&coin]
}

fun assert_asset_name(name: &String) {
    assert!(0 < name.length() && name.length() <= MAX_ASSET_NAME_BYTES, EBadAssetName);
    // Databases cannot store a NUL.
    assert!(!name.as_bytes().contains(&0), EBadAssetName)
}

fun bind<AccountT>(wallet: &mut Wallet, account: address) {
    type_names::bounded<AccountT>();
    if (wallet.has_binding<AccountT>(account)) return;
    field::add(&mut wallet.id, ExternalAccountBindingKey<AccountT> { account }, true)
}

fun has_binding<AccountT>(wallet: &Wallet, account: address): bool {
    field::exists_with_type<_, bool>(&wallet.id, ExternalAccountBindingKey<AccountT> { account })
}

fun put_asset<Key: copy + drop + store, Asset: key + store>(
    wallet: &mut Wallet,
    key: Key,
    asset: Asset,
) {
    assert!(!wallet.assets.contains(key), EAssetNameTaken);
    wallet.assets.add(key, asset)
}

fun remove_asset<Key: copy + drop + store, Asset: key + store>(wallet: &mut Wallet, key: Key): Asset {
    assert!(wallet.assets.contains_with_type<Key, Asset>(key), EAssetNotFound);
    wallet.assets.remove(key)
}

fun hand_back<Asset: key + store>(wallet: &Wallet, asset: Asset, asset_name: String) {
    transfer::public_transfer(asset, wallet.owner);
    event::emit(AssetReclaimed { wallet_id: wallet.id(), asset_name })
}

fun credit<CoinT>(wallet: &mut Wallet, funds: Balance<CoinT>, service: Option<TypeName>) {
    let amount = funds.value();
    assert!(amount > 0, EZeroAmount);
    let coin = type_names::bounded<CoinT>();
    let key = BalanceKey<CoinT>();
    if (!field::exists_with_type<_, Balance<CoinT>>(&wallet.id, key)) {
        field::add(&mut wallet.id, key, balance::zero<CoinT>());
    };
    field::borrow_mut<_, Balance<CoinT>>(&mut wallet.id, key).join(funds);
    event::emit(CoinDeposited { wallet_id: wallet.id(), service, coin, amount })
}

fun debit<CoinT>(
    wallet: &mut Wallet,
    amount: u64,
    service: Option<TypeName>,
    allowance_left: Option<u64>,
    ctx: &mut TxContext,
): Coin<CoinT> {
    assert!(amount > 0, EZeroAmount);
    assert!(amount <= wallet.balance<CoinT>(), EInsufficientBalance);
    let funds = field::borrow_mut<_, Balance<CoinT>>(&mut wallet.id, BalanceKey<CoinT>()).split(amount);
    event::emit(CoinWithdrawn {
        wallet_id: wallet.id(),
        service,
        coin: type_name::with_defining_ids<CoinT>(),
        amount,
        allowance_left,
    });
    funds.into_coin(ctx)
}

#[test_only]
public fun set_version_for_testing(wallet: &mut Wallet, version: u64) {
    wallet.version = version
}
