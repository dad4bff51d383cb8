/// A shared wallet: it holds its owner's coins and assets, and pays them out to the owner, to services within what
/// the owner granted them, and to policy spends. What a service may still take is bounded twice: here by the grant
/// of its (service, coin), and for anyone but the owner by the budgets in `wallet::delegate`.
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
/// The service holds no grant.
const EAuthServiceNotFound: u64 = 10;
/// The service holds no grant for this coin.
const EAuthCoinNotFound: u64 = 11;
/// The account is not bound to the wallet, and the sender is not its owner.
const EExternalAccountNotBound: u64 = 12;
/// The amount is zero.
const EZeroAmount: u64 = 13;
/// The owner paused the wallet.
const EPaused: u64 = 14;
/// The wallet holds less than this of the coin.
const EInsufficientBalance: u64 = 15;
/// More than the service may still take of this coin.
const EGrantExceeded: u64 = 16;
/// More than the service may still pull of this coin, or no pull was ever granted.
const EPullExceeded: u64 = 17;
/// The ownership was not offered to the sender.
const ENotOffered: u64 = 18;
/// The name of an asset is not of 1..128 bytes, or holds a NUL.
const EBadAssetName: u64 = 19;
/// The owner or the service keeps an asset of this name already.
const EAssetNameTaken: u64 = 20;
/// The owner or the service keeps no asset of this type and name.
const EAssetNotFound: u64 = 21;
/// The wallet is of another version than this code: its owner calls `migrate` of the newest package.
const EWrongVersion: u64 = 23;
/// The wallet is at this version or a later one already.
const EAlreadyNewest: u64 = 24;

/// Raised by each upgrade of the package that must close the code before it: what moves money or grants works for
/// wallets of its own version alone.
const VERSION: u64 = 1;

const MAX_ASSET_NAME_BYTES: u64 = 128;

/// Has neither `store` nor `drop`: all that can be done with a new wallet is to `share` it, so that it is always
/// where its owner and whoever serves it can reach it.
public struct Wallet has key {
    id: UID,
    /// Of the code that may change it: `VERSION` there.
    version: u64,
    owner: address,
    /// Who may accept the ownership.
    offered_to: Option<address>,
    paused: bool,
    /// By service, then by coin. No service is there without a coin.
    grants: Table<TypeName, VecMap<TypeName, Grant>>,
    /// The owner's under their names, the services' under `ServiceAssetKey`.
    assets: ObjectBag,
}

public struct Grant has drop, store {
    /// What the service may still take, whoever sends the transaction. u64::MAX does not run down.
    allowance: u64,
    /// How much of it the service may pull without its payer or anyone at all in the transaction. u64::MAX does
    /// not run down.
    pull: u64,
}

/// Names the taker of a policy spend in `CoinWithdrawn`.
public struct PolicySpend has drop {}

/// Under which the wallet holds its coins of one type.
public struct BalanceKey<phantom CoinT>() has copy, drop, store;

/// Under which an account that the wallet has at another protocol is bound to it.
public struct ExternalAccountBindingKey<phantom AccountT> has copy, drop, store {
    account: address,
}

/// Under which the wallet holds an asset of a service's.
public struct ServiceAssetKey<phantom ServiceT> has copy, drop, store {
    name: String,
}

// Readers decode the fields they know and ignore what follows, so fields are only ever appended.

public struct WalletCreated has copy, drop {
    wallet_id: ID,
    owner: address,
    /// Where coins for the wallet can be sent: `identity`.
    signer_address: address,
}

public struct ServiceGranted has copy, drop {
    wallet_id: ID,
    service: TypeName,
    coin: TypeName,
    allowance: u64,
}

/// The service may pull `cap` of the coin unattended; zero: it may no longer.
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
    /// The service with a grant that credited it; none for a deposit, a sweep or another service.
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
    /// What the service may still take of the coin; none if no grant was debited.
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

/// A new wallet of the sender's, to be set up and then `share`d in the same transaction.
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

/// A new shared wallet of the sender's.
public fun create_and_share(ctx: &mut TxContext): ID {
    let wallet = create(ctx);
    let id = wallet.id();
    wallet.share();
    id
}

