/// What works for a wallet of another version than this code: the owner takes out what is in it, and anyone puts in.
#[test_only]
module wallet::version_tests;

use std::unit_test::{assert_eq, destroy};
use sui::test_scenario::{Self as scenario, Scenario};
use wallet::action;
use wallet::cap_auth;
use wallet::delegate;
use wallet::fixtures::{
    Self,
    agent,
    begin,
    burn,
    clock_at,
    end,
    EUR,
    Gate,
    Hours,
    mint,
    owner,
    Shop,
    shop_address,
    stranger,
    ticket,
    Ticket,
    USD,
};
use wallet::intent;
use wallet::policy;
use wallet::sub_delegate;
use wallet::wallet::{Self, Wallet};

/// A wallet with all that one can have, of a version before this code's.
fun begin_before(): (Scenario, Wallet) {
    let (test, mut wallet) = begin_newest();
    wallet.set_version_for_testing(0);
    (test, wallet)
}

fun begin_newest(): (Scenario, Wallet) {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(500, test.ctx());
    wallet.grant_service_pull<Shop, USD>(500, test.ctx());
    delegate::initialize(&mut wallet, test.ctx());
    delegate::add(&mut wallet, agent!(), test.ctx());
    delegate::set_service_allowance<Shop>(&mut wallet, agent!(), 100, test.ctx());
    policy::initialize(&mut wallet, test.ctx());
    policy::add_auth_rule<Gate>(&mut wallet, test.ctx());
    policy::add_caveat_rule<Hours>(&mut wallet, test.ctx());
    let (first, second) = (ticket(&mut test), ticket(&mut test));
    wallet.add_asset(first, b"mine".to_string(), test.ctx());
    wallet.receive_asset_from_service(second, b"kept".to_string(), fixtures::shop());
    wallet.offer_ownership(stranger!(), test.ctx());
    test.next_tx(owner!());
    (test, wallet)
}

#[test]
fun a_new_wallet_is_of_the_first_version() {
    let (test, wallet) = begin();
    assert_eq!(wallet.version(), 1);
    end(test, wallet);
}

#[test]
fun the_owner_takes_everything_out_at_any_version() {
    let (mut test, mut wallet) = begin_before();
    assert_eq!(burn(wallet.withdraw_coin<USD>(400, test.ctx())), 400);
    wallet.take_coin<USD>(600, test.ctx());
    wallet.reclaim_asset<Ticket>(b"mine".to_string(), test.ctx());
    wallet.reclaim_service_asset<Shop, Ticket>(b"kept".to_string(), test.ctx());
    assert_eq!(wallet.balance<USD>(), 0);
    test.next_tx(owner!());
    destroy(test.take_from_sender<Ticket>());
    destroy(test.take_from_sender<Ticket>());
    end(test, wallet);
}

#[test]
fun anyone_puts_in_and_reads_at_any_version() {
    let (mut test, mut wallet) = begin_before();
    test.next_tx(stranger!());
    wallet.deposit(mint<EUR>(30, &mut test));
    assert_eq!(wallet.balance<EUR>(), 30);
    assert_eq!(wallet.granted<Shop, USD>(), 500);
    assert_eq!(delegate::service_allowance<Shop>(&wallet, agent!()), 100);
    assert!(policy::has_auth_rule<Gate>(&wallet));
    end(test, wallet);
}

#[test]
fun coins_at_the_identity_are_swept_in_at_any_version() {
    let mut test = scenario::begin(owner!());
    let id = wallet::create_and_share(test.ctx());
    transfer::public_transfer(mint<USD>(9, &mut test), id.to_address());
    test.next_tx(stranger!());
    let mut wallet = test.take_shared<Wallet>();
    wallet.set_version_for_testing(0);
    wallet.sweep_legacy_coin<USD>(scenario::most_recent_receiving_ticket(&id));
    assert_eq!(wallet.balance<USD>(), 9);
    scenario::return_shared(wallet);
    test.end();
}

#[test]
fun the_owner_brings_the_wallet_to_the_newest_version() {
    let (mut test, mut wallet) = begin_before();
    wallet.migrate(test.ctx());
    assert_eq!(wallet.version(), 1);
    wallet.grant_service_coin<Shop, EUR>(1, test.ctx());
    end(test, wallet);
}

#[test, expected_failure(abort_code = wallet::EAlreadyNewest)]
fun a_wallet_of_the_newest_version_stays_there() {
    let (mut test, mut wallet) = begin();
    wallet.migrate(test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EAlreadyNewest)]
