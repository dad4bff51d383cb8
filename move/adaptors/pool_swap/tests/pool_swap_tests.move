#[test_only]
module pool_swap::pool_swap_tests;

use pool_swap::pool_swap::{Self, Pool, PoolCap, Swapped};
use std::unit_test::{assert_eq, destroy};
use sui::coin::{Self, Coin};
use sui::event;
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};

public struct GOLD has drop {}

const TRADER: address = @0xa;

/// A pool of 1,000,000 SUI and 2,000,000 GOLD.
fun begin(): (Scenario, Pool<SUI, GOLD>, PoolCap) {
    let mut test = scenario::begin(TRADER);
    let (sui, gold) = (mint<SUI>(&mut test, 1_000_000), mint<GOLD>(&mut test, 2_000_000));
    let cap = pool_swap::open(sui, gold, test.ctx());
    test.next_tx(TRADER);
    let pool = test.take_shared<Pool<SUI, GOLD>>();
    (test, pool, cap)
}

fun end(test: Scenario, pool: Pool<SUI, GOLD>, cap: PoolCap) {
    scenario::return_shared(pool);
    destroy(cap);
    test.end();
}

fun mint<T>(test: &mut Scenario, amount: u64): Coin<T> {
    coin::mint_for_testing(amount, test.ctx())
}

#[test]
fun a_swap_pays_the_constant_product_less_the_fee() {
    let (mut test, mut pool, cap) = begin();
    let coin = mint<SUI>(&mut test, 10_000);
    // 2,000,000 * 9,970 / (1,000,000 + 9,970), rounded down.
    assert_eq!(pool.swap_a_to_b(coin, 19_743, test.ctx()).burn_for_testing(), 19_743);
    let (sui, gold) = pool.reserves();
    assert_eq!(sui, 1_010_000);
    assert_eq!(gold, 1_980_257);
    assert_eq!(event::events_by_type<Swapped>().length(), 1);
    end(test, pool, cap);
}

#[test]
fun there_and_back_never_gains() {
    let (mut test, mut pool, cap) = begin();
    let coin = mint<SUI>(&mut test, 777);
    let gold = pool.swap_a_to_b(coin, 0, test.ctx());
    assert!(pool.swap_b_to_a(gold, 0, test.ctx()).burn_for_testing() < 777);
    end(test, pool, cap);
}

#[test]
fun amounts_at_the_limit_of_u64_do_not_overflow() {
    let mut test = scenario::begin(TRADER);
    let huge = std::u64::max_value!() / 2;
    let (sui, gold) = (mint<SUI>(&mut test, huge), mint<GOLD>(&mut test, huge));
    let cap = pool_swap::open(sui, gold, test.ctx());
    test.next_tx(TRADER);
    let mut pool = test.take_shared<Pool<SUI, GOLD>>();
    let coin = mint<SUI>(&mut test, huge);
    assert!(pool.swap_a_to_b(coin, 0, test.ctx()).burn_for_testing() < huge);
    end(test, pool, cap);
}

#[test]
fun the_owner_closes_the_pool() {
    let (mut test, mut pool, cap) = begin();
    let (sui, gold) = pool.close(cap, test.ctx());
    assert_eq!(sui.burn_for_testing(), 1_000_000);
    assert_eq!(gold.burn_for_testing(), 2_000_000);
    scenario::return_shared(pool);
    test.end();
}

#[test, expected_failure(abort_code = pool_swap::ETooLittle)]
fun less_than_the_trader_takes_is_refused() {
    let (mut test, mut pool, _cap) = begin();
    let coin = mint<SUI>(&mut test, 10_000);
    let _gold = pool.swap_a_to_b(coin, 19_744, test.ctx());
    abort
}

#[test, expected_failure(abort_code = pool_swap::ENothing)]
fun nothing_buys_nothing() {
    let (mut test, mut pool, _cap) = begin();
    let coin = mint<SUI>(&mut test, 0);
    let _gold = pool.swap_a_to_b(coin, 0, test.ctx());
    abort
}

#[test, expected_failure(abort_code = pool_swap::ENothing)]
fun a_pool_needs_both_coins() {
    let mut test = scenario::begin(TRADER);
    let (sui, gold) = (mint<SUI>(&mut test, 5), mint<GOLD>(&mut test, 0));
    let _cap = pool_swap::open(sui, gold, test.ctx());
    abort
}

#[test, expected_failure(abort_code = pool_swap::EWrongPool)]
fun the_cap_of_another_pool_closes_nothing() {
    let (mut test, mut pool, _cap) = begin();
    let (sui, gold) = (mint<SUI>(&mut test, 5), mint<GOLD>(&mut test, 5));
    let other = pool_swap::open(sui, gold, test.ctx());
    let (_sui, _gold) = pool.close(other, test.ctx());
    abort
}