/// Lets `new_owner` accept the ownership, in place of anyone it was offered to before. Offering it to the owner
/// takes the offer back.
public fun offer_ownership(wallet: &mut Wallet, new_owner: address, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    wallet.offered_to = if (new_owner == wallet.owner) option::none() else option::some(new_owner);
}

/// Makes the sender the owner, if the ownership was offered to them. Grants, delegates, rules and caps stay as
/// they are: whoever does not trust the former owner's also pauses the wallet or revokes them here and now.
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

/// Brings the wallet to the version of this code, and closes all code before it. The owner alone: until then the
/// wallet works as its version did.
public fun migrate(wallet: &mut Wallet, ctx: &TxContext) {
    wallet.assert_owner_acts(ctx);
    assert!(wallet.version < VERSION, EAlreadyNewest);
    wallet.version = VERSION
}

/// A paused wallet pays no service and no policy spend, hands out no asset to a service and lets none bind an
/// account. It still takes in what comes, and its owner withdraws and reclaims as ever.
public fun set_paused(wallet: &mut Wallet, paused: bool, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    if (wallet.paused == paused) return;
    wallet.paused = paused;
    event::emit(WalletPauseChanged { wallet_id: wallet.id(), paused })
}

// === Grants ===

/// Sets what `ServiceT` may still take of `CoinT` to `allowance`, whatever it was: u64::MAX does not run down, zero
/// revokes. Anyone but the owner who has the service take it needs budgets of their own in `wallet::delegate`.
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

/// Lets `ServiceT` pull up to `cap` of what it was granted of `CoinT` on its own: on behalf of a delegate who is
/// not the sender, or of nobody. u64::MAX does not run down, zero ends it.
public fun grant_service_pull<ServiceT, CoinT>(wallet: &mut Wallet, cap: u64, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    let service = type_name::with_defining_ids<ServiceT>();
    let coin = type_name::with_defining_ids<CoinT>();
    wallet.grant_mut(service, coin).pull = cap;
    event::emit(ServicePullGranted { wallet_id: wallet.id(), service, coin, cap })
}

/// Ends the grant of one coin, and the pull with it.
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

/// Binds an account that the wallet has at another protocol. Binding it again changes nothing.
public fun bind_external_account<AccountT>(wallet: &mut Wallet, account: address, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    wallet.bind<AccountT>(account)
}

/// Takes the binding back, if there is one.
public fun unbind_external_account<AccountT>(wallet: &mut Wallet, account: address, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    field::remove_if_exists<_, bool>(&mut wallet.id, ExternalAccountBindingKey<AccountT> { account });
}

/// A service that holds a grant binds an account it opened for the wallet.
public fun bind_external_account_from_service<AccountT: drop>(
    wallet: &mut Wallet,
    account: address,
    _witness: AccountT,
) {
    wallet.assert_serves<AccountT>();
    wallet.bind<AccountT>(account)
}

/// Never so for any but the service of an open action.
public fun is_external_account_bound<AccountT>(wallet: &Wallet, account: address): bool {
    wallet.lets<AccountT>() && wallet.has_binding<AccountT>(account)
}

/// The account is bound, or the sender is the wallet's owner and no action is open: within one the owner's consent
/// is what the action says.
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

/// Puts an asset of the owner's into the wallet.
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

/// Sends the owner an asset that `add_asset` put there.
public fun reclaim_asset<Asset: key + store>(wallet: &mut Wallet, name: String, ctx: &TxContext) {
    wallet.assert_owner_acts(ctx);
    let asset: Asset = wallet.remove_asset(name);
    wallet.hand_back(asset, name)
}

/// Sends the owner an asset that a service keeps in the wallet, granted or not.
public fun reclaim_service_asset<ServiceT, Asset: key + store>(
    wallet: &mut Wallet,
    name: String,
    ctx: &TxContext,
) {
    wallet.assert_owner_acts(ctx);
    let asset: Asset = wallet.remove_asset(ServiceAssetKey<ServiceT> { name });
    wallet.hand_back(asset, name)
}

/// A service that holds a grant keeps an asset in the wallet under its own names.
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

/// A service that holds a grant takes an asset of its own out of the wallet. Whether the sender may have it done is
/// for the service to check: `delegate::is_service_authorized`.
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

