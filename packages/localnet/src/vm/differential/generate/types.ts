import { INTEGER_BITS, type IntegerKind } from '../../types.ts';
import type { Tape } from './tape.ts';

/** A type of Move with `copy` and `drop`, as generated functions use it. */
export type GeneratedType =
  | { kind: 'integer'; name: IntegerKind }
  | { kind: 'bool' | 'address' | 'point' | 'shape' }
  | { kind: 'vector' | 'option' | 'tree'; of: GeneratedType }
  | { kind: 'pair'; a: GeneratedType; b: GeneratedType };

export const BOOL = { kind: 'bool' } as const;
export const POINT = { kind: 'point' } as const;
export const SHAPE = { kind: 'shape' } as const;
export const integer = (name: IntegerKind) => ({ kind: 'integer', name }) as const;
export const U64 = integer('u64');
export const INTEGERS = (Object.keys(INTEGER_BITS) as IntegerKind[]).map(integer);

/** The datatypes, and generic functions over anything. */
export const PRELUDE = `
  public struct Point has copy, drop, store { x: u64, y: u8 }
  public struct Pair<A, B> has copy, drop, store { a: A, b: B }
  public enum Shape has copy, drop, store { Unit, Circle { r: u64 }, Rect(u64, u64) }
  public enum Tree<T> has copy, drop, store { Leaf(T), Two { left: T, right: T } }
  fun same<T>(t: T): T { t }
  fun choose<T: drop>(c: bool, a: T, b: T): T { if (c) a else b }
  fun put<T: drop>(r: &mut T, t: T) { *r = t }
  fun exchange<T: copy + drop>(r: &mut T, t: T): T { let old = *r; *r = t; old }
  fun at<T: copy>(v: &vector<T>, i: u64): T { v[i] }
  fun grown<T>(mut v: vector<T>, t: T): vector<T> { v.push_back(t); v }
  fun joined<T: copy + drop>(mut v: vector<T>, w: vector<T>): vector<T> { v.append(w); v }
  fun repeat<T: copy + drop>(n: u8, t: T): vector<T> { if (n == 0) vector[] else grown(repeat(n - 1, t), t) }
  fun left<T: copy + drop>(t: &Tree<T>): T { match (t) { Tree::Leaf(x) => *x, Tree::Two { left, .. } => *left } }
  fun set_right<T: drop>(t: &mut Tree<T>, v: T) { match (t) { Tree::Leaf(x) => *x = v, Tree::Two { right, .. } => *right = v } }
  fun size(s: &Shape): u64 { match (s) { Shape::Unit => 1, Shape::Circle { r } => *r, Shape::Rect(a, b) => *a * *b } }
  fun stretch(s: &mut Shape, by: u64) { match (s) { Shape::Unit => abort 71, Shape::Circle { r } => *r = *r + by, Shape::Rect(a, _) => *a = *a - by } }
`;

export function textOf(type: GeneratedType): string {
  switch (type.kind) {
    case 'integer':
      return type.name;
    case 'point':
      return 'Point';
    case 'shape':
      return 'Shape';
    case 'vector':
      return `vector<${textOf(type.of)}>`;
    case 'option':
      return `Option<${textOf(type.of)}>`;
    case 'tree':
      return `Tree<${textOf(type.of)}>`;
    case 'pair':
      return `Pair<${textOf(type.a)}, ${textOf(type.b)}>`;
    default:
      return type.kind;
  }
}

const SIMPLE = [U64, BOOL, ...INTEGERS, { kind: 'address' }, POINT, SHAPE] as const;

/** At depth 0 a type without parts, else mostly one with parts. */
export function generateType(tape: Tape, depth = 2): GeneratedType {
  const kind = tape.pick([
    'simple',
    'simple',
    'vector',
    'vector',
    'vector',
    'option',
    'tree',
    'pair',
  ] as const);
  if (depth === 0 || kind === 'simple') return tape.pick(SIMPLE);
  const of = generateType(tape, depth - 1);
  return kind === 'pair' ? { kind, a: of, b: generateType(tape, depth - 1) } : { kind, of };
}

/** Mostly small numbers, sometimes one at an edge of the type. */
export function generateInteger(tape: Tape, name: IntegerKind): string {
  const max = (1n << BigInt(INTEGER_BITS[name])) - 1n;
  const value = tape.pick([
    () => BigInt(tape.below(4)),
    () => BigInt(tape.below(4)),
    () => BigInt(tape.below(12)),
    () => BigInt(tape.below(256)),
    () => max >> BigInt(tape.below(INTEGER_BITS[name])),
    () => max - BigInt(tape.below(3)),
  ])();
  return `${value}${name}`;
}
