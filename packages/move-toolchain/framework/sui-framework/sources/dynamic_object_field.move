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
    let key = Wrapper { name };
    field::add(object, key, object::id(&value));
    let (link, _) = field::field_info(object, key);
    field::add_child_object(link.to_address(), value)
}

public fun borrow<Name: copy + drop + store, Value: key + store>(object: &UID, name: Name): &Value {
    let (link, id) = field::field_info(object, Wrapper { name });
    field::borrow_child_object(link, id)
}

public fun borrow_mut<Name: copy + drop + store, Value: key + store>(
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
public fun exists_<Name: copy + drop + store>(object: &UID, name: Name): bool {
    field::exists_with_type<Wrapper<Name>, ID>(object, Wrapper { name })
}

public fun exists_with_type<Name: copy + drop + store, Value: key + store>(
    object: &UID,
    name: Name,
): bool {
    if (!exists_(object, name)) return false;
    let (link, id) = field::field_info(object, Wrapper { name });
    field::has_child_object_with_ty<Value>(link.to_address(), id)
}

public fun id<Name: copy + drop + store>(object: &UID, name: Name): Option<ID> {
    if (!exists_(object, name)) return option::none();
    let (_, id) = field::field_info(object, Wrapper { name });
    option::some(id.to_id())
}
