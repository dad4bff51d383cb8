#[test_only]
module agents::registry_tests;

use agents::registry::{Self, AgentRegistered, AgentUnlisted, AgentUpdated, Registry};
use std::string::String;
use std::unit_test::assert_eq;
use sui::bcs::to_bytes;
use sui::clock::{Self, Clock};
use sui::event;
use sui::test_scenario::{Self as scenario, Scenario};

const ALICE: address = @0xa11ce;
const BOB: address = @0xb0b;

fun begin(): (Scenario, Registry, Clock) {
    let mut test = scenario::begin(ALICE);
    registry::init_for_testing(test.ctx());
    test.next_tx(ALICE);
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

fun text(bytes: u64): String {
    vector::tabulate!(bytes, |_| 0x61).to_string()
}

fun texts(count: u64, bytes: u64): vector<String> {
    vector::tabulate!(count, |_| text(bytes))
}

/// An https url of this many bytes.
fun url(bytes: u64): Option<String> {
    let mut url = b"https://".to_string();
    url.append(text(bytes - 8));
    option::some(url)
}

fun register(test: &mut Scenario, registry: &mut Registry, clock: &Clock) {
    registry::register(registry, text(5), text(9), texts(2, 3), url(20), clock, test.ctx())
}

fun update(test: &mut Scenario, registry: &mut Registry, clock: &Clock) {
    registry::update(registry, text(6), text(0), vector[], option::none(), clock, test.ctx())
}

fun event_bytes(parts: vector<vector<u8>>): vector<u8> {
    parts.flatten()
}

// === Life of an agent ===

#[test]
fun a_registration_is_announced_and_stored() {
    let (mut test, mut registry, clock) = begin();
    assert!(!registry.is_registered(ALICE));
    register(&mut test, &mut registry, &clock);
    assert_eq!(event::num_events(), 1);
    assert_eq!(
        to_bytes(&event::events_by_type<AgentRegistered>()[0]),
        event_bytes(vector[
            to_bytes(&ALICE),
            to_bytes(&text(5)),
            to_bytes(&text(9)),
            to_bytes(&texts(2, 3)),
            to_bytes(&url(20)),
            to_bytes(&1u64),
            to_bytes(&1000u64),
        ]),
    );
    let (name, description, skills, card_url, version, updated_at_ms) = registry.profile(ALICE);
    assert_eq!(name, text(5));
    assert_eq!(description, text(9));
    assert_eq!(skills, texts(2, 3));
    assert_eq!(card_url, url(20));
    assert_eq!(version, 1);
    assert_eq!(updated_at_ms, 1000);
    assert!(!registry.is_registered(BOB));
    end(test, registry, clock);
}

#[test]
fun an_update_replaces_the_profile_and_raises_the_version() {
    let (mut test, mut registry, mut clock) = begin();
    register(&mut test, &mut registry, &clock);
    clock.set_for_testing(2000);
    update(&mut test, &mut registry, &clock);
    assert_eq!(
        to_bytes(&event::events_by_type<AgentUpdated>()[0]),
        event_bytes(vector[
            to_bytes(&ALICE),
            to_bytes(&text(6)),
            to_bytes(&text(0)),
            to_bytes(&texts(0, 0)),
            to_bytes(&option::none<String>()),
            to_bytes(&2u64),
            to_bytes(&2000u64),
        ]),
    );
    let (name, _, skills, card_url, version, updated_at_ms) = registry.profile(ALICE);
    assert_eq!(name, text(6));
    assert!(skills.is_empty() && card_url.is_none());
    assert_eq!(version, 2);
    assert_eq!(updated_at_ms, 2000);
    end(test, registry, clock);
}

#[test]
fun an_agent_that_comes_back_continues_its_version() {
    let (mut test, mut registry, clock) = begin();
    register(&mut test, &mut registry, &clock);
    update(&mut test, &mut registry, &clock);
    registry.unlist(&clock, test.ctx());
    assert_eq!(
        to_bytes(&event::events_by_type<AgentUnlisted>()[0]),
        event_bytes(vector[to_bytes(&ALICE), to_bytes(&2u64), to_bytes(&1000u64)]),
    );
    assert!(!registry.is_registered(ALICE));

    test.next_tx(ALICE);
    register(&mut test, &mut registry, &clock);
    let (_, _, _, _, version, _) = registry.profile(ALICE);
    assert_eq!(version, 3);
    registry.unlist(&clock, test.ctx());
    register(&mut test, &mut registry, &clock);
    let (_, _, _, _, version, _) = registry.profile(ALICE);
    assert_eq!(version, 4);
    end(test, registry, clock);
}

#[test]
fun agents_of_the_same_name_stand_beside_each_other() {
    let (mut test, mut registry, clock) = begin();
    register(&mut test, &mut registry, &clock);
    test.next_tx(BOB);
    register(&mut test, &mut registry, &clock);
    registry.unlist(&clock, test.ctx());
    assert!(registry.is_registered(ALICE) && !registry.is_registered(BOB));
    end(test, registry, clock);
}

// === Refusals ===

#[test, expected_failure(abort_code = registry::EAlreadyRegistered)]
fun an_agent_cannot_register_twice() {
    let (mut test, mut registry, clock) = begin();
    register(&mut test, &mut registry, &clock);
    register(&mut test, &mut registry, &clock);
    abort
}

#[test, expected_failure(abort_code = registry::ENotRegistered)]
fun a_stranger_has_no_profile_to_update() {
    let (mut test, mut registry, clock) = begin();
    register(&mut test, &mut registry, &clock);
    test.next_tx(BOB);
    update(&mut test, &mut registry, &clock);
    abort
}

#[test, expected_failure(abort_code = registry::ENotRegistered)]
fun a_stranger_has_no_profile_to_unlist() {
    let (mut test, mut registry, clock) = begin();
    register(&mut test, &mut registry, &clock);
    test.next_tx(BOB);
    registry.unlist(&clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = registry::ENotRegistered)]
fun an_unlisted_agent_cannot_be_updated() {
    let (mut test, mut registry, clock) = begin();
    register(&mut test, &mut registry, &clock);
    registry.unlist(&clock, test.ctx());
    update(&mut test, &mut registry, &clock);
    abort
}

#[test, expected_failure(abort_code = registry::ENotRegistered)]
fun an_unlisted_agent_has_no_profile() {
    let (mut test, mut registry, clock) = begin();
    register(&mut test, &mut registry, &clock);
    registry.unlist(&clock, test.ctx());
    registry.profile(ALICE);
    abort
}

// === Bounds, at their edges ===

#[test]
fun the_edges_of_every_bound_are_inside() {
    let (mut test, mut registry, clock) = begin();
    registry.register(text(1), text(0), texts(0, 0), url(9), &clock, test.ctx());
    registry.update(text(64), text(512), texts(16, 48), url(512), &clock, test.ctx());
    registry.update(text(64), text(512), texts(16, 1), option::none(), &clock, test.ctx());
    end(test, registry, clock);
}

fun refused(name: u64, description: u64, skills: vector<String>, card_url: Option<String>) {
    let (mut test, mut registry, clock) = begin();
    registry.register(text(name), text(description), skills, card_url, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = registry::EBadName)]
fun an_empty_name_is_refused() {
    refused(0, 0, vector[], option::none())
}

#[test, expected_failure(abort_code = registry::EBadName)]
fun a_name_of_65_bytes_is_refused() {
    refused(65, 0, vector[], option::none())
}

#[test, expected_failure(abort_code = registry::EBadDescription)]
fun a_description_of_513_bytes_is_refused() {
    refused(1, 513, vector[], option::none())
}

#[test, expected_failure(abort_code = registry::ETooManySkills)]
fun a_17th_skill_is_refused() {
    refused(1, 0, texts(17, 1), option::none())
}

#[test, expected_failure(abort_code = registry::EBadSkill)]
fun an_empty_skill_is_refused() {
    refused(1, 0, texts(1, 0), option::none())
}

#[test, expected_failure(abort_code = registry::EBadSkill)]
fun a_skill_of_49_bytes_is_refused() {
    refused(1, 0, vector[text(1), text(49)], option::none())
}

#[test, expected_failure(abort_code = registry::EBadCardUrl)]
fun an_empty_card_url_is_refused() {
    refused(1, 0, vector[], option::some(text(0)))
}

#[test, expected_failure(abort_code = registry::EBadCardUrl)]
fun a_card_url_of_513_bytes_is_refused() {
    refused(1, 0, vector[], url(513))
}

#[test, expected_failure(abort_code = registry::EBadCardUrl)]
fun a_card_url_that_is_its_scheme_alone_is_refused() {
    refused(1, 0, vector[], url(8))
}

#[test, expected_failure(abort_code = registry::EBadCardUrl)]
fun a_card_url_without_tls_is_refused() {
    refused(1, 0, vector[], option::some(b"http://agent.example".to_string()))
}

#[test, expected_failure(abort_code = registry::EBadCardUrl)]
fun a_script_for_a_card_url_is_refused() {
    refused(1, 0, vector[], option::some(b"javascript:https://".to_string()))
}

#[test, expected_failure(abort_code = registry::EBadCardUrl)]
fun a_card_url_with_a_letter_across_the_end_of_its_scheme_is_refused() {
    refused(1, 0, vector[], option::some(b"https:/\xc3\xa9.example".to_string()))
}

#[test, expected_failure(abort_code = registry::EBadName)]
fun an_update_is_bounded_like_a_registration() {
    let (mut test, mut registry, clock) = begin();
    register(&mut test, &mut registry, &clock);
    registry.update(text(65), text(0), vector[], option::none(), &clock, test.ctx());
    abort
}

// A NUL is valid in a String, but readers that keep text in a database cannot keep it.

fun nul(): String {
    b"a\x00".to_string()
}

#[test, expected_failure(abort_code = registry::EBadName)]
fun a_name_with_a_nul_is_refused() {
    let (mut test, mut registry, clock) = begin();
    registry.register(nul(), text(1), vector[], option::none(), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = registry::EBadDescription)]
fun a_description_with_a_nul_is_refused() {
    let (mut test, mut registry, clock) = begin();
    registry.register(text(1), nul(), vector[], option::none(), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = registry::EBadSkill)]
fun a_skill_with_a_nul_is_refused() {
    refused(1, 1, vector[nul()], option::none())
}

#[test, expected_failure(abort_code = registry::EBadCardUrl)]
fun a_card_url_with_a_nul_is_refused() {
    refused(1, 1, vector[], option::some(b"https://a\x00".to_string()))
}
