/// The open registry of agents for hire. An agent describes itself under its own address. Readers follow the
/// events.
module agents::registry;

use std::string::String;
use std::type_name;
use sui::clock::Clock;
use sui::event;
use sui::package::UpgradeCap;
use sui::table::{Self, Table};

/// The sender is registered already: `update`.
const EAlreadyRegistered: u64 = 0;
/// The agent is not registered now.
const ENotRegistered: u64 = 1;
/// The name is not 1..64 bytes long, or contains a NUL.
const EBadName: u64 = 2;
/// The description is longer than 512 bytes, or contains a NUL.
const EBadDescription: u64 = 3;
/// More than 16 skills.
const ETooManySkills: u64 = 4;
/// A skill is not 1..48 bytes long, or contains a NUL.
const EBadSkill: u64 = 5;
/// The card url does not start with `https://`, is longer than 512 bytes, or contains a NUL.
const EBadCardUrl: u64 = 6;

/// The registry has another version than this code.
const EWrongVersion: u64 = 7;
/// The registry already has this version or a later one.
const EAlreadyNewest: u64 = 8;
/// The cap belongs to another package, or is not at its newest version.
const EWrongCap: u64 = 9;

/// Increased by each upgrade that must disable the code before it.
const VERSION: u64 = 1;

const MAX_NAME_BYTES: u64 = 64;
const MAX_DESCRIPTION_BYTES: u64 = 512;
const MAX_SKILLS: u64 = 16;
const MAX_SKILL_BYTES: u64 = 48;
const MAX_CARD_URL_BYTES: u64 = 512;
const CARD_URL_SCHEME: vector<u8> = b"https://";

/// A type keeps the id of the package that first defined it, so the marker of a version shows which package it
/// belongs to. A version that increases `VERSION` declares its own marker, `V2`, and uses it in `migrate`.
public struct V1 {}

/// The one shared object of this package.
public struct Registry has key {
    id: UID,
    /// The version of the code that may change it (`VERSION`).
    version: u64,
    live: Table<address, Agent>,
    /// The last version of each agent that removed itself.
    unlisted: Table<address, u64>,
}

public struct Agent has drop, store {
    profile: Profile,
    version: u64,
    updated_at_ms: u64,
}

/// An agent's description of itself. Only its size, the scheme of the card url, and the absence of a NUL are
/// checked.
public struct Profile has copy, drop, store {
    name: String,
    description: String,
    skills: vector<String>,
    card_url: Option<String>,
}

// Readers ignore unknown fields at the end, so new fields are only appended.

public struct AgentRegistered has copy, drop {
    agent: address,
    name: String,
    description: String,
    skills: vector<String>,
    card_url: Option<String>,
    version: u64,
    timestamp_ms: u64,
}

public struct AgentUpdated has copy, drop {
    agent: address,
    name: String,
    description: String,
    skills: vector<String>,
    card_url: Option<String>,
    version: u64,
    timestamp_ms: u64,
}

public struct AgentUnlisted has copy, drop {
    agent: address,
    /// The last content of the profile.
    version: u64,
    timestamp_ms: u64,
}

fun init(ctx: &mut TxContext) {
    transfer::share_object(Registry {
        id: object::new(ctx),
        version: VERSION,
        live: table::new(ctx),
        unlisted: table::new(ctx),
    })
}

/// Upgrades the registry to the version of this code; older code then aborts. Needs the package's
/// `UpgradeCap`, at the version of this code.
public fun migrate(registry: &mut Registry, cap: &UpgradeCap) {
    let here = type_name::with_defining_ids<V1>().address_string();
    assert!(cap.package().to_address().to_ascii_string() == here, EWrongCap);
    assert!(registry.version < VERSION, EAlreadyNewest);
    registry.version = VERSION
}

