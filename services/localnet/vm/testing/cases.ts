import fc from 'fast-check';
import { INTEGER_BITS, type IntegerKind } from '../types.ts';

/** One expression of Move, of the given type, that both machines evaluate. */
export interface Case {
  type: string;
  expression: string;
}

const KINDS = Object.keys(INTEGER_BITS) as IntegerKind[];
const BINARY = ['add', 'sub', 'mul', 'div', 'rem', 'and', 'or', 'xor'];
const COMPARISONS = ['lt', 'le', 'gt', 'ge', 'eq', 'ne'];
const OPERATORS: Record<string, string> = {
  add: '+',
  sub: '-',
  mul: '*',
  div: '/',
  rem: '%',
  and: '&',
  or: '|',
  xor: '^',
  lt: '<',
  le: '<=',
  gt: '>',
  ge: '>=',
  eq: '==',
  ne: '!=',
};

/** Functions that keep the compiler from evaluating the expressions itself. */
export function integerFunctions(): string {
  return KINDS.flatMap((kind) => [
    ...BINARY.map((op) => `fun ${op}_${kind}(a: ${kind}, b: ${kind}): ${kind} { a ${OPERATORS[op]} b }`),
    ...COMPARISONS.map((op) => `fun ${op}_${kind}(a: ${kind}, b: ${kind}): bool { a ${OPERATORS[op]} b }`),
    `fun shl_${kind}(a: ${kind}, by: u8): ${kind} { a << by }`,
    `fun shr_${kind}(a: ${kind}, by: u8): ${kind} { a >> by }`,
    ...KINDS.map((to) => `fun ${kind}_to_${to}(a: ${kind}): ${to} { (a as ${to}) }`),
  ]).join('\n');
}

/** Values at the edges of a type and anywhere inside, the same ones in every run. */
function samples(kind: IntegerKind, count: number, seed: number): bigint[] {
  const max = (1n << BigInt(INTEGER_BITS[kind])) - 1n;
  const edges = fc.constantFrom(0n, 1n, 2n, 255n, max / 2n, max - 1n, max);
  const value = fc.oneof(edges, fc.bigInt({ min: 0n, max }));
  return fc.sample(value, { numRuns: count, seed }).map((each) => (each > max ? max : each));
}

/** For each operation on each type, a few pairs of values. */
export function integerCases(perOperation: number): Case[] {
  return KINDS.flatMap((kind, k) => {
    const cases: Case[] = [];
    const arguments_ = (seed: number) => {
      const [left, right] = [samples(kind, perOperation, seed), samples(kind, perOperation, seed + 1)];
      return left.map((value, i) => `${value}${kind}, ${right[i]}${kind}`);
    };
    for (const [i, op] of [...BINARY, ...COMPARISONS].entries()) {
      const type = COMPARISONS.includes(op) ? 'bool' : kind;
      for (const list of arguments_(k * 100 + i)) cases.push({ type, expression: `${op}_${kind}(${list})` });
    }
    for (const op of ['shl', 'shr']) {
      const by = fc.sample(fc.integer({ min: 0, max: 255 }), { numRuns: perOperation, seed: k });
      for (const [i, value] of samples(kind, perOperation, k + 7).entries()) {
        // Half of them within the width of the type.
        const places = i % 2 === 0 ? by[i]! % INTEGER_BITS[kind] : by[i]!;
        cases.push({ type: kind, expression: `${op}_${kind}(${value}${kind}, ${places}u8)` });
      }
    }
    for (const to of KINDS) {
      for (const value of samples(kind, perOperation, k + 11)) {
        cases.push({ type: to, expression: `${kind}_to_${to}(${value}${kind})` });
      }
    }
    return cases;
  });
}

