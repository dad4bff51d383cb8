#[test_only]
module tip_jar::tip_jar_tests;

use std::unit_test::assert_eq;
use sui::coin;
use sui::event;
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};
use tip_jar::tip_jar::{Self, Jar, Tipped};

const OWNER: address = @0xa;
const GUEST: address = @0xb;

fun begin(): (Scenario, Jar) {
    let mut test = scenario::begin(OWNER);
    tip_jar::open(test.ctx());
    test.next_tx(GUEST);
    let jar = test.take_shared<Jar>();
    (test, jar)
}

fun tip(test: &mut Scenario, jar: &mut Jar, amount: u64) {
    let coin = coin::mint_for_testing<SUI>(amount, test.ctx());
    jar.tip(coin, test.ctx())
}

#[test]
fun the_owner_gets_what_was_tipped() {
    let (mut test, mut jar) = begin();
    tip(&mut test, &mut jar, 30);
    tip(&mut test, &mut jar, 12);
    assert_eq!(event::events_by_type<Tipped>().length(), 2);
    test.next_tx(OWNER);
    assert_eq!(jar.empty(test.ctx()).burn_for_testing(), 42);
    assert_eq!(jar.held(), 0);
    assert_eq!(jar.received(), 42);
    scenario::return_shared(jar);
    test.end();
}

#[test, expected_failure(abort_code = tip_jar::ENotOwner)]
fun a_guest_cannot_empty_the_jar() {
    let (mut test, mut jar) = begin();
    tip(&mut test, &mut jar, 30);
    let _stolen = jar.empty(test.ctx());
    abort
}

#[test, expected_failure(abort_code = tip_jar::ENoTip)]
fun a_tip_of_nothing_is_refused() {
    let (mut test, mut jar) = begin();
    tip(&mut test, &mut jar, 0);
    abort
}
