#[test_only]
module concentrated::pool_tests;

use concentrated::pool::{Self, AdminCap, Pool, Position};
use concentrated::sqrt_price;
use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};
use sui::coin::{Self, Coin};
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};

public struct GOLD has drop {}
public struct GIFT has drop {}

const TRADER: address = @0xa;
/// The tick at which one SUI costs one GOLD.
const ONE: u32 = 443_400;

public struct World {
    test: Scenario,
    pool: Pool<SUI, GOLD, GIFT>,
    clock: Clock,
}

fun begin(fee_ppm: u64): World {
    let (world, cap) = begin_as_admin(fee_ppm);
    destroy(cap);
    world
}

fun begin_as_admin(fee_ppm: u64): (World, AdminCap) {
    let mut test = scenario::begin(TRADER);
    let clock = clock::create_for_testing(test.ctx());
    let cap = pool::create<SUI, GOLD, GIFT>(fee_ppm, 60, 1 << 64, &clock, test.ctx());
    test.next_tx(TRADER);
    let pool = test.take_shared<Pool<SUI, GOLD, GIFT>>();
    (World { test, pool, clock }, cap)
}

fun end(world: World) {
    let World { test, pool, clock } = world;
    scenario::return_shared(pool);
    clock.destroy_for_testing();
    test.end();
}

fun mint<T>(world: &mut World, amount: u64): Coin<T> {
    coin::mint_for_testing(amount, world.test.ctx())
}

fun open(world: &mut World, lower: u32, upper: u32, a: u64, b: u64): Position {
    let mut position = world.pool.open(lower, upper, world.test.ctx());
    world.add(&mut position, a, b);
    position
}

/// Answers what was taken.
fun add(world: &mut World, position: &mut Position, a: u64, b: u64): (u64, u64) {
    let (coin_a, coin_b) = (world.mint(a), world.mint(b));
    let (rest_a, rest_b) =
        world.pool.add(position, coin_a, coin_b, 0, &world.clock, world.test.ctx());
    (a - rest_a.burn_for_testing(), b - rest_b.burn_for_testing())
}

fun remove(world: &mut World, position: &mut Position, liquidity: u128): (u64, u64) {
    let (a, b) = world.pool.remove(position, liquidity, 0, 0, &world.clock, world.test.ctx());
    (a.burn_for_testing(), b.burn_for_testing())
}

fun collect(world: &mut World, position: &mut Position): (u64, u64) {
    let (a, b) = world.pool.collect_fees(position, &world.clock, world.test.ctx());
    (a.burn_for_testing(), b.burn_for_testing())
}

fun reward(world: &mut World, cap: &AdminCap, amount: u64) {
    let coin = world.mint(amount);
    world.pool.add_reward(cap, coin, 1_000, &world.clock)
}

fun collect_reward(world: &mut World, position: &mut Position): u64 {
    world.pool.collect_reward(position, &world.clock, world.test.ctx()).burn_for_testing()
}

fun swap(world: &mut World, a_to_b: bool, amount: u64): u64 {
    world.swap_for(a_to_b, amount, 0)
}

fun swap_for(world: &mut World, a_to_b: bool, amount: u64, min: u64): u64 {
    if (a_to_b) {
        let coin = world.mint(amount);
        world.pool.swap_a_to_b(coin, min, &world.clock, world.test.ctx()).burn_for_testing()
    } else {
        let coin = world.mint(amount);
        world.pool.swap_b_to_a(coin, min, &world.clock, world.test.ctx()).burn_for_testing()
    }
}

/// Takes everything out and ends the position.
fun leave(world: &mut World, mut position: Position): (u64, u64) {
    let liquidity = position.liquidity();
    let (a, b) = if (liquidity > 0) world.remove(&mut position, liquidity) else (0, 0);
    let (fee_a, fee_b) = world.collect(&mut position);
    world.collect_reward(&mut position);
    world.pool.close(position);
    (a + fee_a, b + fee_b)
}

