#[test_only]
module market_supply::market_supply_tests;

use market_supply::market_supply::{Self, MarketSupply};
use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};
use sui::coin;
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};
use supply_market::supply_market::{Self, Market, Position};
use wallet::delegate;
use wallet::wallet::{Self, Wallet};

const OWNER: address = @0xa;
const AGENT: address = @0xb;
const STRANGER: address = @0xc;

/// A market without rewards, and a wallet of 10,000 SUI with a position there. The service is granted 5,000 of it; the
/// agent, who sends the next transaction, may use 4,000.
fun begin(): (Scenario, Wallet, Market<SUI>, Clock) {
    let mut test = scenario::begin(OWNER);
    let clock = clock::create_for_testing(test.ctx());
    supply_market::create<SUI>(&clock, test.ctx());
    let mut wallet = wallet::create(test.ctx());
    wallet.deposit(coin::mint_for_testing<SUI>(10_000, test.ctx()));
    wallet.grant_service_coin<MarketSupply, SUI>(5_000, test.ctx());
    delegate::initialize(&mut wallet, test.ctx());
    delegate::add(&mut wallet, AGENT, test.ctx());
    delegate::set_service_unlimited_allowance<MarketSupply>(&mut wallet, AGENT, test.ctx());
    delegate::set_coin_allowance<SUI>(&mut wallet, AGENT, 4_000, test.ctx());
    test.next_tx(AGENT);
    let market = test.take_shared<Market<SUI>>();
    market_supply::open_position(&mut wallet, &market, &clock, test.ctx());
    (test, wallet, market, clock)
}

fun end(test: Scenario, wallet: Wallet, market: Market<SUI>, clock: Clock) {
    destroy(wallet);
    scenario::return_shared(market);
    clock.destroy_for_testing();
    test.end();
}

#[test]
fun a_delegate_supplies_and_brings_back_with_the_rewards() {
    let (mut test, mut wallet, mut market, mut clock) = begin();
    market_supply::supply(&mut wallet, &mut market, 3_000, &clock, test.ctx());
    market_supply::supply(&mut wallet, &mut market, 1_000, &clock, test.ctx());
    assert_eq!(wallet.balance<SUI>(), 6_000);
    assert_eq!(market.total_supplied(), 4_000);
    market.sponsor(coin::mint_for_testing(500, test.ctx()), 1_000, &clock);
    clock.increment_for_testing(1_000);
    market_supply::withdraw(&mut wallet, &mut market, 1_000, 1_500, &clock, test.ctx());
    assert_eq!(wallet.balance<SUI>(), 7_500);
    market_supply::withdraw(&mut wallet, &mut market, 9_999, 3_000, &clock, test.ctx());
    assert_eq!(wallet.balance<SUI>(), 10_500);
    end(test, wallet, market, clock);
}

#[test]
fun the_owner_deals_with_the_market_without_the_service() {
    let (mut test, mut wallet, mut market, clock) = begin();
    market_supply::supply(&mut wallet, &mut market, 4_000, &clock, test.ctx());
    test.next_tx(OWNER);
    wallet.revoke_service<MarketSupply>(test.ctx());
    let name = object::id_address(&market).to_string();
    wallet.reclaim_service_asset<MarketSupply, Position>(name, test.ctx());
    test.next_tx(OWNER);
    let mut position = test.take_from_sender<Position>();
    let coin = market.withdraw(&mut position, 4_000, 4_000, &clock, test.ctx());
    assert_eq!(coin.burn_for_testing(), 4_000);
    position.close();
    end(test, wallet, market, clock);
}

#[test]
fun a_wallet_supplies_to_two_markets_of_one_coin() {
    let (mut test, mut wallet, mut market, clock) = begin();
    supply_market::create<SUI>(&clock, test.ctx());
    test.next_tx(AGENT);
    let mut second = test.take_shared<Market<SUI>>();
    market_supply::open_position(&mut wallet, &second, &clock, test.ctx());
    market_supply::supply(&mut wallet, &mut market, 1_000, &clock, test.ctx());
    market_supply::supply(&mut wallet, &mut second, 2_000, &clock, test.ctx());
    assert_eq!(market.total_supplied(), 1_000);
    assert_eq!(second.total_supplied(), 2_000);
    scenario::return_shared(second);
    end(test, wallet, market, clock);
}

#[test, expected_failure(abort_code = wallet::EAssetNameTaken)]
fun a_second_position_does_not_hide_the_first() {
    let (mut test, mut wallet, market, clock) = begin();
    market_supply::open_position(&mut wallet, &market, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::EInsufficientCoinAllowance)]
fun a_delegate_supplies_no_more_than_the_budget() {
    let (mut test, mut wallet, mut market, clock) = begin();
    market_supply::supply(&mut wallet, &mut market, 4_001, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = supply_market::ETooLittle)]
fun less_than_the_minimum_is_refused() {
    let (mut test, mut wallet, mut market, clock) = begin();
    market_supply::supply(&mut wallet, &mut market, 4_000, &clock, test.ctx());
    market_supply::withdraw(&mut wallet, &mut market, 4_000, 4_001, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = market_supply::ENotAuthorized)]
fun a_stranger_brings_nothing_back() {
    let (mut test, mut wallet, mut market, clock) = begin();
    market_supply::supply(&mut wallet, &mut market, 4_000, &clock, test.ctx());
    test.next_tx(STRANGER);
    market_supply::withdraw(&mut wallet, &mut market, 4_000, 1, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = market_supply::ENotAuthorized)]
fun a_stranger_opens_no_position() {
    let (mut test, mut wallet, market, clock) = begin();
    test.next_tx(STRANGER);
    market_supply::open_position(&mut wallet, &market, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EPaused)]
fun a_paused_wallet_supplies_nothing() {
    let (mut test, mut wallet, mut market, clock) = begin();
    test.next_tx(OWNER);
    wallet.set_paused(true, test.ctx());
    market_supply::supply(&mut wallet, &mut market, 10, &clock, test.ctx());
    abort
}
