#[test_only]
module debt::debts_tests;

use debt::debts::{Self, Debts};
use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};

const YEAR_MS: u64 = 31_536_000_000;

fun begin(base_bps: u64, slope_bps: u64): (Debts, Clock) {
    let clock = clock::create_for_testing(&mut tx_context::dummy());
    (debts::new(base_bps, slope_bps, &clock), clock)
}

fun end(debts: Debts, clock: Clock) {
    destroy(debts);
    clock.destroy_for_testing();
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
fun a_year_of_simple_interest_is_the_rate() {
    let (mut debts, mut clock) = begin(500, 0);
    let part = debts.lend(1_000_000);
    clock.increment_for_testing(YEAR_MS);
    assert_eq!(debts.accrue(0, &clock), 50_000);
    assert_eq!(debts.owed(part), 1_050_000);
    assert_eq!(debts.total(), 1_050_000);
    end(debts, clock);
}

#[test]
fun the_rate_follows_how_much_is_lent() {
    let (mut debts, clock) = begin(100, 1_000);
    assert_eq!(debts.rate_bps(1_000), 100);
    assert_eq!(debts.rate_bps(0), 100);
    debts.lend(1_000);
    assert_eq!(debts.rate_bps(3_000), 350);
    assert_eq!(debts.rate_bps(0), 1_100);
    end(debts, clock);
}

#[test]
fun charging_often_or_rarely_makes_little_difference() {
    let (mut debts, mut clock) = begin(500, 0);
    let part = debts.lend(1_000_000_000);
    200u64.do!(|_| {
        clock.increment_for_testing(1);
        debts.accrue(0, &clock);
    });
    let (mut rarely, mut other) = begin(500, 0);
    let same = rarely.lend(1_000_000_000);
    other.increment_for_testing(200);
    rarely.accrue(0, &other);
    assert_eq!(debts.owed(part), rarely.owed(same));
    end(debts, clock);
    end(rarely, other);
}

#[test]
fun an_early_borrower_owes_more_than_a_late_one() {
    let (mut debts, mut clock) = begin(1_000, 0);
    let early = debts.lend(1_000);
    clock.increment_for_testing(YEAR_MS);
    debts.accrue(0, &clock);
    let late = debts.lend(1_000);
    assert_eq!(debts.owed(early), 1_100);
    // 909.09 parts of 1.1 each, both rounded up.
    assert_eq!(debts.owed(late), 1_001);
    end(debts, clock);
}

#[test]
fun what_one_owes_is_up_and_what_all_owe_is_down_through_any_run() {
    let mut seed = 88_172_645_463_325_252;
    let (mut debts, mut clock) = begin(731, 2_917);
    let mut parts = vector<u64>[];
    300u64.do!(|_| {
        let dice = next(&mut seed) % 10;
        if (dice < 4 || parts.is_empty()) {
            let amount = 1 + next(&mut seed) % 1_000_000;
            let before = debts.total();
            let part = debts.lend(amount);
            assert!(debts.owed(part) >= amount);
            assert!(debts.total() >= before + amount);
            parts.push_back(part);
        } else if (dice < 8) {
            let at = next(&mut seed) % parts.length();
            let part = parts.swap_remove(at);
            let owed = debts.owed(part);
            let amount = if (dice == 4) owed else next(&mut seed) % (owed + 1);
            let before = debts.total();
            let left = debts.repay(part, amount);
            assert!(debts.owed(left) >= owed - amount);
            assert!(debts.total() + amount >= before);
            assert!((left == 0) == (amount == owed));
            if (left > 0) parts.push_back(left);
        } else {
            let before = debts.total();
            clock.increment_for_testing(next(&mut seed) % 10_000_000_000);
            let grown = debts.accrue(next(&mut seed) % 1_000_000, &clock);
            assert_eq!(debts.total(), before + grown);
        };
        let mut owed = 0;
        parts.do_ref!(|part| owed = owed + debts.owed(*part));
        assert!(owed >= debts.total());
        assert!(owed - debts.total() <= parts.length());
    });
    end(debts, clock);
}

#[test]
fun a_debt_that_is_written_off_is_owed_by_nobody() {
    let (mut debts, clock) = begin(0, 0);
    let bad = debts.lend(300);
    let good = debts.lend(700);
    assert_eq!(debts.write_off(bad), 300);
    assert_eq!(debts.total(), 700);
    assert_eq!(debts.repay(good, 700), 0);
    assert_eq!(debts.total(), 0);
    end(debts, clock);
}

#[test]
fun debts_at_the_limit_of_u64_do_not_overflow() {
    let (mut debts, mut clock) = begin(10_000, 0);
    let part = debts.lend(std::u64::max_value!() / 2);
    clock.increment_for_testing(YEAR_MS / 2);
    debts.accrue(std::u64::max_value!(), &clock);
    assert!(debts.owed(part) > std::u64::max_value!() / 2);
    end(debts, clock);
}

#[test, expected_failure(abort_code = debts::ENotOwed)]
fun no_more_is_repaid_than_is_owed() {
    let (mut debts, _clock) = begin(0, 0);
    let part = debts.lend(1_000);
    debts.repay(part, 1_001);
    abort
}

#[test, expected_failure(abort_code = debts::ERateTooHigh)]
fun a_rate_above_a_hundred_percent_is_refused() {
    let (_debts, _clock) = begin(9_000, 1_001);
    abort
}