/// Lists the sender: at version 1, or one above the version that the sender removed.
public fun register(
    registry: &mut Registry,
    name: String,
    description: String,
    skills: vector<String>,
    card_url: Option<String>,
    clock: &Clock,
    ctx: &TxContext,
) {
    registry.assert_version();
    let agent = ctx.sender();
    assert!(!registry.is_registered(agent), EAlreadyRegistered);
    let profile = checked(name, description, skills, card_url);
    let tombstone = registry.unlisted.contains(agent);
    let version = if (tombstone) registry.unlisted.remove(agent) + 1 else 1;
    let timestamp_ms = clock.timestamp_ms();
    registry.live.add(agent, Agent { profile, version, updated_at_ms: timestamp_ms });
    event::emit(AgentRegistered { agent, name, description, skills, card_url, version, timestamp_ms })
}

/// Replaces the sender's profile and increases its version.
public fun update(
    registry: &mut Registry,
    name: String,
    description: String,
    skills: vector<String>,
    card_url: Option<String>,
    clock: &Clock,
    ctx: &TxContext,
) {
    registry.assert_version();
    let agent = ctx.sender();
    assert!(registry.is_registered(agent), ENotRegistered);
    let profile = checked(name, description, skills, card_url);
    let entry = &mut registry.live[agent];
    let version = entry.version + 1;
    let timestamp_ms = clock.timestamp_ms();
    *entry = Agent { profile, version, updated_at_ms: timestamp_ms };
    event::emit(AgentUpdated { agent, name, description, skills, card_url, version, timestamp_ms })
}

/// Removes the sender. Its last version is stored.
public fun unlist(registry: &mut Registry, clock: &Clock, ctx: &TxContext) {
    registry.assert_version();
    let agent = ctx.sender();
    assert!(registry.is_registered(agent), ENotRegistered);
    let Agent { version, .. } = registry.live.remove(agent);
    registry.unlisted.add(agent, version);
    event::emit(AgentUnlisted { agent, version, timestamp_ms: clock.timestamp_ms() })
}

/// The version of the code that may change the registry.
public fun version(registry: &Registry): u64 {
    registry.version
}

public fun is_registered(registry: &Registry, agent: address): bool {
    registry.live.contains(agent)
}

/// (name, description, skills, card_url, version, updated_at_ms) of a registered agent.
public fun profile(
    registry: &Registry,
    agent: address,
): (String, String, vector<String>, Option<String>, u64, u64) {
    assert!(registry.is_registered(agent), ENotRegistered);
    let Agent { profile, version, updated_at_ms } = &registry.live[agent];
    let Profile { name, description, skills, card_url } = *profile;
    (name, description, skills, card_url, *version, *updated_at_ms)
}

fun assert_version(registry: &Registry) {
    assert!(registry.version == VERSION, EWrongVersion)
}

fun checked(
    name: String,
    description: String,
    skills: vector<String>,
    card_url: Option<String>,
): Profile {
    assert!(0 < name.length() && is_text(&name, MAX_NAME_BYTES), EBadName);
    assert!(is_text(&description, MAX_DESCRIPTION_BYTES), EBadDescription);
    assert!(skills.length() <= MAX_SKILLS, ETooManySkills);
    skills.do_ref!(|skill| assert!(0 < skill.length() && is_text(skill, MAX_SKILL_BYTES), EBadSkill));
    card_url.do_ref!(|url| assert!(is_card_url(url), EBadCardUrl));
    Profile { name, description, skills, card_url }
}

/// Whether the text is short enough and contains no NUL, which databases cannot store.
fun is_text(text: &String, max_bytes: u64): bool {
    text.length() <= max_bytes && !text.as_bytes().contains(&0)
}

fun is_card_url(url: &String): bool {
    let bytes = url.as_bytes();
    let scheme = CARD_URL_SCHEME;
    // Compared by bytes: `substring` aborts if a character of several bytes crosses the end.
    bytes.length() > scheme.length() &&
    is_text(url, MAX_CARD_URL_BYTES) &&
    vector::tabulate!(scheme.length(), |at| bytes[at]) == scheme
}

#[test_only]
public fun init_for_testing(ctx: &mut TxContext) {
    init(ctx)
}

#[test_only]
public fun set_version_for_testing(registry: &mut Registry, version: u64) {
    registry.version = version
}
