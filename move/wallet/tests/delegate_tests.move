#[test_only]
module wallet::delegate_tests;

use std::unit_test::assert_eq;
use sui::bcs::to_bytes;
use sui::coin::Coin;
use sui::test_scenario::Scenario;
use wallet::delegate::{
    Self,
    Added,
    CoinAllowanceChanged,
    CoinAllowanceDebited,
    ExpiryChanged,
    Initialized,
    Removed,
    ServiceAllowanceChanged,
    ServiceAllowanceDebited,
};
use wallet::fixtures::{
    Self,
    agent,
    assert_event,
    begin,
    burn,
    clock_at,
    end,
    EUR,
    name,
    owner,
    Rival,
    Shop,
    shop_address,
    stranger,
    USD,
};
use wallet::wallet::{Self, Wallet};

const UNLIMITED: u64 = 18446744073709551615;

/// The shop is granted 100 USD; the agent is a delegate.
fun begin_with_agent(): (Scenario, Wallet) {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(100, test.ctx());
    delegate::initialize(&mut wallet, test.ctx());
    delegate::add(&mut wallet, agent!(), test.ctx());
    (test, wallet)
}

/// The agent has also a budget of 50 for the shop and of 40 USD, and sends the next transaction.
fun begin_as_agent(): (Scenario, Wallet) {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::set_service_allowance<Shop>(&mut wallet, agent!(), 50, test.ctx());
    delegate::set_coin_allowance<USD>(&mut wallet, agent!(), 40, test.ctx());
    test.next_tx(agent!());
    (test, wallet)
}

fun spend(test: &mut Scenario, wallet: &mut Wallet, amount: u64) {
    spend_at(test, wallet, amount, 0)
}

fun spend_at(test: &mut Scenario, wallet: &mut Wallet, amount: u64, now_ms: u64) {
    let clock = clock_at(now_ms, test);
    let shop = fixtures::shop();
    delegate::spend<_, USD>(shop, wallet, amount, shop_address!(), &clock, test.ctx());
    clock.destroy_for_testing()
}

// === Delegates ===

#[test]
fun delegates_are_added_and_removed() {
    let (mut test, mut wallet) = begin();
    assert!(!delegate::is_initialized(&wallet));
    assert!(!delegate::contains(&wallet, agent!()));
    delegate::initialize(&mut wallet, test.ctx());
    let id = to_bytes(&wallet.id());
    assert_event<Initialized>(vector[id, to_bytes(&owner!())]);
    delegate::add(&mut wallet, agent!(), test.ctx());
    assert_event<Added>(vector[id, to_bytes(&agent!())]);
    assert!(delegate::contains(&wallet, agent!()));
    assert!(!delegate::contains(&wallet, owner!()));
    delegate::remove(&mut wallet, agent!(), test.ctx());
    assert_event<Removed>(vector[id, to_bytes(&agent!())]);
    assert!(!delegate::contains(&wallet, agent!()));
    end(test, wallet);
}

#[test]
fun a_delegate_who_comes_back_has_no_budget() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::set_service_allowance<Shop>(&mut wallet, agent!(), 50, test.ctx());
    delegate::set_coin_allowance<USD>(&mut wallet, agent!(), 40, test.ctx());
    delegate::remove(&mut wallet, agent!(), test.ctx());
    delegate::add(&mut wallet, agent!(), test.ctx());
    assert_eq!(delegate::service_count(&wallet, agent!()), 0);
    assert_eq!(delegate::coin_count(&wallet, agent!()), 0);
    end(test, wallet);
}

#[test, expected_failure(abort_code = delegate::EAlreadyInitialized)]
fun delegates_are_initialized_once() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::initialize(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::ENotInitialized)]
fun delegates_are_initialized_before_one_is_added() {
    let (mut test, mut wallet) = begin();
    delegate::add(&mut wallet, agent!(), test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::EAlreadyExists)]
