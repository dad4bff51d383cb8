/// The rules under which others who are not delegates spend from a wallet. A spend is a request that two kinds
/// of rules stamp: an auth rule says who requests it, a caveat that a condition holds. The spend succeeds if a
/// trusted auth rule has stamped it, and every caveat that applies to this rule: those of the wallet and the
/// rule's own. An auth rule to which no caveat applies authorizes nothing.
module wallet::policy;

use std::type_name::{Self, TypeName};
use sui::coin::Coin;
use sui::dynamic_field as field;
use sui::event;
use sui::table::{Self, Table};
use sui::vec_map::{Self, VecMap};
use sui::vec_set::{Self, VecSet};
use wallet::type_names;
use wallet::wallet::Wallet;

/// The wallet has no policy yet: `initialize` it.
const ENotInitialized: u64 = 1;
/// The wallet has a policy already.
const EAlreadyInitialized: u64 = 2;
/// No trusted auth rule stamped the request.
const EAuthNotProven: u64 = 3;
/// A caveat that applies has not stamped the request.
const EMissingCaveat: u64 = 4;
/// The policy was revoked after the request was made.
const EStaleVersion: u64 = 5;
/// The request belongs to another wallet.
const EWrongWallet: u64 = 6;
/// The request is for another coin.
const EWrongCoin: u64 = 7;
/// No caveat applies to the auth rule that stamped the request.
const ENoCaveats: u64 = 8;
/// The requested amount is zero.
const EZeroAmount: u64 = 9;
/// The owner does not allow spends into the transaction.
const ESpendIntoNotAllowed: u64 = 10;
/// The rule does not belong to the policy.
const ERuleNotFound: u64 = 11;
/// A cap that stamped the request, or one of its ancestors, was revoked.
const ECapRevoked: u64 = 12;
/// Another cap stamped the request for the same auth rule.
const EAlreadyProven: u64 = 13;

const FIRST_VERSION: u64 = 1;

/// The dynamic field of the wallet that stores its policy.
const POLICY_KEY: vector<u8> = b"delegation_policy";

public struct DelegationPolicy has store {
    /// Caps and requests of another version are invalid.
    version: u64,
    /// The trusted auth rules, each with its own caveats.
    auth_rules: VecMap<TypeName, VecSet<TypeName>>,
    /// The caveats for all auth rules.
    caveat_rules: VecSet<TypeName>,
    /// Auth rules that were trusted and were removed.
    former_auth_rules: VecSet<TypeName>,
    /// For each rule, its one object for this wallet.
    rule_objects: VecMap<TypeName, ID>,
    spend_into: bool,
    revoked_caps: Table<ID, bool>,
    /// Budget that burned caps returned to their parents.
    refunds: Table<ID, u64>,
}

/// A spend in progress. It lives within one transaction and ends in a confirmation or not at all.
public struct SpendRequest {
    wallet_id: ID,
    coin: TypeName,
    amount: u64,
    recipient: address,
    policy_version: u64,
    /// The auth rules that stamped it, each with its cap and the ancestors of the cap.
    auth_receipts: VecMap<TypeName, vector<ID>>,
    caveat_receipts: VecSet<TypeName>,
    rule_objects: VecMap<TypeName, ID>,
}

// Readers ignore unknown fields at the end, so new fields are only appended.

public struct PolicyInitialized has copy, drop {
    wallet_id: ID,
    version: u64,
}

public struct AuthRuleChanged has copy, drop {
    wallet_id: ID,
    rule: TypeName,
    added: bool,
}

public struct CaveatRuleChanged has copy, drop {
    wallet_id: ID,
    rule: TypeName,
    added: bool,
    /// The auth rule to which it applies; none: all of them.
    auth: Option<TypeName>,
}

public struct PolicyRevoked has copy, drop {
    wallet_id: ID,
    new_version: u64,
}

public struct SpendIntoChanged has copy, drop {
    wallet_id: ID,
    allowed: bool,
}

public struct SpendConfirmed has copy, drop {
    wallet_id: ID,
    coin: TypeName,
    amount: u64,
    /// The recipient; with `into` only the one that the request named.
    recipient: address,
    policy_version: u64,
    sender: address,
    /// The auth rule that authorized it, and its cap if there was one.
    auth: TypeName,
    cap_id: Option<ID>,
    /// The coin was returned to the transaction.
    into: bool,
}

// === The owner's side ===

