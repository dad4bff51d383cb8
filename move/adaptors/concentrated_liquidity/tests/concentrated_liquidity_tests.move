#[test_only]
module concentrated_liquidity::concentrated_liquidity_tests;

use concentrated::pool::{Self, AdminCap, Pool, Position};
use concentrated_liquidity::concentrated_liquidity::{Self as adaptor, ConcentratedLiquidity};
use std::string::String;
use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};
use sui::coin::{Self, Coin};
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};
use wallet::delegate;
use wallet::wallet::{Self, Wallet};

public struct GOLD has drop {}
public struct GIFT has drop {}

const OWNER: address = @0xa;
const AGENT: address = @0xb;
const STRANGER: address = @0xc;
/// The tick at which one SUI costs one GOLD, where the pool begins.
const ONE: u32 = 443_400;
const GRANT: u64 = 2_000_000;
const BUDGET: u64 = 1_500_000;

public struct World {
    test: Scenario,
    wallet: Wallet,
    pool: Pool<SUI, GOLD, GIFT>,
    admin: AdminCap,
    clock: Clock,
}

/// A wallet of 10,000,000 of each coin. The service is granted 2,000,000 of each, the agent, who sends the next
/// transaction, may use 1,500,000 of each.
fun begin(): World {
    let mut test = scenario::begin(OWNER);
    let clock = clock::create_for_testing(test.ctx());
    let admin = pool::create<SUI, GOLD, GIFT>(3_000, 60, 1 << 64, &clock, test.ctx());
    let wallet = funded_wallet(&mut test);
    test.next_tx(AGENT);
    let pool = test.take_shared<Pool<SUI, GOLD, GIFT>>();
    World { test, wallet, pool, admin, clock }
}

fun funded_wallet(test: &mut Scenario): Wallet {
    let mut wallet = wallet::create(test.ctx());
    wallet.deposit(mint<SUI>(test, 10_000_000));
    wallet.deposit(mint<GOLD>(test, 10_000_000));
    wallet.grant_service_coin<ConcentratedLiquidity, SUI>(GRANT, test.ctx());
    wallet.grant_service_coin<ConcentratedLiquidity, GOLD>(GRANT, test.ctx());
    delegate::initialize(&mut wallet, test.ctx());
    delegate::add(&mut wallet, AGENT, test.ctx());
    delegate::set_service_unlimited_allowance<ConcentratedLiquidity>(&mut wallet, AGENT, test.ctx());
    delegate::set_coin_allowance<SUI>(&mut wallet, AGENT, BUDGET, test.ctx());
    delegate::set_coin_allowance<GOLD>(&mut wallet, AGENT, BUDGET, test.ctx());
    wallet
}

fun end(world: World) {
    let World { test, wallet, pool, admin, clock } = world;
    destroy(wallet);
    destroy(admin);
    scenario::return_shared(pool);
    clock.destroy_for_testing();
    test.end();
}

fun mint<T>(test: &mut Scenario, amount: u64): Coin<T> {
    coin::mint_for_testing(amount, test.ctx())
}

fun name(): String {
    b"around one".to_string()
}

fun open(world: &mut World, amount_a: u64, amount_b: u64, min_liquidity: u128) {
    let World { test, wallet, pool, clock, .. } = world;
    adaptor::open(
        wallet, pool, name(), ONE - 600, ONE + 600, amount_a, amount_b, min_liquidity, clock, test.ctx(),
    )
}

fun add(world: &mut World, amount: u64) {
    let World { test, wallet, pool, clock, .. } = world;
    adaptor::add(wallet, pool, name(), amount, amount, 1, clock, test.ctx())
}

fun remove(world: &mut World, liquidity: u128, min: u64) {
    let World { test, wallet, pool, clock, .. } = world;
    adaptor::remove(wallet, pool, name(), liquidity, min, min, clock, test.ctx())
}

fun collect_fees(world: &mut World) {
    let World { test, wallet, pool, clock, .. } = world;
    adaptor::collect_fees(wallet, pool, name(), clock, test.ctx())
}

fun collect_reward(world: &mut World) {
    let World { test, wallet, pool, clock, .. } = world;
    adaptor::collect_reward(wallet, pool, name(), clock, test.ctx())
}

fun close(world: &mut World) {
    let World { test, wallet, pool, clock, .. } = world;
    adaptor::close(wallet, pool, name(), clock, test.ctx())
}

