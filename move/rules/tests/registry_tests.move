#[test_only]
module rules::registry_tests;

use rules::registry::{Self, Attested, Registered, Registry, Unlisted, Updated};
use rules::rule_type;
use std::string::String;
use std::unit_test::{assert_eq, destroy};
use sui::bcs::to_bytes;
use sui::clock::{Self, Clock};
use sui::event;
use sui::test_scenario::{Self as scenario, Scenario};

const ALICE: address = @0xa11ce;
const BOB: address = @0xb0b;
const CAROL: address = @0xca401;
const CAVEAT: u8 = 1;
const PACKAGE: address = @0x4d1e04;
const UPGRADED: address = @0x4d1e05;

// === Set-up: one shared registry, a clock at 1000 ms, `test` as the transactions' sender ===

fun begin(sender: address): (Scenario, Registry, Clock) {
    let mut test = scenario::begin(sender);
    registry::init_for_testing(test.ctx());
    test.next_tx(sender);
    let registry = test.take_shared<Registry>();
    let mut clock = clock::create_for_testing(test.ctx());
    clock.set_for_testing(1000);
    (test, registry, clock)
}

fun end(test: Scenario, registry: Registry, clock: Clock) {
    scenario::return_shared(registry);
    clock.destroy_for_testing();
    test.end();
}

fun rule(): String {
    rule_of(b"lists::Allowlist")
}

fun rule_of(module_and_witness: vector<u8>): String {
    let mut text = b"0x".to_string();
    text.append(PACKAGE.to_string());
    text.append_utf8(b"::");
    text.append_utf8(module_and_witness);
    text
}

fun bytes(count: u64): vector<u8> {
    vector::tabulate!(count, |_| 0x61)
}

fun text(count: u64): String {
    bytes(count).to_string()
}

fun register(test: &mut Scenario, registry: &mut Registry, clock: &Clock) {
    registry::register(registry, PACKAGE, rule(), CAVEAT, text(9), bytes(32), clock, test.ctx())
}

fun register_as(test: &mut Scenario, registry: &mut Registry, clock: &Clock, rule_type: vector<u8>) {
    let name = rule_type.to_string();
    registry::register(registry, PACKAGE, name, CAVEAT, text(9), bytes(32), clock, test.ctx())
}

fun update(test: &mut Scenario, registry: &mut Registry, clock: &Clock) {
    registry::update(registry, rule(), UPGRADED, text(8), bytes(32), clock, test.ctx())
}

fun attest(test: &mut Scenario, registry: &Registry, clock: &Clock, score: u8, comment: u64) {
    registry::attest(registry, rule(), score, text(comment), clock, test.ctx())
}

/// BCS of an event that is these parts one after the other.
fun event_bytes(parts: vector<vector<u8>>): vector<u8> {
    parts.flatten()
}

// === Life of a listing ===

#[test]
fun a_registration_is_announced_and_stored() {
    let (mut test, mut registry, clock) = begin(ALICE);
    assert!(!registry::is_listed(&registry, rule()));
    register(&mut test, &mut registry, &clock);

    let events = event::events_by_type<Registered>();
    assert_eq!(event::num_events(), 1);
    assert_eq!(
        to_bytes(&events[0]),
        event_bytes(vector[
            to_bytes(&rule()),
            to_bytes(&PACKAGE),
            to_bytes(&ALICE),
            to_bytes(&CAVEAT),
            to_bytes(&text(9)),
            to_bytes(&bytes(32)),
            to_bytes(&1u64),
            to_bytes(&1000u64),
        ]),
    );
    assert!(registry::is_listed(&registry, rule()));
    assert!(registry::is_listed_by(&registry, ALICE, rule()));
    assert!(!registry::is_listed_by(&registry, BOB, rule()));
    let (publisher, package_id, kind, uri, hash, version, updated_at_ms) =
        registry::listing(&registry, rule());
    assert_eq!(publisher, ALICE);
    assert_eq!(package_id, PACKAGE);
    assert_eq!(kind, registry::kind_caveat());
    assert_eq!(uri, text(9));
    assert_eq!(hash, bytes(32));
    assert_eq!(version, 1);
    assert_eq!(updated_at_ms, 1000);
    end(test, registry, clock);
}