// === The model: looks at every position for every piece of a swap, and works with reserves instead of roots ===

/// A position as the model sees it. Fees are exact in units of 2^-64.
public struct Twin has copy, drop {
    lower: u32,
    upper: u32,
    liquidity: u128,
    fees_a: u256,
    fees_b: u256,
}

/// The pool between two neighbouring ends of ranges is a constant product of x = L / r and y = L * r. Trades the
/// amount at that, piece by piece, and answers what comes out at the least and at the most, and how many pieces.
fun model_swap(twins: &mut vector<Twin>, root: &mut u128, a_to_b: bool, amount: u64, fee_ppm: u64): (u64, u64, u64) {
    let (mut left, mut most, mut pieces) = (amount as u256, 0u256, 0u64);
    while (left > 0) {
        // The nearest end of a range that carries liquidity, in the direction of the trade.
        let mut target = 0;
        twins.do_ref!(|twin| if (twin.liquidity > 0) vector[twin.lower, twin.upper].do!(|tick| {
            let end = sqrt_price::at_tick(tick);
            if (a_to_b && end < *root && end > target) target = end;
            if (!a_to_b && end > *root && (target == 0 || end < target)) target = end;
        }));
        assert!(target > 0);
        let (low, high) = if (a_to_b) (target, *root) else (*root, target);
        let mut liquidity = 0;
        twins.do_ref!(|twin| if (twin.holds(low, high)) liquidity = liquidity + (twin.liquidity as u256));
        pieces = pieces + 1;
        if (liquidity == 0) { *root = target; continue };
        let r = *root as u256;
        // Reserves in units of 2^-64 of a coin, at the price now and at the target.
        let t = target as u256;
        let (x_r, y_r, x_t, y_t) = ((liquidity << 128) / r, liquidity * r, (liquidity << 128) / t, liquidity * t);
        let needed = if (a_to_b) x_t - x_r else y_t - y_r;
        let offered = left * ((1_000_000 - fee_ppm) as u256) / 1_000_000;
        let whole = (needed + (1 << 64) - 1) >> 64;
        let reached = whole <= offered;
        let used = if (reached) whole else offered;
        let fee = if (!reached) left - used else {
            let rest = (1_000_000 - fee_ppm) as u256;
            (used * (fee_ppm as u256) + rest - 1) / rest
        };
        // What comes out of the constant product, in units of 2^-64, rounded up.
        let out = if (reached) { if (a_to_b) y_r - y_t else x_r - x_t + 1 }
        else if (a_to_b) y_r * (used << 64) / (x_r + (used << 64)) + 1
        else x_r * (used << 64) / (y_r + (used << 64)) + 1;
        most = most + out;
        twins.do_mut!(|twin| if (twin.holds(low, high)) {
            let part = (fee << 64) * (twin.liquidity as u256) / liquidity;
            if (a_to_b) twin.fees_a = twin.fees_a + part else twin.fees_b = twin.fees_b + part;
        });
        *root = if (reached) target else if (a_to_b) {
            let bottom = (liquidity << 64) + used * r;
            (((liquidity << 64) * r + bottom - 1) / bottom) as u128
        } else ((y_r + (used << 64)) / liquidity) as u128;
        left = left - used - fee;
    };
    let most = (most >> 64) as u64;
    // Each piece loses less than one unit to rounding down, and less than one to the root's.
    (most - most.min(2 * pieces), most, pieces)
}

fun holds(twin: &Twin, low: u128, high: u128): bool {
    sqrt_price::at_tick(twin.lower) <= low && high <= sqrt_price::at_tick(twin.upper)
}

public struct Random has drop { state: u64 }

fun next(random: &mut Random, bound: u64): u64 {
    let state = (random.state as u128) * 6364136223846793005 + 1442695040888963407;
    random.state = (state & 0xffffffffffffffff) as u64;
    (random.state >> 33) % bound
}

