#[test_only]
module auditor::audit_tests;

use attestations::attestations::{Self, Attestation, Attested, Box, Registry, Revoked};
use auditor::audit::{Self, Audit, AuditorCap};
use std::unit_test::assert_eq;
use sui::event;
use sui::test_scenario as scenario;

const ALICE: address = @0xa11ce;

#[test]
fun the_holder_of_the_cap_states_and_revokes() {
    let mut test = scenario::begin(ALICE);
    let subject = @0x5ab.to_id();
    attestations::init_for_testing(test.ctx());
    audit::init_for_testing(test.ctx());
    test.next_tx(ALICE);
    let mut registry = test.take_shared<Registry>();
    let cap = test.take_from_sender<AuditorCap>();
    registry.create_box(subject);
    let text = b"text".to_string();
    cap.attest(&registry, subject, text, text, text, text, test.ctx());
    assert_eq!(event::events_by_type<Attested<Audit>>().length(), 1);
    let at = registry.box_addresses(subject)[0];
    test.next_tx(ALICE);
    let id = scenario::ids_for_address<Attestation<Audit>>(at)[0];
    let mut box = test.take_shared_by_id<Box>(at.to_id());
    cap.revoke(&mut box, scenario::receiving_ticket_by_id(id));
    assert_eq!(event::events_by_type<Revoked<Audit>>().length(), 1);
    scenario::return_shared(box);
    scenario::return_shared(registry);
    test.return_to_sender(cap);
    test.end();
}