#[test]
fun an_update_replaces_all_but_the_kind_and_raises_the_version() {
    let (mut test, mut registry, mut clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    clock.increment_for_testing(5);
    update(&mut test, &mut registry, &clock);

    assert_eq!(
        to_bytes(&event::events_by_type<Updated>()[0]),
        event_bytes(vector[
            to_bytes(&rule()),
            to_bytes(&UPGRADED),
            to_bytes(&ALICE),
            to_bytes(&CAVEAT),
            to_bytes(&text(8)),
            to_bytes(&bytes(32)),
            to_bytes(&2u64),
            to_bytes(&1005u64),
        ]),
    );
    let (_, package_id, kind, uri, _, version, updated_at_ms) = registry::listing(&registry, rule());
    assert_eq!(kind, CAVEAT);
    assert_eq!(package_id, UPGRADED);
    assert_eq!(uri, text(8));
    assert_eq!(version, 2);
    assert_eq!(updated_at_ms, 1005);
    end(test, registry, clock);
}

#[test]
fun an_unlisted_entry_is_gone_and_says_what_it_last_was() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    update(&mut test, &mut registry, &clock);
    registry::unlist(&mut registry, rule(), &clock, test.ctx());

    assert_eq!(
        to_bytes(&event::events_by_type<Unlisted>()[0]),
        event_bytes(vector[
            to_bytes(&rule()),
            to_bytes(&ALICE),
            to_bytes(&1000u64),
            to_bytes(&UPGRADED),
            to_bytes(&2u64),
        ]),
    );
    assert!(!registry::is_listed(&registry, rule()));
    assert!(!registry::is_listed_by(&registry, ALICE, rule()));
    end(test, registry, clock);
}

#[test]
fun relisting_continues_the_version_of_the_same_publisher_only() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    update(&mut test, &mut registry, &clock);
    registry::unlist(&mut registry, rule(), &clock, test.ctx());

    test.next_tx(BOB);
    register(&mut test, &mut registry, &clock);
    let (_, _, _, _, _, version, _) = registry::listing_of(&registry, BOB, rule());
    assert_eq!(version, 1);

    test.next_tx(ALICE);
    register(&mut test, &mut registry, &clock);
    assert_eq!(
        to_bytes(&event::events_by_type<Registered>()[0]),
        event_bytes(vector[
            to_bytes(&rule()),
            to_bytes(&PACKAGE),
            to_bytes(&ALICE),
            to_bytes(&CAVEAT),
            to_bytes(&text(9)),
            to_bytes(&bytes(32)),
            to_bytes(&3u64),
            to_bytes(&1000u64),
        ]),
    );
    registry::unlist(&mut registry, rule(), &clock, test.ctx());
    register(&mut test, &mut registry, &clock);
    let (_, _, _, _, _, version, _) = registry::listing_of(&registry, ALICE, rule());
    assert_eq!(version, 4);
    end(test, registry, clock);
}

#[test]
fun an_attestation_names_the_listing_that_readers_see() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    update(&mut test, &mut registry, &clock);
    test.next_tx(BOB);
    register(&mut test, &mut registry, &clock);
    test.next_tx(CAROL);
    attest(&mut test, &registry, &clock, 4, 7);

    assert_eq!(
        to_bytes(&event::events_by_type<Attested>()[0]),
        event_bytes(vector[
            to_bytes(&rule()),
            to_bytes(&CAROL),
            to_bytes(&4u8),
            to_bytes(&text(7)),
            to_bytes(&1000u64),
            to_bytes(&ALICE),
            to_bytes(&2u64),
        ]),
    );
    end(test, registry, clock);
}

// === Kinds ===

fun register_kind(test: &mut Scenario, registry: &mut Registry, clock: &Clock, kind: u8) {
    registry::register(registry, PACKAGE, rule(), kind, text(9), bytes(32), clock, test.ctx())
}

#[test]
fun both_kinds_can_be_listed_and_a_publisher_fixes_its_own_alone() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register_kind(&mut test, &mut registry, &clock, registry::kind_auth());
    test.next_tx(BOB);
    register_kind(&mut test, &mut registry, &clock, registry::kind_caveat());
    let (_, _, of_alice, _, _, _, _) = registry::listing_of(&registry, ALICE, rule());
    let (_, _, of_bob, _, _, _, _) = registry::listing_of(&registry, BOB, rule());
    assert_eq!(of_alice, 0);
    assert_eq!(of_bob, 1);
    end(test, registry, clock);
}

#[test, expected_failure(abort_code = registry::EBadKind)]
fun a_third_kind_is_refused() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register_kind(&mut test, &mut registry, &clock, 2);
    abort
}

#[test, expected_failure(abort_code = registry::EKindChanged)]
fun the_kind_cannot_be_changed_by_unlisting_and_registering_again() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register_kind(&mut test, &mut registry, &clock, registry::kind_auth());
    registry::unlist(&mut registry, rule(), &clock, test.ctx());
    register_kind(&mut test, &mut registry, &clock, registry::kind_caveat());
    abort
}

// === Several publishers of one rule_type ===

