/// A value that can change its type: kept in a dynamic field under a version number.
module sui::versioned;

use sui::dynamic_field as field;

/// The promise belongs to another object, or the version does not grow.
const EInvalidUpgrade: u64 = 0;

public struct Versioned has key, store {
    id: UID,
    version: u64,
}

/// Only `upgrade` ends it.
public struct VersionChangeCap {
    versioned_id: ID,
    old_version: u64,
}

public fun create<T: store>(init_version: u64, init_value: T, ctx: &mut TxContext): Versioned {
    let mut made = Versioned { id: object::new(ctx), version: init_version };
    field::add(&mut made.id, init_version, init_value);
    made
}

public fun version(self: &Versioned): u64 {
    self.version
}

public fun load_value<T: store>(self: &Versioned): &T {
    field::borrow(&self.id, self.version)
}

public fun load_value_mut<T: store>(self: &mut Versioned): &mut T {
    field::borrow_mut(&mut self.id, self.version)
}

public fun remove_value_for_upgrade<T: store>(self: &mut Versioned): (T, VersionChangeCap) {
    let old_version = self.version;
    let cap = VersionChangeCap { versioned_id: object::id(self), old_version };
    (field::remove(&mut self.id, old_version), cap)
}

public fun upgrade<T: store>(self: &mut Versioned, new_version: u64, new_value: T, cap: VersionChangeCap) {
    let VersionChangeCap { versioned_id, old_version } = cap;
    assert!(versioned_id == object::id(self) && new_version > old_version, EInvalidUpgrade);
    self.version = new_version;
    field::add(&mut self.id, new_version, new_value)
}

public fun destroy<T: store>(self: Versioned): T {
    let Versioned { mut id, version } = self;
    let value = field::remove(&mut id, version);
    id.delete();
    value
}