/// Someone trades SUI for GOLD; the fee is 0.3 percent.
fun trade(world: &mut World, amount: u64) {
    let World { test, pool, clock, .. } = world;
    let coin = mint<SUI>(test, amount);
    pool.swap_a_to_b(coin, 1, clock, test.ctx()).burn_for_testing();
}

fun reward(world: &mut World, amount: u64) {
    let World { test, pool, admin, clock, .. } = world;
    let coin = mint<GIFT>(test, amount);
    pool.add_reward(admin, coin, 1_000, clock);
    clock.increment_for_testing(1_000)
}

/// The liquidity of the position, which the owner takes out and puts back for a look.
fun liquidity_of(world: &mut World): u128 {
    let World { test, wallet, .. } = world;
    test.next_tx(OWNER);
    wallet.reclaim_service_asset<ConcentratedLiquidity, Position>(name(), test.ctx());
    test.next_tx(OWNER);
    let position = test.take_from_sender<Position>();
    let liquidity = position.liquidity();
    wallet.receive_asset_from_service(position, name(), adaptor::witness_for_testing());
    test.next_tx(AGENT);
    liquidity
}

#[test]
fun a_delegate_takes_a_position_through_its_whole_life() {
    let mut world = begin();
    world.open(1_000_000, 1_000_000, 1);
    assert_eq!(world.wallet.balance<SUI>(), 9_000_000);
    assert_eq!(world.wallet.balance<GOLD>(), 9_000_000);
    assert_eq!(delegate::coin_allowance<SUI>(&world.wallet, AGENT), 500_000);
    assert_eq!(delegate::coin_allowance<GOLD>(&world.wallet, AGENT), 500_000);
    assert_eq!(world.wallet.granted<ConcentratedLiquidity, SUI>(), 1_000_000);
    world.add(500_000);
    assert_eq!(world.wallet.balance<SUI>(), 8_500_000);
    world.trade(100_000);
    world.collect_fees();
    assert_eq!(world.wallet.balance<SUI>(), 8_500_299);
    assert_eq!(world.wallet.balance<GOLD>(), 8_500_000);
    world.reward(70_000);
    world.collect_reward();
    assert_eq!(world.wallet.balance<GIFT>(), 69_999);
    let all = world.liquidity_of();
    world.remove(all, 1);
    // The trade's 99,700 came in, and the fee's 299 before.
    assert_eq!(world.wallet.balance<SUI>(), 10_099_998);
    world.close();
    // Nothing that came out has refilled a budget or a grant.
    assert_eq!(delegate::coin_allowance<SUI>(&world.wallet, AGENT), 0);
    assert_eq!(world.wallet.granted<ConcentratedLiquidity, SUI>(), 500_000);
    world.end();
}

#[test]
fun only_what_the_position_needs_is_taken() {
    let mut world = begin();
    world.open(1_000_000, 400_000, 1);
    assert_eq!(world.wallet.balance<SUI>(), 9_600_000);
    assert_eq!(world.wallet.balance<GOLD>(), 9_600_000);
    assert_eq!(delegate::coin_allowance<SUI>(&world.wallet, AGENT), BUDGET - 400_000);
    world.end();
}

#[test]
fun a_range_of_one_coin_takes_that_coin_alone() {
    let mut world = begin();
    let World { test, wallet, pool, clock, .. } = &mut world;
    adaptor::open(wallet, pool, name(), ONE + 60, ONE + 120, 10_000, 10_000, 1, clock, test.ctx());
    assert!(wallet.balance<SUI>() < 10_000_000);
    assert_eq!(wallet.balance<GOLD>(), 10_000_000);
    world.end();
}

#[test]
fun the_owner_has_the_position_without_the_service() {
    let mut world = begin();
    world.open(1_000_000, 1_000_000, 1);
    let World { test, wallet, pool, clock, .. } = &mut world;
    test.next_tx(OWNER);
    wallet.revoke_service<ConcentratedLiquidity>(test.ctx());
    wallet.reclaim_service_asset<ConcentratedLiquidity, Position>(name(), test.ctx());
    test.next_tx(OWNER);
    let mut position = test.take_from_sender<Position>();
    let all = position.liquidity();
    let (a, b) = pool.remove(&mut position, all, 0, 0, clock, test.ctx());
    assert_eq!(a.burn_for_testing(), 999_999);
    assert_eq!(b.burn_for_testing(), 999_999);
    pool.close(position);
    world.end();
}

