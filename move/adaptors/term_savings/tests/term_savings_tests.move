#[test_only]
module term_savings::term_savings_tests;

use std::unit_test::assert_eq;
use sui::clock::{Self, Clock};
use sui::coin::{Self, Coin};
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};
use term_savings::term_savings::{Self, Savings};

const SAVER: address = @0xa;
const TERM_MS: u64 = 1000;

/// Savings at 5 % a term with 100 in reserve.
fun begin(): (Scenario, Savings, Clock) {
    let mut test = scenario::begin(SAVER);
    term_savings::create(TERM_MS, 500, test.ctx());
    test.next_tx(SAVER);
    let mut savings = test.take_shared<Savings>();
    let reserve = mint(&mut test, 100);
    savings.fund(reserve);
    let clock = clock::create_for_testing(test.ctx());
    (test, savings, clock)
}

fun end(test: Scenario, savings: Savings, clock: Clock) {
    scenario::return_shared(savings);
    clock.destroy_for_testing();
    test.end();
}

fun mint(test: &mut Scenario, amount: u64): Coin<SUI> {
    coin::mint_for_testing(amount, test.ctx())
}

fun deposit(test: &mut Scenario, savings: &mut Savings, clock: &Clock, amount: u64) {
    let coin = mint(test, amount);
    savings.deposit(coin, clock, test.ctx())
}

#[test]
fun a_full_term_earns_interest() {
    let (mut test, mut savings, mut clock) = begin();
    deposit(&mut test, &mut savings, &clock, 2000);
    assert_eq!(savings.deposited(SAVER), 2000);
    assert_eq!(savings.reserve(), 0);
    clock.increment_for_testing(TERM_MS);
    assert_eq!(savings.withdraw(&clock, test.ctx()).burn_for_testing(), 2100);
    assert_eq!(savings.deposited(SAVER), 0);
    end(test, savings, clock);
}

#[test]
fun leaving_a_millisecond_early_earns_nothing_and_refills_the_reserve() {
    let (mut test, mut savings, mut clock) = begin();
    deposit(&mut test, &mut savings, &clock, 2000);
    clock.increment_for_testing(TERM_MS - 1);
    assert_eq!(savings.withdraw(&clock, test.ctx()).burn_for_testing(), 2000);
    assert_eq!(savings.reserve(), 100);
    end(test, savings, clock);
}

#[test, expected_failure(abort_code = term_savings::EReserveTooSmall)]
fun interest_that_is_not_there_is_not_promised() {
    let (mut test, mut savings, clock) = begin();
    deposit(&mut test, &mut savings, &clock, 2020);
    abort
}

#[test, expected_failure(abort_code = term_savings::EAlreadyDeposited)]
fun a_second_deposit_is_refused() {
    let (mut test, mut savings, clock) = begin();
    deposit(&mut test, &mut savings, &clock, 10);
    deposit(&mut test, &mut savings, &clock, 10);
    abort
}

#[test, expected_failure(abort_code = term_savings::ENoDeposit)]
fun a_stranger_has_nothing_to_withdraw() {
    let (mut test, mut savings, clock) = begin();
    deposit(&mut test, &mut savings, &clock, 10);
    test.next_tx(@0xb);
    let _stolen = savings.withdraw(&clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = term_savings::ENothing)]
fun a_deposit_of_nothing_is_refused() {
    let (mut test, mut savings, clock) = begin();
    deposit(&mut test, &mut savings, &clock, 0);
    abort
}
