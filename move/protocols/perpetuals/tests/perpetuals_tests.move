#[test_only]
module perpetuals::perpetuals_tests;

use oracle::prices::{Self, Prices};
use perpetuals::perpetuals::{Self, AccountCap, HouseCap, Market};
use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};
use sui::coin;
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};

public struct DOLLAR has drop {}

const TRADER: address = @0xa;
/// Of a dollar, in millionths; a dollar coin has six decimals.
const DOLLAR_PRICE: u64 = 1_000_000_000;
const SUI_UNIT: u64 = 1_000_000_000;
const ANY: u64 = 1_000_000_000_000;

public struct World {
    test: Scenario,
    market: Market<SUI, DOLLAR>,
    house: HouseCap,
    prices: Prices,
    admin: prices::AdminCap,
    cap: AccountCap,
    clock: Clock,
}

/// SUI at 2 dollars, a house of 1,000 dollars, an account with 100. A trade costs 0.1 percent, a position needs ten
/// percent to open, five to stay; one percent goes to the liquidator.
fun begin(): World {
    let mut test = scenario::begin(TRADER);
    let clock = clock::create_for_testing(test.ctx());
    let admin = prices::create(60_000, test.ctx());
    test.next_tx(TRADER);
    let mut prices = test.take_shared<Prices>();
    prices.set<SUI>(&admin, 2_000_000, &clock);
    prices.set<DOLLAR>(&admin, DOLLAR_PRICE, &clock);
    let house = perpetuals::create<SUI, DOLLAR>(&prices, 10, 1_000, 500, 100, test.ctx());
    test.next_tx(TRADER);
    let mut market = test.take_shared<Market<SUI, DOLLAR>>();
    market.fund_house(coin::mint_for_testing(1_000_000_000, test.ctx()));
    let cap = market.open_account(test.ctx());
    market.deposit(&cap, coin::mint_for_testing(100_000_000, test.ctx()));
    World { test, market, house, prices, admin, cap, clock }
}

fun end(world: World) {
    let World { test, market, house, prices, admin, cap, clock } = world;
    // Each coin is the house's or some account's.
    let (margin, _, _, _) = market.account(object::id(&cap));
    let (_, margins) = market.held();
    assert_eq!(margin, margins);
    destroy(house);
    destroy(admin);
    destroy(cap);
    scenario::return_shared(market);
    scenario::return_shared(prices);
    clock.destroy_for_testing();
    test.end();
}

fun set_price(world: &mut World, price: u64) {
    let World { prices, admin, clock, .. } = world;
    prices.set<SUI>(admin, price, clock)
}

fun order(world: &mut World, long: bool, sui: u64, reduce_only: bool) {
    world.order_at(long, sui, if (long) ANY else 1, reduce_only)
}

fun order_at(world: &mut World, long: bool, sui: u64, limit: u64, reduce_only: bool) {
    let World { market, cap, prices, clock, .. } = world;
    market.order(cap, prices, long, sui * SUI_UNIT, limit, reduce_only, clock)
}

fun withdraw(world: &mut World, amount: u64) {
    let World { test, market, cap, prices, clock, .. } = world;
    market.withdraw(cap, prices, amount, clock, test.ctx()).burn_for_testing();
}

fun liquidate(world: &mut World): u64 {
    let World { test, market, cap, prices, clock, .. } = world;
    market.liquidate(object::id(cap), prices, clock, test.ctx()).burn_for_testing()
}

fun margin(world: &World): u64 {
    let (margin, _, _, _) = world.market.account(object::id(&world.cap));
    margin
}

fun size(world: &World): u64 {
    let (_, size, _, _) = world.market.account(object::id(&world.cap));
    size
}

#[test]
fun a_long_gains_what_the_price_rises_and_the_house_pays() {
    let mut world = begin();
    world.order(true, 100, false);
    assert_eq!(world.margin(), 99_800_000);
    assert_eq!(world.market.free(), 800_200_000);
    world.set_price(2_500_000);
    world.order(false, 100, true);
    assert_eq!(world.margin(), 149_550_000);
    assert_eq!(world.market.free(), 950_450_000);
    world.end();
}

#[test]
fun a_short_loses_what_the_price_rises() {
    let mut world = begin();
    world.order(false, 100, false);
    world.set_price(2_100_000);
    world.order(true, 100, true);
    assert_eq!(world.margin(), 89_590_000);
    world.end();
}

#[test]
fun an_order_the_other_way_closes_first_and_opens_the_rest() {
    let mut world = begin();
    world.order(true, 100, false);
    world.order(false, 150, false);
    let (_, size, long, cost) = world.market.account(object::id(&world.cap));
    assert_eq!(size, 50 * SUI_UNIT);
    assert!(!long);
    assert_eq!(cost, 100_000_000);
    world.end();
}

#[test]
fun an_order_that_only_reduces_never_opens() {
    let mut world = begin();
    world.order(true, 100, false);
    world.order(false, 150, true);
    assert_eq!(world.size(), 0);
    assert_eq!(world.market.free(), 1_000_400_000);
    world.end();
}

