/// What a registry of another version than this code refuses, and who brings it to this one.
#[test_only]
module rules::version_tests;

use rules::registry::{Self, Registry};
use std::string::String;
use std::unit_test::{assert_eq, destroy};
use sui::clock::{Self, Clock};
use sui::package::{Self, UpgradeCap};
use sui::test_scenario::{Self as scenario, Scenario};

const ALICE: address = @0xa11ce;
const BOB: address = @0xb0b;

/// A registry of a version before this code's that lists something of Alice's, and Bob's next transaction.
fun begin(): (Scenario, Registry, Clock) {
    let mut test = scenario::begin(ALICE);
    registry::init_for_testing(test.ctx());
    test.next_tx(ALICE);
    let mut registry = test.take_shared<Registry>();
    let clock = clock::create_for_testing(test.ctx());
    register(&mut test, &mut registry, &clock);
    registry.set_version_for_testing(0);
    test.next_tx(BOB);
    (test, registry, clock)
}

/// Tests run at 0x0.
fun cap_of(package: address, test: &mut Scenario): UpgradeCap {
    package::test_publish(package.to_id(), test.ctx())
}

fun rule(): String {
    let mut text = b"0x".to_string();
    text.append(@0xada.to_string());
    text.append_utf8(b"::tips::Tips");
    text
}

fun uri(): String {
    b"walrus://manifest".to_string()
}

fun hash(): vector<u8> {
    vector::tabulate!(32, |_| 7)
}

fun register(test: &mut Scenario, registry: &mut Registry, clock: &Clock) {
    registry.register(@0xada, rule(), registry::kind_auth(), uri(), hash(), clock, test.ctx())
}

#[test]
fun a_registry_starts_at_the_first_version() {
    let mut test = scenario::begin(ALICE);
    registry::init_for_testing(test.ctx());
    test.next_tx(ALICE);
    let registry = test.take_shared<Registry>();
    assert_eq!(registry.version(), 1);
    scenario::return_shared(registry);
    test.end();
}

#[test]
fun the_upgrade_cap_brings_the_registry_to_the_newest_version() {
    let (mut test, mut registry, clock) = begin();
    let cap = cap_of(@0x0, &mut test);
    registry.migrate(&cap);
    assert_eq!(registry.version(), 1);
    register(&mut test, &mut registry, &clock);
    destroy(cap);
    clock.destroy_for_testing();
    scenario::return_shared(registry);
    test.end();
}

#[test, expected_failure(abort_code = registry::EWrongCap)]
fun the_cap_of_another_package_brings_it_nowhere() {
    let (mut test, mut registry, _clock) = begin();
    let cap = cap_of(@0x42, &mut test);
    registry.migrate(&cap);
    abort
}

#[test, expected_failure(abort_code = registry::EAlreadyNewest)]
fun a_registry_of_the_newest_version_stays_there() {
    let (mut test, mut registry, _clock) = begin();
    let cap = cap_of(@0x0, &mut test);
    registry.migrate(&cap);
    registry.migrate(&cap);
    abort
}

#[test, expected_failure(abort_code = registry::EAlreadyNewest)]
fun a_later_registry_is_not_brought_back() {
    let (mut test, mut registry, _clock) = begin();
    let cap = cap_of(@0x0, &mut test);
    registry.set_version_for_testing(2);
    registry.migrate(&cap);
    abort
}

#[test, expected_failure(abort_code = registry::EWrongVersion)]
fun nothing_is_registered_at_another_version() {
    let (mut test, mut registry, clock) = begin();
    register(&mut test, &mut registry, &clock);
    abort
}

#[test, expected_failure(abort_code = registry::EWrongVersion)]
fun nothing_is_registered_by_this_code_at_a_later_version() {
    let (mut test, mut registry, clock) = begin();
    registry.set_version_for_testing(2);
    register(&mut test, &mut registry, &clock);
    abort
}

#[test, expected_failure(abort_code = registry::EWrongVersion)]
fun nothing_is_updated_at_another_version() {
    let (mut test, mut registry, clock) = begin();
    test.next_tx(ALICE);
    registry.update(rule(), @0xada, uri(), hash(), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = registry::EWrongVersion)]
fun nothing_is_unlisted_at_another_version() {
    let (mut test, mut registry, clock) = begin();
    test.next_tx(ALICE);
    registry.unlist(rule(), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = registry::EWrongVersion)]
fun nothing_is_attested_at_another_version() {
    let (mut test, registry, clock) = begin();
    registry.attest(rule(), 5, uri(), &clock, test.ctx());
    abort
}
