import { casesOf, type Suite } from '../suite.ts';

const members = `
  public enum Shape has copy, drop, store { Circle { r: u64 }, Rect(u64, u64), Unit }
  public enum Tree<T> has copy, drop, store { Leaf(T), Pair { left: T, right: T } }
  public enum Deep has copy, drop, store { Node { shape: Shape, more: vector<Shape> }, Flag(bool, Option<u8>), End }
  public enum Sealed { Open { v: vector<u8> }, Closed }
  public struct Point has copy, drop, store { x: u64, y: u8 }
  public struct Pair<A, B> has copy, drop, store { a: A, b: B }
  public struct Nest<T> has copy, drop, store { pair: Pair<T, Pair<T, bool>>, list: vector<T> }
  public struct Key<phantom T> has copy, drop, store {}
  public struct NoCopy has drop { v: vector<u8> }
  public struct Potato { v: u64 }
  public struct Positional(u8, vector<u8>) has copy, drop, store;
  const TEXT: vector<u8> = b"hello";
  const TABLE: vector<vector<u64>> = vector[vector[1, 2], vector[], vector[3]];
  const BIG: u256 = 115792089237316195423570985008687907853269984665640564039457584007913129639935;
  const HALF: u128 = 170141183460469231731687303715884105727;
  const WHO: address = @0xa11ce;
  const YES: bool = !false;
  const SMALL: u16 = 0xff << 8;
  const EOwn: u64 = 0x1234;

  fun area(s: &Shape): u64 { match (s) { Shape::Circle { r } => *r * *r, Shape::Rect(a, b) => *a * *b, Shape::Unit => 0 } }
  fun grow(s: &mut Shape, by: u64) { match (s) { Shape::Circle { r } => *r = *r + by, Shape::Rect(a, _) => *a = *a + by, _ => abort 5 } }
  fun first<T: copy + drop>(t: Tree<T>): T { match (t) { Tree::Leaf(x) => x, Tree::Pair { left, .. } => left } }
  fun left<T>(t: &Tree<T>): &T { match (t) { Tree::Leaf(x) => x, Tree::Pair { left, .. } => left } }
  fun set_right<T: drop>(t: &mut Tree<T>, v: T) { match (t) { Tree::Leaf(x) => *x = v, Tree::Pair { right, .. } => *right = v } }
  fun righted<T: drop>(mut t: Tree<T>, v: T): Tree<T> { set_right(&mut t, v); t }
  fun grown(mut s: Shape, by: u64): Shape { grow(&mut s, by); s }
  fun mirror<T>(t: Tree<T>): Tree<T> { match (t) { Tree::Pair { left, right } => Tree::Pair { left: right, right: left }, leaf => leaf } }
  fun deep(d: Deep): u64 { match (d) { Deep::Node { shape: Shape::Circle { r }, more } if (*r > 3) => more.length() + r, Deep::Node { shape, .. } => area(&shape), Deep::Flag(true, _) => 11, Deep::Flag(_, o) => o.destroy_with_default(9) as u64, Deep::End => abort EOwn } }
  fun number(n: u64): u64 { match (n) { 0 => 10, 1 | 2 => 20, x if (*x > 100) => x - 100, _ => 40 } }
  fun opened(s: Sealed): vector<u8> { match (s) { Sealed::Open { v } => v, Sealed::Closed => vector[] } }
  fun sealed(v: vector<u8>): Sealed { if (v.is_empty()) Sealed::Closed else Sealed::Open { v } }
  fun swapped<A, B>(p: Pair<A, B>): Pair<B, A> { let Pair { a, b } = p; Pair { a: b, b: a } }
  fun nest<T: copy>(t: T): Nest<T> { Nest { pair: Pair { a: t, b: Pair { a: t, b: true } }, list: vector[t, t] } }
  fun renest<T: copy + drop>(mut n: Nest<T>, t: T): Nest<T> { n.pair.b.a = t; let a = n.pair.a; n.list.push_back(a); n.pair.b.b = n.list[0] == t; n }
  fun moved(p: Point): Point { let mut q = p; q.x = q.x + 1; let r = &mut q.y; *r = *r + 1; q }
  fun longer(a: &u64): &u64 { a }
  fun larger(a: &mut u64, b: &mut u64): &mut u64 { if (*a > *b) a else b }
  fun raised(mut a: u64, mut b: u64): vector<u64> { { let r = larger(&mut a, &mut b); *r = *r * 2 }; vector[a, b] }
  fun frozen(p: &mut Point): u64 { p.x = 7; read(p) }
  fun read(p: &Point): u64 { p.x + (p.y as u64) }
  fun field(p: &mut Point): &mut u8 { &mut p.y }
  fun fields(mut p: Point): Point { *field(&mut p) = 200; let y = &mut p.y; *y = *y + 55; p }
  fun generic_field<A: copy + drop, B: copy + drop>(mut p: Pair<A, B>, b: B): Pair<A, B> { let r = &mut p.b; *r = b; let f = &p.a; Pair { a: *f, b: p.b } }
  fun bump(x: &mut u64): u64 { *x = *x + 1; *x }
  fun twice(mut x: u64): u64 { bump(&mut x) * 100 + bump(&mut x) }
  fun order(): vector<u64> { let mut x = 1; vector[bump(&mut x), x, bump(&mut x), x * 10] }
  fun fib(n: u64): u64 { if (n < 2) n else fib(n - 1) + fib(n - 2) }
  fun even(n: u64): bool { n == 0 || odd(n - 1) }
  fun odd(n: u64): bool { n != 0 && even(n - 1) }
  fun collatz(mut n: u64): u64 { let mut steps = 0; while (n != 1) { n = if (n % 2 == 0) n / 2 else 3 * n + 1; steps = steps + 1 }; steps }
  fun early(n: u64): u64 { let mut i = 0; loop { if (i > n) break; i = i + 1; if (i % 3 == 0) continue; if (i == 7) return 77 }; i }
  fun labelled(n: u64): u64 { let mut sum = 0; 'outer: loop { let mut j = 0; while (j < n) { j = j + 1; if (j == 4) continue 'outer; sum = sum + j; if (sum > 40) break 'outer; }; return sum * 1000 }; sum }
  fun valued(n: u64): u64 { 'a: { if (n > 5) return 'a 1; let x = loop { if (n > 2) break 10; break 20 }; x + n } }
  fun at<T: copy>(v: &vector<T>, i: u64): T { v[i] }
  fun set_at(mut v: vector<u64>, i: u64, x: u64): vector<u64> { *&mut v[i] = x; v }
  fun swap_at<T>(mut v: vector<T>, i: u64, j: u64): vector<T> { v.swap(i, j); v }
  fun popped(mut v: vector<u64>): (u64) { v.pop_back() }
  fun removed(mut v: vector<u64>, i: u64): vector<u64> { v.remove(i); v }
  fun swap_removed(mut v: vector<u64>, i: u64): vector<u64> { v.swap_remove(i); v }
  fun inserted(mut v: vector<u64>, i: u64): vector<u64> { v.insert(99, i); v }
  fun joined<T: copy + drop>(mut a: vector<T>, b: vector<T>): vector<T> { a.append(b); a.reverse(); a }
  fun nested(): vector<vector<u64>> { let mut t = TABLE; t[1].push_back(9); *&mut t[0] = vector[]; t }
  fun points(mut v: vector<Point>, i: u64): vector<Point> { v[i].x = v[i].x + 1; let p = v.pop_back(); v.push_back(Point { x: p.x * 2, y: 0 }); v.push_back(p); v }
  fun sum(v: vector<u64>): u64 { let mut sum = 0; v.do!(|x| sum = sum + x); sum }
  fun macros(v: vector<u64>): vector<u64> { v.filter!(|x| *x % 2 == 1).map!(|x| x * x) }
  fun folded(v: vector<u64>): u64 { v.fold!(1, |acc, x| acc * 3 + x) }
  fun emptied(v: vector<u64>) { v.destroy_empty() }
  fun keep(n: NoCopy): vector<u8> { let NoCopy { v } = n; v }
  fun baked_ref(): NoCopy { NoCopy { v: TEXT } }
  fun baked(v: u64): Potato { Potato { v } }
  fun eaten(p: Potato): u64 { let Potato { v } = p; v }
  fun both(a: bool, b: bool): bool { a && !b || b && !a }
  fun lazy(a: bool): bool { a || { abort 9 } }
  fun code(c: u64): u64 { if (c > 0) abort c; c }
  fun asserted(a: bool): u64 { assert!(a, EOwn); 1 }
  fun pass<T>(t: T): T { t }
  fun twice_of<T: copy>(t: &T): vector<T> { vector[*t, *t] }
  fun tuple(a: u64): (u64, bool, vector<u8>) { (a + 1, a > 3, TEXT) }
  fun untuple(a: u64): vector<u64> { let (x, y, z) = tuple(a); vector[x, if (y) 1 else 0, z.length()] }
  fun same<T: drop>(a: T, b: T): bool { a == b }
  fun same_ref<T>(a: &T, b: &T): bool { a == b }
  fun shadowed(x: u64): u64 { let x = x + 1; let x = { let x = x * 2; x + 1 }; x }
  fun assigned(mut a: u64, mut b: u64): vector<u64> { (a, b) = (b, a + b); vector[a, b] }
  fun written(mut p: Pair<Point, u8>): Pair<Point, u8> { let r = &mut p; *r = Pair { a: Point { x: r.a.x + 1, y: 3 }, b: r.b }; p }
  fun copies(mut p: Point): vector<Point> { let q = p; p.x = 100; vector[p, q] }
  fun vec_copies(mut v: vector<vector<u8>>): vector<vector<u8>> { let w = v[0]; v[0].push_back(7); v.push_back(w); v }
  fun enum_copies(mut s: Shape): vector<Shape> { let t = s; grow(&mut s, 1); vector[s, t] }
  fun many(a: u8, b: u16, c: u32, d: u64, e: u128, f: u256, g: bool, h: address): u256 { (a as u256) + (b as u256) + (c as u256) + (d as u256) + (e as u256) + f + (if (g) 1 else 0) + h.to_u256() }
`;