/// Gives the wallet a policy. It authorizes nothing until it has rules.
public fun initialize(wallet: &mut Wallet, ctx: &mut TxContext) {
    wallet.assert_owner(ctx);
    assert!(!is_initialized(wallet), EAlreadyInitialized);
    let policy = DelegationPolicy {
        version: FIRST_VERSION,
        auth_rules: vec_map::empty(),
        caveat_rules: vec_set::empty(),
        former_auth_rules: vec_set::empty(),
        rule_objects: vec_map::empty(),
        spend_into: false,
        revoked_caps: table::new(ctx),
        refunds: table::new(ctx),
    };
    field::add(wallet.uid_mut(), POLICY_KEY, policy);
    event::emit(PolicyInitialized { wallet_id: wallet.id(), version: FIRST_VERSION })
}

/// Trusts `RuleT` to say who may spend. If the rule was trusted before, the policy gets a new version, so that
/// the rule's old caps stay invalid.
public fun add_auth_rule<RuleT>(wallet: &mut Wallet, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    let rule = type_names::witness<RuleT>();
    let policy = policy_mut(wallet);
    if (policy.auth_rules.contains(&rule)) return;
    policy.auth_rules.insert(rule, vec_set::empty());
    let former = policy.former_auth_rules.contains(&rule);
    if (former) policy.former_auth_rules.remove(&rule);
    event::emit(AuthRuleChanged { wallet_id: wallet.id(), rule, added: true });
    if (former) revoke_all(wallet, ctx)
}

/// Stops trusting `RuleT`, and removes its own caveats.
public fun remove_auth_rule<RuleT>(wallet: &mut Wallet, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    let rule = type_name::with_defining_ids<RuleT>();
    let policy = policy_mut(wallet);
    if (!policy.auth_rules.contains(&rule)) return;
    let (_, caveats) = policy.auth_rules.remove(&rule);
    policy.former_auth_rules.insert(rule);
    let wallet_id = wallet.id();
    caveats.into_keys().do!(|caveat| {
        let auth = option::some(rule);
        event::emit(CaveatRuleChanged { wallet_id, rule: caveat, added: false, auth })
    });
    event::emit(AuthRuleChanged { wallet_id, rule, added: false })
}

/// Requires `RuleT` for every spend.
public fun add_caveat_rule<RuleT>(wallet: &mut Wallet, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    change_caveat(wallet, type_names::witness<RuleT>(), true, option::none())
}

public fun remove_caveat_rule<RuleT>(wallet: &mut Wallet, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    change_caveat(wallet, type_name::with_defining_ids<RuleT>(), false, option::none())
}

/// Requires `RuleT` for spends that the auth rule `AuthT` authorizes.
public fun add_caveat_rule_for<AuthT, RuleT>(wallet: &mut Wallet, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    let auth = option::some(type_name::with_defining_ids<AuthT>());
    change_caveat(wallet, type_names::witness<RuleT>(), true, auth)
}

public fun remove_caveat_rule_for<AuthT, RuleT>(wallet: &mut Wallet, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    let auth = option::some(type_name::with_defining_ids<AuthT>());
    change_caveat(wallet, type_name::with_defining_ids<RuleT>(), false, auth)
}

/// Invalidates every cap and every request of the wallet.
public fun revoke_all(wallet: &mut Wallet, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    let policy = policy_mut(wallet);
    policy.version = policy.version + 1;
    let new_version = policy.version;
    event::emit(PolicyRevoked { wallet_id: wallet.id(), new_version })
}

/// Allows or forbids `confirm_spend_into`. There, caveats about the recipient have no effect.
public fun set_spend_into(wallet: &mut Wallet, allowed: bool, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    let policy = policy_mut(wallet);
    if (policy.spend_into == allowed) return;
    policy.spend_into = allowed;
    event::emit(SpendIntoChanged { wallet_id: wallet.id(), allowed })
}

/// For the module of a rule, on the owner's behalf: sets the rule's one object for this wallet.
public fun set_rule_object<RuleT: drop>(
    _witness: RuleT,
    wallet: &mut Wallet,
    id: Option<ID>,
    ctx: &TxContext,
) {
    wallet.assert_owner(ctx);
    let rule = type_name::with_defining_ids<RuleT>();
    let objects = &mut policy_mut(wallet).rule_objects;
    if (objects.contains(&rule)) {
        objects.remove(&rule);
    };
    id.do!(|id| objects.insert(type_names::witness<RuleT>(), id))
}

// === A spend ===

/// Requests a payment of `amount` to `recipient`. Anyone may request.
public fun begin_spend<CoinT>(wallet: &Wallet, amount: u64, recipient: address): SpendRequest {
    assert!(amount > 0, EZeroAmount);
    let policy = policy(wallet);
    SpendRequest {
        wallet_id: wallet.id(),
        coin: type_name::with_defining_ids<CoinT>(),
        amount,
        recipient,
        policy_version: policy.version,
        auth_receipts: vec_map::empty(),
        caveat_receipts: vec_set::empty(),
        rule_objects: policy.rule_objects,
    }
}

