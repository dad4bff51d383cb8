#[test_only]
module flash_pool::flash_pool_tests;

use flash_pool::flash_pool::{Self, Pool};
use std::unit_test::assert_eq;
use sui::coin::{Self, Coin};
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};

public struct SHARE has drop {}

const LENDER: address = @0xa;
const SEED: u64 = 1_000;
const FEE_BPS: u64 = 9;

fun begin(): (Scenario, Pool<SUI, SHARE>) {
    let mut test = scenario::begin(LENDER);
    let treasury = coin::create_treasury_cap_for_testing<SHARE>(test.ctx());
    let seed = mint(&mut test, SEED);
    flash_pool::create(treasury, seed, FEE_BPS, test.ctx());
    test.next_tx(LENDER);
    let pool = test.take_shared<Pool<SUI, SHARE>>();
    (test, pool)
}

fun end(test: Scenario, pool: Pool<SUI, SHARE>) {
    scenario::return_shared(pool);
    test.end();
}

fun mint(test: &mut Scenario, amount: u64): Coin<SUI> {
    coin::mint_for_testing(amount, test.ctx())
}

fun deposit(test: &mut Scenario, pool: &mut Pool<SUI, SHARE>, amount: u64): Coin<SHARE> {
    let coin = mint(test, amount);
    pool.deposit(coin, 0, test.ctx())
}

fun withdraw(test: &mut Scenario, pool: &mut Pool<SUI, SHARE>, shares: Coin<SHARE>): u64 {
    pool.withdraw(shares, 0, test.ctx()).burn_for_testing()
}

/// Borrows and repays at once.
fun flash(test: &mut Scenario, pool: &mut Pool<SUI, SHARE>, amount: u64) {
    let (mut coin, loan) = pool.borrow(amount, test.ctx());
    coin.join(mint(test, loan.due() - amount));
    pool.repay(loan, coin);
}

/// The next of a row of numbers that look random (xorshift).
fun next(seed: &mut u64): u64 {
    let mut x = *seed;
    x = x ^ (x << 13);
    x = x ^ (x >> 7);
    x = x ^ (x << 17);
    *seed = x;
    x
}

#[test]
fun the_fees_of_loans_belong_to_the_shares() {
    let (mut test, mut pool) = begin();
    let shares = deposit(&mut test, &mut pool, 999_000);
    flash(&mut test, &mut pool, 1_000_000);
    assert_eq!(pool.total_assets(), 1_000_900);
    assert_eq!(withdraw(&mut test, &mut pool, shares), 999_899);
    end(test, pool);
}

#[test]
fun the_smallest_loan_has_a_fee() {
    let (mut test, mut pool) = begin();
    flash(&mut test, &mut pool, 1);
    assert_eq!(pool.total_assets(), SEED + 1);
    end(test, pool);
}

#[test]
fun depositing_what_was_borrowed_gains_nothing() {
    let (mut test, mut pool) = begin();
    let others = deposit(&mut test, &mut pool, 1_000_000);
    let (borrowed, loan) = pool.borrow(1_001_000, test.ctx());
    // All the cash is out, yet a share costs what it did.
    let shares = pool.deposit(borrowed, 0, test.ctx());
    assert_eq!(shares.value(), 1_001_000);
    let mut back = pool.withdraw(shares, 0, test.ctx());
    assert_eq!(back.value(), 1_001_000);
    back.join(mint(&mut test, 901));
    pool.repay(loan, back);
    assert!(withdraw(&mut test, &mut pool, others) >= 1_000_000);
    end(test, pool);
}

#[test]
fun through_any_run_the_price_of_a_share_never_falls_and_all_can_leave() {
    let mut seed = 2_463_534_242;
    let (mut test, mut pool) = begin();
    let mut held = vector<Coin<SHARE>>[];
    200u64.do!(|_| {
        let (assets, shares) = (pool.total_assets() as u128, pool.total_shares() as u128);
        let dice = next(&mut seed) % 3;
        if (dice == 0) {
            // Enough to buy one share at any price that this run gets to.
            let amount = 1_000 + next(&mut seed) % 1_000_000;
            held.push_back(deposit(&mut test, &mut pool, amount));
        } else if (dice == 1 && !held.is_empty()) {
            let at = next(&mut seed) % held.length();
            let coin = held.swap_remove(at);
            withdraw(&mut test, &mut pool, coin);
        } else {
            let amount = 1 + next(&mut seed) % pool.total_assets();
            flash(&mut test, &mut pool, amount);
        };
        assert!((pool.total_assets() as u128) * shares >= assets * (pool.total_shares() as u128));
    });
    held.destroy!(|coin| { withdraw(&mut test, &mut pool, coin); });
    assert_eq!(pool.total_shares(), SEED);
    assert!(pool.total_assets() >= SEED);
    end(test, pool);
}