fun a_delegate_is_added_once() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::add(&mut wallet, agent!(), test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::EMainOwnerNoAllowance)]
fun the_owner_is_no_delegate() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::add(&mut wallet, owner!(), test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::EMainOwnerNoAllowance)]
fun the_owner_has_no_budget() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::set_coin_allowance<USD>(&mut wallet, owner!(), 1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::ENotFound)]
fun a_stranger_is_not_removed() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::remove(&mut wallet, stranger!(), test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::ENotFound)]
fun a_stranger_gets_no_budget() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::set_service_allowance<Shop>(&mut wallet, stranger!(), 1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_initializes_no_delegates() {
    let (mut test, mut wallet) = begin();
    test.next_tx(stranger!());
    delegate::initialize(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_delegate_adds_none() {
    let (mut test, mut wallet) = begin_as_agent();
    delegate::add(&mut wallet, stranger!(), test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_delegate_removes_none() {
    let (mut test, mut wallet) = begin_as_agent();
    delegate::remove(&mut wallet, agent!(), test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_delegate_sets_no_budget_of_a_service() {
    let (mut test, mut wallet) = begin_as_agent();
    delegate::set_service_unlimited_allowance<Shop>(&mut wallet, agent!(), test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_delegate_increases_no_budget_of_a_coin() {
    let (mut test, mut wallet) = begin_as_agent();
    delegate::increase_coin_allowance<USD>(&mut wallet, agent!(), 1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_delegate_sets_no_expiry() {
    let (mut test, mut wallet) = begin_as_agent();
    delegate::set_expiry(&mut wallet, agent!(), option::none(), test.ctx());
    abort
}

// === Budgets ===

#[test]
fun budgets_are_set_and_taken_away() {
    let (mut test, mut wallet) = begin_with_agent();
    let (id, agent) = (to_bytes(&wallet.id()), to_bytes(&agent!()));
    delegate::set_service_allowance<Shop>(&mut wallet, agent!(), 50, test.ctx());
    assert_event<ServiceAllowanceChanged>(vector[id, agent, name<Shop>(), to_bytes(&50u64)]);
    delegate::set_coin_allowance<USD>(&mut wallet, agent!(), 40, test.ctx());
    assert_event<CoinAllowanceChanged>(vector[id, agent, name<USD>(), to_bytes(&40u64)]);
    assert_eq!(delegate::service_allowance<Shop>(&wallet, agent!()), 50);
    assert_eq!(delegate::coin_allowance<USD>(&wallet, agent!()), 40);
    assert_eq!(delegate::service_allowance<Rival>(&wallet, agent!()), 0);
    assert_eq!(delegate::coin_allowance<EUR>(&wallet, agent!()), 0);

    test.next_tx(owner!());
    delegate::set_service_allowance<Shop>(&mut wallet, agent!(), 0, test.ctx());
    assert_event<ServiceAllowanceChanged>(vector[id, agent, name<Shop>(), to_bytes(&0u64)]);
    assert_eq!(delegate::service_count(&wallet, agent!()), 0);
    assert_eq!(delegate::coin_count(&wallet, agent!()), 1);
    end(test, wallet);
}

#[test]
fun budgets_are_increased_and_decreased() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::increase_service_allowance<Shop>(&mut wallet, agent!(), 50, test.ctx());
    delegate::increase_service_allowance<Shop>(&mut wallet, agent!(), 5, test.ctx());
    delegate::decrease_service_allowance<Shop>(&mut wallet, agent!(), 1, test.ctx());
    assert_eq!(delegate::service_allowance<Shop>(&wallet, agent!()), 54);
    delegate::increase_coin_allowance<USD>(&mut wallet, agent!(), UNLIMITED - 1, test.ctx());
    delegate::decrease_coin_allowance<USD>(&mut wallet, agent!(), UNLIMITED - 1, test.ctx());
    assert_eq!(delegate::coin_allowance<USD>(&wallet, agent!()), 0);
    end(test, wallet);
}

#[test]
fun the_owner_has_no_bound_and_a_stranger_nothing() {
    let (test, wallet) = begin_with_agent();
    assert_eq!(delegate::unlimited_allowance(), UNLIMITED);
    assert_eq!(delegate::main_owner(&wallet), owner!());
    assert_eq!(delegate::service_allowance<Shop>(&wallet, owner!()), UNLIMITED);
    assert_eq!(delegate::coin_allowance<USD>(&wallet, owner!()), UNLIMITED);
    assert_eq!(delegate::service_allowance<Shop>(&wallet, stranger!()), 0);
    assert_eq!(delegate::coin_allowance<USD>(&wallet, stranger!()), 0);
    assert_eq!(delegate::service_count(&wallet, stranger!()), 0);
    end(test, wallet);
}

#[test, expected_failure(abort_code = delegate::ETooLarge)]
fun an_increase_never_becomes_unlimited() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::set_service_allowance<Shop>(&mut wallet, agent!(), 1, test.ctx());
    delegate::increase_service_allowance<Shop>(&mut wallet, agent!(), UNLIMITED - 1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::ETooLarge)]
fun an_increase_from_nothing_never_becomes_unlimited() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::increase_coin_allowance<USD>(&mut wallet, agent!(), UNLIMITED, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::EUnlimited)]
fun an_unlimited_budget_is_not_increased() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::set_service_unlimited_allowance<Shop>(&mut wallet, agent!(), test.ctx());
    delegate::increase_service_allowance<Shop>(&mut wallet, agent!(), 1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::EUnlimited)]
fun an_unlimited_budget_is_not_made_finite_by_a_decrease() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::set_coin_unlimited_allowance<USD>(&mut wallet, agent!(), test.ctx());
    delegate::decrease_coin_allowance<USD>(&mut wallet, agent!(), 1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::EZeroAmount)]
fun an_increase_by_nothing_is_refused() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::increase_service_allowance<Shop>(&mut wallet, agent!(), 0, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::EZeroAmount)]
fun a_decrease_by_nothing_is_refused() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::set_service_allowance<Shop>(&mut wallet, agent!(), 1, test.ctx());
    delegate::decrease_service_allowance<Shop>(&mut wallet, agent!(), 0, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::EServiceNotSet)]
fun no_budget_of_a_service_is_not_decreased() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::decrease_service_allowance<Shop>(&mut wallet, agent!(), 1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::ECoinNotSet)]
fun no_budget_of_a_coin_is_not_decreased() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::decrease_coin_allowance<USD>(&mut wallet, agent!(), 1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::EInsufficientServiceAllowance)]
fun a_budget_of_a_service_is_not_decreased_below_nothing() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::set_service_allowance<Shop>(&mut wallet, agent!(), 1, test.ctx());
    delegate::decrease_service_allowance<Shop>(&mut wallet, agent!(), 2, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::EInsufficientCoinAllowance)]
fun a_budget_of_a_coin_is_not_decreased_below_nothing() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::set_coin_allowance<USD>(&mut wallet, agent!(), 1, test.ctx());
    delegate::decrease_coin_allowance<USD>(&mut wallet, agent!(), 2, test.ctx());
    abort
}

