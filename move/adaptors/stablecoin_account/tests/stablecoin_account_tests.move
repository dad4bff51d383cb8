#[test_only]
module stablecoin_account::stablecoin_account_tests;

use oracle::prices::{Self, Prices};
use stablecoin::stablecoin::{Self, Account, Issuer};
use stablecoin_account::stablecoin_account::{Self, StablecoinAccount};
use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};
use sui::coin;
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};
use wallet::delegate;
use wallet::intent;
use wallet::wallet::{Self, Wallet};

public struct DOLLAR has drop {}

const OWNER: address = @0xa;
const AGENT: address = @0xb;
const STRANGER: address = @0xc;
const YEAR_MS: u64 = 31_536_000_000;
const ONE_SUI: u64 = 1_000_000_000;
const ONE: u64 = 1_000_000;

public struct Setup {
    test: Scenario,
    wallet: Wallet,
    issuer: Issuer<DOLLAR>,
    prices: Prices,
    clock: Clock,
}

/// An issuer that lends half of what SUI is worth, at two dollars, and a wallet of 200 SUI with an account there. The
/// service is granted all of it; the agent, who sends the next transaction, may use 100 SUI and 60 dollars.
fun begin(): Setup {
    let mut test = scenario::begin(OWNER);
    let clock = clock::create_for_testing(test.ctx());
    let oracle = prices::create(10 * YEAR_MS, test.ctx());
    test.next_tx(OWNER);
    let mut prices = test.take_shared<Prices>();
    prices.set<SUI>(&oracle, 2_000_000, &clock);
    let treasury = coin::create_treasury_cap_for_testing<DOLLAR>(test.ctx());
    let admin = stablecoin::create(treasury, &prices, 500, &clock, test.ctx());
    test.next_tx(OWNER);
    let mut issuer = test.take_shared<Issuer<DOLLAR>>();
    issuer.add_collateral<SUI, DOLLAR>(&admin, 1_000, 5_000, 8_000, 1_000, 1_000 * ONE, &clock, test.ctx());
    destroy(oracle);
    destroy(admin);

    let mut wallet = wallet::create(test.ctx());
    wallet.deposit(coin::mint_for_testing<SUI>(200 * ONE_SUI, test.ctx()));
    let all = delegate::unlimited_allowance();
    wallet.grant_service_coin<StablecoinAccount, SUI>(all, test.ctx());
    wallet.grant_service_coin<StablecoinAccount, DOLLAR>(all, test.ctx());
    delegate::initialize(&mut wallet, test.ctx());
    delegate::add(&mut wallet, AGENT, test.ctx());
    delegate::set_service_unlimited_allowance<StablecoinAccount>(&mut wallet, AGENT, test.ctx());
    delegate::set_coin_allowance<SUI>(&mut wallet, AGENT, 100 * ONE_SUI, test.ctx());
    delegate::set_coin_allowance<DOLLAR>(&mut wallet, AGENT, 60 * ONE, test.ctx());
    test.next_tx(AGENT);
    stablecoin_account::open_account(&mut wallet, &clock, test.ctx());
    Setup { test, wallet, issuer, prices, clock }
}

fun end(setup: Setup) {
    let Setup { test, wallet, issuer, prices, clock } = setup;
    destroy(wallet);
    scenario::return_shared(issuer);
    scenario::return_shared(prices);
    clock.destroy_for_testing();
    test.end();
}

fun sent_by(setup: &mut Setup, sender: address) {
    setup.test.next_tx(sender);
}

fun borrow(setup: &mut Setup, amount: u64, borrow_amount: u64) {
    let Setup { test, wallet, issuer, prices, clock } = setup;
    stablecoin_account::borrow<SUI, DOLLAR>(wallet, issuer, prices, amount, borrow_amount, clock, test.ctx())
}

fun repay(setup: &mut Setup, amount: u64) {
    let Setup { test, wallet, issuer, clock, .. } = setup;
    stablecoin_account::repay<DOLLAR, SUI>(wallet, issuer, amount, clock, test.ctx())
}

fun repay_and_withdraw(setup: &mut Setup, amount: u64, collateral_amount: u64) {
    let Setup { test, wallet, issuer, prices, clock } = setup;
    stablecoin_account::repay_and_withdraw<DOLLAR, SUI>(
        wallet,
        issuer,
        prices,
        amount,
        collateral_amount,
        clock,
        test.ctx(),
    )
}

fun withdraw_collateral(setup: &mut Setup, amount: u64) {
    let Setup { test, wallet, issuer, prices, clock } = setup;
    stablecoin_account::withdraw_collateral<SUI, DOLLAR>(wallet, issuer, prices, amount, clock, test.ctx())
}

fun save(setup: &mut Setup, amount: u64) {
    let Setup { test, wallet, issuer, clock, .. } = setup;
    stablecoin_account::save(wallet, issuer, amount, clock, test.ctx())
}

fun withdraw_savings(setup: &mut Setup, amount: u64, min_out: u64) {
    let Setup { test, wallet, issuer, clock, .. } = setup;
    stablecoin_account::withdraw_savings(wallet, issuer, amount, min_out, clock, test.ctx())
}

fun assert_holds(setup: &Setup, sui: u64, dollars: u64) {
    assert_eq!(setup.wallet.balance<SUI>(), sui);
    assert_eq!(setup.wallet.balance<DOLLAR>(), dollars);
}

