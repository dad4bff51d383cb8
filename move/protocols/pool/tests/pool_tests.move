#[test_only]
module pool::pool_tests;

use pool::pool::{Self, LiquidityAdded, Pool, Shares, Swapped};
use std::unit_test::{assert_eq, destroy};
use sui::coin::{Self, Coin};
use sui::event;
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};

public struct GOLD has drop {}

const TRADER: address = @0xa;
const FEE_BPS: u64 = 30;

/// A pool of the amounts, and the shares of its founder.
fun begin_with(a: u64, b: u64, fee_bps: u64): (Scenario, Pool<SUI, GOLD>, Shares<SUI, GOLD>) {
    let mut test = scenario::begin(TRADER);
    let shares = pool::open(mint<SUI>(&mut test, a), mint<GOLD>(&mut test, b), fee_bps, test.ctx());
    test.next_tx(TRADER);
    let pool = test.take_shared<Pool<SUI, GOLD>>();
    (test, pool, shares)
}

/// A pool of 1,000,000 SUI and 4,000,000 GOLD, which is 2,000,000 shares.
fun begin(): (Scenario, Pool<SUI, GOLD>, Shares<SUI, GOLD>) {
    begin_with(1_000_000, 4_000_000, FEE_BPS)
}

fun end(test: Scenario, pool: Pool<SUI, GOLD>, shares: Shares<SUI, GOLD>) {
    scenario::return_shared(pool);
    destroy(shares);
    test.end();
}

fun mint<T>(test: &mut Scenario, amount: u64): Coin<T> {
    coin::mint_for_testing(amount, test.ctx())
}

fun add(test: &mut Scenario, pool: &mut Pool<SUI, GOLD>, a: u64, b: u64): (Shares<SUI, GOLD>, u64, u64) {
    let (a, b) = (mint<SUI>(test, a), mint<GOLD>(test, b));
    let (shares, rest_a, rest_b) = pool.add_liquidity(a, b, 0, test.ctx());
    (shares, rest_a.burn_for_testing(), rest_b.burn_for_testing())
}

fun remove(test: &mut Scenario, pool: &mut Pool<SUI, GOLD>, shares: Shares<SUI, GOLD>): (u64, u64) {
    let (a, b) = pool.remove_liquidity(shares, 0, 0, test.ctx());
    (a.burn_for_testing(), b.burn_for_testing())
}

/// Held a times held b.
fun product(pool: &Pool<SUI, GOLD>): u128 {
    let (a, b) = pool.reserves();
    (a as u128) * (b as u128)
}

#[test]
fun a_swap_pays_the_constant_product_less_the_fee() {
    let (mut test, mut pool, shares) = begin();
    let coin = mint<SUI>(&mut test, 10_000);
    // 4,000,000 * 9,970 / (1,000,000 + 9,970), rounded down.
    assert_eq!(pool.swap_a_to_b(coin, 39_486, test.ctx()).burn_for_testing(), 39_486);
    let (sui, gold) = pool.reserves();
    assert_eq!(sui, 1_010_000);
    assert_eq!(gold, 3_960_514);
    assert_eq!(event::events_by_type<Swapped>().length(), 1);
    end(test, pool, shares);
}

#[test]
fun the_product_never_falls_and_there_and_back_never_gains() {
    let (mut test, mut pool, shares) = begin_with(1_000_000, 4_000_000, 0);
    let mut amount = 10;
    while (amount < 1_000_000) {
        let before = product(&pool);
        let coin = mint<SUI>(&mut test, amount);
        let gold = pool.swap_a_to_b(coin, 0, test.ctx());
        assert!(product(&pool) >= before);
        assert!(pool.swap_b_to_a(gold, 0, test.ctx()).burn_for_testing() <= amount);
        assert!(product(&pool) >= before);
        amount = amount * 3 + 1;
    };
    end(test, pool, shares);
}

#[test]
fun amounts_at_the_limit_of_u64_do_not_overflow() {
    let huge = std::u64::max_value!() / 2;
    let (mut test, mut pool, shares) = begin_with(huge, huge, FEE_BPS);
    let coin = mint<SUI>(&mut test, huge);
    assert!(pool.swap_a_to_b(coin, 0, test.ctx()).burn_for_testing() < huge);
    end(test, pool, shares);
}

