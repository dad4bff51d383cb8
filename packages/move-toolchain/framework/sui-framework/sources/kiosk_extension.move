/// What others may do in a kiosk, as its owner allows, and where they store what they need for it.
module sui::kiosk_extension;

use sui::bag::{Self, Bag};
use sui::dynamic_field as field;
use sui::kiosk::{Kiosk, KioskOwnerCap};
use sui::transfer_policy::TransferPolicy;

/// The cap belongs to another kiosk.
const ENotOwner: u64 = 0;
/// The owner did not allow it, or disabled the extension.
const EExtensionNotAllowed: u64 = 2;
const EExtensionNotInstalled: u64 = 3;

/// Bits of `permissions`.
const PLACE: u128 = 1;
const LOCK: u128 = 2;

public struct Extension has store {
    storage: Bag,
    permissions: u128,
    is_enabled: bool,
}

public struct ExtensionKey<phantom Ext> has copy, drop, store {}

public fun add<Ext: drop>(
    _ext: Ext,
    self: &mut Kiosk,
    cap: &KioskOwnerCap,
    permissions: u128,
    ctx: &mut TxContext,
) {
    check_owner(self, cap);
    let extension = Extension { storage: bag::new(ctx), permissions, is_enabled: true };
    field::add(self.uid_mut_as_owner(cap), ExtensionKey<Ext> {}, extension)
}

public fun disable<Ext: drop>(self: &mut Kiosk, cap: &KioskOwnerCap) {
    set_enabled<Ext>(self, cap, false)
}

public fun enable<Ext: drop>(self: &mut Kiosk, cap: &KioskOwnerCap) {
    set_enabled<Ext>(self, cap, true)
}

/// Only with an empty storage.
public fun remove<Ext: drop>(self: &mut Kiosk, cap: &KioskOwnerCap) {
    check_owner(self, cap);
    check_installed<Ext>(self);
    let extension: Extension = field::remove(self.uid_mut_as_owner(cap), ExtensionKey<Ext> {});
    let Extension { storage, permissions: _, is_enabled: _ } = extension;
    storage.destroy_empty()
}

public fun storage<Ext: drop>(_ext: Ext, self: &Kiosk): &Bag {
    check_installed<Ext>(self);
    &extension<Ext>(self).storage
}

public fun storage_mut<Ext: drop>(_ext: Ext, self: &mut Kiosk): &mut Bag {
    check_installed<Ext>(self);
    &mut extension_mut<Ext>(self).storage
}

/// Who may lock may place.
public fun place<Ext: drop, T: key + store>(
    _ext: Ext,
    self: &mut Kiosk,
    item: T,
    _policy: &TransferPolicy<T>,
) {
    check_installed<Ext>(self);
    assert!(can_place<Ext>(self) || can_lock<Ext>(self), EExtensionNotAllowed);
    self.place_internal(item)
}

public fun lock<Ext: drop, T: key + store>(
    _ext: Ext,
    self: &mut Kiosk,
    item: T,
    _policy: &TransferPolicy<T>,
) {
    check_installed<Ext>(self);
    assert!(can_lock<Ext>(self), EExtensionNotAllowed);
    self.lock_internal(item)
}

public fun is_installed<Ext: drop>(self: &Kiosk): bool {
    field::exists_(self.uid(), ExtensionKey<Ext> {})
}

public fun is_enabled<Ext: drop>(self: &Kiosk): bool {
    extension<Ext>(self).is_enabled
}

public fun can_place<Ext: drop>(self: &Kiosk): bool {
    allows<Ext>(self, PLACE)
}

public fun can_lock<Ext: drop>(self: &Kiosk): bool {
    allows<Ext>(self, LOCK)
}

fun allows<Ext: drop>(self: &Kiosk, permission: u128): bool {
    let extension = extension<Ext>(self);
    extension.is_enabled && extension.permissions & permission != 0
}

fun set_enabled<Ext: drop>(self: &mut Kiosk, cap: &KioskOwnerCap, is_enabled: bool) {
    check_owner(self, cap);
    check_installed<Ext>(self);
    extension_mut<Ext>(self).is_enabled = is_enabled
}

fun check_owner(self: &mut Kiosk, cap: &KioskOwnerCap) {
    assert!(self.has_access(cap), ENotOwner)
}

fun check_installed<Ext: drop>(self: &Kiosk) {
    assert!(is_installed<Ext>(self), EExtensionNotInstalled)
}

fun extension<Ext: drop>(self: &Kiosk): &Extension {
    field::borrow(self.uid(), ExtensionKey<Ext> {})
}

fun extension_mut<Ext: drop>(self: &mut Kiosk): &mut Extension {
    field::borrow_mut(self.uid_mut_internal(), ExtensionKey<Ext> {})
}
