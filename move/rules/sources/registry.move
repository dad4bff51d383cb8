/// The open registry of policy rules. Anyone can list a rule under its type. Readers follow the events.
///
/// The key of a listing is (rule_type, publisher), and so is the kind that it was first listed with. Several
/// publishers can list one rule_type, so no one can block it by being first. Readers check which of them
/// published the package.
module rules::registry;

use rules::rule_type;
use std::string::String;
use std::type_name;
use sui::clock::Clock;
use sui::event;
use sui::linked_table::{Self, LinkedTable};
use sui::package::UpgradeCap;
use sui::table::{Self, Table};

/// The sender lists this rule_type already: `update` it.
const EAlreadyListed: u64 = 0;
/// No publisher lists this rule_type now.
const ENotListed: u64 = 1;
/// Other publishers list this rule_type, but the sender does not.
const ENotPublisher: u64 = 2;
/// The kind is neither auth nor caveat.
const EBadKind: u64 = 3;
/// The score is not within 1..5.
const EBadScore: u64 = 4;
/// The address in the rule_type is not the listed package.
const EWrongPackage: u64 = 5;
/// The manifest uri is not 1..512 bytes long, or contains a NUL.
const EBadManifestUri: u64 = 6;
/// The manifest hash is not 32 bytes long.
const EBadManifestHash: u64 = 7;
/// The comment uri is longer than 512 bytes, or contains a NUL.
const EBadCommentUri: u64 = 8;
/// A publisher who lists or listed a rule_type cannot attest it.
const ESelfAttestation: u64 = 9;
/// The sender listed this rule_type before, as the other kind.
const EKindChanged: u64 = 11;

/// The registry has another version than this code.
const EWrongVersion: u64 = 12;
/// The registry already has this version or a later one.
const EAlreadyNewest: u64 = 13;
/// The cap belongs to another package, or is not at its newest version.
const EWrongCap: u64 = 14;

/// Increased by each upgrade that must disable the code before it.
const VERSION: u64 = 1;

/// A rule that authorizes a spend.
const KIND_AUTH: u8 = 0;
/// A rule that restricts a spend.
const KIND_CAVEAT: u8 = 1;

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
    rules: Table<String, Rule>,
}

/// All listings that were ever made under one rule_type. Tables and not vectors: anyone can add entries, and a
/// large vector would reach the object size limit and block the rule_type.
public struct Rule has store {
    /// By publisher, in the order of their registration.
    live: LinkedTable<address, Listing>,
    /// The kind and last version of each publisher whose listing was removed.
    unlisted: Table<address, Tombstone>,
}

public struct Tombstone has drop, store {
    kind: u8,
    version: u64,
}

public struct Listing has drop, store {
    package_id: address,
    kind: u8,
    manifest_uri: String,
    manifest_hash: vector<u8>,
    version: u64,
    updated_at_ms: u64,
}

// Readers ignore unknown fields at the end, so new fields are only appended.

public struct Registered has copy, drop {
    rule_type: String,
    package_id: address,
    publisher: address,
    kind: u8,
    manifest_uri: String,
    manifest_hash: vector<u8>,
    version: u64,
    timestamp_ms: u64,
}

public struct Updated has copy, drop {
    rule_type: String,
    package_id: address,
    publisher: address,
    kind: u8,
    manifest_uri: String,
    manifest_hash: vector<u8>,
    version: u64,
    timestamp_ms: u64,
}

public struct Unlisted has copy, drop {
    rule_type: String,
    publisher: address,
    timestamp_ms: u64,
    /// The last content of the listing.
    package_id: address,
    version: u64,
}

public struct Attested has copy, drop {
    rule_type: String,
    attester: address,
    score: u8,
    comment_uri: String,
    timestamp_ms: u64,
    /// The listing that `listing` returned then: its publisher and version.
    publisher: address,
    version: u64,
}

fun init(ctx: &mut TxContext) {
    transfer::share_object(Registry { id: object::new(ctx), version: VERSION, rules: table::new(ctx) })
}

/// Upgrades the registry to the version of this code; older code then aborts. Needs the package's
/// `UpgradeCap`, at the version of this code.
public fun migrate(registry: &mut Registry, cap: &UpgradeCap) {
    let here = type_name::with_defining_ids<V1>().address_string();
    assert!(cap.package().to_address().to_ascii_string() == here, EWrongCap);
    assert!(registry.version < VERSION, EAlreadyNewest);
    registry.version = VERSION
}

/// Lists `rule_type` for the sender: at version 1, or one above the version that the sender removed, then with
/// the same kind.
public fun register(
    registry: &mut Registry,
    package_id: address,
    rule_type: String,
    kind: u8,
    manifest_uri: String,
    manifest_hash: vector<u8>,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    registry.assert_version();
    rule_type::assert_canonical(&rule_type);
    assert!(rule_type::address_text(&rule_type) == package_id.to_string(), EWrongPackage);
    assert!(kind == KIND_AUTH || kind == KIND_CAVEAT, EBadKind);
    assert_manifest(&manifest_uri, &manifest_hash);
    let publisher = ctx.sender();
    let rule = registry.rule_or_new(rule_type, ctx);
    assert!(!rule.live.contains(publisher), EAlreadyListed);

    let mut version = 1;
    if (rule.unlisted.contains(publisher)) {
        let last = rule.unlisted.remove(publisher);
        assert!(kind == last.kind, EKindChanged);
        version = last.version + 1;
    };
    let timestamp_ms = clock.timestamp_ms();
    let updated_at_ms = timestamp_ms;
    let listing = Listing { package_id, kind, manifest_uri, manifest_hash, version, updated_at_ms };
    rule.live.push_back(publisher, listing);
    event::emit(Registered {
        rule_type,
        package_id,
        publisher,
        kind,
        manifest_uri,
        manifest_hash,
        version,
        timestamp_ms,
    })
}

