/// The rules under which others spend from a wallet without being its delegates. A spend is a request that rules of
/// two kinds stamp: an auth rule says who asks, a caveat that a condition holds. It goes through when one trusted
/// auth rule stamped it and so did every caveat that counts for that rule: those of the wallet and the rule's own.
/// An auth rule for which no caveat counts opens nothing.
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
/// A caveat that counts did not stamp the request.
const EMissingCaveat: u64 = 4;
/// The policy was revoked since the request was made.
const EStaleVersion: u64 = 5;
/// The request is of another wallet.
const EWrongWallet: u64 = 6;
/// The request is for another coin.
const EWrongCoin: u64 = 7;
/// No caveat counts for the auth rule that stamped the request.
const ENoCaveats: u64 = 8;
/// A request for nothing.
const EZeroAmount: u64 = 9;
/// The owner allows no spend into the transaction.
const ESpendIntoNotAllowed: u64 = 10;
/// The rule is not one of the policy's.
const ERuleNotFound: u64 = 11;
/// A cap that stamped the request, or one that it descends from, was revoked.
const ECapRevoked: u64 = 12;
/// Another cap stamped the request for the same auth rule.
const EAlreadyProven: u64 = 13;

const FIRST_VERSION: u64 = 1;

/// The dynamic field of the wallet that holds its policy.
const POLICY_KEY: vector<u8> = b"delegation_policy";

public struct DelegationPolicy has store {
    /// Caps and requests of another version are void.
    version: u64,
    /// The trusted auth rules, each with its own caveats.
    auth_rules: VecMap<TypeName, VecSet<TypeName>>,
    /// The caveats of all auth rules.
    caveat_rules: VecSet<TypeName>,
    /// Auth rules that were trusted once and are not now.
    former_auth_rules: VecSet<TypeName>,
    /// The one object of each rule that counts for this wallet.
    rule_objects: VecMap<TypeName, ID>,
    spend_into: bool,
    revoked_caps: Table<ID, bool>,
    /// What burned caps gave back to the caps they came from.
    refunds: Table<ID, u64>,
}

/// A spend in the making. It lives within one transaction and ends in a confirmation or not at all.
public struct SpendRequest {
    wallet_id: ID,
    coin: TypeName,
    amount: u64,
    recipient: address,
    policy_version: u64,
    /// The auth rules that stamped it, each with the cap it went by and that cap's ancestors.
    auth_receipts: VecMap<TypeName, vector<ID>>,
    caveat_receipts: VecSet<TypeName>,
    rule_objects: VecMap<TypeName, ID>,
}

// Readers decode the fields they know and ignore what follows, so fields are only ever appended.

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
    /// The auth rule it counts for; none: for all of them.
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
    /// Who was paid; with `into` only who the request said would be.
    recipient: address,
    policy_version: u64,
    sender: address,
    /// The auth rule it went through by, and the cap if it went by one.
    auth: TypeName,
    cap_id: Option<ID>,
    /// The coin went to the rest of the transaction.
    into: bool,
}

// === The owner's side ===

/// Gives the wallet a policy, which opens nothing until it has rules.
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

/// Trusts `RuleT` to say who may spend. A rule that was trusted before comes back in a new version of the policy, so
/// that what it gave out before stays void.
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

/// Trusts `RuleT` no more, and drops the caveats of its own.
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

/// Demands `RuleT` of every spend.
public fun add_caveat_rule<RuleT>(wallet: &mut Wallet, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    change_caveat(wallet, type_names::witness<RuleT>(), true, option::none())
}

public fun remove_caveat_rule<RuleT>(wallet: &mut Wallet, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    change_caveat(wallet, type_name::with_defining_ids<RuleT>(), false, option::none())
}

/// Demands `RuleT` of the spends that go through by the auth rule `AuthT`.
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

/// Voids every cap and every request of the wallet.
public fun revoke_all(wallet: &mut Wallet, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    let policy = policy_mut(wallet);
    policy.version = policy.version + 1;
    let new_version = policy.version;
    event::emit(PolicyRevoked { wallet_id: wallet.id(), new_version })
}