const cases = casesOf({
  u64: [
    'area(&Shape::Circle { r: 5 })',
    'area(&Shape::Rect(3, 4))',
    'area(&Shape::Unit)',
    'area(&Shape::Rect(18446744073709551615, 2))',
    'deep(Deep::Node { shape: Shape::Circle { r: 4 }, more: vector[Shape::Unit] })',
    'deep(Deep::Node { shape: Shape::Circle { r: 2 }, more: vector[] })',
    'deep(Deep::Node { shape: Shape::Rect(2, 8), more: vector[] })',
    'deep(Deep::Flag(true, option::none()))',
    'deep(Deep::Flag(false, option::some(4)))',
    'deep(Deep::Flag(false, option::none()))',
    'deep(Deep::End)',
    'number(0)',
    'number(2)',
    'number(777)',
    'number(50)',
    'frozen(&mut Point { x: 1, y: 2 })',
    '*longer(&5)',
    'twice(5)',
    'twice(18446744073709551614)',
    'fib(12)',
    'collatz(27)',
    'early(3)',
    'early(30)',
    'labelled(3)',
    'labelled(9)',
    'valued(1)',
    'valued(3)',
    'valued(9)',
    'popped(vector[1, 2])',
    'popped(vector[])',
    'sum(vector[4, 5, 6])',
    'sum(vector[18446744073709551615, 1])',
    'folded(vector[1, 2, 3])',
    'eaten(baked(3))',
    'code(0)',
    'code(1)',
    'code(18446744073709551615)',
    'asserted(true)',
    'asserted(false)',
    'shadowed(3)',
    'option::none<u64>().destroy_some()',
    '*option::some(3).borrow()',
    'option::some(3).destroy_with_default(4)',
    '5u64.pow(7)',
    '5u64.pow(70)',
    '1000000u64.sqrt()',
    '18446744073709551615u64.sqrt()',
    '7u64.diff(9)',
    '7u64.divide_and_round_up(2)',
    '7u64.divide_and_round_up(0)',
    '7u64.max(9) * 10 + 7u64.min(9)',
    'TABLE.length()',
    '{ let mut x = 5; let r = &mut x; *r = 6; let s = &*r; *s + x }',
    '{ let f = Positional(3, b"ab"); (f.0 as u64) + f.1.length() }',
  ],
  u8: [
    'first(Tree::Leaf(7u8))',
    '*left(&Tree::Pair { left: 1u8, right: 2u8 })',
    '*left(&Tree::Leaf(9u8))',
    'at(&TEXT, 4)',
    'at(&TEXT, 5)',
    'TEXT[0]',
    'pass(3u8)',
    'pass<u8>(255) + pass(1)',
  ],
  u16: ['SMALL', 'at(&vector[1u16, 2u16], 1)', 'pass(65535u16)'],
  u32: ['at(&vector[1u32, 4000000000u32], 1)', 'swapped(Pair { a: 1u8, b: 2u32 }).a'],
  u128: ['HALF', 'HALF * 2 + 1', 'HALF * 2 + 2', 'first(Tree::Leaf(HALF))'],
  u256: [
    'BIG',
    'BIG + 1',
    'pass(BIG) - (HALF as u256)',
    'many(1, 2, 3, 4, 5, 6, true, @0x7)',
    'many(255, 65535, 4294967295, 18446744073709551615, HALF, 0, false, @0x0)',
  ],
  address: ['WHO', 'pass(@0xffff)', 'at(&vector[@0x1, WHO], 1)'],
  bool: [
    'YES',
    'Shape::Rect(1, 2) == Shape::Rect(1, 2)',
    'Shape::Rect(1, 2) == Shape::Rect(1, 3)',
    'Shape::Rect(1, 2) == Shape::Unit',
    'Shape::Rect(1, 2) != Shape::Unit',
    'TABLE == nested()',
    'TABLE == vector[vector[1, 2], vector[], vector[3]]',
    '{ emptied(vector[]); true }',
    '{ emptied(vector[1]); true }',
    'both(true, false)',
    'both(true, true)',
    'lazy(true)',
    'lazy(false)',
    'even(10)',
    'odd(10)',
    'same(nest(1u8), nest(1u8))',
    'same(nest(b"a"), nest(b"b"))',
    'same_ref(&nest(Shape::Unit), &nest(Shape::Unit))',
    'same_ref(&Tree::Leaf(TEXT), &Tree::Pair { left: TEXT, right: TEXT })',
    'same(@0x5, @0x5)',
    'same(vector[@0x5], vector[@0x6])',
    'same(option::some(WHO), option::none())',
    'same<vector<u256>>(vector[], vector[])',
    'same(Deep::Node { shape: Shape::Unit, more: vector[Shape::Unit] }, Deep::Node { shape: Shape::Unit, more: vector[] })',
    'same(Key<u8> {}, Key<u8> {})',
    'same(Positional(1, b"x"), Positional(1, b"x"))',
    'same(BIG, BIG - 1)',
    'same_ref(&baked_ref(), &baked_ref())',
    'vector[1, 2].contains(&2)',
    'TABLE.contains(&vector[])',
  ],
  Shape: [
    'grown(Shape::Circle { r: 5 }, 2)',
    'grown(Shape::Rect(5, 6), 2)',
    'grown(Shape::Unit, 2)',
    'grown(Shape::Circle { r: 18446744073709551615 }, 1)',
    'pass(Shape::Rect(1, 1))',
  ],
  'vector<Shape>': [
    'enum_copies(Shape::Circle { r: 1 })',
    'enum_copies(Shape::Rect(1, 2))',
    'twice_of(&Shape::Unit)',
  ],
  Deep: [
    'Deep::Node { shape: Shape::Circle { r: 1 }, more: vector[Shape::Rect(1, 2), Shape::Unit] }',
    'Deep::Flag(false, option::some(255))',
  ],
  'vector<u8>': [
    'first(Tree::Pair { left: b"l", right: b"r" })',
    'keep(NoCopy { v: b"abc" })',
    'opened(sealed(b"secret"))',
    'opened(sealed(b""))',
    'swap_at(TEXT, 0, 4)',
    'swap_at(TEXT, 0, 5)',
    'swap_at(TEXT, 2, 2)',
    'joined(TEXT, b"!")',
    'vector[b"ab", b"", b"c"].flatten()',
    '{ let mut v = vector[]; 20u64.do!(|i| v.push_back((i as u8))); v }',
    '{ let mut v = TEXT; while (v.length() > 2) { v.pop_back(); }; v }',
  ],
  'Tree<Shape>': [
    'Tree::Pair { left: Shape::Unit, right: Shape::Circle { r: 1 } }',
    'righted(Tree::Pair { left: Shape::Unit, right: Shape::Unit }, Shape::Rect(1, 2))',
    'righted(Tree::Leaf(Shape::Unit), Shape::Rect(1, 2))',
  ],
  'Tree<u8>': [
    'mirror(Tree::Pair { left: 1, right: 2 })',
    'mirror(Tree::Leaf(3))',
    'righted(Tree::Leaf(1), 2)',
  ],
  'Tree<Tree<u8>>': ['Tree::Pair { left: Tree::Leaf(1), right: mirror(Tree::Pair { left: 2, right: 3 }) }'],
  'Pair<bool, vector<u8>>': ['swapped(Pair { a: b"x", b: true })'],
  'Pair<u8, address>': ['generic_field(Pair { a: 3, b: @0x1 }, WHO)'],
  'Pair<vector<u8>, Point>': [
    'generic_field(Pair { a: TEXT, b: Point { x: 1, y: 2 } }, Point { x: 3, y: 4 })',
  ],
  'Pair<Point, u8>': ['written(Pair { a: Point { x: 1, y: 2 }, b: 9 })'],
  'Nest<u16>': ['renest(nest(4u16), 5)', 'renest(nest(4u16), 4)'],
  'Nest<vector<bool>>': ['renest(nest(vector[true]), vector[])'],
  Point: ['moved(Point { x: 1, y: 2 })', 'moved(Point { x: 1, y: 255 })', 'fields(Point { x: 9, y: 1 })'],
  'vector<Point>': [
    'copies(Point { x: 1, y: 1 })',
    'points(vector[Point { x: 1, y: 1 }, Point { x: 5, y: 6 }], 0)',
    'points(vector[Point { x: 1, y: 1 }, Point { x: 5, y: 6 }], 1)',
    'points(vector[Point { x: 1, y: 1 }], 1)',
    'points(vector[], 0)',
    'swap_at(vector[Point { x: 1, y: 1 }, Point { x: 5, y: 6 }], 0, 1)',
  ],
  'Key<u8>': ['Key<u8> {}'],
  'Key<Nest<Shape>>': ['Key {}'],
  Positional: ['Positional(1, b"x")'],
  'vector<u64>': [
    'raised(1, 2)',
    'raised(3, 2)',
    'order()',
    'untuple(3)',
    'untuple(4)',
    'assigned(1, 2)',
    'macros(vector[1, 2, 3, 5])',
    'set_at(vector[1, 2, 3], 1, 9)',
    'set_at(vector[1, 2, 3], 3, 9)',
    'removed(vector[1, 2, 3], 0)',
    'removed(vector[1, 2, 3], 3)',
    'swap_removed(vector[1, 2, 3], 0)',
    'swap_removed(vector[1, 2, 3], 7)',
    'swap_removed(vector[], 0)',
    'inserted(vector[1, 2], 0)',
    'inserted(vector[1, 2], 2)',
    'inserted(vector[1, 2], 3)',
    'vector::tabulate!(5, |i| i * i)',
    'vector[1, 2, 3].map_ref!(|x| *x + 1)',
    'vector[vector[1], vector[2, 3]].flatten()',
    'TABLE[3]',
    'at(&TABLE, 2)',
    'twice_of(&18446744073709551615)',
  ],
  'vector<vector<u8>>': ['vec_copies(vector[b"a", b"b"])', 'vec_copies(vector[])'],
  'vector<u256>': ['joined(vector[1u256, 2u256], vector[3u256])', 'twice_of(&BIG)'],
  'vector<bool>': ['joined(vector[true], vector[false, true])', 'swap_at(vector[true, false], 1, 0)'],
  'vector<address>': ['joined(vector[@0x1], vector[WHO])'],
  'vector<vector<u64>>': ['nested()', 'joined(TABLE, TABLE)'],
  'Option<u64>': [
    'option::some(3)',
    'option::none()',
    '{ let mut o = option::some(1); o.swap(2); o }',
    '{ let mut o = option::none(); o.fill(2); o }',
    '{ let mut o = option::some(1); o.fill(2); o }',
    '{ let mut o = option::some(1); o.extract(); o }',
    '{ let mut o = option::none<u64>(); o.extract(); o }',
    'option::some(4).map!(|x| x + 1)',
    '{ option::some(4).destroy_none(); option::none() }',
  ],
});

/** What compiled code does beside arithmetic: each kind of instruction, in more than one use. */
export const LANGUAGE_SUITE: Suite = {
  name: 'language',
  members,
  cases,
};
