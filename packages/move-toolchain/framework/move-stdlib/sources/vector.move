/// Growable sequences. The basic operations are bytecode instructions; the rest is written over them.
#[defines_primitive(vector)]
module std::vector;

public use fun std::string::utf8 as vector.to_string;
public use fun std::string::try_utf8 as vector.try_to_string;
public use fun std::ascii::string as vector.to_ascii_string;
public use fun std::ascii::try_string as vector.try_to_ascii_string;

/// An index at or beyond the length.
const EINDEX_OUT_OF_BOUNDS: u64 = 0x20000;

#[bytecode_instruction]
public native fun empty<Element>(): vector<Element>;

#[bytecode_instruction]
public native fun length<Element>(v: &vector<Element>): u64;

#[syntax(index)]
#[bytecode_instruction]
public native fun borrow<Element>(v: &vector<Element>, i: u64): &Element;

#[bytecode_instruction]
public native fun push_back<Element>(v: &mut vector<Element>, e: Element);

#[syntax(index)]
#[bytecode_instruction]
public native fun borrow_mut<Element>(v: &mut vector<Element>, i: u64): &mut Element;

#[bytecode_instruction]
public native fun pop_back<Element>(v: &mut vector<Element>): Element;

#[bytecode_instruction]
public native fun destroy_empty<Element>(v: vector<Element>);

#[bytecode_instruction]
public native fun swap<Element>(v: &mut vector<Element>, i: u64, j: u64);

public fun singleton<Element>(e: Element): vector<Element> {
    vector[e]
}

public fun reverse<Element>(v: &mut vector<Element>) {
    let n = v.length();
    let mut i = 0;
    while (i < n / 2) {
        v.swap(i, n - 1 - i);
        i = i + 1;
    }
}

public fun append<Element>(lhs: &mut vector<Element>, mut other: vector<Element>) {
    other.reverse();
    while (other.length() > 0) lhs.push_back(other.pop_back());
    other.destroy_empty();
}

public fun is_empty<Element>(v: &vector<Element>): bool {
    v.length() == 0
}

public fun contains<Element>(v: &vector<Element>, e: &Element): bool {
    let (found, _) = v.index_of(e);
    found
}

/// `(true, position of the first equal element)`, or `(false, 0)`.
public fun index_of<Element>(v: &vector<Element>, e: &Element): (bool, u64) {
    let mut i = 0;
    while (i < v.length()) {
        if (&v[i] == e) return (true, i);
        i = i + 1;
    };
    (false, 0)
}

/// Takes the element at `i` out and closes the gap; the order stays.
public fun remove<Element>(v: &mut vector<Element>, i: u64): Element {
    let n = v.length();
    assert!(i < n, EINDEX_OUT_OF_BOUNDS);
    let mut at = i + 1;
    while (at < n) {
        v.swap(at - 1, at);
        at = at + 1;
    };
    v.pop_back()
}

/// Puts `e` at `i` (at most the length) and moves what follows one place on.
public fun insert<Element>(v: &mut vector<Element>, e: Element, i: u64) {
    let mut at = v.length();
    assert!(i <= at, EINDEX_OUT_OF_BOUNDS);
    v.push_back(e);
    while (at > i) {
        v.swap(at - 1, at);
        at = at - 1;
    }
}

/// Takes the element at `i` out and puts the last one in its place.
public fun swap_remove<Element>(v: &mut vector<Element>, i: u64): Element {
    let n = v.length();
    assert!(n > 0, EINDEX_OUT_OF_BOUNDS);
    v.swap(i, n - 1);
    v.pop_back()
}

public fun flatten<T>(v: vector<vector<T>>): vector<T> {
    let mut all = vector[];
    v.do!(|part| all.append(part));
    all
}

/// The first `n` elements, of which there are that many; the rest is dropped.
public fun take<T: drop>(mut v: vector<T>, n: u64): vector<T> {
    assert!(n <= v.length());
    while (v.length() > n) { v.pop_back(); };
    v
}

/// All but the first `n` elements.
public fun skip<T: drop>(mut v: vector<T>, n: u64): vector<T> {
    let mut rest = vector[];
    while (v.length() > n) rest.push_back(v.pop_back());
    rest.reverse();
    rest
}

// What follows are macros: they are expanded where they are used and leave no bytecode here.