/// 250 random steps of a pool and of its model from one seed: what swaps pay, where the price is, what is active and
/// what positions earn is the same but for roundings, which are the pool's.
fun compare(seed: u64, fee_ppm: u64) {
    let mut world = begin(fee_ppm);
    let mut random = Random { state: seed };
    let base = world.open(ONE - 6_000, ONE + 6_000, 50_000_000, 50_000_000);
    let mut twins = vector[Twin {
        lower: ONE - 6_000, upper: ONE + 6_000, liquidity: base.liquidity(), fees_a: 0, fees_b: 0,
    }];
    let mut positions = vector[base];
    let mut collected = vector[vector[0u64, 0]];
    let mut root = world.pool.root();
    let (mut swaps, mut steps) = (0u64, 0u64);
    250u64.do!(|_| {
        let kind = random.next(10);
        if (kind < 6) {
            let (a_to_b, amount) = (random.next(2) == 0, 1_000 + random.next(6_000_000));
            let (least, most, pieces) = model_swap(&mut twins, &mut root, a_to_b, amount, fee_ppm);
            let out = world.swap(a_to_b, amount);
            assert!(least <= out && out <= most, out);
            steps = steps + pieces;
            swaps = swaps + 1;
        } else if (kind == 6 && positions.length() < 8) {
            let lower = ONE - 3_000 + (random.next(90) as u32) * 60;
            let upper = lower + 60 + (random.next(20) as u32) * 60;
            let position = world.open(lower, upper, 1_000_000 + random.next(5_000_000), 1_000_000 + random.next(5_000_000));
            let liquidity = position.liquidity();
            twins.push_back(Twin { lower, upper, liquidity, fees_a: 0, fees_b: 0 });
            positions.push_back(position);
            collected.push_back(vector[0, 0]);
        } else if (kind == 7) {
            let i = random.next(positions.length());
            let position = &mut positions[i];
            world.add(position, 100_000 + random.next(1_000_000), 100_000 + random.next(1_000_000));
            twins[i].liquidity = position.liquidity();
        } else if (kind == 8 && positions.length() > 1) {
            let i = 1 + random.next(positions.length() - 1);
            let position = &mut positions[i];
            let all = position.liquidity();
            let part = if (random.next(3) == 0) all else all / 3;
            if (part > 0) { world.remove(position, part); };
            twins[i].liquidity = position.liquidity();
        } else {
            let i = random.next(positions.length());
            let (a, b) = world.collect(&mut positions[i]);
            let sums = &mut collected[i];
            *(&mut sums[0]) = sums[0] + a;
            *(&mut sums[1]) = sums[1] + b;
        };
        assert_eq!(world.pool.root(), root);
    });
    assert!(swaps > 100 && steps > swaps);
    // Roundings of an earning: the growth's at each piece, and one unit at each settlement.
    let allowed = 250 + steps;
    while (!positions.is_empty()) {
        let mut position = positions.pop_back();
        let (twin, sums) = (twins.pop_back(), collected.pop_back());
        let (a, b) = world.collect(&mut position);
        let (ideal_a, ideal_b) = ((twin.fees_a >> 64) as u64, (twin.fees_b >> 64) as u64);
        let (a, b) = (a + sums[0], b + sums[1]);
        assert!(a <= ideal_a + 1 && ideal_a <= a + allowed, a);
        assert!(b <= ideal_b + 1 && ideal_b <= b + allowed, b);
        world.leave(position);
    };
    positions.destroy_empty();
    // All could leave, and what stays is what roundings left.
    let (a, b, _) = world.pool.held();
    assert!(a < 2 * allowed && b < 2 * allowed, a);
    assert_eq!(world.pool.active(), 0);
    world.end();
}

#[test]
fun the_pool_does_what_its_model_does() {
    compare(1, 3_000)
}

#[test]
fun the_pool_does_what_its_model_does_at_a_high_fee() {
    compare(77, 100_000)
}

#[test]
fun the_pool_does_what_its_model_does_without_a_fee() {
    compare(4_242, 0)
}

// === Promises ===

