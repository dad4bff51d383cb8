#[test_only]
module money_market::money_market_tests;

use money_market::money_market::{Self, AccountCap, Market};
use oracle::prices::{Self, Prices};
use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};
use sui::coin::{Self, Coin};
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};

public struct DOLLAR has drop {}

const ADMIN: address = @0xa;
const YEAR_MS: u64 = 31_536_000_000;
const SEED: u64 = 1_000;
/// One SUI, and one dollar.
const ONE_SUI: u64 = 1_000_000_000;
const ONE: u64 = 1_000_000;

public struct Setup {
    test: Scenario,
    market: Market<DOLLAR, SUI>,
    prices: Prices,
    oracle: prices::AdminCap,
    supplier: AccountCap,
    borrower: AccountCap,
    clock: Clock,
}

/// Dollars are lent against SUI, at two dollars, at a flat rate of ten percent a year. Half of what SUI is worth may be
/// borrowed, debts above eighty percent of it are liquidated at a bonus of ten percent.
fun begin(): Setup {
    let mut test = scenario::begin(ADMIN);
    let clock = clock::create_for_testing(test.ctx());
    let (prices, oracle) = open_prices(&mut test, &clock);
    let seed = coin::mint_for_testing<DOLLAR>(SEED, test.ctx());
    money_market::create<DOLLAR, SUI>(seed, &prices, 1_000, 0, 5_000, 8_000, 1_000, &clock, test.ctx());
    test.next_tx(ADMIN);
    let market = test.take_shared<Market<DOLLAR, SUI>>();
    let supplier = money_market::open_account(test.ctx());
    let borrower = money_market::open_account(test.ctx());
    Setup { test, market, prices, oracle, supplier, borrower, clock }
}

fun open_prices(test: &mut Scenario, clock: &Clock): (Prices, prices::AdminCap) {
    let oracle = prices::create(10 * YEAR_MS, test.ctx());
    test.next_tx(ADMIN);
    let mut prices = test.take_shared<Prices>();
    prices.set<SUI>(&oracle, 2_000_000, clock);
    prices.set<DOLLAR>(&oracle, 1_000_000_000, clock);
    (prices, oracle)
}

fun end(setup: Setup) {
    let Setup { test, market, prices, oracle, supplier, borrower, clock } = setup;
    scenario::return_shared(market);
    scenario::return_shared(prices);
    destroy(oracle);
    destroy(supplier);
    destroy(borrower);
    clock.destroy_for_testing();
    test.end();
}

fun supply(setup: &mut Setup, amount: u64) {
    let coin = coin::mint_for_testing(amount, setup.test.ctx());
    setup.market.supply(&setup.supplier, coin, &setup.clock)
}

fun withdraw(setup: &mut Setup, amount: u64): u64 {
    let Setup { test, market, supplier, clock, .. } = setup;
    market.withdraw(supplier, amount, 1, clock, test.ctx()).burn_for_testing()
}

fun pledge(setup: &mut Setup, amount: u64) {
    let coin = coin::mint_for_testing(amount, setup.test.ctx());
    setup.market.pledge(&setup.borrower, coin)
}

fun withdraw_collateral(setup: &mut Setup, amount: u64): u64 {
    let Setup { test, market, prices, borrower, clock, .. } = setup;
    market.withdraw_collateral(borrower, prices, amount, clock, test.ctx()).burn_for_testing()
}

fun borrow(setup: &mut Setup, amount: u64): u64 {
    let Setup { test, market, prices, borrower, clock, .. } = setup;
    market.borrow(borrower, prices, amount, clock, test.ctx()).burn_for_testing()
}

/// Answers what comes back.
fun repay(setup: &mut Setup, amount: u64): u64 {
    let account = object::id(&setup.borrower);
    let coin = coin::mint_for_testing(amount, setup.test.ctx());
    setup.market.repay(account, coin, &setup.clock, setup.test.ctx()).burn_for_testing()
}

