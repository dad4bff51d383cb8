#[test_only]
module pool_swap::pool_swap_tests;

use pool::pool::{Self, Pool};
use pool_swap::pool_swap::{Self, PoolSwap};
use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};
use sui::coin::{Self, Coin};
use sui::event;
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};
use wallet::delegate;
use wallet::intent::{Self, SwapVerified};
use wallet::wallet::{Self, Wallet};

public struct GOLD has drop {}

const OWNER: address = @0xa;
const AGENT: address = @0xb;
const STRANGER: address = @0xc;

/// A pool of 1,000,000 SUI and 4,000,000 GOLD, and a wallet of 10,000 SUI and 10,000 GOLD, of which the service is
/// granted 9,000 each and the agent, who sends the next transaction, may use 2,000 SUI.
fun begin(): (Scenario, Wallet, Pool<SUI, GOLD>, Clock) {
    let mut test = scenario::begin(OWNER);
    let (sui, gold) = (mint<SUI>(&mut test, 1_000_000), mint<GOLD>(&mut test, 4_000_000));
    destroy(pool::open(sui, gold, 30, test.ctx()));
    let mut wallet = wallet::create(test.ctx());
    wallet.deposit(mint<SUI>(&mut test, 10_000));
    wallet.deposit(mint<GOLD>(&mut test, 10_000));
    wallet.grant_service_coin<PoolSwap, SUI>(9_000, test.ctx());
    wallet.grant_service_coin<PoolSwap, GOLD>(9_000, test.ctx());
    delegate::initialize(&mut wallet, test.ctx());
    delegate::add(&mut wallet, AGENT, test.ctx());
    delegate::set_service_allowance<PoolSwap>(&mut wallet, AGENT, 5_000, test.ctx());
    delegate::set_coin_allowance<SUI>(&mut wallet, AGENT, 2_000, test.ctx());
    let clock = clock::create_for_testing(test.ctx());
    test.next_tx(AGENT);
    let pool = test.take_shared<Pool<SUI, GOLD>>();
    (test, wallet, pool, clock)
}

fun end(test: Scenario, wallet: Wallet, pool: Pool<SUI, GOLD>, clock: Clock) {
    destroy(wallet);
    scenario::return_shared(pool);
    clock.destroy_for_testing();
    test.end();
}

fun mint<T>(test: &mut Scenario, amount: u64): Coin<T> {
    coin::mint_for_testing(amount, test.ctx())
}

#[test]
fun the_proceeds_of_a_delegates_swap_are_in_the_wallet_that_paid() {
    let (mut test, mut wallet, mut pool, clock) = begin();
    pool_swap::swap_a_to_b(&mut wallet, &mut pool, 2_000, 7_900, &clock, test.ctx());
    // 4,000,000 * 1,994 / (1,000,000 + 1,994), rounded down.
    assert_eq!(wallet.balance<SUI>(), 8_000);
    assert_eq!(wallet.balance<GOLD>(), 17_960);
    assert_eq!(wallet.granted<PoolSwap, SUI>(), 7_000);
    assert_eq!(delegate::coin_allowance<SUI>(&wallet, AGENT), 0);
    let (sui, gold) = pool.reserves();
    assert_eq!(sui, 1_002_000);
    assert_eq!(gold, 3_992_040);
    assert_eq!(event::events_by_type<SwapVerified>().length(), 1);
    end(test, wallet, pool, clock);
}

#[test]
fun the_owner_swaps_the_other_way_too() {
    let (mut test, mut wallet, mut pool, clock) = begin();
    test.next_tx(OWNER);
    pool_swap::swap_b_to_a(&mut wallet, &mut pool, 4_000, 990, &clock, test.ctx());
    assert_eq!(wallet.balance<SUI>(), 10_996);
    assert_eq!(wallet.balance<GOLD>(), 6_000);
    end(test, wallet, pool, clock);
}

#[test, expected_failure(abort_code = intent::EZeroAmount)]
fun a_swap_without_a_minimum_is_refused() {
    let (mut test, mut wallet, mut pool, clock) = begin();
    pool_swap::swap_a_to_b(&mut wallet, &mut pool, 2_000, 0, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = pool::ETooLittle)]
fun a_swap_that_brings_less_than_the_minimum_is_refused() {
    let (mut test, mut wallet, mut pool, clock) = begin();
    pool_swap::swap_a_to_b(&mut wallet, &mut pool, 2_000, 7_961, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::ENotDelegate)]
fun a_stranger_swaps_nothing() {
    let (mut test, mut wallet, mut pool, clock) = begin();
    test.next_tx(STRANGER);
    pool_swap::swap_a_to_b(&mut wallet, &mut pool, 10, 1, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::EInsufficientCoinAllowance)]
fun a_delegate_swaps_no_more_than_the_budget() {
    let (mut test, mut wallet, mut pool, clock) = begin();
    pool_swap::swap_a_to_b(&mut wallet, &mut pool, 2_001, 1, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::EExpired)]
fun a_delegate_whose_time_is_over_swaps_nothing() {
    let (mut test, mut wallet, mut pool, mut clock) = begin();
    test.next_tx(OWNER);
    delegate::set_expiry(&mut wallet, AGENT, option::some(1_000), test.ctx());
    clock.set_for_testing(1_000);
    test.next_tx(AGENT);
    pool_swap::swap_a_to_b(&mut wallet, &mut pool, 10, 1, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EGrantExceeded)]
fun the_owner_cannot_swap_past_the_grant_by_mistake() {
    let (mut test, mut wallet, mut pool, clock) = begin();
    test.next_tx(OWNER);
    pool_swap::swap_a_to_b(&mut wallet, &mut pool, 9_001, 1, &clock, test.ctx());
    abort
}