#[test, expected_failure(abort_code = flash_pool::ENotThere)]
fun what_is_lent_is_not_paid_out() {
    let (mut test, mut pool) = begin();
    let shares = deposit(&mut test, &mut pool, 1_000_000);
    let (_coin, _loan) = pool.borrow(1_000_000, test.ctx());
    withdraw(&mut test, &mut pool, shares);
    abort
}

#[test, expected_failure(abort_code = flash_pool::ENotThere)]
fun no_more_is_lent_than_there_is() {
    let (mut test, mut pool) = begin();
    let (_coin, _loan) = pool.borrow(SEED + 1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = flash_pool::EWrongAmount)]
fun a_loan_without_its_fee_is_not_repaid() {
    let (mut test, mut pool) = begin();
    let (coin, loan) = pool.borrow(SEED, test.ctx());
    pool.repay(loan, coin);
    abort
}

#[test, expected_failure(abort_code = flash_pool::EWrongPool)]
fun a_loan_is_not_repaid_to_another_pool() {
    let (mut test, mut pool) = begin();
    let treasury = coin::create_treasury_cap_for_testing<SHARE>(test.ctx());
    let seed = mint(&mut test, SEED);
    let other = flash_pool::create(treasury, seed, 0, test.ctx());
    test.next_tx(LENDER);
    let mut other = test.take_shared_by_id<Pool<SUI, SHARE>>(other);
    let (coin, loan) = pool.borrow(SEED, test.ctx());
    other.repay(loan, coin);
    abort
}

#[test, expected_failure(abort_code = flash_pool::ENothing)]
fun a_loan_of_nothing_is_refused() {
    let (mut test, mut pool) = begin();
    let (_coin, _loan) = pool.borrow(0, test.ctx());
    abort
}

#[test, expected_failure(abort_code = flash_pool::ETooLittle)]
fun fewer_shares_than_the_depositor_takes_are_refused() {
    let (mut test, mut pool) = begin();
    let coin = mint(&mut test, 500);
    let _shares = pool.deposit(coin, 501, test.ctx());
    abort
}

#[test, expected_failure(abort_code = flash_pool::ETooLittle)]
fun less_than_the_holder_takes_is_refused() {
    let (mut test, mut pool) = begin();
    let shares = deposit(&mut test, &mut pool, 500);
    let _paid = pool.withdraw(shares, 501, test.ctx());
    abort
}

#[test, expected_failure(abort_code = flash_pool::ENothing)]
fun a_deposit_of_nothing_is_refused() {
    let (mut test, mut pool) = begin();
    let _shares = deposit(&mut test, &mut pool, 0);
    abort
}

#[test, expected_failure(abort_code = flash_pool::ENotNew)]
fun a_share_coin_that_others_hold_already_is_refused() {
    let mut test = scenario::begin(LENDER);
    let mut treasury = coin::create_treasury_cap_for_testing<SHARE>(test.ctx());
    let _early = treasury.mint(1, test.ctx());
    let seed = mint(&mut test, SEED);
    flash_pool::create(treasury, seed, FEE_BPS, test.ctx());
    abort
}

#[test, expected_failure(abort_code = flash_pool::ESeedTooSmall)]
fun a_pool_without_its_seed_is_refused() {
    let mut test = scenario::begin(LENDER);
    let treasury = coin::create_treasury_cap_for_testing<SHARE>(test.ctx());
    let seed = mint(&mut test, SEED - 1);
    flash_pool::create(treasury, seed, FEE_BPS, test.ctx());
    abort
}

#[test, expected_failure(abort_code = flash_pool::EFeeTooHigh)]
fun a_fee_above_one_percent_is_refused() {
    let mut test = scenario::begin(LENDER);
    let treasury = coin::create_treasury_cap_for_testing<SHARE>(test.ctx());
    let seed = mint(&mut test, SEED);
    flash_pool::create(treasury, seed, 101, test.ctx());
    abort
}