#[test]
fun an_early_registration_by_a_stranger_blocks_nobody() {
    let (mut test, mut registry, clock) = begin(BOB);
    register(&mut test, &mut registry, &clock);
    test.next_tx(ALICE);
    register(&mut test, &mut registry, &clock);
    update(&mut test, &mut registry, &clock);

    let (_, _, _, _, _, of_alice, _) = registry::listing_of(&registry, ALICE, rule());
    let (_, _, _, _, _, of_bob, _) = registry::listing_of(&registry, BOB, rule());
    assert_eq!(of_alice, 2);
    assert_eq!(of_bob, 1);
    end(test, registry, clock);
}

#[test]
fun the_oldest_live_registration_is_the_listing() {
    let (mut test, mut registry, clock) = begin(BOB);
    register(&mut test, &mut registry, &clock);
    test.next_tx(ALICE);
    register(&mut test, &mut registry, &clock);
    let (publisher, _, _, _, _, _, _) = registry::listing(&registry, rule());
    assert_eq!(publisher, BOB);

    test.next_tx(BOB);
    registry::unlist(&mut registry, rule(), &clock, test.ctx());
    assert!(registry::is_listed(&registry, rule()));
    let (publisher, _, _, _, _, _, _) = registry::listing(&registry, rule());
    assert_eq!(publisher, ALICE);

    register(&mut test, &mut registry, &clock);
    let (publisher, _, _, _, _, _, _) = registry::listing(&registry, rule());
    assert_eq!(publisher, ALICE);
    end(test, registry, clock);
}

#[test]
fun one_publisher_lists_several_rules() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    let other = rule_of(b"other::Other");
    register_as(&mut test, &mut registry, &clock, other.into_bytes());
    registry::unlist(&mut registry, rule(), &clock, test.ctx());
    assert!(registry::is_listed_by(&registry, ALICE, other));
    end(test, registry, clock);
}

// === Refusals ===

#[test, expected_failure(abort_code = registry::EAlreadyListed)]
fun a_publisher_cannot_register_twice() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    register(&mut test, &mut registry, &clock);
    abort
}

#[test, expected_failure(abort_code = registry::ENotListed)]
fun what_nobody_listed_cannot_be_updated() {
    let (mut test, mut registry, clock) = begin(ALICE);
    update(&mut test, &mut registry, &clock);
    abort
}

#[test, expected_failure(abort_code = registry::ENotPublisher)]
fun a_stranger_cannot_update() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    test.next_tx(BOB);
    update(&mut test, &mut registry, &clock);
    abort
}

#[test, expected_failure(abort_code = registry::ENotPublisher)]
fun a_former_publisher_cannot_update_beside_another() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    registry::unlist(&mut registry, rule(), &clock, test.ctx());
    test.next_tx(BOB);
    register(&mut test, &mut registry, &clock);
    test.next_tx(ALICE);
    update(&mut test, &mut registry, &clock);
    abort
}

#[test, expected_failure(abort_code = registry::ENotListed)]
fun what_is_unlisted_cannot_be_unlisted_again() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    registry::unlist(&mut registry, rule(), &clock, test.ctx());
    registry::unlist(&mut registry, rule(), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = registry::ENotPublisher)]
fun a_stranger_cannot_unlist() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    test.next_tx(BOB);
    registry::unlist(&mut registry, rule(), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = registry::ENotListed)]
fun what_is_not_listed_cannot_be_attested() {
    let (mut test, registry, clock) = begin(CAROL);
    attest(&mut test, &registry, &clock, 5, 0);
    abort
}

#[test, expected_failure(abort_code = registry::ENotListed)]
fun what_is_unlisted_cannot_be_attested() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    registry::unlist(&mut registry, rule(), &clock, test.ctx());
    test.next_tx(CAROL);
    attest(&mut test, &registry, &clock, 5, 0);
    abort
}

#[test, expected_failure(abort_code = registry::ESelfAttestation)]
fun a_publisher_cannot_attest_its_own_listing() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    attest(&mut test, &registry, &clock, 5, 0);
    abort
}

#[test, expected_failure(abort_code = registry::ESelfAttestation)]
fun a_former_publisher_cannot_attest() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    registry::unlist(&mut registry, rule(), &clock, test.ctx());
    test.next_tx(BOB);
    register(&mut test, &mut registry, &clock);
    test.next_tx(ALICE);
    attest(&mut test, &registry, &clock, 5, 0);
    abort
}

#[test, expected_failure(abort_code = registry::ENotListed)]
fun there_is_no_listing_of_what_nobody_lists() {
    let (_test, registry, _clock) = begin(ALICE);
    registry::listing(&registry, rule());
    abort
}

