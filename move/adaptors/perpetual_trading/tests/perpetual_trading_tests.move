#[test_only]
module perpetual_trading::perpetual_trading_tests;

use oracle::prices::{Self, Prices};
use perpetual_trading::perpetual_trading::{Self as adaptor, PerpetualTrading};
use perpetuals::perpetuals::{Self, AccountCap, Market};
use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};
use sui::coin;
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};
use wallet::delegate;
use wallet::wallet::{Self, Wallet};

public struct DOLLAR has drop {}

const OWNER: address = @0xa;
const AGENT: address = @0xb;
const STRANGER: address = @0xc;
const SUI_UNIT: u64 = 1_000_000_000;

public struct World {
    test: Scenario,
    wallet: Wallet,
    market: Market<SUI, DOLLAR>,
    prices: Prices,
    clock: Clock,
}

/// SUI at 2 dollars, a house of 1,000 dollars, a wallet of 500 with an account, of which the service may take 200
/// and the agent, who sends the next transaction, 100.
fun begin(): World {
    let mut test = scenario::begin(OWNER);
    let clock = clock::create_for_testing(test.ctx());
    let admin = prices::create(60_000, test.ctx());
    test.next_tx(OWNER);
    let mut prices = test.take_shared<Prices>();
    prices.set<SUI>(&admin, 2_000_000, &clock);
    prices.set<DOLLAR>(&admin, 1_000_000_000, &clock);
    destroy(perpetuals::create<SUI, DOLLAR>(&prices, 10, 1_000, 500, 100, test.ctx()));
    destroy(admin);
    let wallet = funded_wallet(&mut test);
    test.next_tx(AGENT);
    let mut market = test.take_shared<Market<SUI, DOLLAR>>();
    market.fund_house(coin::mint_for_testing(1_000_000_000, test.ctx()));
    let mut world = World { test, wallet, market, prices, clock };
    world.open_account();
    world
}

fun funded_wallet(test: &mut Scenario): Wallet {
    let mut wallet = wallet::create(test.ctx());
    wallet.deposit<DOLLAR>(coin::mint_for_testing(500_000_000, test.ctx()));
    wallet.grant_service_coin<PerpetualTrading, DOLLAR>(200_000_000, test.ctx());
    delegate::initialize(&mut wallet, test.ctx());
    delegate::add(&mut wallet, AGENT, test.ctx());
    delegate::set_service_unlimited_allowance<PerpetualTrading>(&mut wallet, AGENT, test.ctx());
    delegate::set_coin_allowance<DOLLAR>(&mut wallet, AGENT, 100_000_000, test.ctx());
    wallet
}

fun end(world: World) {
    let World { test, wallet, market, prices, clock } = world;
    destroy(wallet);
    scenario::return_shared(market);
    scenario::return_shared(prices);
    clock.destroy_for_testing();
    test.end();
}

fun open_account(world: &mut World) {
    let World { test, wallet, market, clock, .. } = world;
    adaptor::open_account(wallet, market, clock, test.ctx())
}

fun deposit(world: &mut World, amount: u64) {
    let World { test, wallet, market, clock, .. } = world;
    adaptor::deposit_margin(wallet, market, amount, clock, test.ctx())
}

fun withdraw(world: &mut World, amount: u64) {
    let World { test, wallet, market, prices, clock } = world;
    adaptor::withdraw_margin(wallet, market, prices, amount, clock, test.ctx())
}

fun order(world: &mut World, long: bool, sui: u64, limit: u64, reduce_only: bool) {
    let World { test, wallet, market, prices, clock } = world;
    let size = sui * SUI_UNIT;
    adaptor::order(wallet, market, prices, long, size, limit, reduce_only, clock, test.ctx())
}