#[test]
fun a_round_trip_never_gains() {
    let mut world = begin(0);
    let position = world.open(ONE - 600, ONE + 600, 10_000_000, 10_000_000);
    let mut amount = 2;
    while (amount < 5_000_000) {
        let bought = world.swap(true, amount);
        assert!(world.swap(false, bought) <= amount);
        amount = amount * 3 + 1;
    };
    destroy(position);
    world.end();
}

#[test]
fun what_comes_out_at_once_is_no_more_than_what_went_in() {
    let mut world = begin(3_000);
    let base = world.open(ONE - 6_000, ONE + 6_000, 9_999_991, 9_999_991);
    world.swap(true, 777_777);
    let mut lower = ONE - 3_000;
    while (lower < ONE + 3_000) {
        let mut position = world.pool.open(lower, lower + 360, world.test.ctx());
        let (a, b) = world.add(&mut position, 1_000_003, 1_000_003);
        let (out_a, out_b) = world.leave(position);
        assert!(out_a <= a && a <= out_a + 1);
        assert!(out_b <= b && b <= out_b + 1);
        lower = lower + 180;
    };
    destroy(base);
    world.end();
}

#[test]
fun a_range_the_price_is_not_in_holds_one_coin_and_earns_nothing() {
    let mut world = begin(3_000);
    let base = world.open(ONE - 6_000, ONE + 6_000, 10_000_000, 10_000_000);
    let mut position = world.pool.open(ONE + 600, ONE + 1_200, world.test.ctx());
    let (a, b) = world.add(&mut position, 500_000, 500_000);
    assert_eq!(b, 0);
    assert!(a > 499_990);
    world.swap(false, 10_000);
    world.swap(true, 10_000);
    let (fee_a, fee_b) = world.collect(&mut position);
    assert_eq!(fee_a + fee_b, 0);
    destroy(position);
    destroy(base);
    world.end();
}

#[test]
fun who_comes_late_gets_none_of_the_fees_of_before() {
    let mut world = begin(3_000);
    let mut early = world.open(ONE - 600, ONE + 600, 10_000_000, 10_000_000);
    world.swap(true, 1_000_000);
    let mut late = world.open(ONE - 660, ONE + 540, 100_000_000, 100_000_000);
    let (a, b) = world.collect(&mut late);
    assert_eq!(a + b, 0);
    let (a, b) = world.collect(&mut early);
    assert_eq!(a, 2_999);
    assert_eq!(b, 0);
    let (a, b) = world.collect(&mut early);
    assert_eq!(a + b, 0);
    destroy(early);
    destroy(late);
    world.end();
}

#[test]
fun rewards_are_paid_evenly_over_time_to_who_is_in_range() {
    let (mut world, cap) = begin_as_admin(3_000);
    let mut inside = world.open(ONE - 600, ONE + 600, 10_000_000, 10_000_000);
    let mut outside = world.open(ONE + 600, ONE + 1_200, 10_000_000, 0);
    world.reward(&cap, 1_000_000);
    world.clock.increment_for_testing(250);
    assert_eq!(world.collect_reward(&mut inside), 249_999);
    assert_eq!(world.collect_reward(&mut outside), 0);
    let mut twin = world.open(ONE - 600, ONE + 600, 10_000_000, 10_000_000);
    world.clock.increment_for_testing(10_000);
    assert_eq!(world.collect_reward(&mut inside), 374_999);
    assert_eq!(world.collect_reward(&mut twin), 374_999);
    destroy(inside);
    destroy(outside);
    destroy(twin);
    destroy(cap);
    world.end();
}

#[test]
fun rewards_wait_while_nobody_is_in_range() {
    let (mut world, cap) = begin_as_admin(3_000);
    world.reward(&cap, 1_000_000);
    world.clock.increment_for_testing(500);
    let mut position = world.open(ONE - 600, ONE + 600, 10_000_000, 10_000_000);
    assert_eq!(world.collect_reward(&mut position), 0);
    world.clock.increment_for_testing(500);
    assert_eq!(world.collect_reward(&mut position), 999_999);
    destroy(position);
    destroy(cap);
    world.end();
}

