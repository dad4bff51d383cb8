#[test_only]
module wallet::action_tests;

use std::u64;
use std::unit_test::{assert_eq, destroy};
use sui::bcs::to_bytes;
use sui::test_scenario::Scenario;
use wallet::action::{Self, ActionEnded, Ticket as ActionTicket};
use wallet::cap_auth;
use wallet::delegate;
use wallet::fixtures::{
    Self,
    agent,
    another_wallet,
    assert_event,
    begin,
    begin_empty,
    burn,
    clock_at,
    end,
    EUR,
    Gate,
    Hours,
    mint,
    name,
    owner,
    Rival,
    Shop,
    shop_address,
    stranger,
    ticket,
    Ticket,
    USD,
};
use wallet::intent;
use wallet::lock;
use wallet::policy;
use wallet::sub_delegate;
use wallet::wallet::{Self, Wallet};

/// Coins enough to name too many of.
public struct N1() has drop;
public struct N2() has drop;
public struct N3() has drop;
public struct N4() has drop;
public struct N5() has drop;
public struct N6() has drop;
public struct N7() has drop;
public struct N8() has drop;
public struct N9() has drop;

/// Shop and rival are granted 500 USD each and 500 EUR, and to pull them; the agent has budgets of 100 at both.
fun begin_granted(): (Scenario, Wallet) {
    let (mut test, mut wallet) = begin();
    wallet.deposit(mint<EUR>(1000, &mut test));
    wallet.grant_service_coin<Shop, USD>(500, test.ctx());
    wallet.grant_service_coin<Shop, EUR>(500, test.ctx());
    wallet.grant_service_coin<Rival, USD>(500, test.ctx());
    wallet.grant_service_pull<Shop, USD>(500, test.ctx());
    delegate::initialize(&mut wallet, test.ctx());
    delegate::add(&mut wallet, agent!(), test.ctx());
    delegate::set_service_allowance<Shop>(&mut wallet, agent!(), 100, test.ctx());
    delegate::set_service_allowance<Rival>(&mut wallet, agent!(), 100, test.ctx());
    delegate::set_coin_allowance<USD>(&mut wallet, agent!(), 100, test.ctx());
    test.next_tx(owner!());
    (test, wallet)
}

/// The same, with an action of the shop's open in the owner's transaction.
fun begin_open(): (Scenario, Wallet, ActionTicket) {
    let (mut test, mut wallet) = begin_granted();
    let ticket = action::begin<Shop>(&mut wallet, test.ctx());
    (test, wallet, ticket)
}

fun shop_takes<CoinT>(test: &mut Scenario, wallet: &mut Wallet, amount: u64) {
    let clock = clock_at(0, test);
    let sig = intent::request_payment<_, CoinT>(fixtures::shop(), amount, shop_address!());
    let (coin, witness) = intent::validate_and_pay(wallet, sig, &clock, test.ctx());
    clock.destroy_for_testing();
    assert_eq!(burn(coin), amount);
    let receipt = intent::create_receipt_sig(fixtures::shop(), amount, shop_address!());
    intent::verify_and_clear(wallet, witness, receipt)
}

fun shop_brings<CoinT>(test: &mut Scenario, wallet: &mut Wallet, amount: u64) {
    wallet.receive_from_service(mint<CoinT>(amount, test), fixtures::shop())
}

fun shop_swaps(test: &mut Scenario, wallet: &mut Wallet, amount_in: u64, amount_out: u64) {
    let clock = clock_at(0, test);
    let sig = intent::request_swap<_, USD, EUR>(fixtures::shop(), amount_in, 1);
    let (coin, witness) = intent::validate_and_swap_out(wallet, sig, &clock, test.ctx());
    clock.destroy_for_testing();
    assert_eq!(burn(coin), amount_in);
    let receipt = intent::create_swap_receipt(fixtures::shop(), amount_in, amount_out);
    intent::verify_swap_and_credit(wallet, witness, receipt, mint<EUR>(amount_out, test))
}

/// A list of one amount.
fun one<CoinT>(amount: u64): vector<u8> {
    vector[vector[1], name<CoinT>(), to_bytes(&amount)].flatten()
}

// === Within the bounds ===

