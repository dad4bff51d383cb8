/// The open registry of wallet adaptors. Anyone can list a service under its witness type. Readers follow the
/// events.
///
/// The key of a listing is (service_type, publisher). Several publishers can list one service_type, so no one
/// can block it by being first. Readers check which of them published the package.
module adaptor_registry::registry;

use adaptor_registry::service_type;
use std::string::String;
use std::type_name;
use sui::clock::Clock;
use sui::event;
use sui::linked_table::{Self, LinkedTable};
use sui::package::UpgradeCap;
use sui::table::{Self, Table};

/// The sender lists this service_type already: `update` it.
const EAlreadyListed: u64 = 0;
/// No publisher lists this service_type now.
const ENotListed: u64 = 1;
/// Other publishers list this service_type, but the sender does not.
const ENotPublisher: u64 = 2;
/// The score is not within 1..5.
const EBadScore: u64 = 3;
/// The address in the service_type is not the listed package.
const EWrongPackage: u64 = 4;
/// The manifest uri is not 1..512 bytes long, or contains a NUL.
const EBadManifestUri: u64 = 5;
/// The manifest hash is not 32 bytes long.
const EBadManifestHash: u64 = 6;
/// The comment uri is longer than 512 bytes, or contains a NUL.
const EBadCommentUri: u64 = 7;
/// A publisher who lists or listed a service_type cannot attest it.
const ESelfAttestation: u64 = 8;

/// The registry has another version than this code.
const EWrongVersion: u64 = 10;
/// The registry already has this version or a later one.
const EAlreadyNewest: u64 = 11;
/// The cap belongs to another package, or is not at its newest version.
const EWrongCap: u64 = 12;

/// Increased by each upgrade that must disable the code before it.
const VERSION: u64 = 1;

const MAX_URI_BYTES: u64 = 512;
const HASH_BYTES: u64 = 32;
const MIN_SCORE: u8 = 1;
const MAX_SCORE: u8 = 5;

/// A type keeps the id of the package that first defined it, so the marker of a version shows which package it
/// belongs to. A version that increases `VERSION` declares its own marker, `V2`, and uses it in `migrate`.
public struct V1 {}

/// The one shared object of this package.
public struct Registry has key {
    id: UID,
    /// The version of the code that may change it (`VERSION`).
    version: u64,
    services: Table<String, Service>,
}

/// All listings that were ever made under one service_type. Tables and not vectors: anyone can add entries, and
/// a large vector would reach the object size limit and block the service_type.
public struct Service has store {
    /// By publisher, in the order of their registration.
    live: LinkedTable<address, Listing>,
    /// The last version of each publisher whose listing was removed.
    unlisted: Table<address, u64>,
}

public struct Listing has drop, store {
    package_id: address,
    manifest_uri: String,
    manifest_hash: vector<u8>,
    version: u64,
    updated_at_ms: u64,
}

// Readers ignore unknown fields at the end, so new fields are only appended.

public struct Registered has copy, drop {
    service_type: String,
    package_id: address,
    publisher: address,
    manifest_uri: String,
    manifest_hash: vector<u8>,
    version: u64,
    timestamp_ms: u64,
}

public struct Updated has copy, drop {
    service_type: String,
    package_id: address,
    publisher: address,
    manifest_uri: String,
    manifest_hash: vector<u8>,
    version: u64,
    timestamp_ms: u64,
}

public struct Unlisted has copy, drop {
    service_type: String,
    publisher: address,
    timestamp_ms: u64,
    /// The last content of the listing.
    package_id: address,
    version: u64,
}

public struct Attested has copy, drop {
    service_type: String,
    attester: address,
    score: u8,
    comment_uri: String,
    timestamp_ms: u64,
    /// The listing that `listing` returned then: its publisher and version.
    publisher: address,
    version: u64,
}

fun init(ctx: &mut TxContext) {
    transfer::share_object(Registry { id: object::new(ctx), version: VERSION, services: table::new(ctx) })
}

/// Upgrades the registry to the version of this code; older code then aborts. Needs the package's
/// `UpgradeCap`, at the version of this code.
public fun migrate(registry: &mut Registry, cap: &UpgradeCap) {
    let here = type_name::with_defining_ids<V1>().address_string();
    assert!(cap.package().to_address().to_ascii_string() == here, EWrongCap);
    assert!(registry.version < VERSION, EAlreadyNewest);
    registry.version = VERSION
}

/// Lists `service_type` for the sender: at version 1, or one above the version that the sender removed.
public fun register(
    registry: &mut Registry,
    package_id: address,
    service_type: String,
    manifest_uri: String,
    manifest_hash: vector<u8>,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    registry.assert_version();
    service_type::assert_canonical(&service_type);
    assert!(service_type::address_text(&service_type) == package_id.to_string(), EWrongPackage);
    assert_manifest(&manifest_uri, &manifest_hash);
    let publisher = ctx.sender();
    let service = registry.service_or_new(service_type, ctx);
    assert!(!service.live.contains(publisher), EAlreadyListed);

    let tombstone = service.unlisted.contains(publisher);
    let version = if (tombstone) service.unlisted.remove(publisher) + 1 else 1;
    let timestamp_ms = clock.timestamp_ms();
    let updated_at_ms = timestamp_ms;
    let listing = Listing { package_id, manifest_uri, manifest_hash, version, updated_at_ms };
    service.live.push_back(publisher, listing);
    event::emit(Registered {
        service_type,
        package_id,
        publisher,
        manifest_uri,
        manifest_hash,
        version,
        timestamp_ms,
    })
}

