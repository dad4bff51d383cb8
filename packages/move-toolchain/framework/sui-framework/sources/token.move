/// Coins in a closed loop: what their holders may do with them, a policy says.
module sui::token;

use std::string::String;
use std::type_name::{Self, TypeName};
use sui::balance::{Self, Balance};
use sui::coin::{Coin, TreasuryCap};
use sui::dynamic_field as field;
use sui::event;
use sui::vec_map::{Self, VecMap};
use sui::vec_set::{Self, VecSet};

/// The policy does not know the action.
const EUnknownAction: u64 = 0;
/// A rule of the action did not approve.
const ENotApproved: u64 = 1;
/// The cap is that of another policy.
const ENotAuthorized: u64 = 2;
/// The token is smaller than what is taken from it.
const EBalanceTooLow: u64 = 3;
/// Only an empty token can be destroyed.
const ENotZero: u64 = 4;
/// The request has a balance, which only `confirm_request_mut` and the treasury take.
const ECantConsumeBalance: u64 = 5;
/// The rule has no configuration of this type.
const ENoConfig: u64 = 6;
/// The request has no balance: `confirm_request` confirms it.
const EUseImmutableConfirm: u64 = 7;

const SPEND: vector<u8> = b"spend";
const TRANSFER: vector<u8> = b"transfer";
const TO_COIN: vector<u8> = b"to_coin";
const FROM_COIN: vector<u8> = b"from_coin";

/// Without `store`: it goes from hand to hand by `transfer` alone.
public struct Token<phantom T> has key {
    id: UID,
    balance: Balance<T>,
}

public struct TokenPolicyCap<phantom T> has key, store {
    id: UID,
    `for`: ID,
}

public struct TokenPolicy<phantom T> has key {
    id: UID,
    /// Was spent, and is in the supply until it is flushed.
    spent_balance: Balance<T>,
    /// The rules that must approve, for each allowed action.
    rules: VecMap<String, VecSet<TypeName>>,
}

/// What someone does with a token; only a confirmation ends it.
public struct ActionRequest<phantom T> {
    name: String,
    amount: u64,
    sender: address,
    recipient: Option<address>,
    spent_balance: Option<Balance<T>>,
    approvals: VecSet<TypeName>,
}

/// Names the configuration of a rule.
public struct RuleKey<phantom T> has copy, drop, store {
    is_protected: bool,
}

public struct TokenPolicyCreated<phantom T> has copy, drop {
    id: ID,
    is_mutable: bool,
}

public fun new_policy<T>(
    _: &TreasuryCap<T>,
    ctx: &mut TxContext,
): (TokenPolicy<T>, TokenPolicyCap<T>) {
    make_policy(ctx)
}

fun make_policy<T>(ctx: &mut TxContext): (TokenPolicy<T>, TokenPolicyCap<T>) {
    let policy = TokenPolicy {
        id: object::new(ctx),
        spent_balance: balance::zero(),
        rules: vec_map::empty(),
    };
    let cap = TokenPolicyCap { id: object::new(ctx), `for`: object::id(&policy) };
    (policy, cap)
}

#[allow(lint(share_owned))]
public fun share_policy<T>(policy: TokenPolicy<T>) {
    event::emit(TokenPolicyCreated<T> { id: object::id(&policy), is_mutable: true });
    transfer::share_object(policy)
}

// Actions that a policy decides on.

public fun transfer<T>(t: Token<T>, recipient: address, ctx: &mut TxContext): ActionRequest<T> {
    let amount = t.value();
    transfer::transfer(t, recipient);
    new_request(transfer_action(), amount, option::some(recipient), option::none(), ctx)
}

public fun spend<T>(t: Token<T>, ctx: &mut TxContext): ActionRequest<T> {
    let balance = t.into_balance();
    new_request(spend_action(), balance.value(), option::none(), option::some(balance), ctx)
}

public fun to_coin<T>(t: Token<T>, ctx: &mut TxContext): (Coin<T>, ActionRequest<T>) {
    let balance = t.into_balance();
    let amount = balance.value();
    let coin = balance.into_coin(ctx);
    (coin, new_request(to_coin_action(), amount, option::none(), option::none(), ctx))
}

public fun from_coin<T>(coin: Coin<T>, ctx: &mut TxContext): (Token<T>, ActionRequest<T>) {
    let amount = coin.value();
    let token = Token { id: object::new(ctx), balance: coin.into_balance() };
    (token, new_request(from_coin_action(), amount, option::none(), option::none(), ctx))
}

// What every holder may do.

public fun join<T>(token: &mut Token<T>, another: Token<T>) {
    token.balance.join(another.into_balance());
}

public fun split<T>(token: &mut Token<T>, amount: u64, ctx: &mut TxContext): Token<T> {
    assert!(token.value() >= amount, EBalanceTooLow);
    Token { id: object::new(ctx), balance: token.balance.split(amount) }
}

