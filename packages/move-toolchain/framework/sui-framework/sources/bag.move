/// A map in dynamic fields whose keys and values may be of any types, and a count.
module sui::bag;

use sui::dynamic_field as field;

/// The bag still has entries.
const EBagNotEmpty: u64 = 0;

public struct Bag has key, store {
    id: UID,
    size: u64,
}

public fun new(ctx: &mut TxContext): Bag {
    Bag { id: object::new(ctx), size: 0 }
}

public fun add<K: copy + drop + store, V: store>(bag: &mut Bag, k: K, v: V) {
    field::add(&mut bag.id, k, v);
    bag.size = bag.size + 1
}

#[syntax(index)]
public fun borrow<K: copy + drop + store, V: store>(bag: &Bag, k: K): &V {
    field::borrow(&bag.id, k)
}

#[syntax(index)]
public fun borrow_mut<K: copy + drop + store, V: store>(bag: &mut Bag, k: K): &mut V {
    field::borrow_mut(&mut bag.id, k)
}

public fun remove<K: copy + drop + store, V: store>(bag: &mut Bag, k: K): V {
    let v = field::remove(&mut bag.id, k);
    bag.size = bag.size - 1;
    v
}

public fun contains<K: copy + drop + store>(bag: &Bag, k: K): bool {
    field::exists(&bag.id, k)
}

public fun contains_with_type<K: copy + drop + store, V: store>(bag: &Bag, k: K): bool {
    field::exists_with_type<K, V>(&bag.id, k)
}

public fun length(bag: &Bag): u64 {
    bag.size
}

public fun is_empty(bag: &Bag): bool {
    bag.length() == 0
}

public fun destroy_empty(bag: Bag) {
    assert!(bag.is_empty(), EBagNotEmpty);
    let Bag { id, size: _ } = bag;
    id.delete()
}
