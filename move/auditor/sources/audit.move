/// An attester of the local network. The holder of its cap states what an audit of a package found.
module auditor::audit;

use attestations::attestations::{Self, Attestation, Box, Registry};
use std::internal;
use std::string::String;
use sui::transfer::Receiving;

/// The statement of an audit.
#[allow(unused_field)]
public struct Audit has drop, store {
    description: String,
    repository: String,
    commit: String,
    report_url: String,
}

/// Its holder makes and revokes the statements of this package.
public struct AuditorCap has key, store { id: UID }

fun init(ctx: &mut TxContext) {
    transfer::transfer(AuditorCap { id: object::new(ctx) }, ctx.sender())
}

/// States that a version of a package was audited.
public fun attest(
    _: &AuditorCap,
    registry: &Registry,
    subject: ID,
    description: String,
    repository: String,
    commit: String,
    report_url: String,
    ctx: &mut TxContext,
) {
    let audit = Audit { description, repository, commit, report_url };
    attestations::attest(registry, internal::permit<Audit>(), subject, audit, ctx);
}

/// Revokes a statement, which the box must own.
public fun revoke(_: &AuditorCap, box: &mut Box, statement: Receiving<Attestation<Audit>>) {
    attestations::revoke(box, internal::permit<Audit>(), statement)
}

#[test_only]
public fun init_for_testing(ctx: &mut TxContext) {
    init(ctx)
}
