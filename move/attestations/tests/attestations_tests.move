#[test_only]
module attestations::attestations_tests;

use attestations::attestations::{Self, Attestation, Attested, Box, Registry, Revoked};
use std::internal;
use std::unit_test::assert_eq;
use sui::event;
use sui::test_scenario::{Self as scenario, Scenario};

const ALICE: address = @0xa11ce;

public struct Claim has drop, store {}

fun subject(): ID {
    @0x5ab.to_id()
}

/// A registry with a statement about the subject in force.
fun begin(): (Scenario, Registry, ID) {
    let mut test = scenario::begin(ALICE);
    attestations::init_for_testing(test.ctx());
    test.next_tx(ALICE);
    let registry = test.take_shared<Registry>();
    let id = attestations::attest(&registry, internal::permit<Claim>(), subject(), Claim {}, test.ctx());
    (test, registry, id)
}

fun end(test: Scenario, registry: Registry) {
    scenario::return_shared(registry);
    test.end();
}

fun owned(at: address): vector<ID> {
    scenario::ids_for_address<Attestation<Claim>>(at)
}

/// Takes the subject's box with this address.
fun take_box(test: &Scenario, registry: &Registry, revoked: bool): Box {
    let at = registry.box_addresses(subject())[if (revoked) 1 else 0];
    test.take_shared_by_id<Box>(at.to_id())
}

#[test]
fun a_statement_is_in_the_box_of_its_subject() {
    let (mut test, registry, id) = begin();
    let boxes = registry.box_addresses(subject());
    assert_eq!(event::events_by_type<Attested<Claim>>().length(), 1);
    test.next_tx(ALICE);
    assert_eq!(owned(boxes[0]), vector[id]);
    assert_eq!(owned(boxes[1]), vector[]);
    end(test, registry)
}

#[test]
fun a_revoked_statement_moves_to_the_other_box() {
    let (mut test, mut registry, id) = begin();
    registry.create_box(subject());
    registry.create_box(subject());
    let boxes = registry.box_addresses(subject());
    test.next_tx(ALICE);
    let mut box = take_box(&test, &registry, false);
    let statement = scenario::receiving_ticket_by_id<Attestation<Claim>>(id);
    box.revoke(internal::permit<Claim>(), statement);
    assert_eq!(event::events_by_type<Revoked<Claim>>().length(), 1);
    scenario::return_shared(box);
    test.next_tx(ALICE);
    assert_eq!(owned(boxes[0]), vector[]);
    assert_eq!(owned(boxes[1]), vector[id]);
    end(test, registry)
}

#[test, expected_failure(abort_code = attestations::ERevoked)]
fun a_revoked_statement_stays_in_its_box() {
    let (mut test, mut registry, id) = begin();
    registry.create_box(subject());
    test.next_tx(ALICE);
    let mut box = take_box(&test, &registry, true);
    let statement = scenario::receiving_ticket_by_id<Attestation<Claim>>(id);
    box.revoke(internal::permit<Claim>(), statement);
    abort
}
