#[test_only]
module liquid_stake::liquid_stake_tests;

use liquid_stake::liquid_stake::{Self, OperatorCap, RewardAdded, Staked, StakePool, Unstaked};
use std::unit_test::{assert_eq, destroy};
use sui::coin::{Self, Coin};
use sui::event;
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};

public struct SHARE has drop {}

const STAKER: address = @0xa;
const SEED: u64 = 1_000;
const FEE_BPS: u64 = 100;

fun begin(): (Scenario, StakePool<SHARE>, OperatorCap) {
    let mut test = scenario::begin(STAKER);
    let cap = create(&mut test, SEED, FEE_BPS);
    test.next_tx(STAKER);
    let pool = test.take_shared<StakePool<SHARE>>();
    (test, pool, cap)
}

fun end(test: Scenario, pool: StakePool<SHARE>, cap: OperatorCap) {
    destroy(cap);
    scenario::return_shared(pool);
    test.end();
}

fun create(test: &mut Scenario, seed: u64, fee_bps: u64): OperatorCap {
    let treasury = coin::create_treasury_cap_for_testing<SHARE>(test.ctx());
    let seed = mint(test, seed);
    liquid_stake::create(treasury, seed, fee_bps, test.ctx())
}

fun mint(test: &mut Scenario, amount: u64): Coin<SUI> {
    coin::mint_for_testing(amount, test.ctx())
}

fun stake(test: &mut Scenario, pool: &mut StakePool<SHARE>, amount: u64): Coin<SHARE> {
    let coin = mint(test, amount);
    pool.stake(coin, 0, test.ctx())
}

fun unstake(test: &mut Scenario, pool: &mut StakePool<SHARE>, shares: Coin<SHARE>): u64 {
    pool.unstake(shares, 0, test.ctx()).burn_for_testing()
}

fun reward(test: &mut Scenario, pool: &mut StakePool<SHARE>, cap: &OperatorCap, amount: u64) {
    let coin = mint(test, amount);
    pool.add_reward(cap, coin)
}

#[test]
fun a_staker_who_leaves_at_once_pays_the_fee_to_the_others() {
    let (mut test, mut pool, cap) = begin();
    let shares = stake(&mut test, &mut pool, 50_000);
    assert_eq!(shares.value(), 50_000);
    assert_eq!(unstake(&mut test, &mut pool, shares), 49_500);
    assert_eq!(pool.total_staked(), SEED + 500);
    assert_eq!(pool.total_shares(), SEED);
    assert_eq!(event::events_by_type<Staked>().length(), 1);
    assert_eq!(event::events_by_type<Unstaked>().length(), 1);
    end(test, pool, cap);
}

#[test]
fun the_fee_is_rounded_up() {
    let (mut test, mut pool, cap) = begin();
    let mut shares = stake(&mut test, &mut pool, 50_000);
    let (sui, fee) = pool.quote_unstake(101);
    assert_eq!(sui, 99);
    assert_eq!(fee, 2);
    let few = shares.split(101, test.ctx());
    assert_eq!(unstake(&mut test, &mut pool, few), 99);
    destroy(shares);
    end(test, pool, cap);
}

#[test]
fun rewards_make_shares_dearer_for_those_who_were_there() {
    let (mut test, mut pool, cap) = begin();
    let early = stake(&mut test, &mut pool, 999_000);
    reward(&mut test, &mut pool, &cap, 10_000);
    assert_eq!(event::events_by_type<RewardAdded>().length(), 1);
    assert_eq!(pool.value_of(early.value()), 1_008_990);
    let late = stake(&mut test, &mut pool, 1_010_000);
    assert_eq!(late.value(), 1_000_000);
    assert_eq!(pool.value_of(late.value()), 1_010_000);
    destroy(early);
    destroy(late);
    end(test, pool, cap);
}

#[test]
fun staking_just_for_a_reward_never_pays() {
    // However much is staked before the largest reward that is possible then.
    let mut amount = 100;
    while (amount < 1_000_000_000_000) {
        let (mut test, mut pool, cap) = begin();
        let others = stake(&mut test, &mut pool, 1_000_000);
        let shares = stake(&mut test, &mut pool, amount);
        let largest = pool.total_staked() * FEE_BPS / 10_000;
        reward(&mut test, &mut pool, &cap, largest);
        assert!(unstake(&mut test, &mut pool, shares) < amount);
        destroy(others);
        end(test, pool, cap);
        amount = amount * 10;
    }
}