/// Answers the collateral and what comes back.
fun liquidate(setup: &mut Setup, amount: u64): (u64, u64) {
    let Setup { test, market, prices, borrower, clock, .. } = setup;
    let coin = coin::mint_for_testing<DOLLAR>(amount, test.ctx());
    let (out, rest) = market.liquidate(object::id(borrower), prices, coin, clock, test.ctx());
    (out.burn_for_testing(), rest.burn_for_testing())
}

fun later(setup: &mut Setup, ms: u64) {
    setup.clock.increment_for_testing(ms);
    setup.market.accrue(&setup.clock);
}

fun set_price(setup: &mut Setup, price: u64) {
    setup.prices.set<SUI>(&setup.oracle, price, &setup.clock);
    setup.prices.set<DOLLAR>(&setup.oracle, 1_000_000_000, &setup.clock)
}

fun supplied(setup: &Setup): u64 {
    setup.market.supplied_of(object::id(&setup.supplier))
}

fun debt(setup: &Setup): u64 {
    setup.market.debt_of(object::id(&setup.borrower))
}

fun collateral(setup: &Setup): u64 {
    setup.market.collateral_of(object::id(&setup.borrower))
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
fun interest_is_the_suppliers() {
    let mut setup = begin();
    setup.supply(999 * ONE);
    setup.pledge(1_000 * ONE_SUI);
    assert_eq!(setup.borrow(500 * ONE), 500 * ONE);
    setup.later(YEAR_MS);
    assert_eq!(setup.debt(), 550 * ONE);
    assert_eq!(setup.market.total_assets(), 1_049 * ONE + SEED);
    assert_eq!(setup.repay(551 * ONE), ONE);
    assert_eq!(setup.debt(), 0);
    // The seed earned 50 of it.
    assert_eq!(setup.supplied(), 1_049 * ONE - 51);
    let all = setup.withdraw(std::u64::max_value!());
    assert_eq!(all, 1_049 * ONE - 51);
    assert_eq!(setup.supplied(), 0);
    assert_eq!(setup.market.total_shares(), SEED);
    assert_eq!(setup.withdraw_collateral(1_000 * ONE_SUI), 1_000 * ONE_SUI);
    setup.end();
}

#[test]
fun free_collateral_needs_no_price() {
    let mut setup = begin();
    setup.pledge(ONE_SUI);
    setup.later(11 * YEAR_MS);
    assert_eq!(setup.withdraw_collateral(ONE_SUI), ONE_SUI);
    setup.end();
}

#[test]
fun a_liquidator_buys_at_the_bonus_and_the_rest_stays_with_the_borrower() {
    let mut setup = begin();
    setup.supply(100 * ONE);
    setup.pledge(100 * ONE_SUI);
    setup.borrow(100 * ONE);
    setup.set_price(1_200_000);
    let (part, back) = setup.liquidate(12 * ONE);
    assert_eq!(part, 11 * ONE_SUI);
    assert_eq!(back, 0);
    assert_eq!(setup.debt(), 88 * ONE);
    let (rest, back) = setup.liquidate(100 * ONE);
    // 88 dollars are 96.80 dollars of SUI at 1.20.
    assert_eq!(rest, 80_666_666_666);
    assert_eq!(back, 12 * ONE);
    assert_eq!(setup.debt(), 0);
    assert_eq!(setup.collateral(), 8_333_333_334);
    assert_eq!(setup.supplied(), 100 * ONE);
    setup.end();
}

#[test]
fun what_the_collateral_does_not_cover_is_lost_to_the_suppliers() {
    let mut setup = begin();
    setup.supply(200 * ONE);
    setup.pledge(100 * ONE_SUI);
    setup.borrow(100 * ONE);
    setup.set_price(550_001);
    // All of it costs 55,000,100 / 1.1, rounded up.
    let (out, back) = setup.liquidate(100 * ONE);
    assert_eq!(out, 100 * ONE_SUI);
    assert_eq!(back, 100 * ONE - 50_000_091);
    assert_eq!(setup.debt(), 0);
    assert_eq!(setup.market.total_assets(), 150_000_091 + SEED);
    assert_eq!(setup.market.cash(), 150_000_091 + SEED);
    // The seed takes its part of the loss.
    assert_eq!(setup.supplied(), 150_000_340);
    setup.end();
}

#[test]
fun through_any_run_shares_lose_nothing_but_losses_and_no_more_is_owed_than_is_held() {
    let mut seed = 1_181_783_497;
    let mut setup = begin();
    300u64.do!(|_| {
        let (assets, shares) = (setup.market.total_assets() as u128, setup.market.total_shares() as u128);
        let price = setup.prices.price<SUI>(&setup.clock) as u128;
        let worth = ((setup.collateral() as u128) * price / 1_000_000_000) as u64;
        let room = worth / 2 - setup.debt().min(worth / 2);
        let most = room.min(setup.market.cash());
        let mut lost = false;
        let dice = next(&mut seed) % 9;
        if (dice < 2) {
            setup.supply(10_000 + next(&mut seed) % (100 * ONE));
        } else if (dice == 2 && setup.supplied() > 0) {
            let can = setup.supplied().min(setup.market.cash());
            let before = setup.supplied();
            if (can > 0) {
                let paid = setup.withdraw(1 + next(&mut seed) % can);
                assert!(setup.supplied() + paid <= before);
            };
        } else if (dice == 3) {
            setup.pledge(1 + next(&mut seed) % (100 * ONE_SUI));
        } else if (dice < 6 && most > 10) {
            setup.borrow(1 + next(&mut seed) % (most - 10));
        } else if (dice == 6 && setup.debt() > 0) {
            let owed = setup.debt();
            let amount = 1 + next(&mut seed) % owed;
            setup.repay(amount);
            assert!(setup.debt() + amount >= owed);
        } else if (dice == 7 && room > 10) {
            let free = (((room - 10) as u128) * 1_000_000_000 / price) as u64;
            if (free > 0) { setup.withdraw_collateral(free); };
        } else {
            setup.later(next(&mut seed) % 3_000_000_000);
            setup.set_price(100_000 + next(&mut seed) % 3_000_000);
            let price = setup.prices.price<SUI>(&setup.clock) as u128;
            let worth = ((setup.collateral() as u128) * price / 1_000_000_000) as u64;
            if (setup.debt() > worth / 5 * 4 + 10) {
                let owed = setup.debt();
                setup.liquidate(1 + next(&mut seed) % owed);
                lost = setup.collateral() == 0;
            };
        };
        let (assets_now, shares_now) = (setup.market.total_assets() as u128, setup.market.total_shares() as u128);
        assert!(lost || assets_now * shares >= assets * shares_now);
        assert!(setup.supplied() <= setup.market.total_assets());
        assert!(setup.market.total_assets() <= setup.market.cash() + setup.debt());
        assert_eq!(setup.market.total_collateral(), setup.collateral());
    });
    let owed = setup.debt();
    if (owed > 0) { setup.repay(owed); };
    if (setup.supplied() > 0) { setup.withdraw(std::u64::max_value!()); };
    assert_eq!(setup.market.total_shares(), SEED);
    assert_eq!(setup.market.cash(), setup.market.total_assets());
    setup.end();
}

#[test, expected_failure(abort_code = money_market::ETooMuchDebt)]
fun no_more_is_lent_than_the_collateral_allows() {
    let mut setup = begin();
    setup.supply(200 * ONE);
    setup.pledge(100 * ONE_SUI);
    setup.borrow(100 * ONE + 1);
    abort
}

#[test, expected_failure(abort_code = money_market::ETooMuchDebt)]
fun what_is_supplied_is_no_collateral() {
    let mut setup = begin();
    setup.supply(200 * ONE);
    let Setup { test, market, prices, supplier, clock, .. } = &mut setup;
    let _coin = market.borrow(supplier, prices, 1, clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = money_market::ETooMuchDebt)]
fun collateral_that_a_debt_needs_stays() {
    let mut setup = begin();
    setup.supply(200 * ONE);
    setup.pledge(100 * ONE_SUI);
    setup.borrow(100 * ONE);
    setup.withdraw_collateral(1);
    abort
}

#[test, expected_failure(abort_code = money_market::ENotYours)]
fun anothers_collateral_stays() {
    let mut setup = begin();
    setup.pledge(100 * ONE_SUI);
    let Setup { test, market, prices, supplier, clock, .. } = &mut setup;
    let _coin = market.withdraw_collateral(supplier, prices, 1, clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = money_market::ENothing)]
fun anothers_supply_stays() {
    let mut setup = begin();
    setup.supply(200 * ONE);
    let Setup { test, market, borrower, clock, .. } = &mut setup;
    let _coin = market.withdraw(borrower, 1, 0, clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = money_market::ENotThere)]
fun what_is_lent_is_not_paid_out() {
    let mut setup = begin();
    setup.supply(100 * ONE);
    setup.pledge(100 * ONE_SUI);
    setup.borrow(50 * ONE);
    setup.withdraw(51 * ONE);
    abort
}

#[test, expected_failure(abort_code = money_market::ENotThere)]
fun no_more_is_lent_than_there_is() {
    let mut setup = begin();
    setup.pledge(100 * ONE_SUI);
    setup.borrow(SEED + 1);
    abort
}

#[test, expected_failure(abort_code = money_market::EWrongPrices)]
fun prices_that_the_borrower_brings_are_refused() {
    let mut setup = begin();
    setup.pledge(1);
    let Setup { test, market, borrower, clock, .. } = &mut setup;
    let (prices, _oracle) = open_prices(test, clock);
    let _coin = market.borrow(borrower, &prices, 1, clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = money_market::EWrongPrices)]
fun prices_that_the_liquidator_brings_are_refused() {
    let mut setup = begin();
    setup.pledge(100 * ONE_SUI);
    setup.borrow(1);
    let Setup { test, market, borrower, clock, .. } = &mut setup;
    let (mut prices, oracle) = open_prices(test, clock);
    prices.set<SUI>(&oracle, 1, clock);
    let coin = coin::mint_for_testing(1, test.ctx());
    let (_out, _rest) = market.liquidate(object::id(borrower), &prices, coin, clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = prices::EStale)]
fun nothing_is_lent_at_an_old_price() {
    let mut setup = begin();
    setup.pledge(100 * ONE_SUI);
    setup.later(11 * YEAR_MS);
    setup.borrow(1);
    abort
}

#[test, expected_failure(abort_code = money_market::ENotLiquidatable)]
fun a_sound_debt_is_not_liquidated() {
    let mut setup = begin();
    setup.supply(100 * ONE);
    setup.pledge(100 * ONE_SUI);
    setup.borrow(100 * ONE);
    // Eighty percent, not more.
    setup.set_price(1_250_000);
    setup.liquidate(ONE);
    abort
}

#[test, expected_failure(abort_code = money_market::ETooLittle)]
fun less_than_the_minimum_is_refused() {
    let mut setup = begin();
    setup.supply(5_000);
    let Setup { test, market, supplier, clock, .. } = &mut setup;
    let _coin: Coin<DOLLAR> = market.withdraw(supplier, 6_000, 5_001, clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = money_market::ENothing)]
fun nothing_is_not_supplied() {
    let mut setup = begin();
    setup.supply(0);
    abort
}

#[test, expected_failure(abort_code = money_market::ENothing)]
fun nothing_is_not_repaid() {
    let mut setup = begin();
    setup.repay(1);
    abort
}

#[test, expected_failure(abort_code = money_market::EBadTerms)]
fun terms_that_pay_liquidators_more_than_is_pledged_are_refused() {
    let mut setup = begin();
    let Setup { test, prices, clock, .. } = &mut setup;
    let seed = coin::mint_for_testing<DOLLAR>(SEED, test.ctx());
    money_market::create<DOLLAR, SUI>(seed, prices, 0, 0, 5_000, 8_000, 2_500, clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = money_market::ESeedTooSmall)]
fun a_market_without_its_seed_is_refused() {
    let mut setup = begin();
    let Setup { test, prices, clock, .. } = &mut setup;
    let seed = coin::mint_for_testing<DOLLAR>(SEED - 1, test.ctx());
    money_market::create<DOLLAR, SUI>(seed, prices, 0, 0, 5_000, 8_000, 0, clock, test.ctx());
    abort
}