#[test]
fun shares_are_bought_at_the_ratio_and_the_rest_comes_back() {
    let (mut test, mut pool, shares) = begin();
    assert_eq!(pool.total_shares(), 2_000_000);
    let (bought, rest_a, rest_b) = add(&mut test, &mut pool, 500, 1_000);
    assert_eq!(bought.amount(), 500);
    assert_eq!(rest_a, 250);
    assert_eq!(rest_b, 0);
    assert_eq!(pool.total_shares(), 2_000_500);
    assert_eq!(event::events_by_type<LiquidityAdded>().length(), 1);
    let (a, b) = remove(&mut test, &mut pool, bought);
    assert_eq!(a, 250);
    assert_eq!(b, 1_000);
    end(test, pool, shares);
}

#[test]
fun fees_belong_to_the_shares() {
    let (mut test, mut pool, shares) = begin();
    let (bought, _, _) = add(&mut test, &mut pool, 500_000, 2_000_000);
    let mut round = 0;
    while (round < 10) {
        let coin = mint<SUI>(&mut test, 100_000);
        let gold = pool.swap_a_to_b(coin, 0, test.ctx());
        pool.swap_b_to_a(gold, 0, test.ctx()).burn_for_testing();
        round = round + 1;
    };
    let (a, b) = remove(&mut test, &mut pool, bought);
    assert!((a as u128) * (b as u128) > 500_000 * 2_000_000);
    end(test, pool, shares);
}

/// Else the founder of a second pool of the same coins could collect the first one's fees with its new shares.
#[test, expected_failure(abort_code = pool::EWrongPool)]
fun the_shares_of_one_pool_are_worth_nothing_in_another() {
    let (mut test, mut pool, _shares) = begin();
    let coin = mint<SUI>(&mut test, 500_000);
    let gold = pool.swap_a_to_b(coin, 0, test.ctx());
    pool.swap_b_to_a(gold, 0, test.ctx()).burn_for_testing();
    let (sui, gold) = (mint<SUI>(&mut test, 500_000), mint<GOLD>(&mut test, 2_000_000));
    let others = pool::open(sui, gold, FEE_BPS, test.ctx());
    remove(&mut test, &mut pool, others);
    abort
}

#[test]
fun putting_in_and_taking_out_never_gains_from_rounding() {
    let (mut test, mut pool, shares) = begin_with(1_000_003, 3_999_979, FEE_BPS);
    let mut amount = 7;
    while (amount < 500_000) {
        let (bought, rest_a, rest_b) = add(&mut test, &mut pool, amount, amount);
        let (a, b) = remove(&mut test, &mut pool, bought);
        assert!(a + rest_a <= amount && b + rest_b <= amount);
        amount = amount * 2 + 1;
    };
    let (sui, gold) = pool.reserves();
    assert!(sui >= 1_000_003 && gold >= 3_999_979);
    end(test, pool, shares);
}

#[test]
fun something_stays_in_the_pool_when_all_shares_are_taken_out() {
    let (mut test, mut pool, shares) = begin();
    remove(&mut test, &mut pool, shares);
    assert_eq!(pool.total_shares(), 1_000);
    let (sui, gold) = pool.reserves();
    assert_eq!(sui, 500);
    assert_eq!(gold, 2_000);
    // The next one still buys shares for what they bring.
    let (bought, _, _) = add(&mut test, &mut pool, 1_000, 4_000);
    assert_eq!(bought.amount(), 2_000);
    end(test, pool, bought);
}

#[test, expected_failure(abort_code = pool::ETooLittle)]
fun less_than_the_trader_takes_is_refused() {
    let (mut test, mut pool, _shares) = begin();
    let coin = mint<SUI>(&mut test, 10_000);
    let _gold = pool.swap_a_to_b(coin, 39_487, test.ctx());
    abort
}

#[test, expected_failure(abort_code = pool::ETooLittle)]
fun a_trade_that_rounds_down_to_nothing_is_refused() {
    let (mut test, mut pool, _shares) = begin();
    let coin = mint<GOLD>(&mut test, 3);
    let _sui = pool.swap_b_to_a(coin, 0, test.ctx());
    abort
}