// === Payments ===

#[test]
fun a_payment_runs_down_both_budgets_and_the_grant() {
    let (mut test, mut wallet) = begin_as_agent();
    spend(&mut test, &mut wallet, 15);
    let (id, agent) = (to_bytes(&wallet.id()), to_bytes(&agent!()));
    let (amount, of_service, of_coin) = (to_bytes(&15u64), to_bytes(&35u64), to_bytes(&25u64));
    assert_event<ServiceAllowanceDebited>(vector[id, agent, name<Shop>(), amount, of_service]);
    assert_event<CoinAllowanceDebited>(vector[id, agent, name<USD>(), amount, of_coin]);
    assert_eq!(delegate::service_allowance<Shop>(&wallet, agent!()), 35);
    assert_eq!(delegate::coin_allowance<USD>(&wallet, agent!()), 25);
    assert_eq!(wallet.granted<Shop, USD>(), 85);
    test.next_tx(agent!());
    assert_eq!(burn(test.take_from_address<Coin<USD>>(shop_address!())), 15);
    end(test, wallet);
}

#[test]
fun unlimited_budgets_do_not_run_down() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::set_service_unlimited_allowance<Shop>(&mut wallet, agent!(), test.ctx());
    delegate::set_coin_unlimited_allowance<USD>(&mut wallet, agent!(), test.ctx());
    test.next_tx(agent!());
    spend(&mut test, &mut wallet, 15);
    assert_eq!(delegate::service_allowance<Shop>(&wallet, agent!()), UNLIMITED);
    assert_eq!(delegate::coin_allowance<USD>(&wallet, agent!()), UNLIMITED);
    assert_eq!(wallet.granted<Shop, USD>(), 85);
    end(test, wallet);
}

#[test]
fun the_owner_pays_without_budgets_but_within_the_grant() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(100, test.ctx());
    spend(&mut test, &mut wallet, 15);
    assert_eq!(wallet.granted<Shop, USD>(), 85);
    end(test, wallet);
}

#[test, expected_failure(abort_code = delegate::EServiceNotAuthorized)]
fun a_service_without_a_grant_is_paid_nothing() {
    let (mut test, mut wallet) = begin();
    spend(&mut test, &mut wallet, 1);
    abort
}

#[test, expected_failure(abort_code = wallet::EGrantExceeded)]
fun unlimited_budgets_do_not_widen_the_grant() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::set_service_unlimited_allowance<Shop>(&mut wallet, agent!(), test.ctx());
    delegate::set_coin_unlimited_allowance<USD>(&mut wallet, agent!(), test.ctx());
    test.next_tx(agent!());
    spend(&mut test, &mut wallet, 101);
    abort
}

#[test, expected_failure(abort_code = delegate::ENotDelegate)]
fun a_stranger_pays_nothing() {
    let (mut test, mut wallet) = begin_as_agent();
    test.next_tx(stranger!());
    spend(&mut test, &mut wallet, 1);
    abort
}

#[test, expected_failure(abort_code = delegate::ENotDelegate)]
fun a_former_owner_pays_nothing() {
    let (mut test, mut wallet) = begin_with_agent();
    wallet.offer_ownership(stranger!(), test.ctx());
    test.next_tx(stranger!());
    wallet.accept_ownership(test.ctx());
    test.next_tx(owner!());
    spend(&mut test, &mut wallet, 1);
    abort
}