/// For the module of an auth rule: the requester may spend.
public fun add_auth_receipt<RuleT: drop>(_witness: RuleT, request: &mut SpendRequest) {
    let rule = type_name::with_defining_ids<RuleT>();
    if (!request.auth_receipts.contains(&rule)) request.auth_receipts.insert(rule, vector[])
}

/// For the module of a caveat: its condition holds.
public fun add_caveat_receipt<RuleT: drop>(_witness: RuleT, request: &mut SpendRequest) {
    let rule = type_name::with_defining_ids<RuleT>();
    if (!request.caveat_receipts.contains(&rule)) request.caveat_receipts.insert(rule)
}

/// Pays the recipient of the request.
public fun confirm_spend<CoinT>(wallet: &mut Wallet, request: SpendRequest, ctx: &mut TxContext) {
    let (coin, recipient) = confirm<CoinT>(wallet, request, false, ctx);
    transfer::public_transfer(coin, recipient)
}

/// Returns the coin to the transaction. Nothing then enforces the recipient. Needs the owner's
/// `set_spend_into`.
public fun confirm_spend_into<CoinT>(
    wallet: &mut Wallet,
    request: SpendRequest,
    ctx: &mut TxContext,
): Coin<CoinT> {
    assert!(is_spend_into_allowed(wallet), ESpendIntoNotAllowed);
    let (coin, _) = confirm<CoinT>(wallet, request, true, ctx);
    coin
}

// === Reads of a request ===

public fun spend_wallet_id(request: &SpendRequest): ID {
    request.wallet_id
}

public fun spend_coin(request: &SpendRequest): TypeName {
    request.coin
}

public fun spend_amount(request: &SpendRequest): u64 {
    request.amount
}

public fun spend_recipient(request: &SpendRequest): address {
    request.recipient
}

public fun spend_policy_version(request: &SpendRequest): u64 {
    request.policy_version
}

/// The one object of `RuleT` for the wallet when the request was made.
public fun spend_rule_object<RuleT>(request: &SpendRequest): Option<ID> {
    request.rule_objects.try_get(&type_name::with_defining_ids<RuleT>())
}

public fun has_auth_receipt<RuleT>(request: &SpendRequest): bool {
    request.auth_receipts.contains(&type_name::with_defining_ids<RuleT>())
}

public fun has_caveat_receipt<RuleT>(request: &SpendRequest): bool {
    request.caveat_receipts.contains(&type_name::with_defining_ids<RuleT>())
}

// === Reads of a policy ===

public fun is_initialized(wallet: &Wallet): bool {
    field::exists_with_type<_, DelegationPolicy>(wallet.uid(), POLICY_KEY)
}

public fun version(wallet: &Wallet): u64 {
    policy(wallet).version
}

public fun has_auth_rule<RuleT>(wallet: &Wallet): bool {
    policy(wallet).auth_rules.contains(&type_name::with_defining_ids<RuleT>())
}

/// Whether `RuleT` is required for every spend.
public fun has_caveat_rule<RuleT>(wallet: &Wallet): bool {
    policy(wallet).caveat_rules.contains(&type_name::with_defining_ids<RuleT>())
}

/// Whether `RuleT` is one of the auth rule's own caveats.
public fun has_caveat_rule_for<AuthT, RuleT>(wallet: &Wallet): bool {
    has_auth_rule<AuthT>(wallet) &&
        policy(wallet)
            .auth_rules[&type_name::with_defining_ids<AuthT>()]
            .contains(&type_name::with_defining_ids<RuleT>())
}

public fun auth_rule_count(wallet: &Wallet): u64 {
    policy(wallet).auth_rules.length()
}

/// The number of caveats that are required for every spend.
public fun caveat_rule_count(wallet: &Wallet): u64 {
    policy(wallet).caveat_rules.length()
}

public fun is_spend_into_allowed(wallet: &Wallet): bool {
    policy(wallet).spend_into
}

/// The one object of `RuleT` for the wallet.
public fun rule_object<RuleT>(wallet: &Wallet): Option<ID> {
    policy(wallet).rule_objects.try_get(&type_name::with_defining_ids<RuleT>())
}

/// Whether the owner revoked this cap by its id.
public fun is_cap_revoked(wallet: &Wallet, cap_id: ID): bool {
    policy(wallet).revoked_caps.contains(cap_id)
}

// === For the caps of this package ===