#[test, expected_failure(abort_code = pool::ENothing)]
fun nothing_buys_nothing() {
    let (mut test, mut pool, _shares) = begin();
    let coin = mint<SUI>(&mut test, 0);
    let _gold = pool.swap_a_to_b(coin, 0, test.ctx());
    abort
}

#[test, expected_failure(abort_code = pool::ENothing)]
fun a_pool_needs_both_coins() {
    let (_test, _pool, _shares) = begin_with(1_000_000, 0, FEE_BPS);
    abort
}

#[test, expected_failure(abort_code = pool::ENothing)]
fun a_pool_is_not_opened_with_the_locked_shares_alone() {
    let (_test, _pool, _shares) = begin_with(1_000, 1_000, FEE_BPS);
    abort
}

#[test, expected_failure(abort_code = pool::EFeeTooHigh)]
fun a_fee_above_ten_percent_is_refused() {
    let (_test, _pool, _shares) = begin_with(1_000_000, 1_000_000, 1_001);
    abort
}

#[test, expected_failure(abort_code = pool::ETooLittle)]
fun fewer_shares_than_are_taken_are_refused() {
    let (mut test, mut pool, _shares) = begin();
    let (a, b) = (mint<SUI>(&mut test, 500), mint<GOLD>(&mut test, 2_000));
    let (_bought, _a, _b) = pool.add_liquidity(a, b, 1_001, test.ctx());
    abort
}

#[test, expected_failure(abort_code = pool::ENothing)]
fun too_little_liquidity_for_one_share_is_refused() {
    let (mut test, mut pool, _shares) = begin();
    let (_bought, _, _) = add(&mut test, &mut pool, 0, 4_000_000);
    abort
}

#[test, expected_failure(abort_code = pool::ETooLittle)]
fun less_than_is_taken_of_one_coin_is_refused() {
    let (mut test, mut pool, shares) = begin();
    let (_a, _b) = pool.remove_liquidity(shares, 0, 4_000_000, test.ctx());
    abort
}

#[test]
fun a_part_of_the_shares_takes_out_its_part() {
    let (mut test, mut pool, mut shares) = begin();
    let part = shares.split(500_000, test.ctx());
    assert_eq!(shares.amount(), 1_499_000);
    let (a, b) = remove(&mut test, &mut pool, part);
    assert_eq!(a, 250_000);
    assert_eq!(b, 1_000_000);
    assert_eq!(pool.total_shares(), 1_500_000);
    end(test, pool, shares);
}

#[test, expected_failure(abort_code = pool::ENothing)]
fun no_shares_are_not_split_off() {
    let (mut test, _pool, mut shares) = begin();
    let _none = shares.split(0, test.ctx());
    abort
}

#[test, expected_failure(abort_code = pool::ETooManyShares)]
fun no_more_shares_are_split_off_than_there_are() {
    let (mut test, _pool, mut shares) = begin();
    let _more = shares.split(1_999_001, test.ctx());
    abort
}

#[test, expected_failure(abort_code = pool::ETooLittle)]
fun less_than_is_taken_of_the_other_coin_is_refused() {
    let (mut test, mut pool, shares) = begin();
    let (_a, _b) = pool.remove_liquidity(shares, 1_000_000, 0, test.ctx());
    abort
}

#[test]
fun just_what_is_taken_at_least_is_enough_and_a_fee_of_ten_percent_is_allowed() {
    let (mut test, mut pool, shares) = begin_with(1_000_000, 4_000_000, 1_000);
    let (a, b) = (mint<SUI>(&mut test, 500), mint<GOLD>(&mut test, 2_000));
    let (mut bought, rest_a, rest_b) = pool.add_liquidity(a, b, 1_000, test.ctx());
    assert_eq!(rest_a.burn_for_testing() + rest_b.burn_for_testing(), 0);
    let all = bought.split(1_000, test.ctx());
    let (a, b) = pool.remove_liquidity(all, 500, 2_000, test.ctx());
    assert_eq!(a.burn_for_testing(), 500);
    assert_eq!(b.burn_for_testing(), 2_000);
    destroy(bought);
    end(test, pool, shares);
}