/** What the rest of the language does: each line is one function, named in the order they stand here. */
export const LANGUAGE = `
  public enum Shape has copy, drop, store { Circle { r: u64 }, Rect(u64, u64), Unit }
  public enum Tree<T> has copy, drop, store { Leaf(T), Pair { left: T, right: T } }
  public struct Point has copy, drop, store { x: u64, y: u8 }
  public struct Pair<A, B> has copy, drop, store { a: A, b: B }
  public struct Key<phantom T> has copy, drop, store {}
  public struct NoCopy has drop { v: vector<u8> }
  const TEXT: vector<u8> = b"hello";
  const TABLE: vector<vector<u64>> = vector[vector[1, 2], vector[], vector[3]];

  fun area(s: &Shape): u64 { match (s) { Shape::Circle { r } => *r * *r, Shape::Rect(a, b) => *a * *b, Shape::Unit => 0 } }
  fun grow(s: &mut Shape, by: u64) { match (s) { Shape::Circle { r } => *r = *r + by, Shape::Rect(a, _) => *a = *a + by, _ => abort 5 } }
  fun first<T: copy + drop>(t: Tree<T>): T { match (t) { Tree::Leaf(x) => x, Tree::Pair { left, .. } => left } }
  fun grown(mut s: Shape, by: u64): Shape { grow(&mut s, by); s }
  fun swapped<A, B>(p: Pair<A, B>): Pair<B, A> { let Pair { a, b } = p; Pair { a: b, b: a } }
  fun moved(p: Point): Point { let mut q = p; q.x = q.x + 1; let r = &mut q.y; *r = *r + 1; q }
  fun bump(x: &mut u64): u64 { *x = *x + 1; *x }
  fun twice(mut x: u64): u64 { bump(&mut x) * 100 + bump(&mut x) }
  fun fib(n: u64): u64 { if (n < 2) n else fib(n - 1) + fib(n - 2) }
  fun collatz(mut n: u64): u64 { let mut steps = 0; while (n != 1) { n = if (n % 2 == 0) n / 2 else 3 * n + 1; steps = steps + 1 }; steps }
  fun early(n: u64): u64 { let mut i = 0; loop { if (i > n) break; i = i + 1; if (i % 3 == 0) continue; if (i == 7) return 77 }; i }
  fun at<T: copy>(v: &vector<T>, i: u64): T { v[i] }
  fun set_at(mut v: vector<u64>, i: u64, x: u64): vector<u64> { *&mut v[i] = x; v }
  fun swap_at(mut v: vector<u8>, i: u64, j: u64): vector<u8> { v.swap(i, j); v }
  fun popped(mut v: vector<u64>): (u64) { v.pop_back() }
  fun removed(mut v: vector<u64>, i: u64): vector<u64> { v.remove(i); v }
  fun joined<T: copy + drop>(mut a: vector<T>, b: vector<T>): vector<T> { a.append(b); a.reverse(); a }
  fun nested(): vector<vector<u64>> { let mut t = TABLE; t[1].push_back(9); *&mut t[0] = vector[]; t }
  fun unpacked(v: vector<u64>): u64 { let mut sum = 0; v.do!(|x| sum = sum + x); sum }
  fun emptied(v: vector<u64>) { v.destroy_empty() }
  fun keep(n: NoCopy): vector<u8> { let NoCopy { v } = n; v }
  fun both(a: bool, b: bool): bool { a && !b || b && !a }
  fun lazy(a: bool): bool { a || { abort 9 } }
  fun code(c: u64): u64 { if (c > 0) abort c; c }
  fun name<T>(): std::ascii::String { std::type_name::with_defining_ids<T>().into_string() }
  fun text(b: vector<u8>): std::string::String { std::string::utf8(b) }
  fun part(b: vector<u8>, i: u64, j: u64): std::string::String { std::string::utf8(b).substring(i, j) }
  fun found(b: vector<u8>, c: vector<u8>): u64 { std::string::utf8(b).index_of(&std::string::utf8(c)) }
`;

