#[test_only]
module wallet::type_names_tests;

use std::string::String;
use std::type_name;
use std::unit_test::assert_eq;
use sui::sui::SUI;
use sui::test_scenario::Scenario;
use wallet::delegate;
use wallet::fixtures::{Self, agent, begin, end, Gate, mint, Pair, Shop, USD};
use wallet::policy;
use wallet::sub_delegate;
use wallet::type_names;
use wallet::wallet::Wallet;

/// An asset whose name can be made as long as the chain lets it be.
public struct Box<phantom T> has key, store { id: UID }

/// An auth rule is trusted, and the agent is a delegate.
fun begin_all(): (Scenario, Wallet) {
    let (mut test, mut wallet) = begin();
    policy::initialize(&mut wallet, test.ctx());
    policy::add_auth_rule<Gate>(&mut wallet, test.ctx());
    delegate::initialize(&mut wallet, test.ctx());
    delegate::add(&mut wallet, agent!(), test.ctx());
    (test, wallet)
}

// === Witnesses ===

#[test]
fun a_type_of_a_users_package_is_a_witness() {
    assert_eq!(type_names::witness<Shop>(), type_name::with_defining_ids<Shop>());
}

#[test, expected_failure(abort_code = type_names::ENoWitness)]
fun a_text_is_no_witness() {
    type_names::witness<String>();
}

#[test, expected_failure(abort_code = type_names::ENoWitness)]
fun an_option_is_no_witness() {
    type_names::witness<Option<u8>>();
}

#[test, expected_failure(abort_code = type_names::ENoWitness)]
fun a_type_of_the_chains_own_coin_is_no_witness() {
    type_names::witness<SUI>();
}

#[test, expected_failure(abort_code = type_names::ENoWitness)]
fun a_vector_is_no_witness() {
    type_names::witness<vector<u8>>();
}

#[test, expected_failure(abort_code = type_names::ENoWitness)]
fun a_number_is_no_witness() {
    type_names::witness<u8>();
}

#[test, expected_failure(abort_code = type_names::ENoWitness)]
fun an_address_is_no_witness() {
    type_names::witness<address>();
}

#[test, expected_failure(abort_code = type_names::ENoWitness)]
fun a_truth_value_is_no_witness() {
    type_names::witness<bool>();
}

#[test, expected_failure(abort_code = type_names::ENoWitness)]
fun a_generic_type_is_no_witness() {
    type_names::witness<Pair<USD, Gate>>();
}

#[test, expected_failure(abort_code = type_names::ENoWitness)]
fun no_service_is_a_type_that_anyone_has() {
    let (mut test, mut wallet) = begin_all();
    wallet.grant_service_coin<String, USD>(1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = type_names::ENoWitness)]
fun no_auth_rule_is_a_type_that_anyone_has() {
    let (mut test, mut wallet) = begin_all();
    policy::add_auth_rule<String>(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = type_names::ENoWitness)]
fun no_caveat_is_a_type_that_anyone_has() {
    let (mut test, mut wallet) = begin_all();
    policy::add_caveat_rule<String>(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = type_names::ENoWitness)]
fun no_caveat_of_a_rule_is_a_type_that_anyone_has() {
    let (mut test, mut wallet) = begin_all();
    policy::add_caveat_rule_for<Gate, String>(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = type_names::ENoWitness)]
fun no_type_that_anyone_has_puts_its_object_in_place() {
    let (mut test, mut wallet) = begin_all();
    let id = wallet.id();
    policy::set_rule_object(b"".to_string(), &mut wallet, option::some(id), test.ctx());
    abort
}

#[test]
fun a_type_that_anyone_has_is_taken_off() {
    let (mut test, mut wallet) = begin_all();
    policy::remove_auth_rule<String>(&mut wallet, test.ctx());
    policy::remove_caveat_rule<String>(&mut wallet, test.ctx());
    policy::remove_caveat_rule_for<Gate, String>(&mut wallet, test.ctx());
    policy::set_rule_object(b"".to_string(), &mut wallet, option::none(), test.ctx());
    end(test, wallet);
}

// === Long names ===

