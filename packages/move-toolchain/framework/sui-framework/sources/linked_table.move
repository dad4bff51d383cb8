/// A map in dynamic fields that keeps its order: each entry names the keys before and after it.
module sui::linked_table;

use sui::dynamic_field as field;

/// The table still has entries.
const ETableNotEmpty: u64 = 0;
/// There is no first or last entry to take.
const ETableIsEmpty: u64 = 1;

public struct LinkedTable<K: copy + drop + store, phantom V: store> has key, store {
    id: UID,
    size: u64,
    head: Option<K>,
    tail: Option<K>,
}

public struct Node<K: copy + drop + store, V: store> has store {
    prev: Option<K>,
    next: Option<K>,
    value: V,
}

public fun new<K: copy + drop + store, V: store>(ctx: &mut TxContext): LinkedTable<K, V> {
    LinkedTable { id: object::new(ctx), size: 0, head: option::none(), tail: option::none() }
}

public fun front<K: copy + drop + store, V: store>(table: &LinkedTable<K, V>): &Option<K> {
    &table.head
}

public fun back<K: copy + drop + store, V: store>(table: &LinkedTable<K, V>): &Option<K> {
    &table.tail
}

public fun push_front<K: copy + drop + store, V: store>(table: &mut LinkedTable<K, V>, k: K, value: V) {
    let next = table.head;
    field::add(&mut table.id, k, Node { prev: option::none(), next, value });
    table.set_prev(next, option::some(k));
    table.head = option::some(k);
    table.size = table.size + 1
}

public fun push_back<K: copy + drop + store, V: store>(table: &mut LinkedTable<K, V>, k: K, value: V) {
    let prev = table.tail;
    field::add(&mut table.id, k, Node { prev, next: option::none(), value });
    table.set_next(prev, option::some(k));
    table.tail = option::some(k);
    table.size = table.size + 1
}

#[syntax(index)]
public fun borrow<K: copy + drop + store, V: store>(table: &LinkedTable<K, V>, k: K): &V {
    &table.node(k).value
}

#[syntax(index)]
public fun borrow_mut<K: copy + drop + store, V: store>(table: &mut LinkedTable<K, V>, k: K): &mut V {
    &mut table.node_mut(k).value
}

public fun prev<K: copy + drop + store, V: store>(table: &LinkedTable<K, V>, k: K): &Option<K> {
    &table.node(k).prev
}

public fun next<K: copy + drop + store, V: store>(table: &LinkedTable<K, V>, k: K): &Option<K> {
    &table.node(k).next
}

public fun remove<K: copy + drop + store, V: store>(table: &mut LinkedTable<K, V>, k: K): V {
    let Node<K, V> { prev, next, value } = field::remove(&mut table.id, k);
    table.set_next(prev, next);
    table.set_prev(next, prev);
    table.size = table.size - 1;
    value
}

public fun pop_front<K: copy + drop + store, V: store>(table: &mut LinkedTable<K, V>): (K, V) {
    assert!(table.head.is_some(), ETableIsEmpty);
    let k = *table.head.borrow();
    (k, table.remove(k))
}

public fun pop_back<K: copy + drop + store, V: store>(table: &mut LinkedTable<K, V>): (K, V) {
    assert!(table.tail.is_some(), ETableIsEmpty);
    let k = *table.tail.borrow();
    (k, table.remove(k))
}

public fun contains<K: copy + drop + store, V: store>(table: &LinkedTable<K, V>, k: K): bool {
    field::exists_with_type<K, Node<K, V>>(&table.id, k)
}

public fun length<K: copy + drop + store, V: store>(table: &LinkedTable<K, V>): u64 {
    table.size
}

public fun is_empty<K: copy + drop + store, V: store>(table: &LinkedTable<K, V>): bool {
    table.length() == 0
}

public fun destroy_empty<K: copy + drop + store, V: store>(table: LinkedTable<K, V>) {
    assert!(table.is_empty(), ETableNotEmpty);
    let LinkedTable { id, size: _, head: _, tail: _ } = table;
    id.delete()
}

/// Forgets the entries, which stay unreachable in storage.
public fun drop<K: copy + drop + store, V: drop + store>(table: LinkedTable<K, V>) {
    let LinkedTable { id, size: _, head: _, tail: _ } = table;
    id.delete()
}

fun node<K: copy + drop + store, V: store>(table: &LinkedTable<K, V>, k: K): &Node<K, V> {
    field::borrow(&table.id, k)
}

fun node_mut<K: copy + drop + store, V: store>(table: &mut LinkedTable<K, V>, k: K): &mut Node<K, V> {
    field::borrow_mut(&mut table.id, k)
}

/// What follows `at`; what is first when `at` is none.
fun set_next<K: copy + drop + store, V: store>(
    table: &mut LinkedTable<K, V>,
    at: Option<K>,
    next: Option<K>,
) {
    if (at.is_some()) table.node_mut(at.destroy_some()).next = next else table.head = next
}

/// What precedes `at`; what is last when `at` is none.
fun set_prev<K: copy + drop + store, V: store>(
    table: &mut LinkedTable<K, V>,
    at: Option<K>,
    prev: Option<K>,
) {
    if (at.is_some()) table.node_mut(at.destroy_some()).prev = prev else table.tail = prev
}