#[test, expected_failure(abort_code = adaptor::ENoMinimum)]
fun a_position_without_a_minimum_is_refused() {
    let mut world = begin();
    world.open(1_000_000, 1_000_000, 0);
    abort
}

#[test, expected_failure(abort_code = adaptor::ENoMinimum)]
fun a_removal_without_a_minimum_is_refused() {
    let mut world = begin();
    world.open(1_000_000, 1_000_000, 1);
    world.remove(1, 0);
    abort
}

/// A trade before the position is opened makes the same amounts suffice for less.
#[test, expected_failure(abort_code = adaptor::ETooLittle)]
fun a_position_at_a_price_that_was_moved_is_refused() {
    let mut world = begin();
    let (expected, _, _) = world.pool.quote_add(ONE - 600, ONE + 600, 1_000_000, 1_000_000);
    {
        let World { test, pool, clock, .. } = &mut world;
        let mut position = pool.open(ONE - 6_000, ONE + 6_000, test.ctx());
        let (a, b) = (mint<SUI>(test, 1_000_000), mint<GOLD>(test, 1_000_000));
        let (a, b) = pool.add(&mut position, a, b, 1, clock, test.ctx());
        destroy(a);
        destroy(b);
        destroy(position);
    };
    world.trade(50_000);
    world.open(1_000_000, 1_000_000, expected);
    abort
}

#[test, expected_failure(abort_code = delegate::EInsufficientCoinAllowance)]
fun a_delegate_opens_no_more_than_the_budget() {
    let mut world = begin();
    world.open(BUDGET + 1, BUDGET + 1, 1);
    abort
}

#[test, expected_failure(abort_code = wallet::EGrantExceeded)]
fun not_even_the_owner_opens_more_than_the_grant() {
    let mut world = begin();
    world.test.next_tx(OWNER);
    world.open(GRANT + 1, GRANT + 1, 1);
    abort
}

#[test, expected_failure(abort_code = adaptor::ENotAuthorized)]
fun a_stranger_collects_nothing() {
    let mut world = begin();
    world.open(1_000_000, 1_000_000, 1);
    world.test.next_tx(STRANGER);
    world.collect_fees();
    abort
}

#[test, expected_failure(abort_code = adaptor::ENotAuthorized)]
fun a_stranger_removes_nothing() {
    let mut world = begin();
    world.open(1_000_000, 1_000_000, 1);
    world.test.next_tx(STRANGER);
    world.remove(1_000, 1);
    abort
}

#[test, expected_failure(abort_code = adaptor::ENotAuthorized)]
fun a_delegate_whose_budget_for_the_service_was_taken_away_closes_nothing() {
    let mut world = begin();
    world.open(1_000_000, 1_000_000, 1);
    let World { test, wallet, .. } = &mut world;
    test.next_tx(OWNER);
    delegate::set_service_allowance<ConcentratedLiquidity>(wallet, AGENT, 0, test.ctx());
    test.next_tx(AGENT);
    world.close();
    abort
}

#[test, expected_failure(abort_code = wallet::EAssetNotFound)]
fun the_position_of_another_wallet_is_out_of_reach() {
    let mut world = begin();
    world.open(1_000_000, 1_000_000, 1);
    let World { test, pool, clock, .. } = &mut world;
    test.next_tx(STRANGER);
    let mut other = funded_wallet(test);
    adaptor::remove(&mut other, pool, name(), 1_000, 1, 1, clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EAssetNameTaken)]
fun a_second_position_does_not_take_the_name_of_the_first() {
    let mut world = begin();
    world.open(10_000, 10_000, 1);
    world.open(10_000, 10_000, 1);
    abort
}

#[test, expected_failure(abort_code = pool::EWrongPool)]
fun a_position_is_not_served_by_another_pool() {
    let mut world = begin();
    world.open(1_000_000, 1_000_000, 1);
    let World { test, wallet, clock, .. } = &mut world;
    let _admin = pool::create<SUI, GOLD, GIFT>(3_000, 60, 1 << 64, clock, test.ctx());
    test.next_tx(AGENT);
    let mut other = test.take_shared<Pool<SUI, GOLD, GIFT>>();
    adaptor::collect_fees(wallet, &mut other, name(), clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EPaused)]
fun a_paused_wallet_hands_out_no_position() {
    let mut world = begin();
    world.open(1_000_000, 1_000_000, 1);
    let World { test, wallet, .. } = &mut world;
    test.next_tx(OWNER);
    wallet.set_paused(true, test.ctx());
    world.remove(1_000, 1);
    abort
}