#[test, expected_failure(abort_code = registry::ENotListed)]
fun there_is_no_listing_of_a_stranger() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    registry::listing_of(&registry, BOB, rule());
    abort
}

// === Bounds, at their edges ===

#[test]
fun the_edges_of_every_bound_are_inside() {
    let (mut test, mut registry, clock) = begin(ALICE);
    registry::register(&mut registry, PACKAGE, rule(), CAVEAT, text(1), bytes(32), &clock, test.ctx());
    registry::update(&mut registry, rule(), PACKAGE, text(512), bytes(32), &clock, test.ctx());
    test.next_tx(CAROL);
    attest(&mut test, &registry, &clock, 1, 0);
    attest(&mut test, &registry, &clock, 5, 512);
    assert_eq!(event::events_by_type<Attested>().length(), 2);
    end(test, registry, clock);
}

#[test, expected_failure(abort_code = registry::EBadScore)]
fun score_0_is_refused() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    test.next_tx(CAROL);
    attest(&mut test, &registry, &clock, 0, 0);
    abort
}

#[test, expected_failure(abort_code = registry::EBadScore)]
fun score_6_is_refused() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    test.next_tx(CAROL);
    attest(&mut test, &registry, &clock, 6, 0);
    abort
}

#[test, expected_failure(abort_code = registry::EBadCommentUri)]
fun a_comment_uri_of_513_bytes_is_refused() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    test.next_tx(CAROL);
    attest(&mut test, &registry, &clock, 5, 513);
    abort
}

#[test, expected_failure(abort_code = registry::EBadManifestUri)]
fun an_empty_uri_is_refused_on_register() {
    let (mut test, mut registry, clock) = begin(ALICE);
    registry::register(&mut registry, PACKAGE, rule(), CAVEAT, text(0), bytes(32), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = registry::EBadManifestUri)]
fun a_uri_of_513_bytes_is_refused_on_register() {
    let (mut test, mut registry, clock) = begin(ALICE);
    registry::register(&mut registry, PACKAGE, rule(), CAVEAT, text(513), bytes(32), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = registry::EBadManifestUri)]
fun a_uri_of_513_bytes_is_refused_on_update() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    registry::update(&mut registry, rule(), PACKAGE, text(513), bytes(32), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = registry::EBadManifestHash)]
fun a_hash_of_31_bytes_is_refused_on_register() {
    let (mut test, mut registry, clock) = begin(ALICE);
    registry::register(&mut registry, PACKAGE, rule(), CAVEAT, text(1), bytes(31), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = registry::EBadManifestHash)]
fun a_hash_of_33_bytes_is_refused_on_update() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    registry::update(&mut registry, rule(), PACKAGE, text(1), bytes(33), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = registry::EWrongPackage)]
fun the_rule_type_of_another_package_is_refused() {
    let (mut test, mut registry, clock) = begin(ALICE);
    registry::register(&mut registry, UPGRADED, rule(), CAVEAT, text(1), bytes(32), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = rule_type::EBadRuleType)]
fun a_rule_is_registered_under_its_canonical_name_alone() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register_as(&mut test, &mut registry, &clock, rule_of(b"m::W ").into_bytes());
    abort
}

#[test]
fun the_longest_name_can_be_registered() {
    let (mut test, mut registry, clock) = begin(ALICE);
    let mut witness = b"m::";
    // 256 bytes less `0x`, 64 digits, `::` and `m::`.
    witness.append(bytes(185));
    let name = rule_of(witness);
    assert_eq!(name.length(), 256);
    register_as(&mut test, &mut registry, &clock, name.into_bytes());
    assert!(registry::is_listed(&registry, name));
    destroy(registry);
    destroy(clock);
    destroy(test);
}

// A NUL is valid in a String, but readers that keep text in a database cannot keep it: they would go on with the
// listing of before.

fun nul(): String {
    b"a\x00".to_string()
}

#[test, expected_failure(abort_code = registry::EBadManifestUri)]
fun a_uri_with_a_nul_is_refused_on_register() {
    let (mut test, mut registry, clock) = begin(ALICE);
    registry::register(&mut registry, PACKAGE, rule(), CAVEAT, nul(), bytes(32), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = registry::EBadManifestUri)]
fun a_uri_with_a_nul_is_refused_on_update() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    registry::update(&mut registry, rule(), PACKAGE, nul(), bytes(32), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = registry::EBadCommentUri)]
fun a_comment_uri_with_a_nul_is_refused() {
    let (mut test, mut registry, clock) = begin(ALICE);
    register(&mut test, &mut registry, &clock);
    test.next_tx(CAROL);
    registry::attest(&registry, rule(), 5, nul(), &clock, test.ctx());
    abort
}