#[test]
fun a_delegate_takes_an_account_through_its_whole_life() {
    let mut world = begin();
    world.deposit(100_000_000);
    assert_eq!(world.wallet.balance<DOLLAR>(), 400_000_000);
    assert_eq!(delegate::coin_allowance<DOLLAR>(&world.wallet, AGENT), 0);
    assert_eq!(world.wallet.granted<PerpetualTrading, DOLLAR>(), 100_000_000);
    world.order(true, 100, 2_000_000, false);
    world.order(false, 100, 2_000_000, true);
    // Two fees of 0.2 dollars.
    world.withdraw(99_600_000);
    assert_eq!(world.wallet.balance<DOLLAR>(), 499_600_000);
    let World { test, wallet, market, clock, .. } = &mut world;
    adaptor::close_account(wallet, market, clock, test.ctx());
    // What came back has refilled no budget.
    assert_eq!(delegate::coin_allowance<DOLLAR>(&world.wallet, AGENT), 0);
    world.end();
}

#[test]
fun the_owner_has_the_account_without_the_service() {
    let mut world = begin();
    world.deposit(100_000_000);
    let World { test, wallet, market, prices, clock } = &mut world;
    test.next_tx(OWNER);
    wallet.revoke_service<PerpetualTrading>(test.ctx());
    wallet.reclaim_service_asset<PerpetualTrading, AccountCap>(adaptor::name(market), test.ctx());
    test.next_tx(OWNER);
    let cap = test.take_from_sender<AccountCap>();
    let coin = market.withdraw(&cap, prices, 100_000_000, clock, test.ctx());
    assert_eq!(coin.burn_for_testing(), 100_000_000);
    market.close_account(cap);
    world.end();
}

#[test, expected_failure(abort_code = delegate::EInsufficientCoinAllowance)]
fun a_delegate_deposits_no_more_than_the_budget() {
    let mut world = begin();
    world.deposit(100_000_001);
    abort
}

#[test, expected_failure(abort_code = wallet::EGrantExceeded)]
fun not_even_the_owner_deposits_more_than_the_grant() {
    let mut world = begin();
    world.test.next_tx(OWNER);
    world.deposit(200_000_001);
    abort
}

#[test, expected_failure(abort_code = adaptor::ENotAuthorized)]
fun a_stranger_orders_nothing() {
    let mut world = begin();
    world.deposit(100_000_000);
    world.test.next_tx(STRANGER);
    world.order(true, 1, 2_000_000, false);
    abort
}

#[test, expected_failure(abort_code = adaptor::ENotAuthorized)]
fun a_delegate_whose_time_is_over_orders_nothing() {
    let mut world = begin();
    world.deposit(100_000_000);
    let World { test, wallet, .. } = &mut world;
    test.next_tx(OWNER);
    delegate::set_expiry(wallet, AGENT, option::some(0), test.ctx());
    test.next_tx(AGENT);
    world.order(true, 1, 2_000_000, false);
    abort
}

#[test, expected_failure(abort_code = wallet::EAssetNotFound)]
fun the_account_of_another_wallet_is_out_of_reach() {
    let mut world = begin();
    world.deposit(100_000_000);
    let World { test, market, prices, clock, .. } = &mut world;
    test.next_tx(STRANGER);
    let mut other = funded_wallet(test);
    adaptor::withdraw_margin(&mut other, market, prices, 1, clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = perpetuals::ELimit)]
fun a_sale_without_a_limit_is_refused() {
    let mut world = begin();
    world.deposit(100_000_000);
    world.order(false, 1, 0, false);
    abort
}

#[test, expected_failure(abort_code = wallet::EAssetNameTaken)]
fun a_wallet_has_one_account_for_each_market() {
    let mut world = begin();
    world.open_account();
    abort
}

#[test, expected_failure(abort_code = wallet::EPaused)]
fun a_paused_wallet_trades_nothing() {
    let mut world = begin();
    world.deposit(100_000_000);
    let World { test, wallet, .. } = &mut world;
    test.next_tx(OWNER);
    wallet.set_paused(true, test.ctx());
    world.order(true, 1, 2_000_000, false);
    abort
}
