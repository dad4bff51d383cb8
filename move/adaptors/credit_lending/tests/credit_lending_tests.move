#[test_only]
module credit_lending::credit_lending_tests;

use credit_lending::credit_lending::{Self, CreditLending};
use credit_pool::credit_pool::{Self, AdminCap, Pool};
use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};
use sui::coin::{Self, Coin};
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};
use wallet::delegate;
use wallet::intent;
use wallet::wallet::{Self, Wallet};

public struct SHARE has drop {}

const OWNER: address = @0xa;
const AGENT: address = @0xb;
const STRANGER: address = @0xc;
const YEAR_MS: u64 = 31_536_000_000;

/// A pool of 1,000 SUI that lends at ten percent a year, and a wallet of 10,000 SUI. The service is granted 5,000 of it and
/// all shares; the agent, who sends the next transaction, may use 4,000 SUI and no shares.
fun begin(): (Scenario, Wallet, Pool<SUI, SHARE>, AdminCap, Clock) {
    let mut test = scenario::begin(OWNER);
    let treasury = coin::create_treasury_cap_for_testing<SHARE>(test.ctx());
    let clock = clock::create_for_testing(test.ctx());
    let seed = mint<SUI>(&mut test, 1_000);
    let admin = credit_pool::create(treasury, seed, 1_000, 0, &clock, test.ctx());
    let mut wallet = wallet::create(test.ctx());
    wallet.deposit(mint<SUI>(&mut test, 10_000));
    wallet.grant_service_coin<CreditLending, SUI>(5_000, test.ctx());
    wallet.grant_service_coin<CreditLending, SHARE>(delegate::unlimited_allowance(), test.ctx());
    delegate::initialize(&mut wallet, test.ctx());
    delegate::add(&mut wallet, AGENT, test.ctx());
    delegate::set_service_unlimited_allowance<CreditLending>(&mut wallet, AGENT, test.ctx());
    delegate::set_coin_allowance<SUI>(&mut wallet, AGENT, 4_000, test.ctx());
    test.next_tx(AGENT);
    let pool = test.take_shared<Pool<SUI, SHARE>>();
    (test, wallet, pool, admin, clock)
}

fun end(test: Scenario, wallet: Wallet, pool: Pool<SUI, SHARE>, admin: AdminCap, clock: Clock) {
    destroy(admin);
    destroy(wallet);
    scenario::return_shared(pool);
    clock.destroy_for_testing();
    test.end();
}

fun mint<T>(test: &mut Scenario, amount: u64): Coin<T> {
    coin::mint_for_testing(amount, test.ctx())
}

#[test]
fun a_delegate_deposits_and_the_owner_takes_out_with_the_interest() {
    let (mut test, mut wallet, mut pool, admin, mut clock) = begin();
    credit_lending::deposit(&mut wallet, &mut pool, 4_000, 4_000, &clock, test.ctx());
    assert_eq!(wallet.balance<SUI>(), 6_000);
    assert_eq!(wallet.balance<SHARE>(), 4_000);
    let line = pool.open_line(&admin, 5_000, test.ctx());
    pool.borrow(&line, 5_000, &clock, test.ctx()).burn_for_testing();
    clock.increment_for_testing(YEAR_MS);
    let coin = mint<SUI>(&mut test, 5_500);
    pool.repay(object::id(&line), coin, &clock, test.ctx()).burn_for_testing();
    destroy(line);
    test.next_tx(OWNER);
    credit_lending::withdraw(&mut wallet, &mut pool, 4_000, 4_400, &clock, test.ctx());
    assert_eq!(wallet.balance<SUI>(), 10_400);
    assert_eq!(wallet.balance<SHARE>(), 0);
    end(test, wallet, pool, admin, clock);
}

#[test, expected_failure(abort_code = intent::EZeroAmount)]
fun a_deposit_without_a_minimum_is_refused() {
    let (mut test, mut wallet, mut pool, _admin, clock) = begin();
    credit_lending::deposit(&mut wallet, &mut pool, 4_000, 0, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = credit_pool::ETooLittle)]
fun less_than_the_minimum_is_refused() {
    let (mut test, mut wallet, mut pool, _admin, clock) = begin();
    credit_lending::deposit(&mut wallet, &mut pool, 4_000, 4_001, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::ECoinNotSet)]
fun a_delegate_without_a_budget_of_shares_takes_nothing_out() {
    let (mut test, mut wallet, mut pool, _admin, clock) = begin();
    credit_lending::deposit(&mut wallet, &mut pool, 4_000, 4_000, &clock, test.ctx());
    credit_lending::withdraw(&mut wallet, &mut pool, 1, 1, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::ENotDelegate)]
fun a_stranger_deposits_nothing() {
    let (mut test, mut wallet, mut pool, _admin, clock) = begin();
    test.next_tx(STRANGER);
    credit_lending::deposit(&mut wallet, &mut pool, 10, 1, &clock, test.ctx());
    abort
}
