/// A vector in dynamic fields, for more elements than one object may hold.
module sui::table_vec;

use sui::table::{Self, Table};

/// The position is at or beyond the length.
const EIndexOutOfBound: u64 = 0;
/// There are still elements.
const ETableNonEmpty: u64 = 1;

public struct TableVec<phantom Element: store> has store {
    contents: Table<u64, Element>,
}

public fun empty<Element: store>(ctx: &mut TxContext): TableVec<Element> {
    TableVec { contents: table::new(ctx) }
}

public fun singleton<Element: store>(e: Element, ctx: &mut TxContext): TableVec<Element> {
    let mut made = empty(ctx);
    made.push_back(e);
    made
}

public fun length<Element: store>(t: &TableVec<Element>): u64 {
    t.contents.length()
}

public fun is_empty<Element: store>(t: &TableVec<Element>): bool {
    t.contents.is_empty()
}

#[syntax(index)]
public fun borrow<Element: store>(t: &TableVec<Element>, i: u64): &Element {
    assert!(i < t.length(), EIndexOutOfBound);
    &t.contents[i]
}

public fun push_back<Element: store>(t: &mut TableVec<Element>, e: Element) {
    let at = t.length();
    t.contents.add(at, e)
}

#[syntax(index)]
public fun borrow_mut<Element: store>(t: &mut TableVec<Element>, i: u64): &mut Element {
    assert!(i < t.length(), EIndexOutOfBound);
    &mut t.contents[i]
}

public fun pop_back<Element: store>(t: &mut TableVec<Element>): Element {
    let n = t.length();
    assert!(n > 0, EIndexOutOfBound);
    t.contents.remove(n - 1)
}

public fun destroy_empty<Element: store>(t: TableVec<Element>) {
    assert!(t.is_empty(), ETableNonEmpty);
    let TableVec { contents } = t;
    contents.destroy_empty()
}

/// Forgets the elements, which stay unreachable in storage.
public fun drop<Element: drop + store>(t: TableVec<Element>) {
    let TableVec { contents } = t;
    contents.drop()
}

public fun swap<Element: store>(t: &mut TableVec<Element>, i: u64, j: u64) {
    let n = t.length();
    assert!(i < n && j < n, EIndexOutOfBound);
    if (i == j) return;
    let (left, right) = (t.contents.remove(i), t.contents.remove(j));
    t.contents.add(i, right);
    t.contents.add(j, left)
}

/// Takes the element at `i` out and puts the last one in its place.
public fun swap_remove<Element: store>(t: &mut TableVec<Element>, i: u64): Element {
    assert!(i < t.length(), EIndexOutOfBound);
    let last = t.length() - 1;
    t.swap(i, last);
    t.pop_back()
}
