#[test_only]
module share_vault::share_vault_tests;

use share_vault::share_vault::{Self, ShareVault};
use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};
use sui::coin::{Self, Coin};
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};
use vault::vault::{Self, Vault};
use wallet::delegate;
use wallet::intent;
use wallet::wallet::{Self, Wallet};

public struct SHARE has drop {}

const OWNER: address = @0xa;
const AGENT: address = @0xb;
const STRANGER: address = @0xc;

/// A vault in which one share is worth two SUI, and a wallet of 10,000 SUI. The service is granted 5,000 of it and
/// all shares; the agent, who sends the next transaction, may use 4,000 SUI and no shares.
fun begin(): (Scenario, Wallet, Vault<SUI, SHARE>, Clock) {
    let mut test = scenario::begin(OWNER);
    let treasury = coin::create_treasury_cap_for_testing<SHARE>(test.ctx());
    vault::create(treasury, mint<SUI>(&mut test, 1_000), test.ctx());
    let mut wallet = wallet::create(test.ctx());
    wallet.deposit(mint<SUI>(&mut test, 10_000));
    wallet.grant_service_coin<ShareVault, SUI>(5_000, test.ctx());
    wallet.grant_service_coin<ShareVault, SHARE>(delegate::unlimited_allowance(), test.ctx());
    delegate::initialize(&mut wallet, test.ctx());
    delegate::add(&mut wallet, AGENT, test.ctx());
    delegate::set_service_unlimited_allowance<ShareVault>(&mut wallet, AGENT, test.ctx());
    delegate::set_coin_allowance<SUI>(&mut wallet, AGENT, 4_000, test.ctx());
    let clock = clock::create_for_testing(test.ctx());
    test.next_tx(AGENT);
    let mut vault = test.take_shared<Vault<SUI, SHARE>>();
    vault.add_yield(mint<SUI>(&mut test, 1_000));
    (test, wallet, vault, clock)
}

fun end(test: Scenario, wallet: Wallet, vault: Vault<SUI, SHARE>, clock: Clock) {
    destroy(wallet);
    scenario::return_shared(vault);
    clock.destroy_for_testing();
    test.end();
}

fun mint<T>(test: &mut Scenario, amount: u64): Coin<T> {
    coin::mint_for_testing(amount, test.ctx())
}

#[test]
fun a_delegate_deposits_and_the_owner_takes_out_with_the_yield() {
    let (mut test, mut wallet, mut vault, clock) = begin();
    share_vault::deposit(&mut wallet, &mut vault, 4_000, 2_000, &clock, test.ctx());
    assert_eq!(wallet.balance<SUI>(), 6_000);
    assert_eq!(wallet.balance<SHARE>(), 2_000);
    vault.add_yield(mint<SUI>(&mut test, 3_000));
    test.next_tx(OWNER);
    share_vault::withdraw(&mut wallet, &mut vault, 2_000, 6_000, &clock, test.ctx());
    assert_eq!(wallet.balance<SUI>(), 12_000);
    assert_eq!(wallet.balance<SHARE>(), 0);
    assert_eq!(vault.total_shares(), 1_000);
    assert_eq!(vault.total_assets(), 3_000);
    end(test, wallet, vault, clock);
}

#[test]
fun the_owner_holds_the_shares_without_the_service() {
    let (mut test, mut wallet, mut vault, clock) = begin();
    share_vault::deposit(&mut wallet, &mut vault, 4_000, 2_000, &clock, test.ctx());
    test.next_tx(OWNER);
    wallet.revoke_service<ShareVault>(test.ctx());
    let shares = wallet.withdraw_coin<SHARE>(2_000, test.ctx());
    assert_eq!(vault.withdraw(shares, 4_000, test.ctx()).burn_for_testing(), 4_000);
    end(test, wallet, vault, clock);
}

#[test, expected_failure(abort_code = intent::EZeroAmount)]
fun a_deposit_without_a_minimum_is_refused() {
    let (mut test, mut wallet, mut vault, clock) = begin();
    share_vault::deposit(&mut wallet, &mut vault, 4_000, 0, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = vault::ETooLittle)]
fun fewer_shares_than_the_minimum_are_refused() {
    let (mut test, mut wallet, mut vault, clock) = begin();
    share_vault::deposit(&mut wallet, &mut vault, 4_000, 2_001, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::ECoinNotSet)]
fun a_delegate_without_a_budget_of_shares_takes_nothing_out() {
    let (mut test, mut wallet, mut vault, clock) = begin();
    share_vault::deposit(&mut wallet, &mut vault, 4_000, 2_000, &clock, test.ctx());
    share_vault::withdraw(&mut wallet, &mut vault, 1, 1, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::ENotDelegate)]
fun a_stranger_deposits_nothing() {
    let (mut test, mut wallet, mut vault, clock) = begin();
    test.next_tx(STRANGER);
    share_vault::deposit(&mut wallet, &mut vault, 10, 1, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EPaused)]
fun a_paused_wallet_deposits_nothing() {
    let (mut test, mut wallet, mut vault, clock) = begin();
    test.next_tx(OWNER);
    wallet.set_paused(true, test.ctx());
    share_vault::deposit(&mut wallet, &mut vault, 10, 1, &clock, test.ctx());
    abort
}
