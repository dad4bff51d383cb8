#[test_only]
module supply_market::supply_market_tests;

use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};
use sui::coin::{Self, Coin};
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};
use supply_market::supply_market::{Self, Market, Position};

const SUPPLIER: address = @0xa;

public struct Setup {
    test: Scenario,
    market: Market<SUI>,
    clock: Clock,
}

fun begin(): Setup {
    let mut test = scenario::begin(SUPPLIER);
    let clock = clock::create_for_testing(test.ctx());
    supply_market::create<SUI>(&clock, test.ctx());
    test.next_tx(SUPPLIER);
    let market = test.take_shared<Market<SUI>>();
    Setup { test, market, clock }
}

fun end(setup: Setup) {
    let Setup { test, market, clock } = setup;
    scenario::return_shared(market);
    clock.destroy_for_testing();
    test.end();
}

fun later(setup: &mut Setup, ms: u64) {
    setup.clock.increment_for_testing(ms)
}

fun mint(setup: &mut Setup, amount: u64): Coin<SUI> {
    coin::mint_for_testing(amount, setup.test.ctx())
}

fun sponsor(setup: &mut Setup, amount: u64, duration_ms: u64) {
    let coin = setup.mint(amount);
    setup.market.sponsor(coin, duration_ms, &setup.clock)
}

fun open(setup: &mut Setup): Position {
    setup.market.open(setup.test.ctx())
}

fun supply(setup: &mut Setup, position: &mut Position, amount: u64) {
    let coin = setup.mint(amount);
    setup.market.supply(position, coin, &setup.clock)
}

fun opened_with(setup: &mut Setup, amount: u64): Position {
    let mut position = setup.open();
    setup.supply(&mut position, amount);
    position
}