export const LANGUAGE_CASES: Case[] = [
  { type: 'u64', expression: 'area(&Shape::Circle { r: 5 })' },
  { type: 'u64', expression: 'area(&Shape::Rect(3, 4))' },
  { type: 'u64', expression: 'area(&Shape::Unit)' },
  { type: 'Shape', expression: 'grown(Shape::Circle { r: 5 }, 2)' },
  { type: 'Shape', expression: 'grown(Shape::Rect(5, 6), 2)' },
  { type: 'Shape', expression: 'grown(Shape::Unit, 2)' },
  { type: 'bool', expression: 'Shape::Rect(1, 2) == Shape::Rect(1, 2)' },
  { type: 'bool', expression: 'Shape::Rect(1, 2) == Shape::Unit' },
  { type: 'u8', expression: 'first(Tree::Leaf(7u8))' },
  { type: 'vector<u8>', expression: 'first(Tree::Pair { left: b"l", right: b"r" })' },
  { type: 'Tree<Shape>', expression: 'Tree::Pair { left: Shape::Unit, right: Shape::Circle { r: 1 } }' },
  { type: 'Pair<bool, vector<u8>>', expression: 'swapped(Pair { a: b"x", b: true })' },
  { type: 'Point', expression: 'moved(Point { x: 1, y: 2 })' },
  { type: 'Point', expression: 'moved(Point { x: 1, y: 255 })' },
  { type: 'Key<u8>', expression: 'Key<u8> {}' },
  { type: 'u64', expression: 'twice(5)' },
  { type: 'u64', expression: 'fib(12)' },
  { type: 'u64', expression: 'collatz(27)' },
  { type: 'u64', expression: 'early(3)' },
  { type: 'u64', expression: 'early(30)' },
  { type: 'u8', expression: 'at(&TEXT, 4)' },
  { type: 'u8', expression: 'at(&TEXT, 5)' },
  { type: 'Point', expression: 'at(&vector[Point { x: 1, y: 1 }], 0)' },
  { type: 'vector<u64>', expression: 'set_at(vector[1, 2, 3], 1, 9)' },
  { type: 'vector<u64>', expression: 'set_at(vector[1, 2, 3], 3, 9)' },
  { type: 'vector<u8>', expression: 'swap_at(TEXT, 0, 4)' },
  { type: 'vector<u8>', expression: 'swap_at(TEXT, 0, 5)' },
  { type: 'u64', expression: 'popped(vector[1, 2])' },
  { type: 'u64', expression: 'popped(vector[])' },
  { type: 'vector<u64>', expression: 'removed(vector[1, 2, 3], 0)' },
  { type: 'vector<u64>', expression: 'removed(vector[1, 2, 3], 3)' },
  { type: 'vector<u8>', expression: 'joined(TEXT, b"!")' },
  { type: 'vector<u256>', expression: 'joined(vector[1u256, 2u256], vector[3u256])' },
  { type: 'vector<vector<u64>>', expression: 'nested()' },
  { type: 'bool', expression: 'TABLE == nested()' },
  { type: 'u64', expression: 'unpacked(vector[4, 5, 6])' },
  { type: 'bool', expression: '{ emptied(vector[]); true }' },
  { type: 'bool', expression: '{ emptied(vector[1]); true }' },
  { type: 'vector<u8>', expression: 'keep(NoCopy { v: b"abc" })' },
  { type: 'bool', expression: 'both(true, false)' },
  { type: 'bool', expression: 'both(true, true)' },
  { type: 'bool', expression: 'lazy(true)' },
  { type: 'bool', expression: 'lazy(false)' },
  { type: 'u64', expression: 'code(0)' },
  { type: 'u64', expression: 'code(18446744073709551615)' },
  { type: 'std::ascii::String', expression: 'name<u64>()' },
  { type: 'std::ascii::String', expression: 'name<vector<std::option::Option<address>>>()' },
  { type: 'std::string::String', expression: 'text(b"plain")' },
  { type: 'std::string::String', expression: 'text(x"c328")' },
  { type: 'std::string::String', expression: 'part(x"c3bc61", 0, 2)' },
  { type: 'std::string::String', expression: 'part(x"c3bc61", 0, 1)' },
  { type: 'u64', expression: 'found(b"marketplace", b"place")' },
  { type: 'u64', expression: 'found(b"marketplace", b"x")' },
  { type: 'u64', expression: 'found(b"", b"")' },
  { type: 'vector<u8>', expression: 'std::hash::sha2_256(b"abc")' },
  { type: 'vector<u8>', expression: 'std::hash::sha3_256(b"abc")' },
  { type: 'vector<u8>', expression: 'sui::hash::blake2b256(&b"abc")' },
  { type: 'vector<u8>', expression: 'sui::hash::keccak256(&b"abc")' },
  { type: 'vector<u8>', expression: 'std::bcs::to_bytes(&Pair { a: @0x5, b: vector[1u16, 2u16] })' },
  { type: 'u256', expression: '@0x123456789abcdef.to_u256()' },
  { type: 'address', expression: 'sui::address::from_u256(77)' },
  { type: 'address', expression: 'sui::address::from_bytes(b"short")' },
  { type: 'Option<u64>', expression: 'option::some(3)' },
  { type: 'u64', expression: 'option::none<u64>().destroy_some()' },
  { type: 'u64', expression: '5u64.pow(7)' },
  { type: 'u64', expression: '1000000u64.sqrt()' },
];