#[test]
fun a_swap_within_its_bounds_ends_with_its_event() {
    let (mut test, mut wallet, ticket) = begin_open();
    assert!(action::is_open(&wallet));
    action::may_take<USD>(&mut wallet, &ticket, 40);
    action::must_bring<EUR>(&mut wallet, &ticket, 30);
    shop_swaps(&mut test, &mut wallet, 40, 30);
    action::end(&mut wallet, ticket, test.ctx());
    let (id, sender) = (to_bytes(&wallet.id()), to_bytes(&owner!()));
    assert_event<ActionEnded>(vector[id, name<Shop>(), sender, one<USD>(40), one<EUR>(30)]);
    assert!(!action::is_open(&wallet));
    assert_eq!(wallet.balance<USD>(), 960);
    assert_eq!(wallet.balance<EUR>(), 1030);
    assert_eq!(wallet.granted<Shop, USD>(), 460);
    burn(wallet.withdraw_coin<USD>(1, test.ctx()));
    end(test, wallet);
}

#[test]
fun a_service_pays_a_recipient_within_its_bounds() {
    let (mut test, mut wallet, ticket) = begin_open();
    let clock = clock_at(0, &mut test);
    action::may_take<USD>(&mut wallet, &ticket, 40);
    let shop = fixtures::shop();
    delegate::spend<_, USD>(shop, &mut wallet, 40, shop_address!(), &clock, test.ctx());
    action::end(&mut wallet, ticket, test.ctx());
    clock.destroy_for_testing();
    assert_eq!(wallet.balance<USD>(), 960);
    end(test, wallet);
}

#[test]
fun a_credit_of_a_coin_without_bounds_passes() {
    let (mut test, mut wallet, ticket) = begin_open();
    shop_brings<USD>(&mut test, &mut wallet, 5);
    action::end(&mut wallet, ticket, test.ctx());
    let (id, sender) = (to_bytes(&wallet.id()), to_bytes(&owner!()));
    assert_event<ActionEnded>(vector[id, name<Shop>(), sender, vector[0], vector[0]]);
    assert_eq!(wallet.balance<USD>(), 1005);
    end(test, wallet);
}

#[test]
fun a_stranger_may_open_an_action_and_gains_nothing() {
    let (mut test, mut wallet) = begin_granted();
    test.next_tx(stranger!());
    let ticket = action::begin<Shop>(&mut wallet, test.ctx());
    action::may_take<USD>(&mut wallet, &ticket, 40);
    action::end(&mut wallet, ticket, test.ctx());
    assert_eq!(wallet.balance<USD>(), 1000);
    end(test, wallet);
}

#[test, expected_failure(abort_code = delegate::EInsufficientServiceAllowance)]
fun an_action_does_not_widen_a_delegates_budget() {
    let (mut test, mut wallet) = begin_granted();
    test.next_tx(agent!());
    let ticket = action::begin<Shop>(&mut wallet, test.ctx());
    action::may_take<USD>(&mut wallet, &ticket, 400);
    shop_takes<USD>(&mut test, &mut wallet, 101);
    abort
}

#[test, expected_failure(abort_code = wallet::EGrantExceeded)]
fun an_action_does_not_widen_a_grant() {
    let (mut test, mut wallet, ticket) = begin_open();
    action::may_take<USD>(&mut wallet, &ticket, 1000);
    shop_takes<USD>(&mut test, &mut wallet, 501);
    abort
}

#[test]
fun actions_follow_one_another() {
    let (mut test, mut wallet, ticket) = begin_open();
    action::may_take<USD>(&mut wallet, &ticket, 10);
    shop_takes<USD>(&mut test, &mut wallet, 10);
    action::end(&mut wallet, ticket, test.ctx());
    let ticket = action::begin<Shop>(&mut wallet, test.ctx());
    action::may_take<USD>(&mut wallet, &ticket, 10);
    shop_takes<USD>(&mut test, &mut wallet, 10);
    action::end(&mut wallet, ticket, test.ctx());
    assert_eq!(wallet.balance<USD>(), 980);
    end(test, wallet);
}

#[test]
fun up_to_eight_coins_have_bounds() {
    let (mut test, mut wallet, ticket) = begin_open();
    name_eight(&mut wallet, &ticket);
    action::must_bring<N8>(&mut wallet, &ticket, 1);
    shop_brings<N8>(&mut test, &mut wallet, 1);
    action::end(&mut wallet, ticket, test.ctx());
    end(test, wallet);
}