fun withdraw(setup: &mut Setup, position: &mut Position, amount: u64, min_out: u64): u64 {
    setup.market.withdraw(position, amount, min_out, &setup.clock, setup.test.ctx()).burn_for_testing()
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
fun rewards_go_by_how_much_and_how_long() {
    let mut setup = begin();
    let mut first = setup.opened_with(1_000);
    setup.sponsor(100_000, 1_000);
    setup.later(500);
    let mut second = setup.opened_with(3_000);
    setup.later(500);
    // 50,000 alone, then a quarter of 50,000.
    assert_eq!(setup.withdraw(&mut first, 1_000, 63_500), 63_500);
    assert_eq!(setup.withdraw(&mut second, 3_000, 40_500), 40_500);
    first.close();
    second.close();
    assert_eq!(setup.market.rewards(), 0);
    setup.end();
}

#[test]
fun rewards_alone_can_be_taken_and_more_than_there_is_is_all() {
    let mut setup = begin();
    let mut position = setup.opened_with(1_000);
    setup.sponsor(1_000, 100);
    setup.later(50);
    assert_eq!(setup.withdraw(&mut position, 0, 500), 500);
    assert_eq!(position.amount(), 1_000);
    setup.later(50);
    assert_eq!(setup.withdraw(&mut position, std::u64::max_value!(), 1_500), 1_500);
    position.close();
    setup.end();
}

#[test]
fun a_large_supply_of_a_moment_earns_nothing() {
    let mut setup = begin();
    let holder = setup.opened_with(1_000);
    setup.sponsor(1_000_000, 1_000);
    setup.later(500);
    let mut attacker = setup.opened_with(1_000_000_000);
    assert_eq!(setup.withdraw(&mut attacker, 1_000_000_000, 0), 1_000_000_000);
    attacker.close();
    destroy(holder);
    setup.end();
}

#[test]
fun the_stream_stands_still_while_nobody_supplies() {
    let mut setup = begin();
    setup.sponsor(1_000, 100);
    setup.later(5_000);
    let mut position = setup.opened_with(1);
    assert_eq!(setup.market.to_stream(), 1_000);
    assert_eq!(setup.market.ends_at_ms(), 5_100);
    setup.later(100);
    assert_eq!(setup.withdraw(&mut position, 1, 1_001), 1_001);
    position.close();
    setup.end();
}

#[test]
fun a_second_sponsor_adds_to_the_first() {
    let mut setup = begin();
    let mut position = setup.opened_with(10);
    setup.sponsor(1_000, 100);
    setup.later(50);
    setup.sponsor(500, 100);
    setup.later(100);
    assert_eq!(setup.withdraw(&mut position, 10, 1_510), 1_510);
    position.close();
    setup.end();
}

#[test]
fun through_any_run_no_more_is_owed_than_is_held() {
    let mut seed = 123_456_789;
    let mut setup = begin();
    let mut positions = vector<Position>[];
    let (mut put_in, mut taken) = (0, 0);
    300u64.do!(|_| {
        let dice = next(&mut seed) % 5;
        if (dice == 0) {
            let amount = 1 + next(&mut seed) % 1_000_000;
            positions.push_back(setup.opened_with(amount));
            put_in = put_in + amount;
        } else if (dice == 1) {
            let now = setup.clock.timestamp_ms();
            let end = setup.market.ends_at_ms();
            // As the market stands or longer, with enough to keep the rate.
            let duration = 1_000 + (end - end.min(now)) * 2;
            let amount = 1 + 1_001 * setup.market.to_stream() + next(&mut seed) % 1_000;
            if (amount < 1_000_000_000_000 && duration < 1_000_000_000) {
                setup.sponsor(amount, duration);
                put_in = put_in + amount;
            };
        } else if (dice < 4 && !positions.is_empty()) {
            let at = next(&mut seed) % positions.length();
            let mut position = positions.swap_remove(at);
            let amount = 1 + next(&mut seed) % (position.amount() + 1);
            if (position.amount() > 0) { taken = taken + setup.withdraw(&mut position, amount, 1); };
            positions.push_back(position);
        } else {
            setup.later(next(&mut seed) % 2_000);
        };
        assert!(setup.market.to_stream() <= setup.market.rewards());
        assert_eq!(setup.market.total_supplied() + setup.market.rewards() + taken, put_in);
        let mut supplied = 0;
        positions.do_ref!(|position| supplied = supplied + position.amount());
        assert_eq!(supplied, setup.market.total_supplied());
    });
    setup.later(2_000_000_000);
    let count = positions.length();
    positions.destroy!(|mut position| {
        if (position.amount() > 0) { setup.withdraw(&mut position, std::u64::max_value!(), 1); };
        destroy(position);
    });
    assert_eq!(setup.market.total_supplied(), 0);
    assert!(count > 10);
    setup.end();
}

#[test, expected_failure(abort_code = supply_market::ERateFalls)]
fun a_stream_is_not_put_off_for_a_base_unit() {
    let mut setup = begin();
    let _position = setup.opened_with(1);
    setup.sponsor(1_000_000, 1_000);
    setup.sponsor(1, 1_000_000);
    abort
}

#[test, expected_failure(abort_code = supply_market::EBadDuration)]
fun a_stream_is_not_hurried() {
    let mut setup = begin();
    let _position = setup.opened_with(1);
    setup.sponsor(1_000_000, 1_000_000);
    setup.sponsor(1, 1);
    abort
}

#[test, expected_failure(abort_code = supply_market::EBadDuration)]
fun a_stream_of_more_than_a_year_is_refused() {
    let mut setup = begin();
    setup.sponsor(1, 366 * 24 * 60 * 60 * 1_000 + 1);
    abort
}

#[test, expected_failure(abort_code = supply_market::EWrongMarket)]
fun a_position_of_another_market_is_refused() {
    let mut setup = begin();
    let mut position = setup.opened_with(1_000);
    let Setup { test, clock, .. } = &mut setup;
    supply_market::create<SUI>(clock, test.ctx());
    test.next_tx(SUPPLIER);
    let mut other = test.take_shared<Market<SUI>>();
    let _coin = other.withdraw(&mut position, 1, 1, clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = supply_market::ETooLittle)]
fun less_than_the_minimum_is_refused() {
    let mut setup = begin();
    let mut position = setup.opened_with(1_000);
    setup.withdraw(&mut position, 1_000, 1_001);
    abort
}

#[test, expected_failure(abort_code = supply_market::ENothing)]
fun an_empty_position_pays_nothing() {
    let mut setup = begin();
    let mut position = setup.open();
    setup.withdraw(&mut position, 5, 0);
    abort
}

#[test, expected_failure(abort_code = supply_market::ENothing)]
fun a_sponsor_of_nothing_is_refused() {
    let mut setup = begin();
    setup.sponsor(0, 1_000);
    abort
}

#[test, expected_failure(abort_code = supply_market::ENotEmpty)]
fun a_position_is_not_closed_with_something_in_it() {
    let mut setup = begin();
    setup.opened_with(1).close();
    abort
}
