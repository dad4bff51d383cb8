/// How wallets and explorers show objects of a type: fields by name, with `{}` for the object's own fields.
module sui::display;

use std::string::String;
use sui::event;
use sui::package::Publisher;
use sui::vec_map::{Self, VecMap};

/// The publisher did not publish the type.
const ENotOwner: u64 = 0;
/// There are not as many names as values.
const EVecLengthMismatch: u64 = 1;

public struct Display<phantom T: key> has key, store {
    id: UID,
    fields: VecMap<String, String>,
    version: u16,
}

public struct DisplayCreated<phantom T: key> has copy, drop {
    id: ID,
}

public struct VersionUpdated<phantom T: key> has copy, drop {
    id: ID,
    version: u16,
    fields: VecMap<String, String>,
}

public fun new<T: key>(pub: &Publisher, ctx: &mut TxContext): Display<T> {
    assert!(is_authorized<T>(pub), ENotOwner);
    let id = object::new(ctx);
    event::emit(DisplayCreated<T> { id: id.to_inner() });
    Display { id, fields: vec_map::empty(), version: 0 }
}

public fun new_with_fields<T: key>(
    pub: &Publisher,
    fields: vector<String>,
    values: vector<String>,
    ctx: &mut TxContext,
): Display<T> {
    assert!(fields.length() == values.length(), EVecLengthMismatch);
    let mut display = new<T>(pub, ctx);
    display.add_multiple(fields, values);
    display
}

#[allow(lint(self_transfer))]
public entry fun create_and_keep<T: key>(pub: &Publisher, ctx: &mut TxContext) {
    transfer::public_transfer(new<T>(pub, ctx), ctx.sender())
}

/// Tells that the fields are as they should be: readers go by the last such event.
public entry fun update_version<T: key>(display: &mut Display<T>) {
    display.version = display.version + 1;
    let (id, version) = (display.id.to_inner(), display.version);
    event::emit(VersionUpdated<T> { id, version, fields: display.fields })
}

public entry fun add<T: key>(self: &mut Display<T>, name: String, value: String) {
    self.fields.insert(name, value)
}

public entry fun add_multiple<T: key>(
    self: &mut Display<T>,
    fields: vector<String>,
    mut values: vector<String>,
) {
    assert!(fields.length() == values.length(), EVecLengthMismatch);
    values.reverse();
    fields.do!(|name| self.add(name, values.pop_back()))
}

public entry fun edit<T: key>(self: &mut Display<T>, name: String, value: String) {
    self.fields.remove(&name);
    self.add(name, value)
}

public entry fun remove<T: key>(self: &mut Display<T>, name: String) {
    self.fields.remove(&name);
}

public(package) fun destroy<T: key>(self: Display<T>) {
    let Display { id, .. } = self;
    id.delete()
}

public fun is_authorized<T: key>(pub: &Publisher): bool {
    pub.from_package<T>()
}

public fun version<T: key>(d: &Display<T>): u16 {
    d.version
}

public fun fields<T: key>(d: &Display<T>): &VecMap<String, String> {
    &d.fields
}
