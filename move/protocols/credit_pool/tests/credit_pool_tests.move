#[test_only]
module credit_pool::credit_pool_tests;

use credit_pool::credit_pool::{Self, AdminCap, Deposit, LineCap, Pool, Withdrawal};
use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};
use sui::coin::{Self, Coin};
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};

public struct SHARE has drop {}

const LENDER: address = @0xa;
const SEED: u64 = 1_000;
const YEAR_MS: u64 = 31_536_000_000;

public struct Setup {
    test: Scenario,
    pool: Pool<SUI, SHARE>,
    admin: AdminCap,
    line: LineCap,
    clock: Clock,
}

/// A pool at a flat rate of ten percent a year, with a line of 1,000,000.
fun begin(): Setup {
    let mut test = scenario::begin(LENDER);
    let clock = clock::create_for_testing(test.ctx());
    let (mut pool, admin) = open(&mut test, &clock);
    let line = pool.open_line(&admin, 1_000_000, test.ctx());
    Setup { test, pool, admin, line, clock }
}

fun open(test: &mut Scenario, clock: &Clock): (Pool<SUI, SHARE>, AdminCap) {
    let treasury = coin::create_treasury_cap_for_testing<SHARE>(test.ctx());
    let seed = coin::mint_for_testing<SUI>(SEED, test.ctx());
    let admin = credit_pool::create(treasury, seed, 1_000, 0, clock, test.ctx());
    test.next_tx(LENDER);
    (test.take_shared<Pool<SUI, SHARE>>(), admin)
}

fun end(setup: Setup) {
    let Setup { test, pool, admin, line, clock } = setup;
    scenario::return_shared(pool);
    destroy(admin);
    destroy(line);
    clock.destroy_for_testing();
    test.end();
}

fun mint(setup: &mut Setup, amount: u64): Coin<SUI> {
    coin::mint_for_testing(amount, setup.test.ctx())
}

fun deposit(setup: &mut Setup, amount: u64): Coin<SHARE> {
    let coin = setup.mint(amount);
    let deposit = setup.pool.begin_deposit(coin, &setup.clock, setup.test.ctx());
    setup.pool.finish_deposit(deposit, 0)
}

fun withdraw(setup: &mut Setup, shares: Coin<SHARE>): u64 {
    let withdrawal = setup.pool.begin_withdraw(shares, &setup.clock);
    setup.pool.finish_withdraw(withdrawal, 0, setup.test.ctx()).burn_for_testing()
}

fun borrow_on(setup: &mut Setup, line: &LineCap, amount: u64): u64 {
    setup.pool.borrow(line, amount, &setup.clock, setup.test.ctx()).burn_for_testing()
}

fun set_limit(setup: &mut Setup, limit: u64) {
    let line = object::id(&setup.line);
    setup.pool.set_limit(&setup.admin, line, limit)
}

fun borrow(setup: &mut Setup, amount: u64): u64 {
    setup.pool.borrow(&setup.line, amount, &setup.clock, setup.test.ctx()).burn_for_testing()
}

/// Answers what comes back.
fun repay(setup: &mut Setup, amount: u64): u64 {
    let (coin, line) = (setup.mint(amount), object::id(&setup.line));
    setup.pool.repay(line, coin, &setup.clock, setup.test.ctx()).burn_for_testing()
}

fun begin_withdraw(setup: &mut Setup, shares: Coin<SHARE>): Withdrawal<SUI, SHARE> {
    setup.pool.begin_withdraw(shares, &setup.clock)
}

fun begin_deposit(setup: &mut Setup, amount: u64): Deposit<SUI, SHARE> {
    let coin = setup.mint(amount);
    setup.pool.begin_deposit(coin, &setup.clock, setup.test.ctx())
}

fun write_off(setup: &mut Setup) {
    let line = object::id(&setup.line);
    setup.pool.write_off(&setup.admin, line, &setup.clock);
}

fun open_other(setup: &mut Setup): (Pool<SUI, SHARE>, AdminCap) {
    open(&mut setup.test, &setup.clock)
}