fun name_eight(wallet: &mut Wallet, ticket: &ActionTicket) {
    action::may_take<N1>(wallet, ticket, 1);
    action::may_take<N2>(wallet, ticket, 1);
    action::may_take<N3>(wallet, ticket, 1);
    action::may_take<N4>(wallet, ticket, 1);
    action::may_take<N5>(wallet, ticket, 1);
    action::may_take<N6>(wallet, ticket, 1);
    action::may_take<N7>(wallet, ticket, 1);
    action::may_take<N8>(wallet, ticket, 1);
}

// === What may be taken ===

#[test, expected_failure(abort_code = lock::ETakesTooMuch)]
fun a_service_takes_no_more_than_the_action_lets_it() {
    let (mut test, mut wallet, ticket) = begin_open();
    action::may_take<USD>(&mut wallet, &ticket, 40);
    shop_takes<USD>(&mut test, &mut wallet, 41);
    abort
}

#[test, expected_failure(abort_code = lock::ETakesTooMuch)]
fun a_service_takes_no_more_in_parts() {
    let (mut test, mut wallet, ticket) = begin_open();
    action::may_take<USD>(&mut wallet, &ticket, 40);
    shop_takes<USD>(&mut test, &mut wallet, 30);
    shop_takes<USD>(&mut test, &mut wallet, 11);
    abort
}

#[test, expected_failure(abort_code = lock::ETakesTooMuch)]
fun putting_back_does_not_refill_what_may_be_taken() {
    let (mut test, mut wallet, ticket) = begin_open();
    action::may_take<USD>(&mut wallet, &ticket, 40);
    shop_takes<USD>(&mut test, &mut wallet, 40);
    shop_brings<USD>(&mut test, &mut wallet, 40);
    shop_takes<USD>(&mut test, &mut wallet, 1);
    abort
}

#[test, expected_failure(abort_code = lock::ETakesTooMuch)]
fun nothing_leaves_in_a_coin_that_was_not_named() {
    let (mut test, mut wallet, ticket) = begin_open();
    action::may_take<USD>(&mut wallet, &ticket, 40);
    shop_takes<EUR>(&mut test, &mut wallet, 1);
    abort
}

#[test, expected_failure(abort_code = lock::ETakesTooMuch)]
fun nothing_leaves_in_a_coin_that_must_only_come() {
    let (mut test, mut wallet, ticket) = begin_open();
    action::must_bring<EUR>(&mut wallet, &ticket, 40);
    shop_takes<EUR>(&mut test, &mut wallet, 1);
    abort
}

#[test, expected_failure(abort_code = lock::ETakesTooMuch)]
fun a_swap_takes_no_more_than_the_action_lets_it() {
    let (mut test, mut wallet, ticket) = begin_open();
    action::may_take<USD>(&mut wallet, &ticket, 40);
    shop_swaps(&mut test, &mut wallet, 41, 41);
    abort
}

// === What must come ===

#[test, expected_failure(abort_code = lock::EBringsTooLittle)]
fun an_action_that_brings_too_little_fails() {
    let (mut test, mut wallet, ticket) = begin_open();
    action::may_take<USD>(&mut wallet, &ticket, 40);
    action::must_bring<EUR>(&mut wallet, &ticket, 30);
    shop_swaps(&mut test, &mut wallet, 40, 29);
    action::end(&mut wallet, ticket, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EBringsTooLittle)]
fun money_that_is_deposited_meanwhile_brings_nothing() {
    let (mut test, mut wallet, ticket) = begin_open();
    action::must_bring<EUR>(&mut wallet, &ticket, 30);
    wallet.deposit(mint<EUR>(30, &mut test));
    action::end(&mut wallet, ticket, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EBringsTooLittle)]
fun what_another_service_brings_does_not_count() {
    let (mut test, mut wallet, ticket) = begin_open();
    action::must_bring<EUR>(&mut wallet, &ticket, 30);
    wallet.receive_from_service(mint<EUR>(30, &mut test), fixtures::rival());
    action::end(&mut wallet, ticket, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EBringsTooLittle)]
