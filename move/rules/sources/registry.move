/// The open registry of policy rules. Anyone lists a rule under its type; whoever looks for rules follows the
/// events.
///
/// A listing belongs to its (rule_type, publisher), and so does the kind it was first listed with. Several
/// publishers may list one rule_type, so that nobody can block it by being first; which of them published the
/// package is for readers to check.
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
/// Nobody lists this rule_type now.
const ENotListed: u64 = 1;
/// Others list this rule_type, the sender does not.
const ENotPublisher: u64 = 2;
/// The kind is neither auth nor caveat.
const EBadKind: u64 = 3;
/// The score is not within 1..5.
const EBadScore: u64 = 4;
/// The address in the rule_type is not the listed package.
const EWrongPackage: u64 = 5;
/// The manifest uri is not of 1..512 bytes, or holds a NUL.
const EBadManifestUri: u64 = 6;
/// The manifest hash is not of 32 bytes.
const EBadManifestHash: u64 = 7;
/// The comment uri is longer than 512 bytes, or holds a NUL.
const EBadCommentUri: u64 = 8;
/// Whoever lists or listed a rule_type cannot attest it.
const ESelfAttestation: u64 = 9;
/// The sender listed this rule_type before, as the other kind.
const EKindChanged: u64 = 11;

/// The registry is of another version than this code.
const EWrongVersion: u64 = 12;
/// The registry is at this version or a later one already.
const EAlreadyNewest: u64 = 13;
/// The cap is not of this package's upgrades, or not at its newest version.
const EWrongCap: u64 = 14;

/// Raised by each upgrade of the package that must close the code before it.
const VERSION: u64 = 1;

/// A rule that opens a spend.
const KIND_AUTH: u8 = 0;
/// A rule that holds a spend back.
const KIND_CAVEAT: u8 = 1;

const MAX_URI_BYTES: u64 = 512;
const HASH_BYTES: u64 = 32;
const MIN_SCORE: u8 = 1;
const MAX_SCORE: u8 = 5;

/// A type keeps the id of the package that first had it: that of a version's marker says which package the version
/// is. A version that raises `VERSION` declares a marker of its own, `V2`, and names it in `migrate`.
public struct V1 {}

/// The one shared object of this package.
public struct Registry has key {
    id: UID,
    /// Of the code that may change it: `VERSION` there.
    version: u64,
    rules: Table<String, Rule>,
}

/// All that was ever listed under one rule_type. Tables, not vectors: a vector that strangers can lengthen
/// would reach the object size limit, and then nobody could list the rule_type any more.
public struct Rule has store {
    /// By publisher, in the order of their registration.
    live: LinkedTable<address, Listing>,
    /// Of each publisher whose listing was taken off.
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

// Readers decode the fields they know and ignore what follows, so fields are only ever appended.

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
    /// What the listing said last.
    package_id: address,
    version: u64,
}

public struct Attested has copy, drop {
    rule_type: String,
    attester: address,
    score: u8,
    comment_uri: String,
    timestamp_ms: u64,
    /// The listing that `listing` answered then: its publisher and version.
    publisher: address,
    version: u64,
}

fun init(ctx: &mut TxContext) {
    transfer::share_object(Registry { id: object::new(ctx), version: VERSION, rules: table::new(ctx) })
}

/// Brings the registry to the version of this code, and closes all code before it. For the holder of
/// the package's upgrade cap, which must be at the version that this code is of.
public fun migrate(registry: &mut Registry, cap: &UpgradeCap) {
    let here = type_name::with_defining_ids<V1>().address_string();
    assert!(cap.package().to_address().to_ascii_string() == here, EWrongCap);
    assert!(registry.version < VERSION, EAlreadyNewest);
    registry.version = VERSION
}

/// Lists `rule_type` for the sender: at version 1, or one above the version that the sender took off, then as
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

/// Replaces the sender's listing, all but its kind, and raises its version. The package may be an upgraded one,
/// whose id is another than that in the rule_type.
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

/// Takes the sender's listing off. Its version is remembered.
public fun unlist(registry: &mut Registry, rule_type: String, clock: &Clock, ctx: &TxContext) {
    registry.assert_version();
    let publisher = ctx.sender();
    let rule = registry.rule_of_publisher(rule_type, publisher);
    let Listing { package_id, kind, version, .. } = rule.live.remove(publisher);
    rule.unlisted.add(publisher, Tombstone { kind, version });
    let timestamp_ms = clock.timestamp_ms();
    event::emit(Unlisted { rule_type, publisher, timestamp_ms, package_id, version })
}

/// Records the sender's opinion of a listed rule. A later one replaces it for readers.
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

/// Of the code that may change the registry.
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

/// The oldest of the registrations of `rule_type` that were not taken off:
/// (publisher, package_id, kind, manifest_uri, manifest_hash, version, updated_at_ms).
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

/// No longer than allowed, and without the one character that no database keeps in a text.
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
