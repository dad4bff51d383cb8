/// What must be done before an object that was bought in a kiosk is the buyer's, as the type's publisher says.
module sui::transfer_policy;

use std::type_name::{Self, TypeName};
use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::dynamic_field as field;
use sui::event;
use sui::package::Publisher;
use sui::sui::SUI;
use sui::vec_set::{Self, VecSet};

/// There are not as many receipts as rules.
const EPolicyNotSatisfied: u64 = 0;
/// The receipt is of a rule that the policy does not have.
const EIllegalRule: u64 = 1;
/// The policy does not have the rule.
const EUnknownRequrement: u64 = 2;
const ERuleAlreadySet: u64 = 3;
/// The cap belongs to another policy.
const ENotOwner: u64 = 4;
/// The policy holds less than is taken from it.
const ENotEnough: u64 = 5;

/// Only `confirm_request` ends it.
public struct TransferRequest<phantom T> {
    item: ID,
    paid: u64,
    from: ID,
    receipts: VecSet<TypeName>,
}

public struct TransferPolicy<phantom T> has key, store {
    id: UID,
    balance: Balance<SUI>,
    rules: VecSet<TypeName>,
}

public struct TransferPolicyCap<phantom T> has key, store {
    id: UID,
    policy_id: ID,
}

public struct TransferPolicyCreated<phantom T> has copy, drop {
    id: ID,
}

public struct TransferPolicyDestroyed<phantom T> has copy, drop {
    id: ID,
}

/// The name of a rule's settings.
public struct RuleKey<phantom T: drop> has copy, drop, store {}

public fun new_request<T>(item: ID, paid: u64, from: ID): TransferRequest<T> {
    TransferRequest { item, paid, from, receipts: vec_set::empty() }
}

public fun new<T>(pub: &Publisher, ctx: &mut TxContext): (TransferPolicy<T>, TransferPolicyCap<T>) {
    assert!(pub.from_package<T>(), 0);
    let (policy, cap) = make<T>(ctx);
    event::emit(TransferPolicyCreated<T> { id: cap.policy_id });
    (policy, cap)
}

#[allow(lint(self_transfer, share_owned), unused_function)]
entry fun default<T>(pub: &Publisher, ctx: &mut TxContext) {
    let (policy, cap) = new<T>(pub, ctx);
    transfer::share_object(policy);
    transfer::transfer(cap, ctx.sender())
}

public fun withdraw<T>(
    self: &mut TransferPolicy<T>,
    cap: &TransferPolicyCap<T>,
    amount: Option<u64>,
    ctx: &mut TxContext,
): Coin<SUI> {
    self.check(cap);
    let held = self.balance.value();
    let amount = amount.destroy_with_default(held);
    assert!(amount <= held, ENotEnough);
    self.balance.split(amount).into_coin(ctx)
}

public fun destroy_and_withdraw<T>(
    self: TransferPolicy<T>,
    cap: TransferPolicyCap<T>,
    ctx: &mut TxContext,
): Coin<SUI> {
    self.check(&cap);
    let TransferPolicy { id, balance, rules: _ } = self;
    let TransferPolicyCap { id: cap_id, policy_id } = cap;
    id.delete();
    cap_id.delete();
    event::emit(TransferPolicyDestroyed<T> { id: policy_id });
    balance.into_coin(ctx)
}

/// The item, what was paid for it, and where it came from.
public fun confirm_request<T>(self: &TransferPolicy<T>, request: TransferRequest<T>): (ID, u64, ID) {
    let TransferRequest { item, paid, from, receipts } = request;
    assert!(receipts.length() == self.rules.length(), EPolicyNotSatisfied);
    receipts.into_keys().destroy!(|rule| assert!(self.rules.contains(&rule), EIllegalRule));
    (item, paid, from)
}

public fun add_rule<T, Rule: drop, Config: store + drop>(
    _: Rule,
    policy: &mut TransferPolicy<T>,
    cap: &TransferPolicyCap<T>,
    cfg: Config,
) {
    policy.check(cap);
    assert!(!has_rule<T, Rule>(policy), ERuleAlreadySet);
    policy.rules.insert(type_name::with_defining_ids<Rule>());
    field::add(&mut policy.id, RuleKey<Rule> {}, cfg)
}

public fun get_rule<T, Rule: drop, Config: store + drop>(_: Rule, policy: &TransferPolicy<T>): &Config {
    field::borrow(&policy.id, RuleKey<Rule> {})
}

public fun add_to_balance<T, Rule: drop>(_: Rule, policy: &mut TransferPolicy<T>, coin: Coin<SUI>) {
    assert!(has_rule<T, Rule>(policy), EUnknownRequrement);
    policy.balance.join(coin.into_balance());
}

public fun add_receipt<T, Rule: drop>(_: Rule, request: &mut TransferRequest<T>) {
    request.receipts.insert(type_name::with_defining_ids<Rule>())
}

public fun has_rule<T, Rule: drop>(policy: &TransferPolicy<T>): bool {
    field::exists(&policy.id, RuleKey<Rule> {})
}

public fun remove_rule<T, Rule: drop, Config: store + drop>(
    policy: &mut TransferPolicy<T>,
    cap: &TransferPolicyCap<T>,
) {
    policy.check(cap);
    let _: Config = field::remove(&mut policy.id, RuleKey<Rule> {});
    policy.rules.remove(&type_name::with_defining_ids<Rule>())
}

public fun uid<T>(self: &TransferPolicy<T>): &UID {
    &self.id
}

public fun uid_mut_as_owner<T>(self: &mut TransferPolicy<T>, cap: &TransferPolicyCap<T>): &mut UID {
    self.check(cap);
    &mut self.id
}

public fun rules<T>(self: &TransferPolicy<T>): &VecSet<TypeName> {
    &self.rules
}

public fun item<T>(self: &TransferRequest<T>): ID { self.item }

public fun paid<T>(self: &TransferRequest<T>): u64 { self.paid }

public fun from<T>(self: &TransferRequest<T>): ID { self.from }

fun make<T>(ctx: &mut TxContext): (TransferPolicy<T>, TransferPolicyCap<T>) {
    let id = object::new(ctx);
    let policy_id = id.to_inner();
    let policy = TransferPolicy { id, balance: balance::zero(), rules: vec_set::empty() };
    (policy, TransferPolicyCap { id: object::new(ctx), policy_id })
}

fun check<T>(self: &TransferPolicy<T>, cap: &TransferPolicyCap<T>) {
    assert!(object::id(self) == cap.policy_id, ENotOwner)
}

#[test_only]
public fun new_for_testing<T>(ctx: &mut TxContext): (TransferPolicy<T>, TransferPolicyCap<T>) {
    make<T>(ctx)
}
