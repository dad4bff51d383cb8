/// Statements of packages about other packages, as objects. It stands in for the package `@mysten/attestations` on the
/// local network: the types, their fields, the events and the addresses of boxes are the same, the rest is our own.
module attestations::attestations;

use std::internal::Permit;
use sui::derived_object;
use sui::event;
use sui::transfer::Receiving;

/// The box holds what is revoked already.
const ERevoked: u64 = 0;

/// The one shared object of this package, from which the addresses of all boxes are derived.
public struct Registry has key { id: UID }

/// Key of one of the two boxes of a subject.
public struct BoxKey has copy, drop, store {
    subject: ID,
    revoked: bool,
}

/// Owner of the statements about a subject that are in force, or of those that are revoked.
public struct Box has key {
    id: UID,
    key: BoxKey,
    registry: ID,
}

/// A statement about a subject. Its attester is the package that defines `T`: nothing else can create one.
public struct Attestation<T: store> has key {
    id: UID,
    subject: ID,
    data: T,
}

public struct Attested<phantom T> has copy, drop {
    subject: ID,
}

public struct Revoked<phantom T> has copy, drop {
    subject: ID,
}

fun init(ctx: &mut TxContext) {
    transfer::share_object(Registry { id: object::new(ctx) })
}

/// Shares the boxes of a subject that are missing. `revoke` needs them.
public fun create_box(registry: &mut Registry, subject: ID) {
    let parent = object::id(registry);
    vector[false, true].do!(|revoked| {
        let key = BoxKey { subject, revoked };
        if (!derived_object::exists(&registry.id, key)) {
            let id = derived_object::claim(&mut registry.id, key);
            transfer::share_object(Box { id, key, registry: parent })
        }
    })
}

/// Creates a statement in the subject's box of those in force. Only the module of `T` has a permit.
public fun attest<T: store>(
    registry: &Registry,
    _: Permit<T>,
    subject: ID,
    data: T,
    ctx: &mut TxContext,
): ID {
    let statement = Attestation { id: object::new(ctx), subject, data };
    let id = object::id(&statement);
    let key = BoxKey { subject, revoked: false };
    transfer::transfer(statement, derived_object::derive_address(object::id(registry), key));
    event::emit(Attested<T> { subject });
    id
}

/// Moves a statement to the subject's box of revoked ones, from which nothing takes it.
public fun revoke<T: store>(box: &mut Box, _: Permit<T>, statement: Receiving<Attestation<T>>) {
    assert!(!box.key.revoked, ERevoked);
    let statement = transfer::receive(&mut box.id, statement);
    let subject = statement.subject;
    let key = BoxKey { subject, revoked: true };
    transfer::transfer(statement, derived_object::derive_address(box.registry, key));
    event::emit(Revoked<T> { subject })
}

#[test_only]
public fun init_for_testing(ctx: &mut TxContext) {
    init(ctx)
}

#[test_only]
/// Addresses of the subject's boxes: in force, and revoked.
public fun box_addresses(registry: &Registry, subject: ID): vector<address> {
    vector[false, true].map!(|revoked| {
        derived_object::derive_address(object::id(registry), BoxKey { subject, revoked })
    })
}