/// Replaces the sender's listing and increases its version. The package can be an upgraded one, whose id
/// differs from the one in the service_type.
public fun update(
    registry: &mut Registry,
    service_type: String,
    package_id: address,
    manifest_uri: String,
    manifest_hash: vector<u8>,
    clock: &Clock,
    ctx: &TxContext,
) {
    registry.assert_version();
    assert_manifest(&manifest_uri, &manifest_hash);
    let publisher = ctx.sender();
    let listing = &mut registry.service_of_publisher(service_type, publisher).live[publisher];
    let version = listing.version + 1;
    let timestamp_ms = clock.timestamp_ms();
    let updated_at_ms = timestamp_ms;
    *listing = Listing { package_id, manifest_uri, manifest_hash, version, updated_at_ms };
    event::emit(Updated {
        service_type,
        package_id,
        publisher,
        manifest_uri,
        manifest_hash,
        version,
        timestamp_ms,
    })
}

/// Removes the sender's listing. Its last version is stored.
public fun unlist(registry: &mut Registry, service_type: String, clock: &Clock, ctx: &TxContext) {
    registry.assert_version();
    let publisher = ctx.sender();
    let service = registry.service_of_publisher(service_type, publisher);
    let Listing { package_id, version, .. } = service.live.remove(publisher);
    service.unlisted.add(publisher, version);
    let timestamp_ms = clock.timestamp_ms();
    event::emit(Unlisted { service_type, publisher, timestamp_ms, package_id, version })
}

/// Records the sender's rating of a listed service. Readers use the sender's latest rating.
public fun attest(
    registry: &Registry,
    service_type: String,
    score: u8,
    comment_uri: String,
    clock: &Clock,
    ctx: &TxContext,
) {
    registry.assert_version();
    assert!(registry.is_listed(service_type), ENotListed);
    assert!(MIN_SCORE <= score && score <= MAX_SCORE, EBadScore);
    assert!(is_uri(&comment_uri), EBadCommentUri);
    let attester = ctx.sender();
    let service = &registry.services[service_type];
    let is_publisher = service.live.contains(attester) || service.unlisted.contains(attester);
    assert!(!is_publisher, ESelfAttestation);
    let publisher = *service.live.front().borrow();
    let version = service.live[publisher].version;
    let timestamp_ms = clock.timestamp_ms();
    event::emit(Attested {
        service_type,
        attester,
        score,
        comment_uri,
        timestamp_ms,
        publisher,
        version,
    })
}

/// The version of the code that may change the registry.
public fun version(registry: &Registry): u64 {
    registry.version
}

/// Whether any publisher lists `service_type` now.
public fun is_listed(registry: &Registry, service_type: String): bool {
    registry.services.contains(service_type) && !registry.services[service_type].live.is_empty()
}

/// Whether `publisher` lists `service_type` now.
public fun is_listed_by(registry: &Registry, publisher: address, service_type: String): bool {
    registry.services.contains(service_type) && registry.services[service_type].live.contains(publisher)
}

/// The oldest active registration of `service_type`: (publisher, package_id, manifest_uri, manifest_hash,
/// version, updated_at_ms).
public fun listing(
    registry: &Registry,
    service_type: String,
): (address, address, String, vector<u8>, u64, u64) {
    assert!(registry.is_listed(service_type), ENotListed);
    let publisher = *registry.services[service_type].live.front().borrow();
    registry.listing_of(publisher, service_type)
}

/// The listing of `service_type` by `publisher`, with the fields of `listing`.
public fun listing_of(
    registry: &Registry,
    publisher: address,
    service_type: String,
): (address, address, String, vector<u8>, u64, u64) {
    assert!(registry.is_listed_by(publisher, service_type), ENotListed);
    let Listing { package_id, manifest_uri, manifest_hash, version, updated_at_ms } =
        &registry.services[service_type].live[publisher];
    (publisher, *package_id, *manifest_uri, *manifest_hash, *version, *updated_at_ms)
}

fun assert_version(registry: &Registry) {
    assert!(registry.version == VERSION, EWrongVersion)
}

fun assert_manifest(uri: &String, hash: &vector<u8>) {
    assert!(0 < uri.length() && is_uri(uri), EBadManifestUri);
    assert!(hash.length() == HASH_BYTES, EBadManifestHash);
}

/// Whether the text is short enough and contains no NUL, which databases cannot store.
fun is_uri(uri: &String): bool {
    uri.length() <= MAX_URI_BYTES && !uri.as_bytes().contains(&0)
}

fun service_or_new(registry: &mut Registry, service_type: String, ctx: &mut TxContext): &mut Service {
    if (!registry.services.contains(service_type)) {
        let service = Service { live: linked_table::new(ctx), unlisted: table::new(ctx) };
        registry.services.add(service_type, service);
    };
    &mut registry.services[service_type]
}

fun service_of_publisher(
    registry: &mut Registry,
    service_type: String,
    publisher: address,
): &mut Service {
    assert!(registry.is_listed(service_type), ENotListed);
    assert!(registry.is_listed_by(publisher, service_type), ENotPublisher);
    &mut registry.services[service_type]
}

#[test_only]
public fun init_for_testing(ctx: &mut TxContext) {
    init(ctx)
}

#[test_only]
public fun set_version_for_testing(registry: &mut Registry, version: u64) {
    registry.version = version
}