fun a_later_wallet_is_not_brought_back() {
    let (mut test, mut wallet) = begin();
    wallet.set_version_for_testing(2);
    wallet.migrate(test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_does_not_bring_the_wallet_to_another_version() {
    let (mut test, mut wallet) = begin_before();
    test.next_tx(stranger!());
    wallet.migrate(test.ctx());
    abort
}

// === What is closed ===

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun a_wallet_of_a_later_version_grants_nothing_by_this_code() {
    let (mut test, mut wallet) = begin_before();
    wallet.set_version_for_testing(2);
    wallet.grant_service_coin<Shop, EUR>(1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun no_service_is_granted_at_another_version() {
    let (mut test, mut wallet) = begin_before();
    wallet.grant_service_coin<Shop, EUR>(1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun no_service_is_revoked_at_another_version() {
    let (mut test, mut wallet) = begin_before();
    wallet.revoke_service<Shop>(test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun nothing_is_offered_at_another_version() {
    let (mut test, mut wallet) = begin_before();
    wallet.offer_ownership(agent!(), test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun nothing_is_accepted_at_another_version() {
    let (mut test, mut wallet) = begin_before();
    test.next_tx(stranger!());
    wallet.accept_ownership(test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun no_asset_is_added_at_another_version() {
    let (mut test, mut wallet) = begin_before();
    let asset = ticket(&mut test);
    wallet.add_asset(asset, b"more".to_string(), test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun no_account_is_bound_at_another_version() {
    let (mut test, mut wallet) = begin_before();
    wallet.bind_external_account<Shop>(@0xb, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun no_service_binds_an_account_at_another_version() {
    let (mut _test, mut wallet) = begin_before();
    wallet.bind_external_account_from_service(@0xb, fixtures::shop());
    abort
}

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun no_service_keeps_an_asset_at_another_version() {
    let (mut test, mut wallet) = begin_before();
    let asset = ticket(&mut test);
    wallet.receive_asset_from_service(asset, b"more".to_string(), fixtures::shop());
    abort
}

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun no_service_takes_an_asset_at_another_version() {
    let (mut _test, mut wallet) = begin_before();
    let _asset: Ticket = wallet.take_asset_for_service(b"kept".to_string(), fixtures::shop());
    abort
}

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun no_service_credits_at_another_version() {
    let (mut test, mut wallet) = begin_before();
    wallet.receive_from_service(mint<USD>(1, &mut test), fixtures::shop());
    abort
}

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun no_service_is_paid_at_another_version() {
    let (mut test, mut wallet) = begin_before();
    let clock = clock_at(0, &mut test);
    delegate::spend<_, USD>(fixtures::shop(), &mut wallet, 1, shop_address!(), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun no_service_pulls_at_another_version() {
    let (mut test, mut wallet) = begin_before();
    let sig = intent::request_payment_unmetered<_, USD>(fixtures::shop(), 1, shop_address!());
    let (_coin, _witness) = intent::validate_and_pay_unmetered(&mut wallet, sig, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun no_action_begins_at_another_version() {
    let (mut test, mut wallet) = begin_before();
    let _ticket = action::begin<Shop>(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun no_delegate_is_added_at_another_version() {
    let (mut test, mut wallet) = begin_before();
    delegate::add(&mut wallet, stranger!(), test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun no_rule_is_added_at_another_version() {
    let (mut test, mut wallet) = begin_before();
    policy::add_caveat_rule<Gate>(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun no_bearer_cap_is_minted_at_another_version() {
    let (mut test, wallet) = begin_before();
    let _cap = cap_auth::mint(&wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun no_scoped_cap_is_minted_at_another_version() {
    let (mut test, wallet) = begin_before();
    let _cap = sub_delegate::mint_root<USD>(&wallet, 1, 0, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun no_spend_is_confirmed_at_another_version() {
    let (mut test, mut wallet) = begin_before();
    let mut request = policy::begin_spend<USD>(&wallet, 10, shop_address!());
    policy::add_auth_receipt(fixtures::gate(), &mut request);
    policy::add_caveat_receipt(fixtures::hours(), &mut request);
    policy::confirm_spend<USD>(&mut wallet, request, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun no_cap_is_split_at_another_version() {
    let (mut test, mut wallet) = begin_newest();
    let mut cap = sub_delegate::mint_root<USD>(&wallet, 2, 1, test.ctx());
    wallet.set_version_for_testing(0);
    let _part = cap.subdelegate(&wallet, 1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EWrongVersion)]
fun no_caps_rest_is_given_back_at_another_version() {
    let (mut test, mut wallet) = begin_newest();
    let cap = sub_delegate::mint_root<USD>(&wallet, 2, 1, test.ctx());
    wallet.set_version_for_testing(0);
    cap.burn(&mut wallet);
    abort
}
