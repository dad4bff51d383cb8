#[test_only]
module stablecoin::stablecoin_tests;

use oracle::prices::{Self, Prices};
use stablecoin::stablecoin::{Self, Account, AdminCap, Issuer};
use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};
use sui::coin::{Self, Coin};
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};

public struct DOLLAR has drop {}
public struct GOLD has drop {}

const ADMIN: address = @0xa;
const YEAR_MS: u64 = 31_536_000_000;
/// One SUI, and one dollar.
const ONE_SUI: u64 = 1_000_000_000;
const ONE: u64 = 1_000_000;

public struct Setup {
    test: Scenario,
    issuer: Issuer<DOLLAR>,
    admin: AdminCap,
    prices: Prices,
    oracle: prices::AdminCap,
    account: Account,
    clock: Clock,
}

/// SUI is at two dollars. Debts grow by ten percent a year, savings by five. Half of what SUI is worth may be
/// borrowed, loans above eighty percent of it are liquidated at a bonus of ten percent, and all may owe a million.
fun begin(): Setup {
    let mut test = scenario::begin(ADMIN);
    let clock = clock::create_for_testing(test.ctx());
    let (mut prices, oracle) = open_prices(&mut test);
    prices.set<SUI>(&oracle, 2_000_000, &clock);
    let treasury = coin::create_treasury_cap_for_testing<DOLLAR>(test.ctx());
    let admin = stablecoin::create(treasury, &prices, 500, &clock, test.ctx());
    test.next_tx(ADMIN);
    let mut issuer = test.take_shared<Issuer<DOLLAR>>();
    let ceiling = 1_000_000 * ONE;
    issuer.add_collateral<SUI, DOLLAR>(&admin, 1_000, 5_000, 8_000, 1_000, ceiling, &clock, test.ctx());
    let account = stablecoin::open_account(test.ctx());
    Setup { test, issuer, admin, prices, oracle, account, clock }
}

fun open_prices(test: &mut Scenario): (Prices, prices::AdminCap) {
    let oracle = prices::create(10 * YEAR_MS, test.ctx());
    test.next_tx(ADMIN);
    (test.take_shared<Prices>(), oracle)
}

fun end(setup: Setup) {
    let Setup { test, issuer, admin, prices, oracle, account, clock } = setup;
    scenario::return_shared(issuer);
    scenario::return_shared(prices);
    destroy(admin);
    destroy(oracle);
    destroy(account);
    clock.destroy_for_testing();
    test.end();
}

/// Never more coins than are owed, but for the losses.
fun assert_backed(setup: &Setup) {
    let issuer = &setup.issuer;
    assert!(issuer.total_supply() <= issuer.total_debt<SUI, DOLLAR>() + issuer.unbacked());
}

fun id(setup: &Setup): ID {
    object::id(&setup.account)
}

fun debt(setup: &Setup): u64 {
    setup.issuer.debt_of<SUI, DOLLAR>(setup.id())
}

fun pledge(setup: &mut Setup, amount: u64) {
    let coin = coin::mint_for_testing<SUI>(amount, setup.test.ctx());
    setup.issuer.pledge(&setup.account, coin);
}

fun borrow(setup: &mut Setup, amount: u64): Coin<DOLLAR> {
    let Setup { test, issuer, prices, account, clock, .. } = setup;
    issuer.borrow<SUI, DOLLAR>(account, prices, amount, clock, test.ctx())
}

fun repay(setup: &mut Setup, coin: Coin<DOLLAR>): Coin<DOLLAR> {
    let account = setup.id();
    setup.issuer.repay<SUI, DOLLAR>(account, coin, &setup.clock, setup.test.ctx())
}

fun withdraw(setup: &mut Setup, amount: u64): u64 {
    let Setup { test, issuer, prices, account, clock, .. } = setup;
    issuer.withdraw_collateral<SUI, DOLLAR>(account, prices, amount, clock, test.ctx()).burn_for_testing()
}

/// Answers the collateral and what is left of the coin.
fun liquidate(setup: &mut Setup, coin: Coin<DOLLAR>): (u64, Coin<DOLLAR>) {
    let account = setup.id();
    let Setup { test, issuer, prices, clock, .. } = setup;
    let (out, rest) = issuer.liquidate<SUI, DOLLAR>(account, prices, coin, clock, test.ctx());
    (out.burn_for_testing(), rest)
}