fun a_service_does_not_bring_what_it_took() {
    let (mut test, mut wallet, ticket) = begin_open();
    action::may_take<EUR>(&mut wallet, &ticket, 30);
    action::must_bring<EUR>(&mut wallet, &ticket, 30);
    shop_takes<EUR>(&mut test, &mut wallet, 30);
    shop_brings<EUR>(&mut test, &mut wallet, 59);
    action::end(&mut wallet, ticket, test.ctx());
    abort
}

#[test]
fun what_must_come_comes_beside_what_was_taken() {
    let (mut test, mut wallet, ticket) = begin_open();
    action::may_take<EUR>(&mut wallet, &ticket, 30);
    action::must_bring<EUR>(&mut wallet, &ticket, 30);
    shop_takes<EUR>(&mut test, &mut wallet, 30);
    shop_brings<EUR>(&mut test, &mut wallet, 25);
    shop_brings<EUR>(&mut test, &mut wallet, 35);
    action::end(&mut wallet, ticket, test.ctx());
    assert_eq!(wallet.balance<EUR>(), 1030);
    end(test, wallet);
}

/// The sums would be more than a u64, and an abort by overflow would hold the money back.
#[test]
fun the_largest_amounts_go_round() {
    let (mut test, mut wallet) = begin_empty();
    let max = u64::max_value!();
    wallet.grant_service_coin<Shop, USD>(max, test.ctx());
    let ticket = action::begin<Shop>(&mut wallet, test.ctx());
    action::may_take<USD>(&mut wallet, &ticket, max);
    action::must_bring<USD>(&mut wallet, &ticket, max);
    shop_brings<USD>(&mut test, &mut wallet, max);
    shop_takes<USD>(&mut test, &mut wallet, max);
    shop_brings<USD>(&mut test, &mut wallet, max);
    action::end(&mut wallet, ticket, test.ctx());
    let (id, sender) = (to_bytes(&wallet.id()), to_bytes(&owner!()));
    assert_event<ActionEnded>(vector[id, name<Shop>(), sender, one<USD>(max), one<USD>(max)]);
    end(test, wallet);
}

// === Bounds ===

#[test, expected_failure(abort_code = lock::EBoundTwice)]
fun what_may_be_taken_is_not_raised() {
    let (mut _test, mut wallet, ticket) = begin_open();
    action::may_take<USD>(&mut wallet, &ticket, 1);
    action::may_take<USD>(&mut wallet, &ticket, 2);
    abort
}

#[test, expected_failure(abort_code = lock::EBoundTwice)]
fun what_must_come_is_not_lowered() {
    let (mut _test, mut wallet, ticket) = begin_open();
    action::must_bring<USD>(&mut wallet, &ticket, 2);
    action::must_bring<USD>(&mut wallet, &ticket, 1);
    abort
}

#[test, expected_failure(abort_code = lock::EZeroAmount)]
fun to_take_nothing_is_no_bound() {
    let (mut _test, mut wallet, ticket) = begin_open();
    action::may_take<USD>(&mut wallet, &ticket, 0);
    abort
}

#[test, expected_failure(abort_code = lock::EZeroAmount)]
fun to_bring_nothing_is_no_bound() {
    let (mut _test, mut wallet, ticket) = begin_open();
    action::must_bring<USD>(&mut wallet, &ticket, 0);
    abort
}

#[test, expected_failure(abort_code = lock::ETooManyCoins)]
fun a_ninth_coin_has_no_place() {
    let (mut _test, mut wallet, ticket) = begin_open();
    name_eight(&mut wallet, &ticket);
    action::must_bring<N9>(&mut wallet, &ticket, 1);
    abort
}

#[test, expected_failure(abort_code = action::EWrongWallet)]
fun a_ticket_opens_no_other_wallet_to_taking() {
    let (mut test, _wallet, ticket) = begin_open();
    let mut other = another_wallet(&mut test);
    action::may_take<USD>(&mut other, &ticket, 1);
    abort
}

#[test, expected_failure(abort_code = action::EWrongWallet)]
fun a_ticket_demands_nothing_of_another_wallet() {
    let (mut test, _wallet, ticket) = begin_open();
    let mut other = another_wallet(&mut test);
    action::must_bring<USD>(&mut other, &ticket, 1);
    abort
}

#[test, expected_failure(abort_code = action::EWrongWallet)]
fun a_ticket_ends_no_action_of_another_wallet() {
    let (mut test, _wallet, ticket) = begin_open();
    let mut other = another_wallet(&mut test);
    action::end(&mut other, ticket, test.ctx());
    abort
}