/// Brings in a coin that was sent to the wallet's `identity`. Anyone may.
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

/// A service puts a coin into the wallet. Without a grant that is a deposit like anyone's.
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

/// Hands `amount` to the owner's transaction.
public fun withdraw_coin<CoinT>(wallet: &mut Wallet, amount: u64, ctx: &mut TxContext): Coin<CoinT> {
    wallet.assert_owner_acts(ctx);
    wallet.debit<CoinT>(amount, option::none(), option::none(), ctx)
}

// === Reads ===

public fun id(wallet: &Wallet): ID {
    wallet.id.to_inner()
}

/// Of the code that may change the wallet. Its owner takes out what is in it at any version.
public fun version(wallet: &Wallet): u64 {
    wallet.version
}

public fun owner(wallet: &Wallet): address {
    wallet.owner
}

/// The address that stands for the wallet: its object's own. Coins sent there wait for `sweep_legacy_coin`.
public fun identity(wallet: &Wallet): address {
    wallet.id.to_address()
}

public fun uid(wallet: &Wallet): &UID {
    &wallet.id
}

public fun is_paused(wallet: &Wallet): bool {
    wallet.paused
}

/// Who may accept the ownership.
public fun offered_to(wallet: &Wallet): Option<address> {
    wallet.offered_to
}

/// What the wallet holds of the coin.
public fun balance<CoinT>(wallet: &Wallet): u64 {
    let key = BalanceKey<CoinT>();
    if (!field::exists_with_type<_, Balance<CoinT>>(&wallet.id, key)) return 0;
    field::borrow<_, Balance<CoinT>>(&wallet.id, key).value()
}

/// Whether the service holds a grant for the coin, even one that has run down.
public fun is_authorized<ServiceT, CoinT>(wallet: &Wallet): bool {
    let service = type_name::with_defining_ids<ServiceT>();
    let coin = type_name::with_defining_ids<CoinT>();
    wallet.grants.contains(service) && wallet.grants[service].contains(&coin)
}

/// What the service may still take of the coin, u64::MAX for no bound; zero without a grant.
public fun granted<ServiceT, CoinT>(wallet: &Wallet): u64 {
    if (!wallet.is_authorized<ServiceT, CoinT>()) return 0;
    let coin = type_name::with_defining_ids<CoinT>();
    wallet.grants[type_name::with_defining_ids<ServiceT>()][&coin].allowance
}

/// What the service may still pull of the coin on its own, u64::MAX for no bound but the grant.
public fun pull_cap<ServiceT, CoinT>(wallet: &Wallet): u64 {
    if (!wallet.is_authorized<ServiceT, CoinT>()) return 0;
    let coin = type_name::with_defining_ids<CoinT>();
    wallet.grants[type_name::with_defining_ids<ServiceT>()][&coin].pull
}

/// The sender is the owner, and no action is open: within one, whatever runs in the owner's transaction does not
/// have the owner's word. For all who would let the owner do more than anyone.
public fun assert_owner_acts(wallet: &Wallet, ctx: &TxContext) {
    assert!(ctx.sender() == wallet.owner, ENotYourWallet);
    lock::assert_none(&wallet.id)
}

// === For the package ===

/// The owner grants, or changes how the wallet works.
public(package) fun assert_owner(wallet: &Wallet, ctx: &TxContext) {
    wallet.assert_owner_acts(ctx);
    wallet.assert_version()
}

public(package) fun assert_version(wallet: &Wallet) {
    assert!(wallet.version == VERSION, EWrongVersion)
}

/// The service holds a grant, and no action of another is open.
public(package) fun assert_knows<ServiceT>(wallet: &Wallet) {
    wallet.assert_version();
    lock::assert_lets<ServiceT>(&wallet.id);
    let service = type_name::with_defining_ids<ServiceT>();
    assert!(wallet.grants.contains(service), EAuthServiceNotFound)
}

/// The same, and the wallet is not paused.
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

/// Takes `amount` out for a service, off its grant.
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

/// The same on the service's own account: off its pull cap too. Not within an action, which someone signs.
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

/// Takes `amount` out for a confirmed policy spend.
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
    // Only a granted service is named: what others send is no use of them by the wallet.
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
    // The one character that no database keeps in a text.
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
