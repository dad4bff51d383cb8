#[test_only]
module account_lending::account_lending_tests;

use account_lending::account_lending::{Self, AccountLending};
use money_market::money_market::{Self, AccountCap, Market};
use oracle::prices::{Self, Prices};
use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};
use sui::coin::{Self, Coin};
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};
use wallet::delegate;
use wallet::intent;
use wallet::wallet::{Self, Wallet};

public struct GOLD has drop {}

const OWNER: address = @0xa;
const AGENT: address = @0xb;
const STRANGER: address = @0xc;
const YEAR_MS: u64 = 31_536_000_000;

/// A market that lends SUI against as much GOLD at ten percent a year, and a wallet of 10,000 SUI with an account. The
/// service is granted 5,000 of it; the agent, who sends the next transaction, may use 4,000.
fun begin(): (Scenario, Wallet, Market<SUI, GOLD>, Prices, Clock) {
    let mut test = scenario::begin(OWNER);
    let clock = clock::create_for_testing(test.ctx());
    let oracle = prices::create(10 * YEAR_MS, test.ctx());
    test.next_tx(OWNER);
    let mut prices = test.take_shared<Prices>();
    prices.set<SUI>(&oracle, 1_000_000, &clock);
    prices.set<GOLD>(&oracle, 1_000_000, &clock);
    destroy(oracle);
    let seed = mint<SUI>(&mut test, 1_000);
    money_market::create<SUI, GOLD>(seed, &prices, 1_000, 0, 5_000, 8_000, 1_000, &clock, test.ctx());
    let mut wallet = wallet::create(test.ctx());
    wallet.deposit(mint<SUI>(&mut test, 10_000));
    wallet.grant_service_coin<AccountLending, SUI>(5_000, test.ctx());
    delegate::initialize(&mut wallet, test.ctx());
    delegate::add(&mut wallet, AGENT, test.ctx());
    delegate::set_service_unlimited_allowance<AccountLending>(&mut wallet, AGENT, test.ctx());
    delegate::set_coin_allowance<SUI>(&mut wallet, AGENT, 4_000, test.ctx());
    test.next_tx(AGENT);
    let market = test.take_shared<Market<SUI, GOLD>>();
    account_lending::open_account(&mut wallet, &clock, test.ctx());
    (test, wallet, market, prices, clock)
}

fun end(test: Scenario, wallet: Wallet, market: Market<SUI, GOLD>, prices: Prices, clock: Clock) {
    destroy(wallet);
    scenario::return_shared(market);
    scenario::return_shared(prices);
    clock.destroy_for_testing();
    test.end();
}

fun mint<T>(test: &mut Scenario, amount: u64): Coin<T> {
    coin::mint_for_testing(amount, test.ctx())
}

#[test]
fun a_delegate_deposits_and_withdraws_with_the_interest() {
    let (mut test, mut wallet, mut market, prices, mut clock) = begin();
    account_lending::deposit(&mut wallet, &mut market, 4_000, &clock, test.ctx());
    assert_eq!(wallet.balance<SUI>(), 6_000);
    // Somebody else borrows all of it for a year.
    let borrower = money_market::open_account(test.ctx());
    market.pledge(&borrower, mint<GOLD>(&mut test, 10_000));
    market.borrow(&borrower, &prices, 5_000, &clock, test.ctx()).burn_for_testing();
    clock.increment_for_testing(YEAR_MS);
    let coin = mint<SUI>(&mut test, 5_500);
    market.repay(object::id(&borrower), coin, &clock, test.ctx()).burn_for_testing();
    destroy(borrower);
    account_lending::withdraw(&mut wallet, &mut market, 400, 400, &clock, test.ctx());
    assert_eq!(wallet.balance<SUI>(), 6_400);
    // All that is left, but for one that rounding costs.
    account_lending::withdraw(&mut wallet, &mut market, 9_999, 3_999, &clock, test.ctx());
    assert_eq!(wallet.balance<SUI>(), 10_399);
    end(test, wallet, market, prices, clock);
}

#[test]
fun the_owner_deals_with_the_market_without_the_service() {
    let (mut test, mut wallet, mut market, prices, clock) = begin();
    account_lending::deposit(&mut wallet, &mut market, 4_000, &clock, test.ctx());
    test.next_tx(OWNER);
    wallet.revoke_service<AccountLending>(test.ctx());
    let name = b"money market account".to_string();
    wallet.reclaim_service_asset<AccountLending, AccountCap>(name, test.ctx());
    test.next_tx(OWNER);
    let cap = test.take_from_sender<AccountCap>();
    let coin = market.withdraw(&cap, 4_000, 4_000, &clock, test.ctx());
    assert_eq!(coin.burn_for_testing(), 4_000);
    test.return_to_sender(cap);
    end(test, wallet, market, prices, clock);
}

#[test, expected_failure(abort_code = wallet::EAssetNameTaken)]
fun a_second_account_does_not_hide_the_first() {
    let (mut test, mut wallet, _market, _prices, clock) = begin();
    account_lending::open_account(&mut wallet, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::EInsufficientCoinAllowance)]
fun a_delegate_deposits_no_more_than_the_budget() {
    let (mut test, mut wallet, mut market, _prices, clock) = begin();
    account_lending::deposit(&mut wallet, &mut market, 4_001, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = intent::EAuthMissing)]
fun a_service_without_a_grant_deposits_nothing() {
    let (mut test, mut wallet, mut market, _prices, clock) = begin();
    test.next_tx(OWNER);
    wallet.revoke_service<AccountLending>(test.ctx());
    account_lending::deposit(&mut wallet, &mut market, 1, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = money_market::ETooLittle)]
fun less_than_the_minimum_is_refused() {
    let (mut test, mut wallet, mut market, _prices, clock) = begin();
    account_lending::deposit(&mut wallet, &mut market, 4_000, &clock, test.ctx());
    account_lending::withdraw(&mut wallet, &mut market, 4_001, 4_001, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = account_lending::ENotAuthorized)]
fun a_stranger_withdraws_nothing() {
    let (mut test, mut wallet, mut market, _prices, clock) = begin();
    account_lending::deposit(&mut wallet, &mut market, 4_000, &clock, test.ctx());
    test.next_tx(STRANGER);
    account_lending::withdraw(&mut wallet, &mut market, 1, 1, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = account_lending::ENotAuthorized)]
fun a_delegate_whose_time_is_over_withdraws_nothing() {
    let (mut test, mut wallet, mut market, _prices, mut clock) = begin();
    account_lending::deposit(&mut wallet, &mut market, 4_000, &clock, test.ctx());
    test.next_tx(OWNER);
    delegate::set_expiry(&mut wallet, AGENT, option::some(1_000), test.ctx());
    clock.set_for_testing(1_000);
    test.next_tx(AGENT);
    account_lending::withdraw(&mut wallet, &mut market, 1, 1, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EPaused)]
fun a_paused_wallet_withdraws_nothing() {
    let (mut test, mut wallet, mut market, _prices, clock) = begin();
    account_lending::deposit(&mut wallet, &mut market, 4_000, &clock, test.ctx());
    test.next_tx(OWNER);
    wallet.set_paused(true, test.ctx());
    account_lending::withdraw(&mut wallet, &mut market, 1, 1, &clock, test.ctx());
    abort
}
