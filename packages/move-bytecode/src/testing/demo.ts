import { compileSources } from '@adaptor-marketplace/move-toolchain';

const toml = '[package]\nname = "demo"\nedition = "2024"\n[addresses]\ndemo = "0x0"\n';

/** A module with an enum, constants, generic functions and every kind of abort, which no module of the framework has together. */
export const demoSource = `module demo::demo;

const ELimit: u64 = 7;
#[error]
const EEmpty: vector<u8> = b"The list is empty";

public enum Shape has copy, drop { Dot, Line { from: u64, to: u64 }, Many(vector<u8>) }
public struct Receipt has drop { paid: u64, kept: bool }
public struct Pair<T: drop, phantom P> has drop { left: T, right: u256 }

public fun measure(shape: Shape): u64 {
  match (shape) { Shape::Dot => 0, Shape::Line { from, to } => to - from, Shape::Many(all) => all.length() }
}
public(package) entry fun pair<T: drop>(left: T): Pair<T, u8> { Pair { left, right: 1 << 200 } }
fun words(): vector<u8> { b"constant" }
fun numbers(): (u8, u16, u32, u128, address) { (words()[0], 2, 3, 4, @0x5) }
public fun all(): u128 { let (a, b, c, d, _) = numbers(); (a as u128) + (b as u128) + (c as u128) + d }
public fun total(list: &vector<u64>, limit: u64): u64 {
  assert!(!list.is_empty(), EEmpty);
  assert!(limit > 0);
  let mut sum = 0;
  let mut at = 0;
  while (at < list.length()) {
    if (list[at] > limit) abort ELimit;
    sum = sum + list[at];
    at = at + 1;
  };
  sum
}
public fun forever() { loop {} }
public fun put<T: drop>(pair: &mut Pair<T, u8>, left: T) { pair.left = left; pair.right = pair.right + 1; }
`;

/** Compiles the only module of a package at the address `demo`. */
export async function compileDemo(text = demoSource): Promise<Uint8Array> {
  const { modules } = await compileSources({ 'Move.toml': toml, 'sources/demo.move': text });
  return modules[0]!;
}
