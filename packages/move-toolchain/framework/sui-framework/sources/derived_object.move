/// Ids that derive from a parent object and a key, so that anyone can work them out; each is claimed once.
module sui::derived_object;

use sui::dynamic_field as field;

/// The id was claimed before.
#[error(code = 0)]
const EObjectAlreadyExists: vector<u8> = b"Derived object is already claimed.";

/// The parent's mark that an id is taken.
public struct Claimed(ID) has copy, drop, store;

/// Keeps these ids apart from those of dynamic fields.
public struct DerivedObjectKey<K: copy + drop + store>(K) has copy, drop, store;

public fun claim<K: copy + drop + store>(parent: &mut UID, key: K): UID {
    let derived = derive_address(parent.to_inner(), key);
    let mark = Claimed(derived.to_id());
    assert!(!field::exists(parent, mark), EObjectAlreadyExists);
    let id = object::new_uid_from_hash(derived);
    field::add(parent, mark, ClaimedStatus::Reserved);
    id
}

public fun exists<K: copy + drop + store>(parent: &UID, key: K): bool {
    field::exists(parent, Claimed(derive_address(parent.to_inner(), key).to_id()))
}

public fun derive_address<K: copy + drop + store>(parent: ID, key: K): address {
    field::hash_type_and_key(parent.to_address(), DerivedObjectKey(key))
}

/// What the mark says.
public enum ClaimedStatus has store {
    Reserved,
}