public macro fun tabulate<$T>($n: u64, $f: |u64| -> $T): vector<$T> {
    let mut made = vector[];
    std::u64::do!($n, |i| made.push_back($f(i)));
    made
}

/// From the last element to the first.
public macro fun destroy<$T, $R: drop>($v: vector<$T>, $f: |$T| -> $R) {
    let mut v = $v;
    while (!v.is_empty()) { $f(v.pop_back()); };
    v.destroy_empty();
}

public macro fun do<$T, $R: drop>($v: vector<$T>, $f: |$T| -> $R) {
    let mut v = $v;
    v.reverse();
    while (!v.is_empty()) { $f(v.pop_back()); };
    v.destroy_empty();
}

public macro fun do_ref<$T, $R: drop>($v: &vector<$T>, $f: |&$T| -> $R) {
    let v = $v;
    std::u64::do!(v.length(), |i| { $f(&v[i]); });
}

public macro fun do_mut<$T, $R: drop>($v: &mut vector<$T>, $f: |&mut $T| -> $R) {
    let v = $v;
    std::u64::do!(v.length(), |i| { $f(&mut v[i]); });
}

public macro fun map<$T, $U>($v: vector<$T>, $f: |$T| -> $U): vector<$U> {
    let mut mapped = vector[];
    do!($v, |e| mapped.push_back($f(e)));
    mapped
}

public macro fun map_ref<$T, $U>($v: &vector<$T>, $f: |&$T| -> $U): vector<$U> {
    let mut mapped = vector[];
    do_ref!($v, |e| mapped.push_back($f(e)));
    mapped
}

public macro fun filter<$T: drop>($v: vector<$T>, $f: |&$T| -> bool): vector<$T> {
    let mut kept = vector[];
    do!($v, |e| if ($f(&e)) kept.push_back(e));
    kept
}

public macro fun fold<$T, $Acc>($v: vector<$T>, $init: $Acc, $f: |$Acc, $T| -> $Acc): $Acc {
    let mut folded = $init;
    do!($v, |e| folded = $f(folded, e));
    folded
}

public macro fun find_index<$T>($v: &vector<$T>, $f: |&$T| -> bool): Option<u64> {
    let v = $v;
    'find_index: {
        std::u64::do!(v.length(), |i| if ($f(&v[i])) return 'find_index option::some(i));
        option::none()
    }
}

public macro fun count<$T>($v: &vector<$T>, $f: |&$T| -> bool): u64 {
    let mut counted = 0;
    do_ref!($v, |e| if ($f(e)) counted = counted + 1);
    counted
}

public macro fun any<$T>($v: &vector<$T>, $f: |&$T| -> bool): bool {
    'any: {
        do_ref!($v, |e| if ($f(e)) return 'any true);
        false
    }
}

public macro fun all<$T>($v: &vector<$T>, $f: |&$T| -> bool): bool {
    'all: {
        do_ref!($v, |e| if (!$f(e)) return 'all false);
        true
    }
}

/// Those that hold and those that do not, each in their order.
public macro fun partition<$T>($v: vector<$T>, $f: |&$T| -> bool): (vector<$T>, vector<$T>) {
    let mut yes = vector[];
    let mut no = vector[];
    do!($v, |e| if ($f(&e)) yes.push_back(e) else no.push_back(e));
    (yes, no)
}

public macro fun find_indices<$T>($v: &vector<$T>, $f: |&$T| -> bool): vector<u64> {
    let v = $v;
    let mut found = vector[];
    std::u64::do!(v.length(), |i| if ($f(&v[i])) found.push_back(i));
    found
}

/// Two vectors of one length, element by element.
public macro fun zip_do<$T1, $T2, $R: drop>(
    $v1: vector<$T1>,
    $v2: vector<$T2>,
    $f: |$T1, $T2| -> $R,
) {
    let v1 = $v1;
    let mut v2 = $v2;
    v2.reverse();
    assert!(v1.length() == v2.length());
    do!(v1, |e1| $f(e1, v2.pop_back()));
    v2.destroy_empty();
}

public macro fun zip_do_reverse<$T1, $T2, $R: drop>(
    $v1: vector<$T1>,
    $v2: vector<$T2>,
    $f: |$T1, $T2| -> $R,
) {
    let v1 = $v1;
    let mut v2 = $v2;
    assert!(v1.length() == v2.length());
    destroy!(v1, |e1| $f(e1, v2.pop_back()));
    v2.destroy_empty();
}

