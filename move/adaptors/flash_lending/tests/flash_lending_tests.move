#[test_only]
module flash_lending::flash_lending_tests;

use flash_lending::flash_lending::{Self, FlashLending};
use flash_pool::flash_pool::{Self, Pool};
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

/// A pool of 1,000 SUI with a fee of one percent, and a wallet of 10,000 SUI. The service is granted 5,000 of it and
/// all shares; the agent, who sends the next transaction, may use 4,000 SUI and no shares.
fun begin(): (Scenario, Wallet, Pool<SUI, SHARE>, Clock) {
    let mut test = scenario::begin(OWNER);
    let treasury = coin::create_treasury_cap_for_testing<SHARE>(test.ctx());
    flash_pool::create(treasury, mint<SUI>(&mut test, 1_000), 100, test.ctx());
    let mut wallet = wallet::create(test.ctx());
    wallet.deposit(mint<SUI>(&mut test, 10_000));
    wallet.grant_service_coin<FlashLending, SUI>(5_000, test.ctx());
    wallet.grant_service_coin<FlashLending, SHARE>(delegate::unlimited_allowance(), test.ctx());
    delegate::initialize(&mut wallet, test.ctx());
    delegate::add(&mut wallet, AGENT, test.ctx());
    delegate::set_service_unlimited_allowance<FlashLending>(&mut wallet, AGENT, test.ctx());
    delegate::set_coin_allowance<SUI>(&mut wallet, AGENT, 4_000, test.ctx());
    let clock = clock::create_for_testing(test.ctx());
    test.next_tx(AGENT);
    let pool = test.take_shared<Pool<SUI, SHARE>>();
    (test, wallet, pool, clock)
}

fun end(test: Scenario, wallet: Wallet, pool: Pool<SUI, SHARE>, clock: Clock) {
    destroy(wallet);
    scenario::return_shared(pool);
    clock.destroy_for_testing();
    test.end();
}

fun mint<T>(test: &mut Scenario, amount: u64): Coin<T> {
    coin::mint_for_testing(amount, test.ctx())
}

#[test]
fun a_delegate_deposits_and_the_owner_takes_out_with_the_fees() {
    let (mut test, mut wallet, mut pool, clock) = begin();
    flash_lending::deposit(&mut wallet, &mut pool, 4_000, 4_000, &clock, test.ctx());
    assert_eq!(wallet.balance<SUI>(), 6_000);
    assert_eq!(wallet.balance<SHARE>(), 4_000);
    let (mut coin, loan) = pool.borrow(5_000, test.ctx());
    coin.join(mint<SUI>(&mut test, 50));
    pool.repay(loan, coin);
    test.next_tx(OWNER);
    flash_lending::withdraw(&mut wallet, &mut pool, 4_000, 4_040, &clock, test.ctx());
    assert_eq!(wallet.balance<SUI>(), 10_040);
    assert_eq!(wallet.balance<SHARE>(), 0);
    end(test, wallet, pool, clock);
}

#[test, expected_failure(abort_code = intent::EZeroAmount)]
fun a_deposit_without_a_minimum_is_refused() {
    let (mut test, mut wallet, mut pool, clock) = begin();
    flash_lending::deposit(&mut wallet, &mut pool, 4_000, 0, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = flash_pool::ETooLittle)]
fun less_than_the_minimum_is_refused() {
    let (mut test, mut wallet, mut pool, clock) = begin();
    flash_lending::deposit(&mut wallet, &mut pool, 4_000, 4_001, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::ECoinNotSet)]
fun a_delegate_without_a_budget_of_shares_takes_nothing_out() {
    let (mut test, mut wallet, mut pool, clock) = begin();
    flash_lending::deposit(&mut wallet, &mut pool, 4_000, 4_000, &clock, test.ctx());
    flash_lending::withdraw(&mut wallet, &mut pool, 1, 1, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::ENotDelegate)]
fun a_stranger_deposits_nothing() {
    let (mut test, mut wallet, mut pool, clock) = begin();
    test.next_tx(STRANGER);
    flash_lending::deposit(&mut wallet, &mut pool, 10, 1, &clock, test.ctx());
    abort
}