/// Allows or forbids `confirm_spend_into`, in which no caveat about the recipient is worth anything.
public fun set_spend_into(wallet: &mut Wallet, allowed: bool, ctx: &TxContext) {
    wallet.assert_owner(ctx);
    let policy = policy_mut(wallet);
    if (policy.spend_into == allowed) return;
    policy.spend_into = allowed;
    event::emit(SpendIntoChanged { wallet_id: wallet.id(), allowed })
}

/// For the module of a rule, on the owner's behalf: the one object of the rule that counts for this wallet.
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

/// Asks for `amount` to be sent to `recipient`. Anyone may ask.
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

/// For the module of an auth rule: who asks may spend.
public fun add_auth_receipt<RuleT: drop>(_witness: RuleT, request: &mut SpendRequest) {
    let rule = type_name::with_defining_ids<RuleT>();
    if (!request.auth_receipts.contains(&rule)) request.auth_receipts.insert(rule, vector[])
}

/// For the module of a caveat: its condition holds.
public fun add_caveat_receipt<RuleT: drop>(_witness: RuleT, request: &mut SpendRequest) {
    let rule = type_name::with_defining_ids<RuleT>();
    if (!request.caveat_receipts.contains(&rule)) request.caveat_receipts.insert(rule)
}

/// Pays the request's recipient.
public fun confirm_spend<CoinT>(wallet: &mut Wallet, request: SpendRequest, ctx: &mut TxContext) {
    let (coin, recipient) = confirm<CoinT>(wallet, request, false, ctx);
    transfer::public_transfer(coin, recipient)
}

/// Hands the coin to the rest of the transaction: nothing then holds it to the recipient. Only with the owner's
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

/// The one object of `RuleT` that counted for the wallet when the request was made.
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

/// Whether `RuleT` is demanded of every spend.
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

/// How many caveats are demanded of every spend.
public fun caveat_rule_count(wallet: &Wallet): u64 {
    policy(wallet).caveat_rules.length()
}

public fun is_spend_into_allowed(wallet: &Wallet): bool {
    policy(wallet).spend_into
}

/// The one object of `RuleT` that counts for the wallet.
public fun rule_object<RuleT>(wallet: &Wallet): Option<ID> {
    policy(wallet).rule_objects.try_get(&type_name::with_defining_ids<RuleT>())
}

/// Whether the owner revoked this very cap.
public fun is_cap_revoked(wallet: &Wallet, cap_id: ID): bool {
    policy(wallet).revoked_caps.contains(cap_id)
}

// === For the caps of this package ===

/// Stamps the request by a cap: `lineage` is its id, then its ancestors'. One cap for each auth rule, so that the
/// confirmation names whose spend it is.
public(package) fun add_cap_receipt<RuleT: drop>(
    _witness: RuleT,
    request: &mut SpendRequest,
    lineage: vector<ID>,
) {
    let rule = type_name::with_defining_ids<RuleT>();
    assert!(!request.auth_receipts.contains(&rule), EAlreadyProven);
    request.auth_receipts.insert(rule, lineage)
}

/// Voids one cap for good. Answers whether it was not revoked before.
public(package) fun revoke_cap(wallet: &mut Wallet, cap_id: ID, ctx: &TxContext): bool {
    wallet.assert_owner(ctx);
    let revoked = &mut policy_mut(wallet).revoked_caps;
    let new = !revoked.contains(cap_id);
    if (new) revoked.add(cap_id, true);
    new
}

/// Leaves budget for a cap to take back.
public(package) fun add_refund(wallet: &mut Wallet, cap_id: ID, amount: u64) {
    let amount = amount + take_refund(wallet, cap_id);
    if (amount > 0) policy_mut(wallet).refunds.add(cap_id, amount)
}

/// All that waits for the cap, which may be nothing.
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
    // Of all stamps: a cap's caveat may count for another auth rule than its own.
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

/// The first trusted auth rule among the stamps for which some caveat counts and all that count are stamped too.
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

/// The caveats that count for an auth rule.
fun caveats_of(policy: &DelegationPolicy, auth: &TypeName): vector<TypeName> {
    let mut caveats = *policy.caveat_rules.keys();
    caveats.append(*policy.auth_rules[auth].keys());
    caveats
}
