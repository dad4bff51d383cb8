/// A map in dynamic fields: keys and values of one type each, and a count.
module sui::table;

use sui::dynamic_field as field;

/// The table still has entries.
const ETableNotEmpty: u64 = 0;

public struct Table<phantom K: copy + drop + store, phantom V: store> has key, store {
    id: UID,
    size: u64,
}

public fun new<K: copy + drop + store, V: store>(ctx: &mut TxContext): Table<K, V> {
    Table { id: object::new(ctx), size: 0 }
}

public fun add<K: copy + drop + store, V: store>(table: &mut Table<K, V>, k: K, v: V) {
    field::add(&mut table.id, k, v);
    table.size = table.size + 1
}

#[syntax(index)]
public fun borrow<K: copy + drop + store, V: store>(table: &Table<K, V>, k: K): &V {
    field::borrow(&table.id, k)
}

#[syntax(index)]
public fun borrow_mut<K: copy + drop + store, V: store>(table: &mut Table<K, V>, k: K): &mut V {
    field::borrow_mut(&mut table.id, k)
}

public fun remove<K: copy + drop + store, V: store>(table: &mut Table<K, V>, k: K): V {
    let v = field::remove(&mut table.id, k);
    table.size = table.size - 1;
    v
}

public fun contains<K: copy + drop + store, V: store>(table: &Table<K, V>, k: K): bool {
    field::exists_with_type<K, V>(&table.id, k)
}

public fun length<K: copy + drop + store, V: store>(table: &Table<K, V>): u64 {
    table.size
}

public fun is_empty<K: copy + drop + store, V: store>(table: &Table<K, V>): bool {
    table.length() == 0
}

public fun destroy_empty<K: copy + drop + store, V: store>(table: Table<K, V>) {
    assert!(table.is_empty(), ETableNotEmpty);
    let Table { id, size: _ } = table;
    id.delete()
}

/// Forgets the entries, which stay unreachable in storage.
public fun drop<K: copy + drop + store, V: drop + store>(table: Table<K, V>) {
    let Table { id, size: _ } = table;
    id.delete()
}