public fun zero<T>(ctx: &mut TxContext): Token<T> {
    Token { id: object::new(ctx), balance: balance::zero() }
}

public fun destroy_zero<T>(token: Token<T>) {
    assert!(token.value() == 0, ENotZero);
    token.into_balance().destroy_zero()
}

#[allow(lint(self_transfer))]
public fun keep<T>(token: Token<T>, ctx: &mut TxContext) {
    transfer::transfer(token, ctx.sender())
}

fun into_balance<T>(token: Token<T>): Balance<T> {
    let Token { id, balance } = token;
    id.delete();
    balance
}

// Requests. A confirmation answers name, amount, sender and recipient.

/// For the actions above, and for those that other modules define.
public fun new_request<T>(
    name: String,
    amount: u64,
    recipient: Option<address>,
    spent_balance: Option<Balance<T>>,
    ctx: &TxContext,
): ActionRequest<T> {
    let sender = ctx.sender();
    ActionRequest { name, amount, sender, recipient, spent_balance, approvals: vec_set::empty() }
}

public fun confirm_request<T>(
    policy: &TokenPolicy<T>,
    request: ActionRequest<T>,
    _ctx: &mut TxContext,
): (String, u64, address, Option<address>) {
    assert!(request.spent_balance.is_none(), ECantConsumeBalance);
    assert!(policy.is_allowed(&request.name), EUnknownAction);
    let rules = policy.rules.get(&request.name).keys();
    assert!(rules.all!(|rule| request.approvals.contains(rule)), ENotApproved);
    request.end()
}

public fun confirm_request_mut<T>(
    policy: &mut TokenPolicy<T>,
    mut request: ActionRequest<T>,
    ctx: &mut TxContext,
): (String, u64, address, Option<address>) {
    assert!(policy.is_allowed(&request.name), EUnknownAction);
    assert!(request.spent_balance.is_some(), EUseImmutableConfirm);
    policy.spent_balance.join(request.spent_balance.extract());
    policy.confirm_request(request, ctx)
}

public fun confirm_with_policy_cap<T>(
    _: &TokenPolicyCap<T>,
    request: ActionRequest<T>,
    _ctx: &mut TxContext,
): (String, u64, address, Option<address>) {
    assert!(request.spent_balance.is_none(), ECantConsumeBalance);
    request.end()
}

public fun confirm_with_treasury_cap<T>(
    treasury_cap: &mut TreasuryCap<T>,
    mut request: ActionRequest<T>,
    _ctx: &mut TxContext,
): (String, u64, address, Option<address>) {
    if (request.spent_balance.is_some()) {
        treasury_cap.supply_mut().decrease_supply(request.spent_balance.extract());
    };
    request.end()
}

/// Ends a request whose balance, if it had one, is taken.
fun end<T>(request: ActionRequest<T>): (String, u64, address, Option<address>) {
    let ActionRequest { name, amount, sender, recipient, spent_balance, approvals: _ } = request;
    spent_balance.destroy_none();
    (name, amount, sender, recipient)
}

// Rules.

public fun add_approval<T, W: drop>(_: W, request: &mut ActionRequest<T>, _ctx: &mut TxContext) {
    request.approvals.insert(type_name::with_defining_ids<W>())
}

public fun add_rule_config<T, Rule: drop, Config: store>(
    _: Rule,
    self: &mut TokenPolicy<T>,
    cap: &TokenPolicyCap<T>,
    config: Config,
    _ctx: &mut TxContext,
) {
    self.check_cap(cap);
    field::add(&mut self.id, rule_key<Rule>(), config)
}

public fun rule_config<T, Rule: drop, Config: store>(_: Rule, self: &TokenPolicy<T>): &Config {
    assert!(self.has_rule_config_with_type<T, Rule, Config>(), ENoConfig);
    field::borrow(&self.id, rule_key<Rule>())
}

public fun rule_config_mut<T, Rule: drop, Config: store>(
    _: Rule,
    self: &mut TokenPolicy<T>,
    cap: &TokenPolicyCap<T>,
): &mut Config {
    assert!(self.has_rule_config_with_type<T, Rule, Config>(), ENoConfig);
    self.check_cap(cap);
    field::borrow_mut(&mut self.id, rule_key<Rule>())
}

public fun remove_rule_config<T, Rule, Config: store>(
    self: &mut TokenPolicy<T>,
    cap: &TokenPolicyCap<T>,
    _ctx: &mut TxContext,
): Config {
    assert!(self.has_rule_config_with_type<T, Rule, Config>(), ENoConfig);
    self.check_cap(cap);
    field::remove(&mut self.id, rule_key<Rule>())
}

public fun has_rule_config<T, Rule>(self: &TokenPolicy<T>): bool {
    field::exists(&self.id, rule_key<Rule>())
}

