/// Like `sui::dynamic_field`, for objects, which stay objects of their own id in storage.
module sui::dynamic_object_field;

use sui::dynamic_field as field;

/// Keeps these names apart from those of plain dynamic fields.
public struct Wrapper<Name> has copy, drop, store {
    name: Name,
}

public fun add<Name: copy + drop + store, Value: key + store>(
    object: &mut UID,
    name: Name,
    value: Value,
) {
    internal_add(object, name, value)
}

public fun borrow<Name: copy + drop + store, Value: key + store>(object: &UID, name: Name): &Value {
    internal_borrow(object, name)
}

public fun borrow_mut<Name: copy + drop + store, Value: key + store>(
    object: &mut UID,
    name: Name,
): &mut Value {
    internal_borrow_mut(object, name)
}

// The same for objects without `store`, of the framework's own modules.

public(package) fun internal_add<Name: copy + drop + store, Value: key>(
    object: &mut UID,
    name: Name,
    value: Value,
) {
    let key = Wrapper { name };
    field::add(object, key, object::id(&value));
    let (link, _) = field::field_info(object, key);
    field::add_child_object(link.to_address(), value)
}

public(package) fun internal_borrow<Name: copy + drop + store, Value: key>(
    object: &UID,
    name: Name,
): &Value {
    let (link, id) = field::field_info(object, Wrapper { name });
    field::borrow_child_object(link, id)
}

public(package) fun internal_borrow_mut<Name: copy + drop + store, Value: key>(
    object: &mut UID,
    name: Name,
): &mut Value {
    let (link, id) = field::field_info_mut(object, Wrapper { name });
    field::borrow_child_object_mut(link, id)
}

public fun remove<Name: copy + drop + store, Value: key + store>(object: &mut UID, name: Name): Value {
    let key = Wrapper { name };
    let (link, id) = field::field_info(object, key);
    let value = field::remove_child_object(link.to_address(), id);
    field::remove<Wrapper<Name>, ID>(object, key);
    value
}

/// True for an object of any type.
public fun exists<Name: copy + drop + store>(object: &UID, name: Name): bool {
    field::exists_with_type<Wrapper<Name>, ID>(object, Wrapper { name })
}

public fun exists_with_type<Name: copy + drop + store, Value: key + store>(
    object: &UID,
    name: Name,
): bool {
    if (!exists(object, name)) return false;
    let (link, id) = field::field_info(object, Wrapper { name });
    field::has_child_object_with_ty<Value>(link.to_address(), id)
}

public fun id<Name: copy + drop + store>(object: &UID, name: Name): Option<ID> {
    if (!exists(object, name)) return option::none();
    let (_, id) = field::field_info(object, Wrapper { name });
    option::some(id.to_id())
}

/// The value that the name had, which is removed, or none.
public fun remove_opt<Name: copy + drop + store, Value: key + store>(
    object: &mut UID,
    name: Name,
): Option<Value> {
    if (exists(object, name)) option::some(remove(object, name)) else option::none()
}

/// Binds the name to another value, of another type perhaps, and returns the one that it had.
public fun replace<Name: copy + drop + store, ValueNew: key + store, ValueOld: key + store>(
    object: &mut UID,
    name: Name,
    value: ValueNew,
): Option<ValueOld> {
    let old = remove_opt(object, name);
    add(object, name, value);
    old
}

/// The value of the name, which is added where there is none; only then is `$default` evaluated.
public macro fun borrow_or_add<$Name: copy + drop + store, $Value: key + store>(
    $object: &mut UID,
    $name: $Name,
    $default: $Value,
): &$Value {
    let object = $object;
    let name = $name;
    if (!exists(object, name)) add(object, name, $default);
    borrow(object, name)
}

public macro fun borrow_mut_or_add<$Name: copy + drop + store, $Value: key + store>(
    $object: &mut UID,
    $name: $Name,
    $default: $Value,
): &mut $Value {
    let object = $object;
    let name = $name;
    if (!exists(object, name)) add(object, name, $default);
    borrow_mut(object, name)
}

public macro fun get_do<$Name: copy + drop + store, $Value: key + store, $R: drop>(
    $object: &UID,
    $name: $Name,
    $f: |&$Value| -> $R,
) {
    let object = $object;
    let name = $name;
    if (exists(object, name)) { $f(borrow(object, name)); }
}

public macro fun get_mut_do<$Name: copy + drop + store, $Value: key + store, $R: drop>(
    $object: &mut UID,
    $name: $Name,
    $f: |&mut $Value| -> $R,
) {
    let object = $object;
    let name = $name;
    if (exists(object, name)) { $f(borrow_mut(object, name)); }
}

public macro fun get_fold<$Name: copy + drop + store, $Value: key + store, $R>(
    $object: &UID,
    $name: $Name,
    $none: $R,
    $some: |&$Value| -> $R,
): $R {
    let object = $object;
    let name = $name;
    if (exists(object, name)) $some(borrow(object, name)) else $none
}

public macro fun get_mut_fold<$Name: copy + drop + store, $Value: key + store, $R>(
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