// === Opening ===

#[test, expected_failure(abort_code = lock::EOpen)]
fun actions_do_not_nest() {
    let (mut test, mut wallet, _ticket) = begin_open();
    let _inner = action::begin<Shop>(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun another_service_opens_no_action_within_one() {
    let (mut test, mut wallet, _ticket) = begin_open();
    let _inner = action::begin<Rival>(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EPaused)]
fun a_paused_wallet_opens_no_action() {
    let (mut test, mut wallet) = begin_granted();
    wallet.set_paused(true, test.ctx());
    let _ticket = action::begin<Shop>(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EAuthServiceNotFound)]
fun a_service_without_a_grant_has_no_action() {
    let (mut test, mut wallet) = begin_granted();
    let _ticket = action::begin<Gate>(&mut wallet, test.ctx());
    abort
}

// === Whatever else could leave ===

#[test, expected_failure(abort_code = lock::EOtherService)]
fun another_service_takes_nothing_within_an_action() {
    let (mut test, mut wallet, ticket) = begin_open();
    action::may_take<USD>(&mut wallet, &ticket, 40);
    let clock = clock_at(0, &mut test);
    let rival = fixtures::rival();
    delegate::spend<_, USD>(rival, &mut wallet, 1, shop_address!(), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_service_pulls_within_an_action_not_even_its_own() {
    let (mut test, mut wallet, ticket) = begin_open();
    action::may_take<USD>(&mut wallet, &ticket, 40);
    let sig = intent::request_payment_unmetered<_, USD>(fixtures::shop(), 1, shop_address!());
    let (_coin, _witness) = intent::validate_and_pay_unmetered(&mut wallet, sig, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_service_pulls_for_a_delegate_within_an_action() {
    let (mut test, mut wallet, ticket) = begin_open();
    action::may_take<USD>(&mut wallet, &ticket, 40);
    let (shop, clock) = (fixtures::shop(), clock_at(0, &mut test));
    let sig = intent::request_payment_for_payer<_, USD>(shop, 1, shop_address!(), agent!());
    let (_coin, _witness) = intent::validate_and_pay_for_payer(&mut wallet, sig, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun a_spend_that_was_stamped_before_is_not_confirmed_within_an_action() {
    let (mut test, mut wallet) = begin_granted();
    policy::initialize(&mut wallet, test.ctx());
    policy::set_spend_into(&mut wallet, true, test.ctx());
    policy::add_auth_rule<Gate>(&mut wallet, test.ctx());
    policy::add_caveat_rule<Hours>(&mut wallet, test.ctx());
    let mut request = policy::begin_spend<USD>(&wallet, 10, shop_address!());
    policy::add_auth_receipt(fixtures::gate(), &mut request);
    policy::add_caveat_receipt(fixtures::hours(), &mut request);
    let _ticket = action::begin<Shop>(&mut wallet, test.ctx());
    policy::confirm_spend<USD>(&mut wallet, request, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun a_spend_into_the_transaction_is_not_confirmed_within_an_action() {
    let (mut test, mut wallet) = begin_granted();
    policy::initialize(&mut wallet, test.ctx());
    policy::set_spend_into(&mut wallet, true, test.ctx());
    policy::add_auth_rule<Gate>(&mut wallet, test.ctx());
    policy::add_caveat_rule<Hours>(&mut wallet, test.ctx());
    let mut request = policy::begin_spend<USD>(&wallet, 10, shop_address!());
    policy::add_auth_receipt(fixtures::gate(), &mut request);
    policy::add_caveat_receipt(fixtures::hours(), &mut request);
    let _ticket = action::begin<Shop>(&mut wallet, test.ctx());
    let _coin = policy::confirm_spend_into<USD>(&mut wallet, request, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun the_owner_withdraws_nothing_within_an_action() {
    let (mut test, mut wallet, _ticket) = begin_open();
    let _coin = wallet.withdraw_coin<USD>(1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun the_owner_is_sent_nothing_within_an_action() {
    let (mut test, mut wallet, _ticket) = begin_open();
    wallet.take_coin<USD>(1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun the_owner_reclaims_no_asset_within_an_action() {
    let (mut test, mut wallet) = begin_granted();
    let asset = ticket(&mut test);
    wallet.add_asset(asset, b"it".to_string(), test.ctx());
    let _ticket = action::begin<Shop>(&mut wallet, test.ctx());
    wallet.reclaim_asset<Ticket>(b"it".to_string(), test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun the_owner_reclaims_no_asset_of_a_service_within_an_action() {
    let (mut test, mut wallet) = begin_granted();
    let asset = ticket(&mut test);
    wallet.receive_asset_from_service(asset, b"it".to_string(), fixtures::rival());
    let _ticket = action::begin<Shop>(&mut wallet, test.ctx());
    wallet.reclaim_service_asset<Rival, Ticket>(b"it".to_string(), test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOtherService)]
fun another_service_takes_no_asset_within_an_action() {
    let (mut test, mut wallet) = begin_granted();
    let asset = ticket(&mut test);
    wallet.receive_asset_from_service(asset, b"it".to_string(), fixtures::rival());
    let _ticket = action::begin<Shop>(&mut wallet, test.ctx());
    let _asset: Ticket = wallet.take_asset_for_service(b"it".to_string(), fixtures::rival());
    abort
}

#[test, expected_failure(abort_code = lock::EOtherService)]
fun another_service_keeps_no_asset_within_an_action() {
    let (mut test, mut wallet, _ticket) = begin_open();
    let asset = ticket(&mut test);
    wallet.receive_asset_from_service(asset, b"it".to_string(), fixtures::rival());
    abort
}

#[test, expected_failure(abort_code = lock::EOtherService)]
fun another_service_binds_no_account_within_an_action() {
    let (mut _test, mut wallet, _ticket) = begin_open();
    wallet.bind_external_account_from_service(@0xb, fixtures::rival());
    abort
}

#[test]
fun a_service_uses_its_own_assets_and_accounts_within_its_action() {
    let (mut test, mut wallet, action) = begin_open();
    let asset = ticket(&mut test);
    wallet.receive_asset_from_service(asset, b"it".to_string(), fixtures::shop());
    let asset: Ticket = wallet.take_asset_for_service(b"it".to_string(), fixtures::shop());
    wallet.bind_external_account_from_service(@0xb, fixtures::shop());
    wallet.bind_external_account_from_service(@0xb, fixtures::shop());
    assert!(wallet.is_external_account_bound<Shop>(@0xb));
    wallet.assert_external_account_bound_or_owner<Shop>(@0xb, test.ctx());
    action::end(&mut wallet, action, test.ctx());
    destroy(asset);
    end(test, wallet);
}

// === The owner's word ===

#[test, expected_failure(abort_code = lock::EOpen)]
fun the_owner_acts_for_no_other_package_within_an_action() {
    let (mut test, mut wallet, _ticket) = begin_open();
    wallet.assert_owner_acts(test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun nothing_is_granted_within_an_action() {
    let (mut test, mut wallet, _ticket) = begin_open();
    wallet.grant_service_coin<Rival, EUR>(1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_pull_is_granted_within_an_action() {
    let (mut test, mut wallet, _ticket) = begin_open();
    wallet.grant_service_pull<Shop, USD>(1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_grant_is_revoked_within_an_action() {
    let (mut test, mut wallet, _ticket) = begin_open();
    wallet.revoke_service<Rival>(test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun the_wallet_is_not_offered_within_an_action() {
    let (mut test, mut wallet, _ticket) = begin_open();
    wallet.offer_ownership(stranger!(), test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun the_wallet_is_not_paused_within_an_action() {
    let (mut test, mut wallet, _ticket) = begin_open();
    wallet.set_paused(true, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun the_wallet_does_not_change_its_version_within_an_action() {
    let (mut test, mut wallet, _ticket) = begin_open();
    wallet.migrate(test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_account_is_bound_for_the_owner_within_an_action() {
    let (mut test, mut wallet, _ticket) = begin_open();
    wallet.bind_external_account<Rival>(@0xb, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_delegate_is_added_within_an_action() {
    let (mut test, mut wallet, _ticket) = begin_open();
    delegate::add(&mut wallet, stranger!(), test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_budget_is_raised_within_an_action() {
    let (mut test, mut wallet, _ticket) = begin_open();
    delegate::increase_service_allowance<Shop>(&mut wallet, agent!(), 1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_policy_is_made_within_an_action() {
    let (mut test, mut wallet, _ticket) = begin_open();
    policy::initialize(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_rule_is_trusted_within_an_action() {
    let (mut test, mut wallet) = begin_granted();
    policy::initialize(&mut wallet, test.ctx());
    let _ticket = action::begin<Shop>(&mut wallet, test.ctx());
    policy::add_auth_rule<Gate>(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_object_of_a_rule_is_put_in_place_within_an_action() {
    let (mut test, mut wallet) = begin_granted();
    policy::initialize(&mut wallet, test.ctx());
    let _ticket = action::begin<Shop>(&mut wallet, test.ctx());
    let id = wallet.id();
    policy::set_rule_object(fixtures::hours(), &mut wallet, option::some(id), test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_bearer_cap_is_minted_within_an_action() {
    let (mut test, mut wallet) = begin_granted();
    policy::initialize(&mut wallet, test.ctx());
    let _ticket = action::begin<Shop>(&mut wallet, test.ctx());
    let _cap = cap_auth::mint(&wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_scoped_cap_is_minted_within_an_action() {
    let (mut test, mut wallet) = begin_granted();
    policy::initialize(&mut wallet, test.ctx());
    let _ticket = action::begin<Shop>(&mut wallet, test.ctx());
    let _cap = sub_delegate::mint_root<USD>(&wallet, 1, 0, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun a_cap_is_not_split_in_an_action() {
    let (mut test, mut wallet) = begin_granted();
    policy::initialize(&mut wallet, test.ctx());
    let mut cap = sub_delegate::mint_root<USD>(&wallet, 10, 1, test.ctx());
    let _ticket = action::begin<Shop>(&mut wallet, test.ctx());
    let _part = cap.subdelegate(&wallet, 5, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun the_wallet_is_not_taken_over_within_an_action() {
    let (mut test, mut wallet) = begin_granted();
    wallet.offer_ownership(stranger!(), test.ctx());
    test.next_tx(stranger!());
    let _ticket = action::begin<Shop>(&mut wallet, test.ctx());
    wallet.accept_ownership(test.ctx());
    abort
}

#[test]
fun within_an_action_nobody_may_act_at_another_service() {
    let (mut test, mut wallet) = begin_granted();
    let clock = clock_at(0, &mut test);
    wallet.bind_external_account<Rival>(@0xb, test.ctx());
    assert!(delegate::is_service_authorized<Rival>(&wallet, owner!(), &clock));
    assert!(delegate::is_service_authorized<Rival>(&wallet, agent!(), &clock));
    let ticket = action::begin<Shop>(&mut wallet, test.ctx());
    assert!(!delegate::is_service_authorized<Rival>(&wallet, owner!(), &clock));
    assert!(!delegate::is_service_authorized<Rival>(&wallet, agent!(), &clock));
    assert_eq!(delegate::service_allowance<Rival>(&wallet, owner!()), 0);
    assert_eq!(delegate::service_allowance<Rival>(&wallet, agent!()), 0);
    assert!(!wallet.is_external_account_bound<Rival>(@0xb));
    assert!(delegate::is_service_authorized<Shop>(&wallet, owner!(), &clock));
    assert!(delegate::is_service_authorized<Shop>(&wallet, agent!(), &clock));
    assert_eq!(delegate::service_allowance<Shop>(&wallet, agent!()), 100);
    action::end(&mut wallet, ticket, test.ctx());
    assert!(delegate::is_service_authorized<Rival>(&wallet, agent!(), &clock));
    assert!(wallet.is_external_account_bound<Rival>(@0xb));
    clock.destroy_for_testing();
    end(test, wallet);
}

#[test, expected_failure(abort_code = wallet::EExternalAccountNotBound)]
fun the_owner_stands_for_no_foreign_account_within_an_action() {
    let (mut test, mut wallet, _ticket) = begin_open();
    wallet.assert_external_account_bound_or_owner<Shop>(@0xb, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EExternalAccountNotBound)]
fun an_account_of_another_service_is_not_used_within_an_action() {
    let (mut test, mut wallet) = begin_granted();
    wallet.bind_external_account<Rival>(@0xb, test.ctx());
    let _ticket = action::begin<Shop>(&mut wallet, test.ctx());
    wallet.assert_external_account_bound_or_owner<Rival>(@0xb, test.ctx());
    abort
}