#[test]
fun a_position_gains_no_more_than_it_cost() {
    let mut world = begin();
    world.order(true, 100, false);
    world.set_price(9_000_000);
    world.order(false, 100, true);
    // 99.8, the 200 that it cost, less a fee of 0.9.
    assert_eq!(world.margin(), 298_900_000);
    world.end();
}

#[test]
fun odd_sizes_in_parts_never_gain_at_one_price() {
    let mut world = begin();
    world.set_price(1_999_993);
    let World { market, cap, prices, clock, .. } = &mut world;
    vector[true, false].do!(|long| {
        let limit = if (long) 1 else ANY;
        market.order(cap, prices, long, 1_000_000_007, if (long) ANY else 1, false, clock);
        let (before, _, _, _) = market.account(object::id(cap));
        3u64.do!(|_| market.order(cap, prices, !long, 333_333_331, limit, true, clock));
        market.order(cap, prices, !long, 100, limit, true, clock);
        let (after, left, _, _) = market.account(object::id(cap));
        assert!(after < before);
        assert_eq!(left, 0);
    });
    assert_eq!(world.size(), 0);
    world.end();
}

#[test]
fun a_position_is_liquidated_below_its_maintenance_margin() {
    let mut world = begin();
    world.order(true, 400, false);
    // 800 dollars of SUI are worth 736; of 99.2 are left 35.2, and 36.8 are needed.
    world.set_price(1_840_000);
    assert_eq!(world.liquidate(), 7_360_000);
    assert_eq!(world.size(), 0);
    assert_eq!(world.margin(), 27_840_000);
    world.end();
}

#[test]
fun what_the_margin_does_not_suffice_for_is_the_loss_of_the_house() {
    let mut world = begin();
    world.order(true, 400, false);
    world.set_price(1_000_000);
    assert_eq!(world.liquidate(), 0);
    assert_eq!(world.margin(), 0);
    assert_eq!(world.market.free(), 1_100_000_000);
    world.end();
}

#[test, expected_failure(abort_code = perpetuals::ENotLiquidatable)]
fun a_position_with_its_margin_is_not_liquidated() {
    let mut world = begin();
    world.order(true, 400, false);
    world.set_price(1_850_000);
    world.liquidate();
    abort
}

#[test, expected_failure(abort_code = perpetuals::ELimit)]
fun a_buy_above_the_limit_is_refused() {
    let mut world = begin();
    world.order_at(true, 10, 1_999_999, false);
    abort
}

#[test, expected_failure(abort_code = perpetuals::ELimit)]
fun a_sale_below_the_limit_is_refused() {
    let mut world = begin();
    world.order_at(false, 10, 2_000_001, false);
    abort
}

#[test, expected_failure(abort_code = perpetuals::ELimit)]
fun a_sale_without_a_limit_is_refused() {
    let mut world = begin();
    world.order_at(false, 10, 0, false);
    abort
}

#[test, expected_failure(abort_code = perpetuals::EMarginTooSmall)]
fun a_position_beyond_the_margin_is_refused() {
    let mut world = begin();
    world.order(true, 499, false);
    abort
}

#[test, expected_failure(abort_code = perpetuals::EHouseTooSmall)]
fun a_position_that_the_house_could_not_pay_is_refused() {
    let mut world = begin();
    {
        let World { test, market, cap, .. } = &mut world;
        market.deposit(cap, coin::mint_for_testing(1_000_000_000, test.ctx()));
    };
    world.order(true, 501, false);
    abort
}

#[test, expected_failure(abort_code = perpetuals::EHouseTooSmall)]
fun the_house_keeps_what_positions_may_gain() {
    let mut world = begin();
    world.order(true, 100, false);
    let World { test, market, house, .. } = &mut world;
    let _coin = market.withdraw_house(house, 800_200_001, test.ctx());
    abort
}

#[test, expected_failure(abort_code = perpetuals::EMarginTooSmall)]
fun margin_that_a_position_needs_stays() {
    let mut world = begin();
    world.order(true, 100, false);
    world.set_price(3_000_000);
    world.withdraw(69_800_001);
    abort
}

#[test, expected_failure(abort_code = perpetuals::ENothing)]
fun there_is_nothing_to_reduce_without_a_position() {
    let mut world = begin();
    world.order(true, 100, true);
    abort
}

#[test, expected_failure(abort_code = prices::EStale)]
fun a_price_that_is_too_old_trades_nothing() {
    let mut world = begin();
    world.clock.increment_for_testing(60_001);
    world.order(true, 1, false);
    abort
}

#[test, expected_failure(abort_code = perpetuals::EWrongMarket)]
fun prices_of_ones_own_trade_nothing() {
    let mut world = begin();
    let World { test, market, cap, clock, .. } = &mut world;
    let admin = prices::create(60_000, test.ctx());
    test.next_tx(TRADER);
    let mut own = test.take_shared<Prices>();
    own.set<SUI>(&admin, 1, clock);
    own.set<DOLLAR>(&admin, DOLLAR_PRICE, clock);
    market.order(cap, &own, true, SUI_UNIT, ANY, false, clock);
    abort
}
