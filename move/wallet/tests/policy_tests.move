#[test_only]
module wallet::policy_tests;

use std::type_name;
use std::unit_test::assert_eq;
use sui::bcs::to_bytes;
use sui::coin::Coin;
use sui::test_scenario::Scenario;
use wallet::fixtures::{
    Self,
    another_wallet,
    assert_event,
    assert_events,
    begin,
    burn,
    end,
    EUR,
    Gate,
    Hours,
    Limit,
    name,
    none,
    owner,
    Pair,
    shop_address,
    some_name,
    stranger,
    USD,
};
use wallet::policy::{
    Self,
    AuthRuleChanged,
    CaveatRuleChanged,
    PolicyInitialized,
    PolicyRevoked,
    SpendConfirmed,
    SpendIntoChanged,
    SpendRequest,
};
use wallet::type_names;
use wallet::wallet::{Self, CoinWithdrawn, PolicySpend, Wallet};

/// A second auth rule.
public struct Door() has drop;

fun begin_with_policy(): (Scenario, Wallet) {
    let (mut test, mut wallet) = begin();
    policy::initialize(&mut wallet, test.ctx());
    (test, wallet)
}

/// The gate is trusted, and hours demanded of every spend; a stranger sends the next transaction.
fun begin_with_rules(): (Scenario, Wallet) {
    let (mut test, mut wallet) = begin_with_policy();
    policy::add_auth_rule<Gate>(&mut wallet, test.ctx());
    policy::add_caveat_rule<Hours>(&mut wallet, test.ctx());
    test.next_tx(stranger!());
    (test, wallet)
}

/// A request for 10 USD to the shop that the gate stamped.
fun request_of_gate(wallet: &Wallet): SpendRequest {
    let mut request = policy::begin_spend<USD>(wallet, 10, shop_address!());
    policy::add_auth_receipt(fixtures::gate(), &mut request);
    request
}

/// One that has all stamps that `begin_with_rules` demands.
fun good_request(wallet: &Wallet): SpendRequest {
    let mut request = request_of_gate(wallet);
    policy::add_caveat_receipt(fixtures::hours(), &mut request);
    request
}

// === The owner's side ===

#[test]
fun a_policy_starts_at_version_one_and_empty() {
    let (mut test, mut wallet) = begin();
    assert!(!policy::is_initialized(&wallet));
    policy::initialize(&mut wallet, test.ctx());
    assert_event<PolicyInitialized>(vector[to_bytes(&wallet.id()), to_bytes(&1u64)]);
    assert!(policy::is_initialized(&wallet));
    assert_eq!(policy::version(&wallet), 1);
    assert_eq!(policy::auth_rule_count(&wallet), 0);
    assert_eq!(policy::caveat_rule_count(&wallet), 0);
    assert!(!policy::is_spend_into_allowed(&wallet));
    end(test, wallet);
}

#[test]
fun changes_of_rules_are_told_once() {
    let (mut test, mut wallet) = begin_with_policy();
    let id = to_bytes(&wallet.id());
    policy::add_auth_rule<Gate>(&mut wallet, test.ctx());
    policy::add_auth_rule<Gate>(&mut wallet, test.ctx());
    policy::add_caveat_rule<Hours>(&mut wallet, test.ctx());
    policy::add_caveat_rule<Hours>(&mut wallet, test.ctx());
    policy::add_caveat_rule_for<Gate, Limit>(&mut wallet, test.ctx());
    policy::add_caveat_rule_for<Gate, Limit>(&mut wallet, test.ctx());
    policy::remove_caveat_rule<Limit>(&mut wallet, test.ctx());
    assert!(policy::has_auth_rule<Gate>(&wallet));
    assert!(policy::has_caveat_rule<Hours>(&wallet));
    assert!(policy::has_caveat_rule_for<Gate, Limit>(&wallet));
    assert!(!policy::has_caveat_rule<Limit>(&wallet));
    assert!(!policy::has_caveat_rule_for<Gate, Hours>(&wallet));
    assert!(!policy::has_caveat_rule_for<Door, Limit>(&wallet));
    assert_eq!(policy::auth_rule_count(&wallet), 1);
    assert_eq!(policy::caveat_rule_count(&wallet), 1);
    let (yes, no) = (to_bytes(&true), to_bytes(&false));
    assert_event<AuthRuleChanged>(vector[id, name<Gate>(), yes]);
    assert_events<CaveatRuleChanged>(vector[
        vector[id, name<Hours>(), yes, none()],
        vector[id, name<Limit>(), yes, some_name<Gate>()],
    ]);

    test.next_tx(owner!());
    policy::remove_caveat_rule<Hours>(&mut wallet, test.ctx());
    policy::remove_caveat_rule_for<Gate, Limit>(&mut wallet, test.ctx());
    policy::remove_auth_rule<Gate>(&mut wallet, test.ctx());
    policy::remove_auth_rule<Gate>(&mut wallet, test.ctx());
    assert_event<AuthRuleChanged>(vector[id, name<Gate>(), no]);
    assert_events<CaveatRuleChanged>(vector[
        vector[id, name<Hours>(), no, none()],
        vector[id, name<Limit>(), no, some_name<Gate>()],
    ]);
    end(test, wallet);
}