#[test, expected_failure(abort_code = pool::EWrongPool)]
fun a_position_of_another_pool_is_refused() {
    let mut world = begin(3_000);
    let _cap = pool::create<SUI, GOLD, GIFT>(3_000, 60, 1 << 64, &world.clock, world.test.ctx());
    world.test.next_tx(TRADER);
    let other = world.test.take_shared<Pool<SUI, GOLD, GIFT>>();
    let mut position = other.open(ONE - 600, ONE + 600, world.test.ctx());
    world.add(&mut position, 10_000, 10_000);
    abort
}

#[test, expected_failure(abort_code = pool::EWrongPool)]
fun the_admin_of_another_pool_adds_no_reward() {
    let mut world = begin(3_000);
    let cap = pool::create<SUI, GOLD, GIFT>(3_000, 60, 1 << 64, &world.clock, world.test.ctx());
    world.reward(&cap, 5);
    abort
}

#[test, expected_failure(abort_code = pool::ETooMuchLiquidity)]
fun more_liquidity_than_there_is_is_not_removed() {
    let mut world = begin(3_000);
    let mut position = world.open(ONE - 600, ONE + 600, 10_000, 10_000);
    let liquidity = position.liquidity();
    world.remove(&mut position, liquidity + 1);
    abort
}

#[test, expected_failure(abort_code = pool::ENotEmpty)]
fun a_position_with_liquidity_is_not_closed() {
    let mut world = begin(3_000);
    let position = world.open(ONE - 600, ONE + 600, 10_000, 10_000);
    world.pool.close(position);
    abort
}

#[test, expected_failure(abort_code = pool::ENotEmpty)]
fun a_position_with_fees_is_not_closed() {
    let mut world = begin(3_000);
    let mut position = world.open(ONE - 600, ONE + 600, 10_000_000, 10_000_000);
    world.swap(true, 1_000_000);
    let liquidity = position.liquidity();
    world.remove(&mut position, liquidity);
    world.pool.close(position);
    abort
}

#[test, expected_failure(abort_code = pool::ENoLiquidity)]
fun a_trade_that_the_liquidity_does_not_suffice_for_is_refused() {
    let mut world = begin(3_000);
    let _position = world.open(ONE - 600, ONE + 600, 10_000, 10_000);
    world.swap(true, 1_000_000);
    abort
}

#[test, expected_failure(abort_code = pool::ETooLittle)]
fun less_than_the_trader_takes_is_refused() {
    let mut world = begin(3_000);
    let _position = world.open(ONE - 600, ONE + 600, 10_000_000, 10_000_000);
    world.swap_for(true, 10_000, 10_000);
    abort
}

#[test, expected_failure(abort_code = pool::ETooLittle)]
fun a_trade_that_buys_nothing_is_refused() {
    let mut world = begin(3_000);
    let _position = world.open(ONE - 600, ONE + 600, 10_000_000, 10_000_000);
    world.swap(true, 1);
    abort
}

#[test, expected_failure(abort_code = pool::EBadRange)]
fun a_range_off_the_spacing_is_refused() {
    let mut world = begin(3_000);
    let _position = world.open(ONE - 601, ONE + 600, 10_000, 10_000);
    abort
}

#[test, expected_failure(abort_code = pool::EBadRange)]
fun an_empty_range_is_refused() {
    let mut world = begin(3_000);
    let _position = world.open(ONE, ONE, 10_000, 10_000);
    abort
}

#[test, expected_failure(abort_code = pool::EBadPool)]
fun a_first_price_outside_of_all_ticks_is_refused() {
    let mut test = scenario::begin(TRADER);
    let clock = clock::create_for_testing(test.ctx());
    let _cap = pool::create<SUI, GOLD, GIFT>(3_000, 60, 1, &clock, test.ctx());
    abort
}