/// Stamps the request by a cap: `lineage` is its id, then its ancestors'. One cap for each auth rule, so that
/// the confirmation can name the cap.
public(package) fun add_cap_receipt<RuleT: drop>(
    _witness: RuleT,
    request: &mut SpendRequest,
    lineage: vector<ID>,
) {
    let rule = type_name::with_defining_ids<RuleT>();
    assert!(!request.auth_receipts.contains(&rule), EAlreadyProven);
    request.auth_receipts.insert(rule, lineage)
}

/// Revokes one cap forever. Returns false if it was revoked before.
public(package) fun revoke_cap(wallet: &mut Wallet, cap_id: ID, ctx: &TxContext): bool {
    wallet.assert_owner(ctx);
    let revoked = &mut policy_mut(wallet).revoked_caps;
    let new = !revoked.contains(cap_id);
    if (new) revoked.add(cap_id, true);
    new
}

/// Adds budget that a cap can collect.
public(package) fun add_refund(wallet: &mut Wallet, cap_id: ID, amount: u64) {
    let amount = amount + take_refund(wallet, cap_id);
    if (amount > 0) policy_mut(wallet).refunds.add(cap_id, amount)
}

/// The budget that the cap can collect, which may be zero.
public(package) fun take_refund(wallet: &mut Wallet, cap_id: ID): u64 {
    let refunds = &mut policy_mut(wallet).refunds;
    if (refunds.contains(cap_id)) refunds.remove(cap_id) else 0
}

// === Inside ===

fun policy(wallet: &Wallet): &DelegationPolicy {
    assert!(is_initialized(wallet), ENotInitialized);
    field::borrow(wallet.uid(), POLICY_KEY)
}

fun policy_mut(wallet: &mut Wallet): &mut DelegationPolicy {
    assert!(is_initialized(wallet), ENotInitialized);
    field::borrow_mut(wallet.uid_mut(), POLICY_KEY)
}

fun change_caveat(wallet: &mut Wallet, rule: TypeName, added: bool, auth: Option<TypeName>) {
    let wallet_id = wallet.id();
    let policy = policy_mut(wallet);
    let caveats = if (auth.is_some()) {
        assert!(policy.auth_rules.contains(auth.borrow()), ERuleNotFound);
        &mut policy.auth_rules[auth.borrow()]
    } else {
        &mut policy.caveat_rules
    };
    if (caveats.contains(&rule) == added) return;
    if (added) caveats.insert(rule) else caveats.remove(&rule);
    event::emit(CaveatRuleChanged { wallet_id, rule, added, auth })
}

fun confirm<CoinT>(
    wallet: &mut Wallet,
    request: SpendRequest,
    into: bool,
    ctx: &mut TxContext,
): (Coin<CoinT>, address) {
    let policy = policy(wallet);
    assert!(request.wallet_id == wallet.id(), EWrongWallet);
    assert!(request.coin == type_name::with_defining_ids<CoinT>(), EWrongCoin);
    assert!(request.policy_version == policy.version, EStaleVersion);
    let auth = policy.opening_rule(&request);
    // Checks all stamps: a cap's caveat may apply to another auth rule than its own.
    request.auth_receipts.keys().do!(|rule| {
        let revoked = request.auth_receipts[&rule].any!(|cap_id| policy.revoked_caps.contains(*cap_id));
        assert!(!revoked, ECapRevoked)
    });
    let lineage = request.auth_receipts[&auth];

    let SpendRequest { wallet_id, coin, amount, recipient, policy_version, .. } = request;
    event::emit(SpendConfirmed {
        wallet_id,
        coin,
        amount,
        recipient,
        policy_version,
        sender: ctx.sender(),
        auth,
        cap_id: if (lineage.is_empty()) option::none() else option::some(lineage[0]),
        into,
    });
    (wallet.pay_by_policy(amount, ctx), recipient)
}

/// The first trusted auth rule among the stamps to which a caveat applies and whose caveats are all stamped.
fun opening_rule(policy: &DelegationPolicy, request: &SpendRequest): TypeName {
    let proven = request.auth_receipts.keys().filter!(|rule| policy.auth_rules.contains(rule));
    assert!(!proven.is_empty(), EAuthNotProven);
    let bounded = proven.filter!(|rule| policy.caveats_of(rule).length() > 0);
    assert!(!bounded.is_empty(), ENoCaveats);
    let open = bounded.find_index!(
        |rule| policy.caveats_of(rule).all!(|caveat| request.caveat_receipts.contains(caveat)),
    );
    assert!(open.is_some(), EMissingCaveat);
    bounded[open.destroy_some()]
}

/// The caveats that apply to an auth rule.
fun caveats_of(policy: &DelegationPolicy, auth: &TypeName): vector<TypeName> {
    let mut caveats = *policy.caveat_rules.keys();
    caveats.append(*policy.auth_rules[auth].keys());
    caveats
}
