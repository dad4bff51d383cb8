#[test_only]
module term_savings::term_savings_tests;

use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};
use sui::coin::{Self, Coin};
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};
use term_savings::term_savings::{Self, Deposit, Savings, TermSavings};
use wallet::delegate;
use wallet::wallet::{Self, Wallet};

const OWNER: address = @0xa;
const AGENT: address = @0xb;
const STRANGER: address = @0xc;
const TERM_MS: u64 = 1000;
const NAME: vector<u8> = b"rainy day";

/// Savings at 5 % a term with 100 in reserve, and a wallet of 5000, of which the service may take 4000 and the agent
/// may save 2500. The owner sends the next transaction.
fun begin(): (Scenario, Wallet, Savings, Clock) {
    let mut test = scenario::begin(OWNER);
    term_savings::create(TERM_MS, 500, test.ctx());
    let mut wallet = wallet::create(test.ctx());
    wallet.deposit(mint(&mut test, 5000));
    wallet.grant_service_coin<TermSavings, SUI>(4000, test.ctx());
    delegate::initialize(&mut wallet, test.ctx());
    delegate::add(&mut wallet, AGENT, test.ctx());
    delegate::set_service_allowance<TermSavings>(&mut wallet, AGENT, 2500, test.ctx());
    delegate::set_coin_allowance<SUI>(&mut wallet, AGENT, 2500, test.ctx());
    let clock = clock::create_for_testing(test.ctx());
    test.next_tx(OWNER);
    let mut savings = test.take_shared<Savings>();
    savings.fund(mint(&mut test, 100));
    (test, wallet, savings, clock)
}

fun end(test: Scenario, wallet: Wallet, savings: Savings, clock: Clock) {
    destroy(wallet);
    scenario::return_shared(savings);
    clock.destroy_for_testing();
    test.end();
}

fun mint(test: &mut Scenario, amount: u64): Coin<SUI> {
    coin::mint_for_testing(amount, test.ctx())
}

fun deposit(test: &mut Scenario, wallet: &mut Wallet, savings: &mut Savings, clock: &Clock, amount: u64) {
    term_savings::deposit(wallet, savings, amount, NAME.to_string(), clock, test.ctx())
}

fun withdraw(test: &mut Scenario, wallet: &mut Wallet, savings: &mut Savings, clock: &Clock) {
    term_savings::withdraw(wallet, savings, NAME.to_string(), clock, test.ctx())
}

#[test]
fun a_full_term_earns_interest() {
    let (mut test, mut wallet, mut savings, mut clock) = begin();
    deposit(&mut test, &mut wallet, &mut savings, &clock, 2000);
    assert_eq!(wallet.balance<SUI>(), 3000);
    assert_eq!(savings.owed(), 2100);
    assert_eq!(savings.reserve(), 0);
    clock.increment_for_testing(TERM_MS);
    withdraw(&mut test, &mut wallet, &mut savings, &clock);
    assert_eq!(wallet.balance<SUI>(), 5100);
    assert_eq!(savings.owed(), 0);
    end(test, wallet, savings, clock);
}

#[test]
fun leaving_a_millisecond_early_earns_nothing_and_refills_the_reserve() {
    let (mut test, mut wallet, mut savings, mut clock) = begin();
    deposit(&mut test, &mut wallet, &mut savings, &clock, 2000);
    clock.increment_for_testing(TERM_MS - 1);
    withdraw(&mut test, &mut wallet, &mut savings, &clock);
    assert_eq!(wallet.balance<SUI>(), 5000);
    assert_eq!(savings.owed(), 0);
    assert_eq!(savings.reserve(), 100);
    end(test, wallet, savings, clock);
}

#[test]
fun a_delegate_saves_and_brings_it_back() {
    let (mut test, mut wallet, mut savings, clock) = begin();
    test.next_tx(AGENT);
    deposit(&mut test, &mut wallet, &mut savings, &clock, 2000);
    assert_eq!(delegate::coin_allowance<SUI>(&wallet, AGENT), 500);
    test.next_tx(AGENT);
    withdraw(&mut test, &mut wallet, &mut savings, &clock);
    assert_eq!(wallet.balance<SUI>(), 5000);
    end(test, wallet, savings, clock);
}

