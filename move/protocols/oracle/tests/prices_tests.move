#[test_only]
module oracle::prices_tests;

use oracle::prices::{Self, AdminCap, PriceSet, Prices};
use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};
use sui::event;
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};

public struct GOLD has drop {}

const ADMIN: address = @0xa;
const MAX_AGE_MS: u64 = 1_000;

fun begin(): (Scenario, Prices, AdminCap, Clock) {
    let mut test = scenario::begin(ADMIN);
    let cap = prices::create(MAX_AGE_MS, test.ctx());
    let clock = clock::create_for_testing(test.ctx());
    test.next_tx(ADMIN);
    let prices = test.take_shared<Prices>();
    (test, prices, cap, clock)
}

#[test]
fun the_last_price_of_each_coin_counts_until_it_is_too_old() {
    let (test, mut prices, cap, mut clock) = begin();
    prices.set<SUI>(&cap, 3_500_000, &clock);
    prices.set<GOLD>(&cap, 7, &clock);
    prices.set<SUI>(&cap, 3_600_000, &clock);
    clock.increment_for_testing(MAX_AGE_MS);
    assert_eq!(prices.price<SUI>(&clock), 3_600_000);
    assert_eq!(prices.price<GOLD>(&clock), 7);
    assert_eq!(event::events_by_type<PriceSet>().length(), 3);
    scenario::return_shared(prices);
    destroy(cap);
    clock.destroy_for_testing();
    test.end();
}

#[test, expected_failure(abort_code = prices::EStale)]
fun an_old_price_is_none() {
    let (_test, mut prices, cap, mut clock) = begin();
    prices.set<SUI>(&cap, 3_500_000, &clock);
    clock.increment_for_testing(MAX_AGE_MS + 1);
    prices.price<SUI>(&clock);
    abort
}

#[test, expected_failure(abort_code = prices::EUnknown)]
fun a_coin_has_no_price_before_one_is_set() {
    let (_test, prices, _cap, clock) = begin();
    prices.price<SUI>(&clock);
    abort
}

#[test, expected_failure(abort_code = prices::EWrongCap)]
fun another_admin_sets_no_price() {
    let (mut test, mut prices, _cap, clock) = begin();
    let other = prices::create(MAX_AGE_MS, test.ctx());
    prices.set<SUI>(&other, 1, &clock);
    abort
}

#[test, expected_failure(abort_code = prices::EZeroPrice)]
fun a_price_of_nothing_is_refused() {
    let (_test, mut prices, cap, clock) = begin();
    prices.set<SUI>(&cap, 0, &clock);
    abort
}