fun save(setup: &mut Setup, coin: Coin<DOLLAR>) {
    setup.issuer.save(&setup.account, coin, &setup.clock)
}

fun withdraw_savings(setup: &mut Setup, amount: u64): Coin<DOLLAR> {
    setup.issuer.withdraw_savings(&setup.account, amount, 1, &setup.clock, setup.test.ctx())
}

fun set_price(setup: &mut Setup, price: u64) {
    setup.prices.set<SUI>(&setup.oracle, price, &setup.clock)
}

fun later(setup: &mut Setup, ms: u64) {
    setup.clock.increment_for_testing(ms);
    setup.issuer.accrue<SUI, DOLLAR>(&setup.clock);
    setup.accrue_savings();
}

fun accrue_savings(setup: &mut Setup) {
    setup.issuer.accrue_savings(&setup.clock);
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
fun what_is_borrowed_is_minted_and_what_is_repaid_is_burned() {
    let mut setup = begin();
    setup.pledge(100 * ONE_SUI);
    let coin = setup.borrow(100 * ONE);
    assert_eq!(setup.issuer.total_supply(), 100 * ONE);
    assert_eq!(setup.debt(), 100 * ONE);
    let rest = setup.repay(coin);
    rest.destroy_zero();
    assert_eq!(setup.issuer.total_supply(), 0);
    assert_eq!(setup.withdraw(100 * ONE_SUI), 100 * ONE_SUI);
    assert_eq!(setup.issuer.total_collateral<SUI, DOLLAR>(), 0);
    setup.end();
}

#[test]
fun interest_becomes_surplus_and_pays_savings() {
    let mut setup = begin();
    setup.pledge(1_000 * ONE_SUI);
    let coin = setup.borrow(1_000 * ONE);
    setup.save(coin);
    setup.later(YEAR_MS);
    assert_eq!(setup.debt(), 1_100 * ONE);
    assert_eq!(setup.issuer.total_saved(), 1_050 * ONE);
    assert_eq!(setup.issuer.surplus(), 50 * ONE);
    setup.assert_backed();
    // All but the shares that nobody got.
    let saved = setup.withdraw_savings(std::u64::max_value!());
    assert_eq!(saved.value(), 1_050 * ONE - 1_050);
    saved.burn_for_testing();
    setup.end();
}

#[test]
fun savings_earn_no_more_than_there_is() {
    let mut setup = begin();
    setup.pledge(1_000 * ONE_SUI);
    let coin = setup.borrow(1_000 * ONE);
    let rest = setup.repay(coin);
    rest.destroy_zero();
    let coin = setup.borrow(10 * ONE);
    setup.save(coin);
    // Nothing was charged up to now, so nothing is paid.
    setup.clock.increment_for_testing(YEAR_MS);
    setup.accrue_savings();
    assert_eq!(setup.issuer.total_saved(), 10 * ONE);
    setup.end();
}

#[test]
fun accruing_every_second_takes_nothing_from_savings() {
    let mut setup = begin();
    setup.pledge(1_000 * ONE_SUI);
    let coin = setup.borrow(1_000 * ONE);
    setup.save(coin);
    100u64.do!(|_| setup.later(1_000));
    // 1,000,000,000 * 5 % * 100 seconds of a year.
    assert_eq!(setup.issuer.total_saved(), 1_000 * ONE + 158);
    setup.end();
}

#[test]
fun what_is_not_owed_comes_back_and_free_collateral_needs_no_price() {
    let mut setup = begin();
    setup.pledge(100 * ONE_SUI);
    let mut coin = setup.borrow(50 * ONE);
    coin.join(coin::mint_for_testing(7, setup.test.ctx()));
    let rest = setup.repay(coin);
    assert_eq!(rest.burn_for_testing(), 7);
    // The price is too old by now.
    setup.later(11 * YEAR_MS);
    assert_eq!(setup.withdraw(100 * ONE_SUI), 100 * ONE_SUI);
    setup.end();
}

#[test]
fun a_liquidator_buys_at_the_bonus_and_the_rest_stays_with_the_borrower() {
    let mut setup = begin();
    setup.pledge(100 * ONE_SUI);
    let coin = setup.borrow(100 * ONE);
    setup.set_price(1_200_000);
    // 100 dollars are 110 dollars of SUI at 1.20.
    let (out, rest) = setup.liquidate(coin);
    assert_eq!(out, 91_666_666_666);
    rest.destroy_zero();
    assert_eq!(setup.debt(), 0);
    assert_eq!(setup.withdraw(100 * ONE_SUI - out), 8_333_333_334);
    assert_eq!(setup.issuer.unbacked(), 0);
    setup.end();
}

#[test]
fun a_part_of_a_loan_is_liquidated_for_a_part_of_its_collateral() {
    let mut setup = begin();
    setup.pledge(100 * ONE_SUI);
    let mut coin = setup.borrow(100 * ONE);
    setup.set_price(1_200_000);
    let part = coin.split(12 * ONE, setup.test.ctx());
    let (out, rest) = setup.liquidate(part);
    assert_eq!(out, 11 * ONE_SUI);
    assert_eq!(setup.debt(), 88 * ONE);
    rest.destroy_zero();
    coin.burn_for_testing();
    setup.end();
}

#[test]
fun a_loss_takes_the_surplus_first_and_interest_makes_the_rest_good() {
    let mut setup = begin();
    setup.pledge(100 * ONE_SUI);
    let coin = setup.borrow(100 * ONE);
    setup.later(YEAR_MS);
    assert_eq!(setup.issuer.surplus(), 10 * ONE);
    setup.set_price(550_000);
    // The collateral is worth 55 dollars, which buys it for 50: 60 of the 110 are lost.
    let (out, rest) = setup.liquidate(coin);
    assert_eq!(out, 100 * ONE_SUI);
    assert_eq!(rest.value(), 50 * ONE);
    assert_eq!(setup.issuer.surplus(), 0);
    assert_eq!(setup.issuer.unbacked(), 50 * ONE);
    assert_eq!(setup.issuer.total_supply(), 50 * ONE);
    setup.assert_backed();
    rest.burn_for_testing();

    setup.set_price(2_000_000);
    setup.pledge(1_000 * ONE_SUI);
    setup.borrow(600 * ONE).burn_for_testing();
    setup.later(YEAR_MS);
    assert_eq!(setup.issuer.unbacked(), 0);
    assert_eq!(setup.issuer.surplus(), 10 * ONE);
    setup.assert_backed();
    setup.end();
}

#[test]
fun all_collateral_costs_no_less_than_it_is_worth_at_the_bonus() {
    let mut setup = begin();
    setup.pledge(100 * ONE_SUI);
    let coin = setup.borrow(100 * ONE);
    setup.set_price(550_001);
    let (out, rest) = setup.liquidate(coin);
    assert_eq!(out, 100 * ONE_SUI);
    // 55,000,100 / 1.1, rounded up.
    assert_eq!(rest.burn_for_testing(), 100 * ONE - 50_000_091);
    setup.end();
}

#[test]
fun small_withdrawals_take_nothing_from_the_savings_of_others() {
    let mut setup = begin();
    setup.pledge(1_000 * ONE_SUI);
    let mut coin = setup.borrow(1_000 * ONE);
    // Half of its shares are nobody's.
    let part = coin.split(2_000, setup.test.ctx());
    setup.save(part);
    setup.later(YEAR_MS);
    assert_eq!(setup.issuer.saved_of(setup.id()), 1_050);
    10u64.do!(|_| coin.join(setup.withdraw_savings(1)));
    assert!(setup.issuer.saved_of(setup.id()) <= 1_040);
    coin.burn_for_testing();
    setup.end();
}

#[test]
fun through_any_run_there_are_no_more_coins_than_are_owed() {
    let mut seed = 521_288_629;
    let mut setup = begin();
    let mut purse = coin::zero<DOLLAR>(setup.test.ctx());
    250u64.do!(|_| {
        let (account, dice) = (setup.id(), next(&mut seed) % 9);
        let price = setup.prices.price<SUI>(&setup.clock);
        let pledged = setup.issuer.collateral_of<SUI, DOLLAR>(account);
        let worth = ((pledged as u128) * (price as u128) / 1_000_000_000) as u64;
        let room = worth / 2 - setup.debt().min(worth / 2);
        if (dice < 2) {
            setup.pledge(1 + next(&mut seed) % (100 * ONE_SUI));
        } else if (dice < 4 && room > 10) {
            purse.join(setup.borrow(1 + next(&mut seed) % (room - 10)));
        } else if (dice == 4 && setup.debt() > 0 && purse.value() > 0) {
            let amount = 1 + next(&mut seed) % purse.value();
            let (coin, before) = (purse.split(amount, setup.test.ctx()), setup.debt());
            let rest = setup.repay(coin);
            assert!(setup.debt() >= before - (amount - rest.value()));
            purse.join(rest);
        } else if (dice == 5 && room > 10) {
            let free = (((room - 10) as u128) * 1_000_000_000 / (price as u128)) as u64;
            if (free > 0) { setup.withdraw(free); };
        } else if (dice == 6 && purse.value() > 2_000) {
            let amount = purse.value() / 2;
            let coin = purse.split(amount, setup.test.ctx());
            let before = setup.issuer.saved_of(account);
            setup.save(coin);
            assert!(setup.issuer.saved_of(account) <= before + amount);
        } else if (dice == 7 && setup.issuer.saved_of(account) > 0) {
            let saved = setup.issuer.saved_of(account);
            let coin = setup.withdraw_savings(1 + next(&mut seed) % saved);
            assert!(setup.issuer.saved_of(account) + coin.value() <= saved);
            purse.join(coin);
        } else {
            setup.later(next(&mut seed) % 3_000_000_000);
            setup.set_price(100_000 + next(&mut seed) % 3_000_000);
            let price = setup.prices.price<SUI>(&setup.clock);
            let worth = ((pledged as u128) * (price as u128) / 1_000_000_000) as u64;
            if (setup.debt() > worth / 5 * 4 + 10 && purse.value() > 0) {
                let (_, rest) = setup.liquidate(purse);
                purse = rest;
            };
        };
        setup.assert_backed();
        // Every coin is somewhere, and every pledge is held.
        let known = purse.value() + setup.issuer.total_saved() + setup.issuer.surplus();
        assert_eq!(setup.issuer.total_supply(), known);
        assert!(setup.issuer.saved_of(account) <= setup.issuer.total_saved());
        let pledged = setup.issuer.collateral_of<SUI, DOLLAR>(account);
        assert_eq!(setup.issuer.total_collateral<SUI, DOLLAR>(), pledged);
    });
    purse.burn_for_testing();
    setup.end();
}

#[test, expected_failure(abort_code = stablecoin::ETooMuchDebt)]
fun no_more_is_lent_than_the_collateral_allows() {
    let mut setup = begin();
    setup.pledge(100 * ONE_SUI);
    let _coin = setup.borrow(100 * ONE + 1);
    abort
}

#[test, expected_failure(abort_code = stablecoin::ETooMuchDebt)]
fun collateral_that_a_debt_needs_stays() {
    let mut setup = begin();
    setup.pledge(100 * ONE_SUI);
    let _coin = setup.borrow(100 * ONE);
    setup.withdraw(1);
    abort
}

#[test, expected_failure(abort_code = stablecoin::ENotThere)]
fun no_more_collateral_comes_back_than_was_pledged() {
    let mut setup = begin();
    setup.pledge(100 * ONE_SUI);
    setup.withdraw(100 * ONE_SUI + 1);
    abort
}

#[test, expected_failure(abort_code = stablecoin::ENotThere)]
fun an_account_without_collateral_borrows_nothing() {
    let mut setup = begin();
    let _coin = setup.borrow(1);
    abort
}

#[test, expected_failure(abort_code = stablecoin::ENotThere)]
fun another_account_does_not_borrow_against_the_pledge() {
    let mut setup = begin();
    setup.pledge(100 * ONE_SUI);
    let Setup { test, issuer, prices, clock, .. } = &mut setup;
    let stranger = stablecoin::open_account(test.ctx());
    let _coin = issuer.borrow<SUI, DOLLAR>(&stranger, prices, 1, clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = stablecoin::EWrongPrices)]
fun prices_that_the_borrower_brings_are_refused() {
    let mut setup = begin();
    setup.pledge(1);
    let Setup { test, issuer, account, clock, .. } = &mut setup;
    let (mut prices, oracle) = open_prices(test);
    prices.set<SUI>(&oracle, std::u64::max_value!(), clock);
    let _coin = issuer.borrow<SUI, DOLLAR>(account, &prices, ONE, clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = prices::EStale)]
fun nothing_is_lent_at_an_old_price() {
    let mut setup = begin();
    setup.pledge(100 * ONE_SUI);
    setup.later(11 * YEAR_MS);
    let _coin = setup.borrow(1);
    abort
}

#[test, expected_failure(abort_code = stablecoin::ENotLiquidatable)]
fun a_sound_loan_is_not_liquidated() {
    let mut setup = begin();
    setup.pledge(100 * ONE_SUI);
    let coin = setup.borrow(100 * ONE);
    // Eighty percent, not more.
    setup.set_price(1_250_000);
    let (_out, _rest) = setup.liquidate(coin);
    abort
}

#[test, expected_failure(abort_code = stablecoin::EOverCeiling)]
fun no_more_is_lent_than_the_ceiling() {
    let mut setup = begin();
    setup.pledge(10_000_000 * ONE_SUI);
    let _coin = setup.borrow(1_000_000 * ONE + 1);
    abort
}

#[test, expected_failure(abort_code = stablecoin::EUnknownCollateral)]
fun only_collateral_with_terms_is_taken() {
    let mut setup = begin();
    let Setup { test, issuer, account, .. } = &mut setup;
    issuer.pledge(account, coin::mint_for_testing<GOLD>(1, test.ctx()));
    abort
}

#[test, expected_failure(abort_code = stablecoin::EWrongIssuer)]
fun the_admin_of_another_issuer_adds_no_collateral() {
    let mut setup = begin();
    let Setup { test, issuer, prices, clock, .. } = &mut setup;
    let treasury = coin::create_treasury_cap_for_testing<DOLLAR>(test.ctx());
    let admin = stablecoin::create(treasury, prices, 0, clock, test.ctx());
    issuer.add_collateral<GOLD, DOLLAR>(&admin, 0, 5_000, 8_000, 0, 1, clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = stablecoin::EBadTerms)]
fun terms_that_pay_liquidators_more_than_is_pledged_are_refused() {
    let mut setup = begin();
    let Setup { test, issuer, admin, clock, .. } = &mut setup;
    issuer.add_collateral<GOLD, DOLLAR>(admin, 0, 5_000, 8_000, 2_500, 1, clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = stablecoin::ENothing)]
fun nothing_is_not_repaid() {
    let mut setup = begin();
    setup.pledge(1);
    let coin = coin::mint_for_testing(1, setup.test.ctx());
    let _rest = setup.repay(coin);
    abort
}

#[test, expected_failure(abort_code = stablecoin::ENothing)]
fun the_first_to_save_cannot_own_one_dear_share() {
    let mut setup = begin();
    let coin = coin::mint_for_testing(1_000, setup.test.ctx());
    setup.save(coin);
    abort
}

#[test, expected_failure(abort_code = stablecoin::ETooLittle)]
fun fewer_savings_than_the_minimum_are_refused() {
    let mut setup = begin();
    let coin = coin::mint_for_testing(5_000, setup.test.ctx());
    setup.save(coin);
    let Setup { test, issuer, account, clock, .. } = &mut setup;
    let _coin = issuer.withdraw_savings(account, 5_000, 4_001, clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = stablecoin::ENotNew)]
fun a_coin_that_others_hold_already_is_refused() {
    let mut setup = begin();
    let Setup { test, prices, clock, .. } = &mut setup;
    let mut treasury = coin::create_treasury_cap_for_testing<DOLLAR>(test.ctx());
    let _early = treasury.mint(1, test.ctx());
    let _admin = stablecoin::create(treasury, prices, 0, clock, test.ctx());
    abort
}
