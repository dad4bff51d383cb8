#[test_only]
module vault::vault_tests;

use std::unit_test::assert_eq;
use sui::coin::{Self, Coin};
use sui::event;
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};
use vault::vault::{Self, Deposited, Vault, Withdrawn, YieldAdded};

public struct SHARE has drop {}

const SAVER: address = @0xa;
const SEED: u64 = 1_000;

fun begin(): (Scenario, Vault<SUI, SHARE>) {
    let mut test = scenario::begin(SAVER);
    let treasury = coin::create_treasury_cap_for_testing<SHARE>(test.ctx());
    let seed = mint(&mut test, SEED);
    vault::create(treasury, seed, test.ctx());
    test.next_tx(SAVER);
    let vault = test.take_shared<Vault<SUI, SHARE>>();
    (test, vault)
}

fun end(test: Scenario, vault: Vault<SUI, SHARE>) {
    scenario::return_shared(vault);
    test.end();
}

fun mint(test: &mut Scenario, amount: u64): Coin<SUI> {
    coin::mint_for_testing(amount, test.ctx())
}

fun deposit(test: &mut Scenario, vault: &mut Vault<SUI, SHARE>, amount: u64): Coin<SHARE> {
    let coin = mint(test, amount);
    vault.deposit(coin, 0, test.ctx())
}

fun withdraw(test: &mut Scenario, vault: &mut Vault<SUI, SHARE>, shares: Coin<SHARE>): u64 {
    vault.withdraw(shares, 0, test.ctx()).burn_for_testing()
}

/// Rounding, always in favour of the vault, may cost one MIST.
fun assert_about(paid: u64, amount: u64) {
    assert!(paid == amount || paid + 1 == amount, paid);
}

#[test]
fun a_deposit_comes_back_whole() {
    let (mut test, mut vault) = begin();
    let shares = deposit(&mut test, &mut vault, 500);
    assert_eq!(shares.value(), 500);
    assert_eq!(withdraw(&mut test, &mut vault, shares), 500);
    assert_eq!(vault.total_shares(), SEED);
    assert_eq!(vault.total_assets(), SEED);
    assert_eq!(event::events_by_type<Deposited>().length(), 1);
    assert_eq!(event::events_by_type<Withdrawn>().length(), 1);
    end(test, vault);
}

#[test]
fun yield_is_shared_by_those_who_were_there() {
    let (mut test, mut vault) = begin();
    let first = deposit(&mut test, &mut vault, 1_000_000);
    let second = deposit(&mut test, &mut vault, 3_000_000);
    // A tenth of all that is there, the seed among it.
    let earned = mint(&mut test, 400_100);
    vault.add_yield(earned);
    assert_eq!(event::events_by_type<YieldAdded>().length(), 1);
    let late = deposit(&mut test, &mut vault, 1_000_000);
    assert_about(withdraw(&mut test, &mut vault, first), 1_100_000);
    assert_about(withdraw(&mut test, &mut vault, second), 3_300_000);
    assert_about(withdraw(&mut test, &mut vault, late), 1_000_000);
    end(test, vault);
}

#[test]
fun the_price_of_a_share_never_falls() {
    let (mut test, mut vault) = begin();
    let odd = mint(&mut test, 777);
    vault.add_yield(odd);
    let mut amount = 3;
    while (amount < 1_000_000) {
        let price = vault.value_of(1_000_000_000);
        let shares = deposit(&mut test, &mut vault, amount);
        assert!(vault.value_of(1_000_000_000) >= price);
        assert!(withdraw(&mut test, &mut vault, shares) <= amount);
        assert!(vault.value_of(1_000_000_000) >= price);
        amount = amount * 2 + 1;
    };
    end(test, vault);
}

#[test]
fun giving_to_the_vault_first_does_not_rob_the_next_depositor() {
    let (mut test, mut vault) = begin();
    let attacker = deposit(&mut test, &mut vault, 1);
    let gift = mint(&mut test, 1_000_000);
    vault.add_yield(gift);
    let victim = deposit(&mut test, &mut vault, 1_000_000);
    assert!(withdraw(&mut test, &mut vault, victim) > 999_000);
    assert!(withdraw(&mut test, &mut vault, attacker) < 2_000);
    end(test, vault);
}

#[test, expected_failure(abort_code = vault::ETooLittle)]
fun fewer_shares_than_the_depositor_takes_are_refused() {
    let (mut test, mut vault) = begin();
    let coin = mint(&mut test, 500);
    let _shares = vault.deposit(coin, 501, test.ctx());
    abort
}

#[test, expected_failure(abort_code = vault::ETooLittle)]
fun a_deposit_that_buys_no_share_is_refused() {
    let (mut test, mut vault) = begin();
    let gift = mint(&mut test, SEED);
    vault.add_yield(gift);
    let _shares = deposit(&mut test, &mut vault, 1);
    abort
}

#[test, expected_failure(abort_code = vault::ETooLittle)]
fun less_than_the_holder_takes_is_refused() {
    let (mut test, mut vault) = begin();
    let shares = deposit(&mut test, &mut vault, 500);
    let _paid = vault.withdraw(shares, 501, test.ctx());
    abort
}

#[test, expected_failure(abort_code = vault::ENothing)]
fun a_deposit_of_nothing_is_refused() {
    let (mut test, mut vault) = begin();
    let _shares = deposit(&mut test, &mut vault, 0);
    abort
}

#[test, expected_failure(abort_code = vault::ENothing)]
fun a_withdrawal_of_nothing_is_refused() {
    let (mut test, mut vault) = begin();
    let mut shares = deposit(&mut test, &mut vault, 5);
    let none = shares.split(0, test.ctx());
    withdraw(&mut test, &mut vault, none);
    abort
}

#[test, expected_failure(abort_code = vault::ENothing)]
fun a_yield_of_nothing_is_refused() {
    let (mut test, mut vault) = begin();
    let none = mint(&mut test, 0);
    vault.add_yield(none);
    abort
}

#[test, expected_failure(abort_code = vault::ENotNew)]
fun a_share_coin_that_others_hold_already_is_refused() {
    let mut test = scenario::begin(SAVER);
    let mut treasury = coin::create_treasury_cap_for_testing<SHARE>(test.ctx());
    let _early = treasury.mint(1, test.ctx());
    let seed = mint(&mut test, SEED);
    vault::create(treasury, seed, test.ctx());
    abort
}

#[test, expected_failure(abort_code = vault::ESeedTooSmall)]
fun a_vault_without_its_seed_is_refused() {
    let mut test = scenario::begin(SAVER);
    let treasury = coin::create_treasury_cap_for_testing<SHARE>(test.ctx());
    let seed = mint(&mut test, SEED - 1);
    vault::create(treasury, seed, test.ctx());
    abort
}
