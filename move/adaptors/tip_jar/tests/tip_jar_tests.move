#[test_only]
module tip_jar::tip_jar_tests;

use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};
use sui::coin;
use sui::event;
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};
use tip_jar::tip_jar::{Self, Jar, Tipped, TipJar};
use wallet::delegate;
use wallet::intent::PaymentVerified;
use wallet::wallet::{Self, Wallet};

const ARTIST: address = @0xa;
const GUEST: address = @0xb;
const AGENT: address = @0xc;

/// A jar of the artist's, and the next transaction of a guest with a wallet of 100, of which the jar may take 50 and
/// the guest's agent may give 20.
fun begin(): (Scenario, Wallet, Jar, Clock) {
    let mut test = scenario::begin(ARTIST);
    tip_jar::open(test.ctx());
    test.next_tx(GUEST);
    let mut wallet = wallet::create(test.ctx());
    wallet.deposit(coin::mint_for_testing<SUI>(100, test.ctx()));
    wallet.grant_service_coin<TipJar, SUI>(50, test.ctx());
    delegate::initialize(&mut wallet, test.ctx());
    delegate::add(&mut wallet, AGENT, test.ctx());
    delegate::set_service_allowance<TipJar>(&mut wallet, AGENT, 20, test.ctx());
    delegate::set_coin_allowance<SUI>(&mut wallet, AGENT, 20, test.ctx());
    let clock = clock::create_for_testing(test.ctx());
    test.next_tx(GUEST);
    let jar = test.take_shared<Jar>();
    (test, wallet, jar, clock)
}

fun end(test: Scenario, wallet: Wallet, jar: Jar, clock: Clock) {
    destroy(wallet);
    scenario::return_shared(jar);
    clock.destroy_for_testing();
    test.end();
}

#[test]
fun the_artist_gets_what_wallets_tipped() {
    let (mut test, mut wallet, mut jar, clock) = begin();
    tip_jar::tip(&mut wallet, &mut jar, 30, &clock, test.ctx());
    assert_eq!(event::events_by_type<Tipped>().length(), 1);
    assert_eq!(event::events_by_type<PaymentVerified>().length(), 1);
    test.next_tx(AGENT);
    tip_jar::tip(&mut wallet, &mut jar, 12, &clock, test.ctx());
    assert_eq!(wallet.balance<SUI>(), 58);
    assert_eq!(wallet.granted<TipJar, SUI>(), 8);
    test.next_tx(ARTIST);
    assert_eq!(jar.empty(test.ctx()).burn_for_testing(), 42);
    assert_eq!(jar.held(), 0);
    assert_eq!(jar.received(), 42);
    end(test, wallet, jar, clock);
}

#[test, expected_failure(abort_code = tip_jar::ENotOwner)]
fun a_guest_cannot_empty_the_jar() {
    let (mut test, mut wallet, mut jar, clock) = begin();
    tip_jar::tip(&mut wallet, &mut jar, 30, &clock, test.ctx());
    let _stolen = jar.empty(test.ctx());
    abort
}

#[test, expected_failure(abort_code = delegate::ENotDelegate)]
fun the_artist_cannot_tip_from_a_guests_wallet() {
    let (mut test, mut wallet, mut jar, clock) = begin();
    test.next_tx(ARTIST);
    tip_jar::tip(&mut wallet, &mut jar, 1, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EGrantExceeded)]
fun the_jar_takes_no_more_than_its_grant() {
    let (mut test, mut wallet, mut jar, clock) = begin();
    tip_jar::tip(&mut wallet, &mut jar, 51, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EZeroAmount)]
fun a_tip_of_nothing_is_refused() {
    let (mut test, mut wallet, mut jar, clock) = begin();
    tip_jar::tip(&mut wallet, &mut jar, 0, &clock, test.ctx());
    abort
}
