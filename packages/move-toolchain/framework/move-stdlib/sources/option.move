/// A value or none of it, kept as a vector of at most one element (which fixes its BCS form).
module std::option;

public struct Option<Element> has copy, drop, store {
    vec: vector<Element>,
}

/// The option holds a value where it should hold none.
const EOPTION_IS_SET: u64 = 0x40000;
/// The option holds no value where it should hold one.
const EOPTION_NOT_SET: u64 = 0x40001;

public fun none<Element>(): Option<Element> {
    Option { vec: vector[] }
}

public fun some<Element>(e: Element): Option<Element> {
    Option { vec: vector[e] }
}

public fun is_none<Element>(t: &Option<Element>): bool {
    t.vec.length() == 0
}

public fun is_some<Element>(t: &Option<Element>): bool {
    t.vec.length() == 1
}

public fun contains<Element>(t: &Option<Element>, e_ref: &Element): bool {
    t.vec.contains(e_ref)
}

public fun borrow<Element>(t: &Option<Element>): &Element {
    assert!(t.is_some(), EOPTION_NOT_SET);
    &t.vec[0]
}

public fun borrow_with_default<Element>(t: &Option<Element>, default_ref: &Element): &Element {
    if (t.is_none()) default_ref else &t.vec[0]
}

public fun get_with_default<Element: copy + drop>(t: &Option<Element>, default: Element): Element {
    if (t.is_none()) default else t.vec[0]
}

public fun fill<Element>(t: &mut Option<Element>, e: Element) {
    assert!(t.is_none(), EOPTION_IS_SET);
    t.vec.push_back(e)
}

public fun extract<Element>(t: &mut Option<Element>): Element {
    assert!(t.is_some(), EOPTION_NOT_SET);
    t.vec.pop_back()
}

public fun borrow_mut<Element>(t: &mut Option<Element>): &mut Element {
    assert!(t.is_some(), EOPTION_NOT_SET);
    &mut t.vec[0]
}

public fun swap<Element>(t: &mut Option<Element>, e: Element): Element {
    let old = t.extract();
    t.vec.push_back(e);
    old
}

public fun swap_or_fill<Element>(t: &mut Option<Element>, e: Element): Option<Element> {
    let old = if (t.is_some()) some(t.vec.pop_back()) else none();
    t.vec.push_back(e);
    old
}

public fun destroy_with_default<Element: drop>(t: Option<Element>, default: Element): Element {
    if (t.is_some()) t.destroy_some() else default
}

public fun destroy_some<Element>(t: Option<Element>): Element {
    assert!(t.is_some(), EOPTION_NOT_SET);
    let Option { mut vec } = t;
    let value = vec.pop_back();
    vec.destroy_empty();
    value
}

public fun destroy_none<Element>(t: Option<Element>) {
    assert!(t.is_none(), EOPTION_IS_SET);
    let Option { vec } = t;
    vec.destroy_empty()
}

public fun to_vec<Element>(t: Option<Element>): vector<Element> {
    let Option { vec } = t;
    vec
}

// What follows are macros: they are expanded where they are used and leave no bytecode here.

public macro fun destroy<$T, $R: drop>($o: Option<$T>, $f: |$T| -> $R) {
    do!($o, $f)
}

public macro fun do<$T, $R: drop>($o: Option<$T>, $f: |$T| -> $R) {
    let o = $o;
    if (o.is_some()) { $f(o.destroy_some()); } else o.destroy_none()
}

public macro fun do_ref<$T, $R: drop>($o: &Option<$T>, $f: |&$T| -> $R) {
    let o = $o;
    if (o.is_some()) { $f(o.borrow()); }
}

public macro fun do_mut<$T, $R: drop>($o: &mut Option<$T>, $f: |&mut $T| -> $R) {
    let o = $o;
    if (o.is_some()) { $f(o.borrow_mut()); }
}

public macro fun and<$T, $U>($o: Option<$T>, $f: |$T| -> Option<$U>): Option<$U> {
    let o = $o;
    if (o.is_some()) $f(o.destroy_some()) else { o.destroy_none(); none() }
}

public macro fun map<$T, $U>($o: Option<$T>, $f: |$T| -> $U): Option<$U> {
    and!($o, |value| some($f(value)))
}

public macro fun map_ref<$T, $U>($o: &Option<$T>, $f: |&$T| -> $U): Option<$U> {
    let o = $o;
    if (o.is_some()) some($f(o.borrow())) else none()
}

public macro fun is_some_and<$T>($o: &Option<$T>, $f: |&$T| -> bool): bool {
    let o = $o;
    o.is_some() && $f(o.borrow())
}

public macro fun destroy_or<$T>($o: Option<$T>, $default: $T): $T {
    let o = $o;
    if (o.is_some()) o.destroy_some() else { o.destroy_none(); $default }
}

/// The option where it holds a value; the other one is evaluated only where it does not.
public macro fun or<$T>($o: Option<$T>, $default: Option<$T>): Option<$T> {
    let o = $o;
    if (o.is_some()) o else { o.destroy_none(); $default }
}

public macro fun and_ref<$T, $U>($o: &Option<$T>, $f: |&$T| -> Option<$U>): Option<$U> {
    let o = $o;
    if (o.is_some()) $f(o.borrow()) else none()
}

public macro fun filter<$T: drop>($o: Option<$T>, $f: |&$T| -> bool): Option<$T> {
    let o = $o;
    if (o.is_some() && $f(o.borrow())) o else none()
}

/// Like `destroy_or`, and leaves the option empty.
public macro fun extract_or<$T>($o: &mut Option<$T>, $default: $T): $T {
    let o = $o;
    if (o.is_some()) o.extract() else $default
}