#[test]
fun the_owner_gets_the_money_back_without_the_service() {
    let (mut test, mut wallet, mut savings, mut clock) = begin();
    deposit(&mut test, &mut wallet, &mut savings, &clock, 2000);
    wallet.revoke_service<TermSavings>(test.ctx());
    wallet.reclaim_service_asset<TermSavings, Deposit>(NAME.to_string(), test.ctx());
    test.next_tx(OWNER);
    let deposit = test.take_from_sender<Deposit>();
    assert_eq!(deposit.principal(), 2000);
    assert_eq!(deposit.interest(), 100);
    clock.set_for_testing(deposit.matures_at_ms());
    assert_eq!(savings.redeem(deposit, &clock, test.ctx()).burn_for_testing(), 2100);
    end(test, wallet, savings, clock);
}

#[test, expected_failure(abort_code = term_savings::ENotAuthorized)]
fun a_stranger_takes_no_deposit_out() {
    let (mut test, mut wallet, mut savings, clock) = begin();
    deposit(&mut test, &mut wallet, &mut savings, &clock, 2000);
    test.next_tx(STRANGER);
    withdraw(&mut test, &mut wallet, &mut savings, &clock);
    abort
}

#[test, expected_failure(abort_code = term_savings::ENotAuthorized)]
fun a_delegate_whose_time_is_over_takes_no_deposit_out() {
    let (mut test, mut wallet, mut savings, mut clock) = begin();
    deposit(&mut test, &mut wallet, &mut savings, &clock, 2000);
    delegate::set_expiry(&mut wallet, AGENT, option::some(500), test.ctx());
    clock.set_for_testing(500);
    test.next_tx(AGENT);
    withdraw(&mut test, &mut wallet, &mut savings, &clock);
    abort
}

#[test, expected_failure(abort_code = wallet::EAssetNotFound)]
fun a_deposit_is_not_taken_out_of_another_wallet() {
    let (mut test, mut wallet, mut savings, clock) = begin();
    deposit(&mut test, &mut wallet, &mut savings, &clock, 2000);
    test.next_tx(STRANGER);
    let mut mine = wallet::create(test.ctx());
    mine.grant_service_coin<TermSavings, SUI>(1, test.ctx());
    withdraw(&mut test, &mut mine, &mut savings, &clock);
    abort
}

#[test, expected_failure(abort_code = term_savings::EWrongSavings)]
fun a_deposit_is_not_redeemed_at_other_savings() {
    let (mut test, mut wallet, mut savings, clock) = begin();
    deposit(&mut test, &mut wallet, &mut savings, &clock, 2000);
    term_savings::create(0, 0, test.ctx());
    test.next_tx(OWNER);
    let mut other = test.take_shared<Savings>();
    withdraw(&mut test, &mut wallet, &mut other, &clock);
    abort
}

#[test, expected_failure(abort_code = term_savings::EReserveTooSmall)]
fun interest_that_is_not_there_is_not_promised() {
    let (mut test, mut wallet, mut savings, clock) = begin();
    deposit(&mut test, &mut wallet, &mut savings, &clock, 2020);
    abort
}

#[test, expected_failure(abort_code = wallet::EAssetNameTaken)]
fun a_second_deposit_of_the_same_name_is_refused() {
    let (mut test, mut wallet, mut savings, clock) = begin();
    deposit(&mut test, &mut wallet, &mut savings, &clock, 10);
    deposit(&mut test, &mut wallet, &mut savings, &clock, 10);
    abort
}

#[test, expected_failure(abort_code = delegate::EInsufficientServiceAllowance)]
fun a_delegate_saves_no_more_than_the_budget() {
    let (mut test, mut wallet, mut savings, clock) = begin();
    test.next_tx(AGENT);
    deposit(&mut test, &mut wallet, &mut savings, &clock, 2501);
    abort
}

#[test, expected_failure(abort_code = wallet::EZeroAmount)]
fun a_deposit_of_nothing_is_refused() {
    let (mut test, mut wallet, mut savings, clock) = begin();
    deposit(&mut test, &mut wallet, &mut savings, &clock, 0);
    abort
}