/// Replaces the sender's listing, except its kind, and increases its version. The package can be an upgraded
/// one, whose id differs from the one in the rule_type.
public fun update(
    registry: &mut Registry,
    rule_type: String,
    package_id: address,
    manifest_uri: String,
    manifest_hash: vector<u8>,
    clock: &Clock,
    ctx: &TxContext,
) {
    registry.assert_version();
    assert_manifest(&manifest_uri, &manifest_hash);
    let publisher = ctx.sender();
    let listing = &mut registry.rule_of_publisher(rule_type, publisher).live[publisher];
    let kind = listing.kind;
    let version = listing.version + 1;
    let timestamp_ms = clock.timestamp_ms();
    let updated_at_ms = timestamp_ms;
    *listing = Listing { package_id, kind, manifest_uri, manifest_hash, version, updated_at_ms };
    event::emit(Updated {
        rule_type,
        package_id,
        publisher,
        kind,
        manifest_uri,
        manifest_hash,
        version,
        timestamp_ms,
    })
}

/// Removes the sender's listing. Its last version is stored.
public fun unlist(registry: &mut Registry, rule_type: String, clock: &Clock, ctx: &TxContext) {
    registry.assert_version();
    let publisher = ctx.sender();
    let rule = registry.rule_of_publisher(rule_type, publisher);
    let Listing { package_id, kind, version, .. } = rule.live.remove(publisher);
    rule.unlisted.add(publisher, Tombstone { kind, version });
    let timestamp_ms = clock.timestamp_ms();
    event::emit(Unlisted { rule_type, publisher, timestamp_ms, package_id, version })
}

/// Records the sender's rating of a listed rule. Readers use the sender's latest rating.
public fun attest(
    registry: &Registry,
    rule_type: String,
    score: u8,
    comment_uri: String,
    clock: &Clock,
    ctx: &TxContext,
) {
    registry.assert_version();
    assert!(registry.is_listed(rule_type), ENotListed);
    assert!(MIN_SCORE <= score && score <= MAX_SCORE, EBadScore);
    assert!(is_uri(&comment_uri), EBadCommentUri);
    let attester = ctx.sender();
    let rule = &registry.rules[rule_type];
    let is_publisher = rule.live.contains(attester) || rule.unlisted.contains(attester);
    assert!(!is_publisher, ESelfAttestation);
    let publisher = *rule.live.front().borrow();
    let version = rule.live[publisher].version;
    let timestamp_ms = clock.timestamp_ms();
    event::emit(Attested {
        rule_type,
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

/// Whether any publisher lists `rule_type` now.
public fun is_listed(registry: &Registry, rule_type: String): bool {
    registry.rules.contains(rule_type) && !registry.rules[rule_type].live.is_empty()
}

/// Whether `publisher` lists `rule_type` now.
public fun is_listed_by(registry: &Registry, publisher: address, rule_type: String): bool {
    registry.rules.contains(rule_type) && registry.rules[rule_type].live.contains(publisher)
}

/// The oldest active registration of `rule_type`: (publisher, package_id, kind, manifest_uri, manifest_hash,
/// version, updated_at_ms).
public fun listing(
    registry: &Registry,
    rule_type: String,
): (address, address, u8, String, vector<u8>, u64, u64) {
    assert!(registry.is_listed(rule_type), ENotListed);
    let publisher = *registry.rules[rule_type].live.front().borrow();
    registry.listing_of(publisher, rule_type)
}

/// The listing of `rule_type` by `publisher`, with the fields of `listing`.
public fun listing_of(
    registry: &Registry,
    publisher: address,
    rule_type: String,
): (address, address, u8, String, vector<u8>, u64, u64) {
    assert!(registry.is_listed_by(publisher, rule_type), ENotListed);
    let Listing { package_id, kind, manifest_uri, manifest_hash, version, updated_at_ms } =
        &registry.rules[rule_type].live[publisher];
    (publisher, *package_id, *kind, *manifest_uri, *manifest_hash, *version, *updated_at_ms)
}

public fun kind_auth(): u8 {
    KIND_AUTH
}

public fun kind_caveat(): u8 {
    KIND_CAVEAT
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

fun rule_or_new(registry: &mut Registry, rule_type: String, ctx: &mut TxContext): &mut Rule {
    if (!registry.rules.contains(rule_type)) {
        let rule = Rule { live: linked_table::new(ctx), unlisted: table::new(ctx) };
        registry.rules.add(rule_type, rule);
    };
    &mut registry.rules[rule_type]
}

fun rule_of_publisher(
    registry: &mut Registry,
    rule_type: String,
    publisher: address,
): &mut Rule {
    assert!(registry.is_listed(rule_type), ENotListed);
    assert!(registry.is_listed_by(publisher, rule_type), ENotPublisher);
    &mut registry.rules[rule_type]
}

#[test_only]
public fun init_for_testing(ctx: &mut TxContext) {
    init(ctx)
}

#[test_only]
public fun set_version_for_testing(registry: &mut Registry, version: u64) {
    registry.version = version
}