#[test]
fun an_auth_rule_takes_its_caveats_with_it() {
    let (mut test, mut wallet) = begin_with_policy();
    policy::add_auth_rule<Gate>(&mut wallet, test.ctx());
    policy::add_caveat_rule_for<Gate, Limit>(&mut wallet, test.ctx());
    test.next_tx(owner!());
    policy::remove_auth_rule<Gate>(&mut wallet, test.ctx());
    let (id, no) = (to_bytes(&wallet.id()), to_bytes(&false));
    assert_event<CaveatRuleChanged>(vector[id, name<Limit>(), no, some_name<Gate>()]);
    assert_event<AuthRuleChanged>(vector[id, name<Gate>(), no]);
    policy::add_auth_rule<Gate>(&mut wallet, test.ctx());
    assert!(!policy::has_caveat_rule_for<Gate, Limit>(&wallet));
    end(test, wallet);
}

#[test]
fun an_auth_rule_that_comes_back_voids_what_was_before() {
    let (mut test, mut wallet) = begin_with_policy();
    policy::add_auth_rule<Gate>(&mut wallet, test.ctx());
    policy::remove_auth_rule<Gate>(&mut wallet, test.ctx());
    assert_eq!(policy::version(&wallet), 1);
    policy::add_auth_rule<Gate>(&mut wallet, test.ctx());
    assert_eq!(policy::version(&wallet), 2);
    assert_event<PolicyRevoked>(vector[to_bytes(&wallet.id()), to_bytes(&2u64)]);
    policy::add_auth_rule<Door>(&mut wallet, test.ctx());
    assert_eq!(policy::version(&wallet), 2);
    end(test, wallet);
}

/// What no index holds, nobody sees who takes over the wallet.
#[test, expected_failure(abort_code = type_names::ETooLong)]
fun no_auth_rule_is_hidden_behind_a_long_name() {
    let (mut test, mut wallet) = begin_with_policy();
    policy::add_auth_rule<Pair<Pair<Pair<USD, USD>, Pair<USD, USD>>, Pair<Pair<USD, USD>, Pair<USD, USD>>>>(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = policy::EAlreadyInitialized)]
fun a_policy_is_initialized_once() {
    let (mut test, mut wallet) = begin_with_policy();
    policy::initialize(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = policy::ENotInitialized)]
fun a_policy_is_initialized_before_it_has_rules() {
    let (mut test, mut wallet) = begin();
    policy::add_auth_rule<Gate>(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = policy::ENotInitialized)]
fun a_wallet_without_a_policy_is_asked_for_no_spend() {
    let (_test, wallet) = begin();
    let _request = policy::begin_spend<USD>(&wallet, 1, shop_address!());
    abort
}

