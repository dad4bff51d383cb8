#[test_only]
module liquid_staking::liquid_staking_tests;

use liquid_stake::liquid_stake::{Self, OperatorCap, StakePool};
use liquid_staking::liquid_staking::{Self, LiquidStaking};
use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};
use sui::coin::{Self, Coin};
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};
use wallet::delegate;
use wallet::intent;
use wallet::wallet::{Self, Wallet};

public struct SHARE has drop {}

const OWNER: address = @0xa;
const AGENT: address = @0xb;
const STRANGER: address = @0xc;

/// A pool with a fee of one percent, and a wallet of 10,000 SUI. The service is granted 5,000 of it and all shares;
/// the agent, who sends the next transaction, may use 4,000 SUI and no shares.
fun begin(): (Scenario, Wallet, StakePool<SHARE>, OperatorCap, Clock) {
    let mut test = scenario::begin(OWNER);
    let treasury = coin::create_treasury_cap_for_testing<SHARE>(test.ctx());
    let cap = liquid_stake::create(treasury, mint(&mut test, 6_000), 100, test.ctx());
    let mut wallet = wallet::create(test.ctx());
    wallet.deposit(mint(&mut test, 10_000));
    wallet.grant_service_coin<LiquidStaking, SUI>(5_000, test.ctx());
    wallet.grant_service_coin<LiquidStaking, SHARE>(delegate::unlimited_allowance(), test.ctx());
    delegate::initialize(&mut wallet, test.ctx());
    delegate::add(&mut wallet, AGENT, test.ctx());
    delegate::set_service_unlimited_allowance<LiquidStaking>(&mut wallet, AGENT, test.ctx());
    delegate::set_coin_allowance<SUI>(&mut wallet, AGENT, 4_000, test.ctx());
    let clock = clock::create_for_testing(test.ctx());
    test.next_tx(AGENT);
    let pool = test.take_shared<StakePool<SHARE>>();
    (test, wallet, pool, cap, clock)
}

fun end(test: Scenario, wallet: Wallet, pool: StakePool<SHARE>, cap: OperatorCap, clock: Clock) {
    destroy(wallet);
    destroy(cap);
    scenario::return_shared(pool);
    clock.destroy_for_testing();
    test.end();
}

fun mint(test: &mut Scenario, amount: u64): Coin<SUI> {
    coin::mint_for_testing(amount, test.ctx())
}

#[test]
fun a_delegate_stakes_and_the_owner_unstakes_with_the_reward_less_the_fee() {
    let (mut test, mut wallet, mut pool, cap, clock) = begin();
    liquid_staking::stake(&mut wallet, &mut pool, 4_000, 4_000, &clock, test.ctx());
    assert_eq!(wallet.balance<SUI>(), 6_000);
    assert_eq!(wallet.balance<SHARE>(), 4_000);
    assert_eq!(delegate::coin_allowance<SUI>(&wallet, AGENT), 0);
    assert_eq!(wallet.granted<LiquidStaking, SUI>(), 1_000);
    pool.add_reward(&cap, mint(&mut test, 100));
    test.next_tx(OWNER);
    // Worth 4,040, of which 40.4 stay.
    liquid_staking::unstake(&mut wallet, &mut pool, 4_000, 3_999, &clock, test.ctx());
    assert_eq!(wallet.balance<SUI>(), 9_999);
    assert_eq!(wallet.balance<SHARE>(), 0);
    end(test, wallet, pool, cap, clock);
}

#[test]
fun the_owner_holds_the_shares_without_the_service() {
    let (mut test, mut wallet, mut pool, cap, clock) = begin();
    liquid_staking::stake(&mut wallet, &mut pool, 4_000, 4_000, &clock, test.ctx());
    test.next_tx(OWNER);
    wallet.revoke_service<LiquidStaking>(test.ctx());
    let shares = wallet.withdraw_coin<SHARE>(4_000, test.ctx());
    assert_eq!(pool.unstake(shares, 3_960, test.ctx()).burn_for_testing(), 3_960);
    end(test, wallet, pool, cap, clock);
}

#[test, expected_failure(abort_code = intent::EZeroAmount)]
fun staking_without_a_minimum_is_refused() {
    let (mut test, mut wallet, mut pool, _cap, clock) = begin();
    liquid_staking::stake(&mut wallet, &mut pool, 4_000, 0, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = intent::EZeroAmount)]
fun unstaking_without_a_minimum_is_refused() {
    let (mut test, mut wallet, mut pool, _cap, clock) = begin();
    liquid_staking::stake(&mut wallet, &mut pool, 4_000, 4_000, &clock, test.ctx());
    test.next_tx(OWNER);
    liquid_staking::unstake(&mut wallet, &mut pool, 4_000, 0, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = liquid_stake::ETooLittle)]
fun less_than_the_minimum_is_refused() {
    let (mut test, mut wallet, mut pool, _cap, clock) = begin();
    liquid_staking::stake(&mut wallet, &mut pool, 4_000, 4_001, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::EInsufficientCoinAllowance)]
fun a_delegate_stakes_no_more_than_the_budget() {
    let (mut test, mut wallet, mut pool, _cap, clock) = begin();
    liquid_staking::stake(&mut wallet, &mut pool, 4_001, 1, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EGrantExceeded)]
fun not_even_the_owner_stakes_more_than_the_grant() {
    let (mut test, mut wallet, mut pool, _cap, clock) = begin();
    test.next_tx(OWNER);
    liquid_staking::stake(&mut wallet, &mut pool, 5_001, 1, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::ECoinNotSet)]
fun a_delegate_without_a_budget_of_shares_unstakes_nothing() {
    let (mut test, mut wallet, mut pool, _cap, clock) = begin();
    liquid_staking::stake(&mut wallet, &mut pool, 4_000, 4_000, &clock, test.ctx());
    liquid_staking::unstake(&mut wallet, &mut pool, 100, 1, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::ENotDelegate)]
fun a_stranger_stakes_nothing() {
    let (mut test, mut wallet, mut pool, _cap, clock) = begin();
    test.next_tx(STRANGER);
    liquid_staking::stake(&mut wallet, &mut pool, 10, 1, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EPaused)]
fun a_paused_wallet_stakes_nothing() {
    let (mut test, mut wallet, mut pool, _cap, clock) = begin();
    test.next_tx(OWNER);
    wallet.set_paused(true, test.ctx());
    liquid_staking::stake(&mut wallet, &mut pool, 10, 1, &clock, test.ctx());
    abort
}