public fun has_rule_config_with_type<T, Rule, Config: store>(self: &TokenPolicy<T>): bool {
    field::exists_with_type<RuleKey<Rule>, Config>(&self.id, rule_key<Rule>())
}

fun rule_key<Rule>(): RuleKey<Rule> {
    RuleKey { is_protected: true }
}

fun check_cap<T>(self: &TokenPolicy<T>, cap: &TokenPolicyCap<T>) {
    assert!(object::id(self) == cap.`for`, ENotAuthorized)
}

public fun allow<T>(
    self: &mut TokenPolicy<T>,
    cap: &TokenPolicyCap<T>,
    action: String,
    _ctx: &mut TxContext,
) {
    self.check_cap(cap);
    self.rules.insert(action, vec_set::empty())
}

public fun disallow<T>(
    self: &mut TokenPolicy<T>,
    cap: &TokenPolicyCap<T>,
    action: String,
    _ctx: &mut TxContext,
) {
    self.check_cap(cap);
    self.rules.remove(&action);
}

public fun add_rule_for_action<T, Rule: drop>(
    self: &mut TokenPolicy<T>,
    cap: &TokenPolicyCap<T>,
    action: String,
    ctx: &mut TxContext,
) {
    self.check_cap(cap);
    if (!self.is_allowed(&action)) self.allow(cap, action, ctx);
    self.rules.get_mut(&action).insert(type_name::with_defining_ids<Rule>())
}

public fun remove_rule_for_action<T, Rule: drop>(
    self: &mut TokenPolicy<T>,
    cap: &TokenPolicyCap<T>,
    action: String,
    _ctx: &mut TxContext,
) {
    self.check_cap(cap);
    self.rules.get_mut(&action).remove(&type_name::with_defining_ids<Rule>())
}

// The treasury.

public fun mint<T>(cap: &mut TreasuryCap<T>, amount: u64, ctx: &mut TxContext): Token<T> {
    let balance = cap.supply_mut().increase_supply(amount);
    Token { id: object::new(ctx), balance }
}

public fun burn<T>(cap: &mut TreasuryCap<T>, token: Token<T>) {
    cap.supply_mut().decrease_supply(token.into_balance());
}

/// Takes what was spent out of the supply, and answers how much that was.
public fun flush<T>(self: &mut TokenPolicy<T>, cap: &mut TreasuryCap<T>, _ctx: &mut TxContext): u64 {
    cap.supply_mut().decrease_supply(self.spent_balance.withdraw_all())
}

public fun is_allowed<T>(self: &TokenPolicy<T>, action: &String): bool {
    self.rules.contains(action)
}

public fun rules<T>(self: &TokenPolicy<T>, action: &String): VecSet<TypeName> {
    *self.rules.get(action)
}

public fun spent_balance<T>(self: &TokenPolicy<T>): u64 {
    self.spent_balance.value()
}

public fun value<T>(t: &Token<T>): u64 {
    t.balance.value()
}

public fun transfer_action(): String {
    TRANSFER.to_string()
}

public fun spend_action(): String {
    SPEND.to_string()
}

public fun to_coin_action(): String {
    TO_COIN.to_string()
}

public fun from_coin_action(): String {
    FROM_COIN.to_string()
}

public fun action<T>(self: &ActionRequest<T>): String {
    self.name
}

public fun amount<T>(self: &ActionRequest<T>): u64 {
    self.amount
}

public fun sender<T>(self: &ActionRequest<T>): address {
    self.sender
}

public fun recipient<T>(self: &ActionRequest<T>): Option<address> {
    self.recipient
}

public fun approvals<T>(self: &ActionRequest<T>): VecSet<TypeName> {
    self.approvals
}

public fun spent<T>(self: &ActionRequest<T>): Option<u64> {
    if (self.spent_balance.is_none()) return option::none();
    option::some(self.spent_balance.borrow().value())
}

#[test_only]
public fun new_policy_for_testing<T>(ctx: &mut TxContext): (TokenPolicy<T>, TokenPolicyCap<T>) {
    make_policy(ctx)
}

#[test_only]
public fun burn_policy_for_testing<T>(policy: TokenPolicy<T>, cap: TokenPolicyCap<T>) {
    let TokenPolicy { id, rules: _, spent_balance } = policy;
    spent_balance.destroy_for_testing();
    id.delete();
    let TokenPolicyCap { id, `for`: _ } = cap;
    id.delete()
}

#[test_only]
public fun mint_for_testing<T>(amount: u64, ctx: &mut TxContext): Token<T> {
    Token { id: object::new(ctx), balance: balance::create_for_testing(amount) }
}

#[test_only]
public fun burn_for_testing<T>(token: Token<T>) {
    token.into_balance().destroy_for_testing();
}