#[test, expected_failure(abort_code = policy::ERuleNotFound)]
fun a_caveat_of_an_auth_rule_needs_the_auth_rule() {
    let (mut test, mut wallet) = begin_with_policy();
    policy::add_caveat_rule_for<Gate, Limit>(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_initializes_no_policy() {
    let (mut test, mut wallet) = begin();
    test.next_tx(stranger!());
    policy::initialize(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_adds_no_auth_rule() {
    let (mut test, mut wallet) = begin_with_rules();
    policy::add_auth_rule<Door>(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_removes_no_auth_rule() {
    let (mut test, mut wallet) = begin_with_rules();
    policy::remove_auth_rule<Gate>(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_adds_no_caveat() {
    let (mut test, mut wallet) = begin_with_rules();
    policy::add_caveat_rule<Limit>(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_removes_no_caveat() {
    let (mut test, mut wallet) = begin_with_rules();
    policy::remove_caveat_rule<Hours>(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_adds_no_caveat_to_an_auth_rule() {
    let (mut test, mut wallet) = begin_with_rules();
    policy::add_caveat_rule_for<Gate, Limit>(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_removes_no_caveat_of_an_auth_rule() {
    let (mut test, mut wallet) = begin_with_rules();
    policy::remove_caveat_rule_for<Gate, Limit>(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_revokes_nothing() {
    let (mut test, mut wallet) = begin_with_rules();
    policy::revoke_all(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_allows_no_spend_into() {
    let (mut test, mut wallet) = begin_with_rules();
    policy::set_spend_into(&mut wallet, true, test.ctx());
    abort
}

// === A spend ===

#[test]
fun a_spend_with_all_stamps_pays_the_recipient() {
    let (mut test, mut wallet) = begin_with_rules();
    let request = good_request(&wallet);
    assert_eq!(request.spend_wallet_id(), wallet.id());
    assert_eq!(request.spend_coin(), type_name::with_defining_ids<USD>());
    assert_eq!(request.spend_amount(), 10);
    assert_eq!(request.spend_recipient(), shop_address!());
    assert_eq!(request.spend_policy_version(), 1);
    assert!(request.has_auth_receipt<Gate>());
    assert!(!request.has_auth_receipt<Door>());
    assert!(request.has_caveat_receipt<Hours>());
    assert!(!request.has_caveat_receipt<Limit>());
    policy::confirm_spend<USD>(&mut wallet, request, test.ctx());
    let id = to_bytes(&wallet.id());
    assert_event<SpendConfirmed>(vector[
        id,
        name<USD>(),
        to_bytes(&10u64),
        to_bytes(&shop_address!()),
        to_bytes(&1u64),
        to_bytes(&stranger!()),
        name<Gate>(),
        none(),
        to_bytes(&false),
    ]);
    let amount = to_bytes(&10u64);
    assert_event<CoinWithdrawn>(vector[id, some_name<PolicySpend>(), name<USD>(), amount, none()]);
    test.next_tx(stranger!());
    assert_eq!(burn(test.take_from_address<Coin<USD>>(shop_address!())), 10);
    assert_eq!(wallet.balance<USD>(), 990);
    end(test, wallet);
}

#[test, expected_failure(abort_code = policy::EZeroAmount)]
fun nothing_is_not_spent() {
    let (_test, wallet) = begin_with_rules();
    let _request = policy::begin_spend<USD>(&wallet, 0, shop_address!());
    abort
}

#[test, expected_failure(abort_code = policy::EAuthNotProven)]
fun a_request_without_a_stamp_pays_nothing() {
    let (mut test, mut wallet) = begin_with_rules();
    let mut request = policy::begin_spend<USD>(&wallet, 10, shop_address!());
    policy::add_caveat_receipt(fixtures::hours(), &mut request);
    policy::confirm_spend<USD>(&mut wallet, request, test.ctx());
    abort
}

#[test, expected_failure(abort_code = policy::EAuthNotProven)]
fun a_rule_that_the_owner_does_not_trust_opens_nothing() {
    let (mut test, mut wallet) = begin_with_rules();
    let mut request = policy::begin_spend<USD>(&wallet, 10, shop_address!());
    policy::add_auth_receipt(Door(), &mut request);
    policy::add_caveat_receipt(fixtures::hours(), &mut request);
    policy::confirm_spend<USD>(&mut wallet, request, test.ctx());
    abort
}

#[test, expected_failure(abort_code = policy::EMissingCaveat)]
fun a_spend_without_the_wallets_caveat_pays_nothing() {
    let (mut test, mut wallet) = begin_with_rules();
    let mut request = request_of_gate(&wallet);
    policy::add_caveat_receipt(fixtures::limit(), &mut request);
    policy::confirm_spend<USD>(&mut wallet, request, test.ctx());
    abort
}

#[test, expected_failure(abort_code = policy::EMissingCaveat)]
fun a_spend_without_the_auth_rules_own_caveat_pays_nothing() {
    let (mut test, mut wallet) = begin_with_rules();
    test.next_tx(owner!());
    policy::add_caveat_rule_for<Gate, Limit>(&mut wallet, test.ctx());
    let request = good_request(&wallet);
    policy::confirm_spend<USD>(&mut wallet, request, test.ctx());
    abort
}

#[test, expected_failure(abort_code = policy::ENoCaveats)]
fun an_auth_rule_without_any_caveat_opens_nothing() {
    let (mut test, mut wallet) = begin_with_rules();
    test.next_tx(owner!());
    policy::remove_caveat_rule<Hours>(&mut wallet, test.ctx());
    let request = good_request(&wallet);
    policy::confirm_spend<USD>(&mut wallet, request, test.ctx());
    abort
}

#[test]
fun one_open_auth_rule_among_several_is_enough() {
    let (mut test, mut wallet) = begin_with_policy();
    policy::add_auth_rule<Gate>(&mut wallet, test.ctx());
    policy::add_auth_rule<Door>(&mut wallet, test.ctx());
    policy::add_caveat_rule_for<Gate, Hours>(&mut wallet, test.ctx());
    policy::add_caveat_rule_for<Door, Limit>(&mut wallet, test.ctx());
    let mut request = request_of_gate(&wallet);
    policy::add_auth_receipt(Door(), &mut request);
    policy::add_auth_receipt(Door(), &mut request);
    policy::add_caveat_receipt(fixtures::limit(), &mut request);
    policy::add_caveat_receipt(fixtures::limit(), &mut request);
    policy::confirm_spend<USD>(&mut wallet, request, test.ctx());
    assert_eq!(wallet.balance<USD>(), 990);
    end(test, wallet);
}

#[test, expected_failure(abort_code = policy::EMissingCaveat)]
fun caveats_of_one_auth_rule_do_not_open_another() {
    let (mut test, mut wallet) = begin_with_policy();
    policy::add_auth_rule<Gate>(&mut wallet, test.ctx());
    policy::add_auth_rule<Door>(&mut wallet, test.ctx());
    policy::add_caveat_rule_for<Gate, Hours>(&mut wallet, test.ctx());
    policy::add_caveat_rule_for<Door, Limit>(&mut wallet, test.ctx());
    let mut request = request_of_gate(&wallet);
    policy::add_caveat_receipt(fixtures::limit(), &mut request);
    policy::confirm_spend<USD>(&mut wallet, request, test.ctx());
    abort
}

#[test, expected_failure(abort_code = policy::EWrongWallet)]
fun a_request_for_one_wallet_does_not_open_another() {
    let (mut test, mut wallet) = begin_with_rules();
    let mut mine = another_wallet(&mut test);
    policy::initialize(&mut mine, test.ctx());
    policy::add_auth_rule<Gate>(&mut mine, test.ctx());
    policy::add_caveat_rule<Hours>(&mut mine, test.ctx());
    let request = good_request(&mine);
    policy::confirm_spend<USD>(&mut wallet, request, test.ctx());
    abort
}

#[test, expected_failure(abort_code = policy::EWrongCoin)]
fun a_request_for_one_coin_pays_no_other() {
    let (mut test, mut wallet) = begin_with_rules();
    let request = good_request(&wallet);
    policy::confirm_spend<EUR>(&mut wallet, request, test.ctx());
    abort
}

#[test, expected_failure(abort_code = policy::EStaleVersion)]
fun a_request_from_before_a_revocation_pays_nothing() {
    let (mut test, mut wallet) = begin_with_rules();
    let request = good_request(&wallet);
    test.next_tx(owner!());
    policy::revoke_all(&mut wallet, test.ctx());
    policy::confirm_spend<USD>(&mut wallet, request, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EPaused)]
fun a_paused_wallet_confirms_no_spend() {
    let (mut test, mut wallet) = begin_with_rules();
    test.next_tx(owner!());
    wallet.set_paused(true, test.ctx());
    let request = good_request(&wallet);
    policy::confirm_spend<USD>(&mut wallet, request, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EInsufficientBalance)]
fun a_spend_of_more_than_there_is_fails() {
    let (mut test, mut wallet) = begin_with_rules();
    let mut request = policy::begin_spend<USD>(&wallet, 1001, shop_address!());
    policy::add_auth_receipt(fixtures::gate(), &mut request);
    policy::add_caveat_receipt(fixtures::hours(), &mut request);
    policy::confirm_spend<USD>(&mut wallet, request, test.ctx());
    abort
}

// === Into the transaction ===

#[test, expected_failure(abort_code = policy::ESpendIntoNotAllowed)]
fun a_declared_recipient_cannot_be_bypassed_by_taking_the_coin() {
    let (mut test, mut wallet) = begin_with_rules();
    let request = good_request(&wallet);
    let coin = policy::confirm_spend_into<USD>(&mut wallet, request, test.ctx());
    transfer::public_transfer(coin, stranger!());
    abort
}

#[test]
fun the_coin_goes_into_the_transaction_when_the_owner_allows_it() {
    let (mut test, mut wallet) = begin_with_rules();
    test.next_tx(owner!());
    policy::set_spend_into(&mut wallet, true, test.ctx());
    policy::set_spend_into(&mut wallet, true, test.ctx());
    assert_event<SpendIntoChanged>(vector[to_bytes(&wallet.id()), to_bytes(&true)]);
    assert!(policy::is_spend_into_allowed(&wallet));
    test.next_tx(stranger!());
    let request = good_request(&wallet);
    assert_eq!(burn(policy::confirm_spend_into<USD>(&mut wallet, request, test.ctx())), 10);
    assert_event<SpendConfirmed>(vector[
        to_bytes(&wallet.id()),
        name<USD>(),
        to_bytes(&10u64),
        to_bytes(&shop_address!()),
        to_bytes(&1u64),
        to_bytes(&stranger!()),
        name<Gate>(),
        none(),
        to_bytes(&true),
    ]);
    end(test, wallet);
}

#[test, expected_failure(abort_code = policy::EMissingCaveat)]
fun a_spend_into_the_transaction_needs_the_caveats_too() {
    let (mut test, mut wallet) = begin_with_rules();
    test.next_tx(owner!());
    policy::set_spend_into(&mut wallet, true, test.ctx());
    let request = request_of_gate(&wallet);
    burn(policy::confirm_spend_into<USD>(&mut wallet, request, test.ctx()));
    abort
}

// === Rule objects ===

#[test]
fun a_request_carries_the_one_object_of_a_rule_that_counts() {
    let (mut test, mut wallet) = begin_with_rules();
    test.next_tx(owner!());
    let (old, new) = (object::id_from_address(@0x1), object::id_from_address(@0x2));
    policy::set_rule_object(fixtures::hours(), &mut wallet, option::some(old), test.ctx());
    policy::set_rule_object(fixtures::hours(), &mut wallet, option::some(new), test.ctx());
    assert_eq!(policy::rule_object<Hours>(&wallet), option::some(new));
    let request = good_request(&wallet);
    assert_eq!(request.spend_rule_object<Hours>(), option::some(new));
    assert_eq!(request.spend_rule_object<Limit>(), option::none());
    policy::confirm_spend<USD>(&mut wallet, request, test.ctx());
    policy::set_rule_object(fixtures::hours(), &mut wallet, option::none(), test.ctx());
    assert_eq!(policy::rule_object<Hours>(&wallet), option::none());
    end(test, wallet);
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_cannot_put_a_wider_rule_object_in_place() {
    let (mut test, mut wallet) = begin_with_rules();
    let mine = option::some(object::id_from_address(@0x1));
    policy::set_rule_object(fixtures::hours(), &mut wallet, mine, test.ctx());
    abort
}
