/// How objects of a type are shown: one shared `Display` for each type, whose id derives from the registry at 0xd.
module sui::display_registry;

use std::internal::Permit;
use std::string::String;
use sui::derived_object;
use sui::display::Display as OldDisplay;
use sui::package::Publisher;
use sui::vec_map::{Self, VecMap};

/// Who may move displays of the older form here without owning them.
const MIGRATOR: address = @0xf00;

#[error(code = 0)]
const ENotSystemAddress: vector<u8> = b"Only the system makes the registry.";
#[error(code = 1)]
const EDisplayAlreadyExists: vector<u8> = b"The type has a display.";
#[error(code = 2)]
const ECapAlreadyClaimed: vector<u8> = b"The display has a capability.";
#[error(code = 3)]
const ENotValidPublisher: vector<u8> = b"The publisher did not publish the type.";
#[error(code = 4)]
const EFieldDoesNotExist: vector<u8> = b"The display has no field of this name.";
#[error(code = 5)]
const ECapNotClaimed: vector<u8> = b"The display has no capability yet.";

public struct DisplayRegistry has key {
    id: UID,
}

public struct SystemMigrationCap has key {
    id: UID,
}

public struct Display<phantom T> has key {
    id: UID,
    fields: VecMap<String, String>,
    /// Absent while nobody claimed what the system moved here.
    cap_id: Option<ID>,
}

/// The right to change the fields.
public struct DisplayCap<phantom T> has key, store {
    id: UID,
}

/// What the id of a type's display derives from.
public struct DisplayKey<phantom T>() has copy, drop, store;

public fun new<T>(
    registry: &mut DisplayRegistry,
    _: Permit<T>,
    ctx: &mut TxContext,
): (Display<T>, DisplayCap<T>) {
    create_with_cap(registry, vec_map::empty(), ctx)
}

#[allow(unused_mut_parameter)]
public fun new_with_publisher<T>(
    registry: &mut DisplayRegistry,
    publisher: &mut Publisher,
    ctx: &mut TxContext,
): (Display<T>, DisplayCap<T>) {
    assert!(publisher.from_package<T>(), ENotValidPublisher);
    create_with_cap(registry, vec_map::empty(), ctx)
}

public fun set<T>(display: &mut Display<T>, _: &DisplayCap<T>, name: String, value: String) {
    if (display.fields.contains(&name)) { display.fields.remove(&name); };
    display.fields.insert(name, value)
}

public fun unset<T>(display: &mut Display<T>, _: &DisplayCap<T>, name: String) {
    assert!(display.fields.contains(&name), EFieldDoesNotExist);
    display.fields.remove(&name);
}

public fun clear<T>(display: &mut Display<T>, _: &DisplayCap<T>) {
    display.fields = vec_map::empty()
}

public fun share<T>(display: Display<T>) {
    transfer::share_object(display)
}

public fun claim<T: key>(
    display: &mut Display<T>,
    legacy: OldDisplay<T>,
    ctx: &mut TxContext,
): DisplayCap<T> {
    assert!(display.cap_id.is_none(), ECapAlreadyClaimed);
    legacy.destroy();
    first_cap(display, ctx)
}

#[allow(unused_mut_parameter)]
public fun claim_with_publisher<T: key>(
    display: &mut Display<T>,
    publisher: &mut Publisher,
    ctx: &mut TxContext,
): DisplayCap<T> {
    assert!(display.cap_id.is_none(), ECapAlreadyClaimed);
    assert!(publisher.from_package<T>(), ENotValidPublisher);
    first_cap(display, ctx)
}

/// Does nothing for a type that has a display.
public fun system_migration<T: key>(
    registry: &mut DisplayRegistry,
    _: &SystemMigrationCap,
    keys: vector<String>,
    values: vector<String>,
    _ctx: &mut TxContext,
) {
    let key = DisplayKey<T>();
    if (derived_object::exists(&registry.id, key)) return;
    let fields = vec_map::from_keys_values(keys, values);
    let id = derived_object::claim(&mut registry.id, key);
    transfer::share_object(Display<T> { id, fields, cap_id: option::none() })
}

public fun migrate_v1_to_v2<T: key>(
    registry: &mut DisplayRegistry,
    legacy: OldDisplay<T>,
    ctx: &mut TxContext,
): (Display<T>, DisplayCap<T>) {
    let (display, cap) = create_with_cap(registry, *legacy.fields(), ctx);
    legacy.destroy();
    (display, cap)
}

entry fun destroy_system_migration_cap(cap: SystemMigrationCap) {
    let SystemMigrationCap { id } = cap;
    id.delete()
}

public fun delete_legacy<T: key>(display: &Display<T>, legacy: OldDisplay<T>) {
    assert!(display.cap_id.is_some(), ECapNotClaimed);
    legacy.destroy()
}

public fun fields<T>(display: &Display<T>): &VecMap<String, String> {
    &display.fields
}

public fun cap_id<T>(display: &Display<T>): Option<ID> {
    display.cap_id
}

/// The capability's id is the first new one.
fun create_with_cap<T>(
    registry: &mut DisplayRegistry,
    fields: VecMap<String, String>,
    ctx: &mut TxContext,
): (Display<T>, DisplayCap<T>) {
    let key = DisplayKey<T>();
    assert!(!derived_object::exists(&registry.id, key), EDisplayAlreadyExists);
    let cap = DisplayCap<T> { id: object::new(ctx) };
    let cap_id = option::some(cap.id.to_inner());
    (Display { id: derived_object::claim(&mut registry.id, key), fields, cap_id }, cap)
}

fun first_cap<T>(display: &mut Display<T>, ctx: &mut TxContext): DisplayCap<T> {
    let cap = DisplayCap<T> { id: object::new(ctx) };
    display.cap_id.fill(cap.id.to_inner());
    cap
}

#[allow(unused_function)]
fun create(ctx: &mut TxContext) {
    assert!(ctx.sender() == @0x0, ENotSystemAddress);
    transfer::share_object(DisplayRegistry { id: object::sui_display_registry_object_id() });
    transfer::transfer(SystemMigrationCap { id: object::new(ctx) }, MIGRATOR)
}