#[test]
fun a_delegate_borrows_and_repays_and_all_of_it_is_the_wallets() {
    let mut setup = begin();
    setup.borrow(100 * ONE_SUI, 60 * ONE);
    setup.assert_holds(100 * ONE_SUI, 60 * ONE);
    setup.repay(20 * ONE);
    setup.assert_holds(100 * ONE_SUI, 40 * ONE);
    setup.repay_and_withdraw(40 * ONE, 70 * ONE_SUI);
    setup.assert_holds(170 * ONE_SUI, 0);
    setup.withdraw_collateral(30 * ONE_SUI);
    setup.assert_holds(200 * ONE_SUI, 0);
    assert_eq!(setup.issuer.total_supply(), 0);
    setup.end();
}

#[test]
fun what_is_not_owed_is_back_in_the_wallet() {
    let mut setup = begin();
    setup.borrow(100 * ONE_SUI, 60 * ONE);
    setup.repay(50 * ONE);
    setup.sent_by(OWNER);
    let Setup { test, wallet, .. } = &mut setup;
    wallet.deposit(coin::mint_for_testing<DOLLAR>(5 * ONE, test.ctx()));
    setup.repay_and_withdraw(15 * ONE, 100 * ONE_SUI);
    setup.assert_holds(200 * ONE_SUI, 5 * ONE);
    setup.end();
}

#[test]
fun savings_come_back_with_what_they_earned() {
    let mut setup = begin();
    setup.borrow(100 * ONE_SUI, 60 * ONE);
    setup.save(60 * ONE);
    setup.assert_holds(100 * ONE_SUI, 0);
    let Setup { issuer, clock, .. } = &mut setup;
    clock.increment_for_testing(YEAR_MS);
    issuer.accrue<SUI, DOLLAR>(clock);
    setup.withdraw_savings(1 * ONE, 1 * ONE);
    setup.assert_holds(100 * ONE_SUI, 1 * ONE);
    // Five percent, but for the shares that nobody got and one for rounding.
    setup.withdraw_savings(delegate::unlimited_allowance(), 61 * ONE);
    setup.assert_holds(100 * ONE_SUI, 63 * ONE - 1_051);
    setup.end();
}

#[test]
fun the_owner_deals_with_the_issuer_without_the_service() {
    let mut setup = begin();
    setup.borrow(100 * ONE_SUI, 60 * ONE);
    setup.sent_by(OWNER);
    let Setup { test, wallet, .. } = &mut setup;
    wallet.revoke_service<StablecoinAccount>(test.ctx());
    wallet.reclaim_service_asset<StablecoinAccount, Account>(b"stablecoin account".to_string(), test.ctx());
    test.next_tx(OWNER);
    let account = test.take_from_sender<Account>();
    let Setup { test, issuer, prices, clock, .. } = &mut setup;
    let coin = issuer.withdraw_collateral<SUI, DOLLAR>(&account, prices, 40 * ONE_SUI, clock, test.ctx());
    assert_eq!(coin.burn_for_testing(), 40 * ONE_SUI);
    destroy(account);
    setup.end();
}

#[test, expected_failure(abort_code = wallet::EAssetNameTaken)]
fun a_second_account_does_not_hide_the_first() {
    let mut setup = begin();
    let Setup { test, wallet, clock, .. } = &mut setup;
    stablecoin_account::open_account(wallet, clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = stablecoin::ETooMuchDebt)]
fun more_than_the_collateral_allows_is_not_borrowed() {
    let mut setup = begin();
    setup.borrow(ONE_SUI, ONE + 1);
    abort
}

#[test, expected_failure(abort_code = intent::EZeroAmount)]
fun a_pledge_without_a_loan_is_refused() {
    let mut setup = begin();
    setup.borrow(ONE_SUI, 0);
    abort
}

#[test, expected_failure(abort_code = delegate::EInsufficientCoinAllowance)]
fun a_delegate_pledges_no_more_than_the_budget() {
    let mut setup = begin();
    setup.borrow(100 * ONE_SUI + 1, ONE);
    abort
}

#[test, expected_failure(abort_code = stablecoin_account::ENotAuthorized)]
fun a_stranger_takes_no_collateral_back() {
    let mut setup = begin();
    setup.borrow(100 * ONE_SUI, ONE);
    setup.sent_by(STRANGER);
    setup.withdraw_collateral(1);
    abort
}

#[test, expected_failure(abort_code = stablecoin_account::ENotAuthorized)]
fun a_delegate_whose_time_is_over_takes_no_savings_out() {
    let mut setup = begin();
    setup.borrow(100 * ONE_SUI, ONE);
    setup.save(ONE);
    setup.sent_by(OWNER);
    let Setup { test, wallet, clock, .. } = &mut setup;
    delegate::set_expiry(wallet, AGENT, option::some(1_000), test.ctx());
    clock.set_for_testing(1_000);
    setup.sent_by(AGENT);
    setup.withdraw_savings(1, 1);
    abort
}

#[test, expected_failure(abort_code = delegate::ENotDelegate)]
fun a_stranger_borrows_nothing() {
    let mut setup = begin();
    setup.sent_by(STRANGER);
    setup.borrow(ONE_SUI, 1);
    abort
}

#[test, expected_failure(abort_code = wallet::EPaused)]
fun a_paused_wallet_hands_out_no_savings() {
    let mut setup = begin();
    setup.borrow(100 * ONE_SUI, ONE);
    setup.save(ONE);
    setup.sent_by(OWNER);
    let Setup { test, wallet, .. } = &mut setup;
    wallet.set_paused(true, test.ctx());
    setup.withdraw_savings(1, 1);
    abort
}