public macro fun zip_do_ref<$T1, $T2, $R: drop>(
    $v1: &vector<$T1>,
    $v2: &vector<$T2>,
    $f: |&$T1, &$T2| -> $R,
) {
    let v1 = $v1;
    let v2 = $v2;
    assert!(v1.length() == v2.length());
    std::u64::do!(v1.length(), |i| { $f(&v1[i], &v2[i]); });
}

public macro fun zip_map<$T1, $T2, $U>(
    $v1: vector<$T1>,
    $v2: vector<$T2>,
    $f: |$T1, $T2| -> $U,
): vector<$U> {
    let mut mapped = vector[];
    zip_do!($v1, $v2, |e1, e2| mapped.push_back($f(e1, e2)));
    mapped
}

public macro fun zip_map_ref<$T1, $T2, $U>(
    $v1: &vector<$T1>,
    $v2: &vector<$T2>,
    $f: |&$T1, &$T2| -> $U,
): vector<$U> {
    let mut mapped = vector[];
    zip_do_ref!($v1, $v2, |e1, e2| mapped.push_back($f(e1, e2)));
    mapped
}

public macro fun zip_do_mut<$T1, $T2, $R: drop>(
    $v1: &mut vector<$T1>,
    $v2: &mut vector<$T2>,
    $f: |&mut $T1, &mut $T2| -> $R,
) {
    let v1 = $v1;
    let v2 = $v2;
    assert!(v1.length() == v2.length());
    std::u64::do!(v1.length(), |i| { $f(&mut v1[i], &mut v2[i]); });
}

/// Stable. `$le` says whether its first argument may stand before the second.
public macro fun insertion_sort_by<$T>($v: &mut vector<$T>, $le: |&$T, &$T| -> bool) {
    let v = $v;
    std::u64::range_do!(1, v.length(), |end| {
        let mut at = end;
        while (at > 0 && !$le(&v[at - 1], &v[at])) {
            v.swap(at - 1, at);
            at = at - 1;
        }
    })
}

/// Stable. Runs of elements that are sorted already are merged, each time with the next, until there is one.
public macro fun merge_sort_by<$T>($v: &mut vector<$T>, $le: |&$T, &$T| -> bool) {
    let v = $v;
    let n = v.length();
    let mut width = 1;
    while (width < n) {
        let mut merged = vector[];
        let mut rest = vector[];
        while (!v.is_empty()) rest.push_back(v.pop_back());
        while (!rest.is_empty()) {
            let mut left = vector[];
            while (left.length() < width && !rest.is_empty()) left.push_back(rest.pop_back());
            let mut right = vector[];
            while (right.length() < width && !rest.is_empty()) right.push_back(rest.pop_back());
            left.reverse();
            right.reverse();
            while (!left.is_empty() && !right.is_empty()) {
                let left_first = $le(&left[left.length() - 1], &right[right.length() - 1]);
                merged.push_back(if (left_first) left.pop_back() else right.pop_back());
            };
            while (!left.is_empty()) merged.push_back(left.pop_back());
            while (!right.is_empty()) merged.push_back(right.pop_back());
            left.destroy_empty();
            right.destroy_empty();
        };
        rest.destroy_empty();
        merged.reverse();
        while (!merged.is_empty()) v.push_back(merged.pop_back());
        merged.destroy_empty();
        width = width * 2;
    }
}

public macro fun is_sorted_by<$T>($v: &vector<$T>, $le: |&$T, &$T| -> bool): bool {
    let v = $v;
    let n = v.length();
    'sorted: {
        if (n > 1) std::u64::do!(n - 1, |i| if (!$le(&v[i], &v[i + 1])) return 'sorted false);
        true
    }
}

/// The elements up to the first for which `$p` does not hold; the rest is dropped.
public macro fun take_while<$T: drop>($v: vector<$T>, $p: |&$T| -> bool): vector<$T> {
    let v = $v;
    let n = v.length();
    let mut kept = 0;
    while (kept < n && $p(&v[kept])) kept = kept + 1;
    v.take(kept)
}

/// The elements from the first on for which `$p` does not hold.
public macro fun skip_while<$T: drop>($v: vector<$T>, $p: |&$T| -> bool): vector<$T> {
    let v = $v;
    let n = v.length();
    let mut dropped = 0;
    while (dropped < n && $p(&v[dropped])) dropped = dropped + 1;
    v.skip(dropped)
}
