/// Like `sui::bag`, for objects, which stay objects of their own id in storage.
module sui::object_bag;

use sui::dynamic_object_field as field;

/// The bag still has entries.
const EBagNotEmpty: u64 = 0;

public struct ObjectBag has key, store {
    id: UID,
    size: u64,
}

public fun new(ctx: &mut TxContext): ObjectBag {
    ObjectBag { id: object::new(ctx), size: 0 }
}

public fun add<K: copy + drop + store, V: key + store>(bag: &mut ObjectBag, k: K, v: V) {
    field::add(&mut bag.id, k, v);
    bag.size = bag.size + 1
}

#[syntax(index)]
public fun borrow<K: copy + drop + store, V: key + store>(bag: &ObjectBag, k: K): &V {
    field::borrow(&bag.id, k)
}

#[syntax(index)]
public fun borrow_mut<K: copy + drop + store, V: key + store>(bag: &mut ObjectBag, k: K): &mut V {
    field::borrow_mut(&mut bag.id, k)
}

public fun remove<K: copy + drop + store, V: key + store>(bag: &mut ObjectBag, k: K): V {
    let v = field::remove(&mut bag.id, k);
    bag.size = bag.size - 1;
    v
}

public fun contains<K: copy + drop + store>(bag: &ObjectBag, k: K): bool {
    field::exists(&bag.id, k)
}

public fun contains_with_type<K: copy + drop + store, V: key + store>(bag: &ObjectBag, k: K): bool {
    field::exists_with_type<K, V>(&bag.id, k)
}

public fun length(bag: &ObjectBag): u64 {
    bag.size
}

public fun is_empty(bag: &ObjectBag): bool {
    bag.length() == 0
}

public fun destroy_empty(bag: ObjectBag) {
    assert!(bag.is_empty(), EBagNotEmpty);
    let ObjectBag { id, size: _ } = bag;
    id.delete()
}

public fun value_id<K: copy + drop + store>(bag: &ObjectBag, k: K): Option<ID> {
    field::id(&bag.id, k)
}