fun later(setup: &mut Setup, ms: u64) {
    setup.clock.increment_for_testing(ms);
    setup.pool.accrue(&setup.clock);
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
fun interest_belongs_to_the_shares() {
    let mut setup = begin();
    let shares = setup.deposit(999_000);
    assert_eq!(setup.borrow(500_000), 500_000);
    setup.later(YEAR_MS);
    assert_eq!(setup.pool.debt_of(object::id(&setup.line)), 550_000);
    assert_eq!(setup.pool.total_assets(), 1_050_000);
    assert_eq!(setup.repay(600_000), 50_000);
    assert_eq!(setup.pool.debt_of(object::id(&setup.line)), 0);
    assert_eq!(setup.withdraw(shares), 1_048_950);
    setup.end();
}

#[test]
fun a_late_depositor_gets_no_interest_of_the_time_before() {
    let mut setup = begin();
    let early = setup.deposit(999_000);
    setup.borrow(1_000_000);
    // No call accrued meanwhile: the deposit does.
    setup.clock.increment_for_testing(YEAR_MS);
    let late = setup.deposit(1_100_000);
    assert_eq!(late.value(), 1_000_000);
    assert_eq!(setup.withdraw(late), 1_100_000);
    early.burn_for_testing();
    setup.end();
}

#[test]
fun a_withdrawal_is_paid_from_what_comes_in_before_its_second_step() {
    let mut setup = begin();
    let shares = setup.deposit(999_000);
    setup.borrow(1_000_000);
    let withdrawal = setup.begin_withdraw(shares);
    setup.repay(999_000);
    let paid = setup.pool.finish_withdraw(withdrawal, 999_000, setup.test.ctx());
    assert_eq!(paid.burn_for_testing(), 999_000);
    assert_eq!(setup.pool.total_assets(), SEED);
    setup.end();
}

#[test]
fun what_a_withdrawal_is_owed_is_neither_lent_nor_anyone_elses() {
    let mut setup = begin();
    let first = setup.deposit(1_000_000);
    let second = setup.deposit(1_000_000);
    let withdrawal = setup.begin_withdraw(first);
    assert_eq!(setup.pool.available(), 1_001_000);
    assert_eq!(setup.pool.total_assets(), 1_001_000);
    assert_eq!(setup.pool.value_of(second.value()), 1_000_000);
    let bought = setup.deposit(5_000);
    assert_eq!(bought.value(), 5_000);
    setup.pool.finish_withdraw(withdrawal, 1_000_000, setup.test.ctx()).burn_for_testing();
    second.burn_for_testing();
    bought.burn_for_testing();
    setup.end();
}

#[test]
fun a_loss_falls_on_all_shares_and_closes_the_line() {
    let mut setup = begin();
    let shares = setup.deposit(999_000);
    setup.borrow(500_000);
    let line = object::id(&setup.line);
    setup.write_off();
    assert_eq!(setup.pool.debt_of(line), 0);
    assert_eq!(setup.withdraw(shares), 499_500);
    setup.end();
}

#[test]
fun through_any_run_the_price_of_a_share_never_falls_and_all_can_leave() {
    let mut seed = 362_436_069;
    let mut setup = begin();
    let mut held = vector<Coin<SHARE>>[];
    200u64.do!(|_| {
        let (assets, shares) = (setup.pool.total_assets() as u128, setup.pool.total_shares() as u128);
        let line = object::id(&setup.line);
        let dice = next(&mut seed) % 5;
        if (dice == 0) {
            let amount = 1_000 + next(&mut seed) % 1_000_000;
            held.push_back(setup.deposit(amount));
        } else if (dice == 1 && !held.is_empty()) {
            let at = next(&mut seed) % held.length();
            let worth = setup.pool.value_of(held[at].value());
            if (worth <= setup.pool.available()) {
                let coin = held.swap_remove(at);
                assert!(setup.withdraw(coin) <= worth);
            };
        } else if (dice == 2) {
            let room = 1_000_000 - setup.pool.debt_of(line).min(1_000_000);
            let most = room.min(setup.pool.available());
            // What is owed may be up to two more than was borrowed.
            if (most > 2) { setup.borrow(1 + next(&mut seed) % (most - 2)); };
        } else if (dice == 3 && setup.pool.debt_of(line) > 0) {
            let owed = setup.pool.debt_of(line);
            setup.repay(1 + next(&mut seed) % owed);
        } else {
            setup.later(next(&mut seed) % 1_000_000_000);
        };
        assert!((setup.pool.total_assets() as u128) * shares >= assets * (setup.pool.total_shares() as u128));
    });
    let owed = setup.pool.debt_of(object::id(&setup.line));
    if (owed > 0) { setup.repay(owed); };
    held.destroy!(|coin| { setup.withdraw(coin); });
    assert_eq!(setup.pool.total_shares(), SEED);
    assert!(setup.pool.available() >= SEED);
    assert_eq!(setup.pool.available(), setup.pool.total_assets());
    setup.end();
}

#[test, expected_failure(abort_code = credit_pool::ENotThere)]
fun what_is_lent_is_not_paid_out() {
    let mut setup = begin();
    let shares = setup.deposit(999_000);
    setup.borrow(1_000);
    let _second = setup.withdraw(shares);
    setup.borrow(1);
    abort
}

#[test, expected_failure(abort_code = credit_pool::ENotThere)]
fun a_withdrawal_that_nobody_brings_cash_for_fails() {
    let mut setup = begin();
    let shares = setup.deposit(999_000);
    setup.borrow(1_001);
    setup.withdraw(shares);
    abort
}

#[test, expected_failure(abort_code = credit_pool::EOverLimit)]
fun a_line_does_not_lend_past_its_limit() {
    let mut setup = begin();
    let _shares = setup.deposit(2_000_000);
    setup.borrow(1_000_000);
    setup.borrow(1);
    abort
}

#[test, expected_failure(abort_code = credit_pool::EOverLimit)]
fun interest_counts_against_the_limit() {
    let mut setup = begin();
    let _shares = setup.deposit(2_000_000);
    setup.borrow(999_000);
    setup.later(YEAR_MS);
    setup.borrow(1);
    abort
}

#[test, expected_failure(abort_code = credit_pool::EOverLimit)]
fun a_line_whose_limit_was_taken_lends_nothing() {
    let mut setup = begin();
    let _shares = setup.deposit(2_000_000);
    setup.set_limit(0);
    setup.borrow(1);
    abort
}

#[test, expected_failure(abort_code = credit_pool::EWrongPool)]
fun the_admin_of_another_pool_opens_no_line() {
    let mut setup = begin();
    let (_other, admin) = setup.open_other();
    let _line = setup.pool.open_line(&admin, 1, setup.test.ctx());
    abort
}

#[test, expected_failure(abort_code = credit_pool::EWrongPool)]
fun the_line_of_another_pool_borrows_nothing() {
    let mut setup = begin();
    let (mut other, admin) = setup.open_other();
    let foreign = other.open_line(&admin, 1_000, setup.test.ctx());
    setup.borrow_on(&foreign, 1);
    abort
}

#[test, expected_failure(abort_code = credit_pool::EWrongPool)]
fun a_withdrawal_is_not_paid_by_another_pool() {
    let mut setup = begin();
    let shares = setup.deposit(500);
    let (mut other, _admin) = setup.open_other();
    let withdrawal = setup.begin_withdraw(shares);
    let _coin = other.finish_withdraw(withdrawal, 0, setup.test.ctx());
    abort
}

#[test, expected_failure(abort_code = credit_pool::EWrongPool)]
fun a_deposit_is_not_finished_at_another_pool() {
    let mut setup = begin();
    let (other, _admin) = setup.open_other();
    let deposit = setup.begin_deposit(500);
    let _shares = other.finish_deposit(deposit, 0);
    abort
}

#[test, expected_failure(abort_code = credit_pool::EInsolvent)]
fun a_pool_that_lost_everything_takes_nothing_more() {
    let mut setup = begin();
    setup.borrow(SEED);
    setup.write_off();
    let _shares = setup.deposit(1_000);
    abort
}

#[test, expected_failure(abort_code = credit_pool::ETooLittle)]
fun fewer_shares_than_the_depositor_takes_are_refused() {
    let mut setup = begin();
    let deposit = setup.begin_deposit(500);
    let _shares = setup.pool.finish_deposit(deposit, 501);
    abort
}

#[test, expected_failure(abort_code = credit_pool::ETooLittle)]
fun less_than_the_holder_takes_is_refused() {
    let mut setup = begin();
    let shares = setup.deposit(500);
    let withdrawal = setup.begin_withdraw(shares);
    let _coin = setup.pool.finish_withdraw(withdrawal, 501, setup.test.ctx());
    abort
}

#[test, expected_failure(abort_code = credit_pool::ENothing)]
fun nothing_is_not_repaid() {
    let mut setup = begin();
    setup.repay(5);
    abort
}

#[test, expected_failure(abort_code = credit_pool::ENothing)]
fun nothing_is_not_deposited() {
    let mut setup = begin();
    let _shares = setup.deposit(0);
    abort
}