#[test, expected_failure(abort_code = type_names::ETooLong)]
fun no_service_budget_is_hidden_behind_a_long_name() {
    let (mut test, mut wallet) = begin_all();
    delegate::set_service_allowance<Pair<Pair<Pair<USD, USD>, Pair<USD, USD>>, Pair<Pair<USD, USD>, Pair<USD, USD>>>>(&mut wallet, agent!(), 1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = type_names::ETooLong)]
fun no_coin_budget_is_hidden_behind_a_long_name() {
    let (mut test, mut wallet) = begin_all();
    delegate::set_coin_allowance<Pair<Pair<Pair<USD, USD>, Pair<USD, USD>>, Pair<Pair<USD, USD>, Pair<USD, USD>>>>(&mut wallet, agent!(), 1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = type_names::ETooLong)]
fun no_budget_is_raised_from_nothing_behind_a_long_name() {
    let (mut test, mut wallet) = begin_all();
    delegate::increase_coin_allowance<Pair<Pair<Pair<USD, USD>, Pair<USD, USD>>, Pair<Pair<USD, USD>, Pair<USD, USD>>>>(&mut wallet, agent!(), 1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = type_names::ETooLong)]
fun no_budget_that_is_not_there_is_taken_away_under_a_long_name() {
    let (mut test, mut wallet) = begin_all();
    delegate::set_coin_allowance<Pair<Pair<Pair<USD, USD>, Pair<USD, USD>>, Pair<Pair<USD, USD>, Pair<USD, USD>>>>(&mut wallet, agent!(), 0, test.ctx());
    abort
}

#[test, expected_failure(abort_code = type_names::ETooLong)]
fun no_caveat_is_hidden_behind_a_long_name() {
    let (mut test, mut wallet) = begin_all();
    policy::add_caveat_rule<Pair<Pair<Pair<USD, USD>, Pair<USD, USD>>, Pair<Pair<USD, USD>, Pair<USD, USD>>>>(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = type_names::ETooLong)]
fun no_cap_is_hidden_behind_a_coins_long_name() {
    let (mut test, wallet) = begin_all();
    let _cap = sub_delegate::mint_root<Pair<Pair<Pair<USD, USD>, Pair<USD, USD>>, Pair<Pair<USD, USD>, Pair<USD, USD>>>>(&wallet, 1, 0, test.ctx());
    abort
}

#[test, expected_failure(abort_code = type_names::ETooLong)]
fun no_coin_with_a_long_name_comes_in() {
    let (mut test, mut wallet) = begin_all();
    wallet.deposit(mint<Pair<Pair<Pair<USD, USD>, Pair<USD, USD>>, Pair<Pair<USD, USD>, Pair<USD, USD>>>>(1, &mut test));
    abort
}

#[test, expected_failure(abort_code = type_names::ETooLong)]
fun no_account_is_bound_behind_a_long_name() {
    let (mut test, mut wallet) = begin_all();
    wallet.bind_external_account<Pair<Pair<Pair<USD, USD>, Pair<USD, USD>>, Pair<Pair<USD, USD>, Pair<USD, USD>>>>(@0xb, test.ctx());
    abort
}

#[test, expected_failure(abort_code = type_names::ETooLong)]
fun no_asset_with_a_long_name_is_added() {
    let (mut test, mut wallet) = begin_all();
    let asset = Box<Pair<Pair<Pair<USD, USD>, Pair<USD, USD>>, Pair<Pair<USD, USD>, Pair<USD, USD>>>> { id: object::new(test.ctx()) };
    wallet.add_asset(asset, b"it".to_string(), test.ctx());
    abort
}

#[test, expected_failure(abort_code = type_names::ETooLong)]
fun no_service_keeps_an_asset_with_a_long_name() {
    let (mut test, mut wallet) = begin_all();
    wallet.grant_service_coin<Shop, USD>(1, test.ctx());
    let asset = Box<Pair<Pair<Pair<USD, USD>, Pair<USD, USD>>, Pair<Pair<USD, USD>, Pair<USD, USD>>>> { id: object::new(test.ctx()) };
    wallet.receive_asset_from_service(asset, b"it".to_string(), fixtures::shop());
    abort
}
