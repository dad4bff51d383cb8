#[test_only]
module relay_swap::relay_swap_tests;

use relay_swap::relay_swap::{Self, RelaySwap};
use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};
use sui::coin::{Self, Coin};
use sui::event;
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};
use wallet::action;
use wallet::delegate;
use wallet::intent::{Self, SwapVerified};
use wallet::lock;
use wallet::wallet::{Self, Wallet};

public struct GOLD has drop {}

const OWNER: address = @0xa;
const AGENT: address = @0xb;

/// A wallet of 10,000 SUI, of which the service is granted 9,000 and the agent, who sends the next transaction, may use
/// 2,000.
fun begin(): (Scenario, Wallet, Clock) {
    let mut test = scenario::begin(OWNER);
    let mut wallet = wallet::create(test.ctx());
    wallet.deposit(mint<SUI>(&mut test, 10_000));
    wallet.grant_service_coin<RelaySwap, SUI>(9_000, test.ctx());
    delegate::initialize(&mut wallet, test.ctx());
    delegate::add(&mut wallet, AGENT, test.ctx());
    delegate::set_service_allowance<RelaySwap>(&mut wallet, AGENT, 5_000, test.ctx());
    delegate::set_coin_allowance<SUI>(&mut wallet, AGENT, 2_000, test.ctx());
    let clock = clock::create_for_testing(test.ctx());
    test.next_tx(AGENT);
    (test, wallet, clock)
}

fun end(test: Scenario, wallet: Wallet, clock: Clock) {
    destroy(wallet);
    clock.destroy_for_testing();
    test.end();
}

fun mint<T>(test: &mut Scenario, amount: u64): Coin<T> {
    coin::mint_for_testing(amount, test.ctx())
}

/// What a venue pays for the coin.
fun trade(test: &mut Scenario, sold: Coin<SUI>, amount: u64): Coin<GOLD> {
    destroy(sold);
    mint(test, amount)
}

#[test]
fun what_was_bought_is_in_the_wallet_that_paid() {
    let (mut test, mut wallet, clock) = begin();
    let (coin, order) = relay_swap::begin<SUI, GOLD>(&mut wallet, 2_000, 5_900, &clock, test.ctx());
    assert_eq!(coin.value(), 2_000);
    let bought = trade(&mut test, coin, 6_000);
    relay_swap::finish(&mut wallet, order, bought);
    assert_eq!(wallet.balance<SUI>(), 8_000);
    assert_eq!(wallet.balance<GOLD>(), 6_000);
    assert_eq!(event::events_by_type<SwapVerified>().length(), 1);
    end(test, wallet, clock);
}

#[test]
fun one_lock_holds_all_of_its_calls() {
    let (mut test, mut wallet, clock) = begin();
    let ticket = action::begin<RelaySwap>(&mut wallet, test.ctx());
    action::may_take<SUI>(&mut wallet, &ticket, 2_000);
    action::must_bring<GOLD>(&mut wallet, &ticket, 6_000);
    let (coin, order) = relay_swap::begin<SUI, GOLD>(&mut wallet, 2_000, 1, &clock, test.ctx());
    let bought = trade(&mut test, coin, 6_000);
    relay_swap::finish(&mut wallet, order, bought);
    action::end(&mut wallet, ticket, test.ctx());
    assert_eq!(wallet.balance<GOLD>(), 6_000);
    end(test, wallet, clock);
}

#[test, expected_failure(abort_code = lock::ETakesTooMuch)]
fun a_second_order_takes_no_more_than_the_lock_allows() {
    let (mut test, mut wallet, clock) = begin();
    let ticket = action::begin<RelaySwap>(&mut wallet, test.ctx());
    action::may_take<SUI>(&mut wallet, &ticket, 1_000);
    let (coin, order) = relay_swap::begin<SUI, GOLD>(&mut wallet, 1_000, 1, &clock, test.ctx());
    let (more, another) = relay_swap::begin<SUI, GOLD>(&mut wallet, 1, 1, &clock, test.ctx());
    destroy(coin);
    destroy(more);
    destroy(order);
    destroy(another);
    action::end(&mut wallet, ticket, test.ctx());
    end(test, wallet, clock);
}

#[test, expected_failure(abort_code = intent::ESwapSlippageExceeded)]
fun less_than_the_minimum_is_refused() {
    let (mut test, mut wallet, clock) = begin();
    let (coin, order) = relay_swap::begin<SUI, GOLD>(&mut wallet, 2_000, 6_000, &clock, test.ctx());
    let bought = trade(&mut test, coin, 5_999);
    relay_swap::finish(&mut wallet, order, bought);
    end(test, wallet, clock);
}

#[test, expected_failure(abort_code = intent::EWrongWallet)]
fun the_proceeds_go_to_no_other_wallet() {
    let (mut test, mut wallet, clock) = begin();
    let mut other = wallet::create(test.ctx());
    let (coin, order) = relay_swap::begin<SUI, GOLD>(&mut wallet, 2_000, 1, &clock, test.ctx());
    let bought = trade(&mut test, coin, 6_000);
    relay_swap::finish(&mut other, order, bought);
    destroy(other);
    end(test, wallet, clock);
}

#[test, expected_failure(abort_code = delegate::EInsufficientCoinAllowance)]
fun a_delegate_takes_no_more_than_its_budget() {
    let (mut test, mut wallet, clock) = begin();
    let (coin, order) = relay_swap::begin<SUI, GOLD>(&mut wallet, 2_001, 1, &clock, test.ctx());
    destroy(coin);
    destroy(order);
    end(test, wallet, clock);
}
