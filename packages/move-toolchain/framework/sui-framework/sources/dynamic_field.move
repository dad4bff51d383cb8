/// Values bound to an object under a name, each an object of its own whose id derives from parent and name.
module sui::dynamic_field;

/// The name is taken.
const EFieldAlreadyExists: u64 = 0;
#[allow(unused_const)]
/// Nothing is bound to the name.
const EFieldDoesNotExist: u64 = 1;
#[allow(unused_const)]
/// What is bound to the name is of another type.
const EFieldTypeMismatch: u64 = 2;
#[allow(unused_const)]
/// The name does not serialize.
const EBCSSerializationFailure: u64 = 3;
#[allow(unused_const)]
/// A shared object cannot become a field.
const ESharedObjectOperationNotSupported: u64 = 4;

public struct Field<Name: copy + drop + store, Value: store> has key {
    id: UID,
    name: Name,
    value: Value,
}

public fun add<Name: copy + drop + store, Value: store>(object: &mut UID, name: Name, value: Value) {
    let parent = object.to_address();
    let address = hash_type_and_key(parent, name);
    assert!(!has_child_object(parent, address), EFieldAlreadyExists);
    add_child_object(parent, Field { id: object::new_uid_from_hash(address), name, value })
}

public fun borrow<Name: copy + drop + store, Value: store>(object: &UID, name: Name): &Value {
    let address = hash_type_and_key(object.to_address(), name);
    &borrow_child_object<Field<Name, Value>>(object, address).value
}

public fun borrow_mut<Name: copy + drop + store, Value: store>(object: &mut UID, name: Name): &mut Value {
    let address = hash_type_and_key(object.to_address(), name);
    &mut borrow_child_object_mut<Field<Name, Value>>(object, address).value
}

public fun remove<Name: copy + drop + store, Value: store>(object: &mut UID, name: Name): Value {
    let parent = object.to_address();
    let address = hash_type_and_key(parent, name);
    let Field { id, name: _, value } = remove_child_object<Field<Name, Value>>(parent, address);
    id.delete();
    value
}

/// True for a value of any type.
public fun exists<Name: copy + drop + store>(object: &UID, name: Name): bool {
    let parent = object.to_address();
    has_child_object(parent, hash_type_and_key(parent, name))
}

/// The value that the name had, which is removed, or none.
public fun remove_opt<Name: copy + drop + store, Value: store>(
    object: &mut UID,
    name: Name,
): Option<Value> {
    if (exists(object, name)) option::some(remove(object, name)) else option::none()
}

/// Binds the name to another value, of another type perhaps, and returns the one that it had.
public fun replace<Name: copy + drop + store, ValueNew: store, ValueOld: store>(
    object: &mut UID,
    name: Name,
    value: ValueNew,
): Option<ValueOld> {
    let old = remove_opt(object, name);
    add(object, name, value);
    old
}

public fun exists_with_type<Name: copy + drop + store, Value: store>(object: &UID, name: Name): bool {
    let parent = object.to_address();
    has_child_object_with_ty<Field<Name, Value>>(parent, hash_type_and_key(parent, name))
}

/// The value of the name, which is added where there is none; only then is `$default` evaluated.
public macro fun borrow_or_add<$Name: copy + drop + store, $Value: store>(
    $object: &mut UID,
    $name: $Name,
    $default: $Value,
): &$Value {
    let object = $object;
    let name = $name;
    if (!exists(object, name)) add(object, name, $default);
    borrow(object, name)
}

public macro fun borrow_mut_or_add<$Name: copy + drop + store, $Value: store>(
    $object: &mut UID,
    $name: $Name,
    $default: $Value,
): &mut $Value {
    let object = $object;
    let name = $name;
    if (!exists(object, name)) add(object, name, $default);
    borrow_mut(object, name)
}

public macro fun get_do<$Name: copy + drop + store, $Value: store, $R: drop>(
    $object: &UID,
    $name: $Name,
    $f: |&$Value| -> $R,
) {
    let object = $object;
    let name = $name;
    if (exists(object, name)) { $f(borrow(object, name)); }
}

public macro fun get_mut_do<$Name: copy + drop + store, $Value: store, $R: drop>(
    $object: &mut UID,
    $name: $Name,
    $f: |&mut $Value| -> $R,
) {
    let object = $object;
    let name = $name;
    if (exists(object, name)) { $f(borrow_mut(object, name)); }
}

public macro fun get_fold<$Name: copy + drop + store, $Value: store, $R>(
    $object: &UID,
    $name: $Name,
    $none: $R,
    $some: |&$Value| -> $R,
): $R {
    let object = $object;
    let name = $name;
    if (exists(object, name)) $some(borrow(object, name)) else $none
}

public macro fun get_mut_fold<$Name: copy + drop + store, $Value: store, $R>(
    $object: &mut UID,
    $name: $Name,
    $none: $R,
    $some: |&mut $Value| -> $R,
): $R {
    let object = $object;
    let name = $name;
    if (exists(object, name)) $some(borrow_mut(object, name)) else $none
}

#[deprecated(note = b"Renamed to `exists`.")]
public fun exists_<Name: copy + drop + store>(object: &UID, name: Name): bool {
    exists(object, name)
}

#[deprecated(note = b"Renamed to `remove_opt`.")]
public fun remove_if_exists<Name: copy + drop + store, Value: store>(
    object: &mut UID,
    name: Name,
): Option<Value> {
    remove_opt(object, name)
}

public(package) fun field_info<Name: copy + drop + store>(object: &UID, name: Name): (&UID, address) {
    let address = hash_type_and_key(object.to_address(), name);
    let Field { id, name: _, value } = borrow_child_object<Field<Name, ID>>(object, address);
    (id, value.to_address())
}

public(package) fun field_info_mut<Name: copy + drop + store>(
    object: &mut UID,
    name: Name,
): (&mut UID, address) {
    let address = hash_type_and_key(object.to_address(), name);
    let Field { id, name: _, value } = borrow_child_object_mut<Field<Name, ID>>(object, address);
    (id, value.to_address())
}

public(package) native fun hash_type_and_key<K: copy + drop + store>(parent: address, k: K): address;
public(package) native fun add_child_object<Child: key>(parent: address, child: Child);
public(package) native fun borrow_child_object<Child: key>(object: &UID, id: address): &Child;
public(package) native fun borrow_child_object_mut<Child: key>(object: &mut UID, id: address): &mut Child;
public(package) native fun remove_child_object<Child: key>(parent: address, id: address): Child;
public(package) native fun has_child_object(parent: address, id: address): bool;
public(package) native fun has_child_object_with_ty<Child: key>(parent: address, id: address): bool;