#[test]
fun the_price_of_a_share_never_falls() {
    let (mut test, mut pool, cap) = begin();
    reward(&mut test, &mut pool, &cap, 7);
    let mut amount = 3;
    while (amount < 1_000_000) {
        let price = pool.value_of(1_000_000_000);
        let shares = stake(&mut test, &mut pool, amount);
        let staked = pool.value_of(1_000_000_000);
        assert!(staked >= price);
        assert!(unstake(&mut test, &mut pool, shares) < amount);
        assert!(pool.value_of(1_000_000_000) >= staked);
        amount = amount * 2 + 1;
    };
    end(test, pool, cap);
}

#[test, expected_failure(abort_code = liquid_stake::ERewardTooLarge)]
fun a_reward_worth_coming_for_is_refused() {
    let (mut test, mut pool, cap) = begin();
    reward(&mut test, &mut pool, &cap, 11);
    abort
}

#[test, expected_failure(abort_code = liquid_stake::EWrongPool)]
fun the_operator_of_another_pool_adds_no_reward() {
    let (mut test, mut pool, _cap) = begin();
    let other = create(&mut test, SEED, FEE_BPS);
    reward(&mut test, &mut pool, &other, 1);
    abort
}

#[test, expected_failure(abort_code = liquid_stake::ENothing)]
fun a_reward_of_nothing_is_refused() {
    let (mut test, mut pool, cap) = begin();
    reward(&mut test, &mut pool, &cap, 0);
    abort
}

#[test, expected_failure(abort_code = liquid_stake::ENothing)]
fun a_stake_of_nothing_is_refused() {
    let (mut test, mut pool, _cap) = begin();
    let _shares = stake(&mut test, &mut pool, 0);
    abort
}

#[test, expected_failure(abort_code = liquid_stake::ENothing)]
fun unstaking_nothing_is_refused() {
    let (mut test, mut pool, _cap) = begin();
    let none = coin::zero(test.ctx());
    unstake(&mut test, &mut pool, none);
    abort
}

#[test, expected_failure(abort_code = liquid_stake::ETooLittle)]
fun fewer_shares_than_the_staker_takes_are_refused() {
    let (mut test, mut pool, _cap) = begin();
    let coin = mint(&mut test, 500);
    let _shares = pool.stake(coin, 501, test.ctx());
    abort
}

#[test, expected_failure(abort_code = liquid_stake::ETooLittle)]
fun less_than_the_holder_takes_is_refused() {
    let (mut test, mut pool, _cap) = begin();
    let shares = stake(&mut test, &mut pool, 500);
    let _paid = pool.unstake(shares, 496, test.ctx());
    abort
}

#[test, expected_failure(abort_code = liquid_stake::ETooLittle)]
fun a_share_that_the_fee_eats_whole_is_not_burned() {
    let (mut test, mut pool, _cap) = begin();
    let shares = stake(&mut test, &mut pool, 1);
    unstake(&mut test, &mut pool, shares);
    abort
}

#[test, expected_failure(abort_code = liquid_stake::ENotNew)]
fun a_share_coin_that_others_hold_already_is_refused() {
    let mut test = scenario::begin(STAKER);
    let mut treasury = coin::create_treasury_cap_for_testing<SHARE>(test.ctx());
    let _early = treasury.mint(1, test.ctx());
    let seed = mint(&mut test, SEED);
    let _cap = liquid_stake::create(treasury, seed, FEE_BPS, test.ctx());
    abort
}

#[test, expected_failure(abort_code = liquid_stake::ESeedTooSmall)]
fun a_pool_without_its_seed_is_refused() {
    let mut test = scenario::begin(STAKER);
    let _cap = create(&mut test, SEED - 1, FEE_BPS);
    abort
}

#[test, expected_failure(abort_code = liquid_stake::EBadFee)]
fun a_pool_without_a_fee_is_refused() {
    let mut test = scenario::begin(STAKER);
    let _cap = create(&mut test, SEED, 0);
    abort
}

#[test, expected_failure(abort_code = liquid_stake::EBadFee)]
fun a_fee_above_the_maximum_is_refused() {
    let mut test = scenario::begin(STAKER);
    let _cap = create(&mut test, SEED, 501);
    abort
}
