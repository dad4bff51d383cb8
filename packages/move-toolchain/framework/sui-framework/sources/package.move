/// Proof of who published a module, and the right to upgrade a package.
module sui::package;

use std::ascii::String;
use std::type_name;
use sui::types;

public use fun burn_publisher as Publisher.burn;
public use fun published_module as Publisher.module_;
public use fun published_package as Publisher.package;
public use fun upgrade_package as UpgradeCap.package;
public use fun upgrade_policy as UpgradeCap.policy;
public use fun authorize_upgrade as UpgradeCap.authorize;
public use fun commit_upgrade as UpgradeCap.commit;
public use fun ticket_package as UpgradeTicket.package;
public use fun ticket_policy as UpgradeTicket.policy;
public use fun ticket_digest as UpgradeTicket.digest;
public use fun receipt_cap as UpgradeReceipt.cap;
public use fun receipt_package as UpgradeReceipt.package;

/// Only a one-time witness proves who published its module.
const ENotOneTimeWitness: u64 = 0;
/// The policy would allow more than the cap does.
const ETooPermissive: u64 = 1;
/// An upgrade is authorised and not yet committed.
const EAlreadyAuthorized: u64 = 2;
/// No upgrade is authorised.
const ENotAuthorized: u64 = 3;
/// The receipt belongs to another cap.
const EWrongUpgradeCap: u64 = 4;

/// Any change that keeps what others use.
const COMPATIBLE: u8 = 0;
/// Only additions.
const ADDITIVE: u8 = 128;
/// Only other dependencies.
const DEP_ONLY: u8 = 192;

public struct Publisher has key, store {
    id: UID,
    package: String,
    module_name: String,
}

public struct UpgradeCap has key, store {
    id: UID,
    /// The latest version; 0x0 between authorisation and commit.
    package: ID,
    version: u64,
    policy: u8,
}

public struct UpgradeTicket {
    cap: ID,
    package: ID,
    policy: u8,
    digest: vector<u8>,
}

public struct UpgradeReceipt {
    cap: ID,
    package: ID,
}

public fun claim<OTW: drop>(otw: OTW, ctx: &mut TxContext): Publisher {
    assert!(types::is_one_time_witness(&otw), ENotOneTimeWitness);
    publisher_of<OTW>(ctx)
}

public fun claim_and_keep<OTW: drop>(otw: OTW, ctx: &mut TxContext) {
    transfer::public_transfer(claim(otw, ctx), ctx.sender())
}

public fun burn_publisher(self: Publisher) {
    let Publisher { id, package: _, module_name: _ } = self;
    id.delete()
}

public fun from_package<T>(self: &Publisher): bool {
    type_name::with_original_ids<T>().address_string() == self.package
}

public fun from_module<T>(self: &Publisher): bool {
    self.from_package<T>() && type_name::with_original_ids<T>().module_string() == self.module_name
}

public fun published_module(self: &Publisher): &String {
    &self.module_name
}

public fun published_package(self: &Publisher): &String {
    &self.package
}

public fun upgrade_package(cap: &UpgradeCap): ID {
    cap.package
}

public fun version(cap: &UpgradeCap): u64 {
    cap.version
}

public fun upgrade_policy(cap: &UpgradeCap): u8 {
    cap.policy
}

public fun ticket_package(ticket: &UpgradeTicket): ID {
    ticket.package
}

public fun ticket_policy(ticket: &UpgradeTicket): u8 {
    ticket.policy
}

public fun receipt_cap(receipt: &UpgradeReceipt): ID {
    receipt.cap
}

public fun receipt_package(receipt: &UpgradeReceipt): ID {
    receipt.package
}

public fun ticket_digest(ticket: &UpgradeTicket): &vector<u8> {
    &ticket.digest
}

public fun compatible_policy(): u8 { COMPATIBLE }

public fun additive_policy(): u8 { ADDITIVE }

public fun dep_only_policy(): u8 { DEP_ONLY }

public entry fun only_additive_upgrades(cap: &mut UpgradeCap) {
    cap.restrict(ADDITIVE)
}

public entry fun only_dep_upgrades(cap: &mut UpgradeCap) {
    cap.restrict(DEP_ONLY)
}

public entry fun make_immutable(cap: UpgradeCap) {
    let UpgradeCap { id, package: _, version: _, policy: _ } = cap;
    id.delete()
}

public fun authorize_upgrade(cap: &mut UpgradeCap, policy: u8, digest: vector<u8>): UpgradeTicket {
    let package = cap.package;
    assert!(package.to_address() != @0x0, EAlreadyAuthorized);
    assert!(policy >= cap.policy, ETooPermissive);
    cap.package = @0x0.to_id();
    UpgradeTicket { cap: object::id(cap), package, policy, digest }
}

public fun commit_upgrade(cap: &mut UpgradeCap, receipt: UpgradeReceipt) {
    let UpgradeReceipt { cap: authorised, package } = receipt;
    assert!(object::id(cap) == authorised, EWrongUpgradeCap);
    assert!(cap.package.to_address() == @0x0, ENotAuthorized);
    cap.package = package;
    cap.version = cap.version + 1
}

fun restrict(cap: &mut UpgradeCap, policy: u8) {
    assert!(policy >= cap.policy, ETooPermissive);
    cap.policy = policy
}

fun publisher_of<T>(ctx: &mut TxContext): Publisher {
    let name = type_name::with_original_ids<T>();
    Publisher {
        id: object::new(ctx),
        package: name.address_string(),
        module_name: name.module_string(),
    }
}

#[test_only]
public fun test_claim<OTW: drop>(_: OTW, ctx: &mut TxContext): Publisher {
    publisher_of<OTW>(ctx)
}

#[test_only]
public fun test_publish(package: ID, ctx: &mut TxContext): UpgradeCap {
    UpgradeCap { id: object::new(ctx), package, version: 1, policy: COMPATIBLE }
}

#[test_only]
/// Stands in for the chain's `Upgrade` command.
public fun test_upgrade(ticket: UpgradeTicket): UpgradeReceipt {
    let UpgradeTicket { cap, package, policy: _, digest: _ } = ticket;
    let upgraded = sui::hash::blake2b256(&std::bcs::to_bytes(&vector[cap, package]));
    UpgradeReceipt { cap, package: object::id_from_bytes(upgraded) }
}