#[test, expected_failure(abort_code = delegate::EServiceNotSet)]
fun a_delegate_without_a_budget_for_the_service_pays_nothing() {
    let (mut test, mut wallet) = begin_as_agent();
    test.next_tx(owner!());
    delegate::set_service_allowance<Shop>(&mut wallet, agent!(), 0, test.ctx());
    test.next_tx(agent!());
    spend(&mut test, &mut wallet, 1);
    abort
}

#[test, expected_failure(abort_code = delegate::ECoinNotSet)]
fun a_delegate_without_a_budget_for_the_coin_pays_nothing() {
    let (mut test, mut wallet) = begin_as_agent();
    test.next_tx(owner!());
    delegate::set_coin_allowance<USD>(&mut wallet, agent!(), 0, test.ctx());
    test.next_tx(agent!());
    spend(&mut test, &mut wallet, 1);
    abort
}

#[test]
fun a_delegate_pays_all_of_a_budget() {
    let (mut test, mut wallet) = begin_as_agent();
    spend(&mut test, &mut wallet, 40);
    assert_eq!(delegate::coin_allowance<USD>(&wallet, agent!()), 0);
    test.next_tx(owner!());
    delegate::set_coin_allowance<USD>(&mut wallet, agent!(), 40, test.ctx());
    test.next_tx(agent!());
    spend(&mut test, &mut wallet, 10);
    assert_eq!(delegate::service_allowance<Shop>(&wallet, agent!()), 0);
    end(test, wallet);
}

#[test, expected_failure(abort_code = delegate::EInsufficientServiceAllowance)]
fun a_delegate_pays_no_more_than_the_budget_for_the_service() {
    let (mut test, mut wallet) = begin_as_agent();
    spend(&mut test, &mut wallet, 51);
    abort
}

#[test, expected_failure(abort_code = delegate::EInsufficientCoinAllowance)]
fun a_delegate_pays_no_more_than_the_budget_for_the_coin() {
    let (mut test, mut wallet) = begin_as_agent();
    spend(&mut test, &mut wallet, 41);
    abort
}

#[test, expected_failure(abort_code = wallet::EZeroAmount)]
fun a_payment_of_nothing_is_refused() {
    let (mut test, mut wallet) = begin_as_agent();
    spend(&mut test, &mut wallet, 0);
    abort
}

// === Expiry ===

#[test]
fun a_delegate_pays_until_the_end_of_its_time() {
    let (mut test, mut wallet) = begin_with_agent();
    delegate::increase_service_allowance<Shop>(&mut wallet, agent!(), 50, test.ctx());
    delegate::increase_coin_allowance<USD>(&mut wallet, agent!(), 50, test.ctx());
    assert_eq!(delegate::expires_at_ms(&wallet, agent!()), option::none());
    delegate::set_expiry(&mut wallet, agent!(), option::some(500), test.ctx());
    let end_bytes = to_bytes(&option::some(500u64));
    assert_event<ExpiryChanged>(vector[to_bytes(&wallet.id()), to_bytes(&agent!()), end_bytes]);
    assert_eq!(delegate::expires_at_ms(&wallet, agent!()), option::some(500));
    test.next_tx(agent!());
    spend_at(&mut test, &mut wallet, 1, 499);
    end(test, wallet);
}

#[test, expected_failure(abort_code = delegate::EExpired)]
fun a_delegate_whose_time_is_over_pays_nothing() {
    let (mut test, mut wallet) = begin_as_agent();
    test.next_tx(owner!());
    delegate::set_expiry(&mut wallet, agent!(), option::some(500), test.ctx());
    test.next_tx(agent!());
    spend_at(&mut test, &mut wallet, 1, 500);
    abort
}

#[test, expected_failure(abort_code = delegate::ENotFound)]
fun a_stranger_has_no_expiry() {
    let (_test, wallet) = begin_with_agent();
    delegate::expires_at_ms(&wallet, stranger!());
    abort
}

#[test]
fun who_may_act_at_a_service_is_the_owner_and_its_delegates_in_time() {
    let (mut test, mut wallet) = begin_as_agent();
    test.next_tx(owner!());
    delegate::set_expiry(&mut wallet, agent!(), option::some(500), test.ctx());
    let mut clock = clock_at(499, &mut test);
    assert!(delegate::is_service_authorized<Shop>(&wallet, owner!(), &clock));
    assert!(delegate::is_service_authorized<Shop>(&wallet, agent!(), &clock));
    assert!(!delegate::is_service_authorized<Rival>(&wallet, agent!(), &clock));
    assert!(!delegate::is_service_authorized<Shop>(&wallet, stranger!(), &clock));
    clock.increment_for_testing(1);
    assert!(!delegate::is_service_authorized<Shop>(&wallet, agent!(), &clock));
    clock.destroy_for_testing();
    end(test, wallet);
}
