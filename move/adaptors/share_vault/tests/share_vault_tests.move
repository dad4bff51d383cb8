#[test_only]
module share_vault::share_vault_tests;

use share_vault::share_vault::{Self, Position, Vault};
use std::unit_test::{assert_eq, destroy};
use sui::coin::{Self, Coin};
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};

const SAVER: address = @0xa;

fun begin(): (Scenario, Vault) {
    let mut test = scenario::begin(SAVER);
    share_vault::create(test.ctx());
    test.next_tx(SAVER);
    let vault = test.take_shared<Vault>();
    (test, vault)
}

fun end(test: Scenario, vault: Vault) {
    scenario::return_shared(vault);
    test.end();
}

fun mint(test: &mut Scenario, amount: u64): Coin<SUI> {
    coin::mint_for_testing(amount, test.ctx())
}

fun deposit(test: &mut Scenario, vault: &mut Vault, amount: u64): Position {
    let coin = mint(test, amount);
    vault.deposit(coin, 0, test.ctx())
}

/// Rounding, always in favour of the vault, may cost one MIST.
fun withdraws(test: &mut Scenario, vault: &mut Vault, position: Position, amount: u64) {
    let paid = vault.withdraw(position, test.ctx()).burn_for_testing();
    assert!(paid == amount || paid + 1 == amount, paid);
}

#[test]
fun a_deposit_comes_back_whole() {
    let (mut test, mut vault) = begin();
    let position = deposit(&mut test, &mut vault, 500);
    assert_eq!(vault.withdraw(position, test.ctx()).burn_for_testing(), 500);
    assert_eq!(vault.total_shares(), 0);
    end(test, vault);
}

#[test]
fun yield_is_shared_by_those_who_were_there() {
    let (mut test, mut vault) = begin();
    let first = deposit(&mut test, &mut vault, 1_000_000);
    let second = deposit(&mut test, &mut vault, 3_000_000);
    let earned = mint(&mut test, 400_000);
    vault.add_yield(earned);
    let late = deposit(&mut test, &mut vault, 1_000_000);
    withdraws(&mut test, &mut vault, first, 1_100_000);
    withdraws(&mut test, &mut vault, second, 3_300_000);
    withdraws(&mut test, &mut vault, late, 1_000_000);
    end(test, vault);
}

#[test]
fun giving_to_the_vault_first_does_not_rob_the_next_depositor() {
    let (mut test, mut vault) = begin();
    let attacker = deposit(&mut test, &mut vault, 1);
    let gift = mint(&mut test, 1_000_000);
    vault.add_yield(gift);
    let victim = deposit(&mut test, &mut vault, 1_000_000);
    assert!(vault.withdraw(victim, test.ctx()).burn_for_testing() > 999_000);
    destroy(attacker);
    end(test, vault);
}

#[test, expected_failure(abort_code = share_vault::ETooFewShares)]
fun a_worse_price_than_the_depositor_takes_is_refused() {
    let (mut test, mut vault) = begin();
    let coin = mint(&mut test, 500);
    let _position = vault.deposit(coin, 500_001, test.ctx());
    abort
}

#[test, expected_failure(abort_code = share_vault::ETooFewShares)]
fun nothing_buys_no_shares() {
    let (mut test, mut vault) = begin();
    let _position = deposit(&mut test, &mut vault, 0);
    abort
}

#[test, expected_failure(abort_code = share_vault::EWrongVault)]
fun a_position_in_another_vault_is_worth_nothing_here() {
    let (mut test, mut vault) = begin();
    let position = deposit(&mut test, &mut vault, 500);
    share_vault::create(test.ctx());
    test.next_tx(SAVER);
    let mut other = test.take_shared<Vault>();
    let _stolen = other.withdraw(position, test.ctx());
    abort
}
