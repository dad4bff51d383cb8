import { casesOf, type Suite } from '../suite.ts';

const members = `
  use std::ascii;
  use std::string;
  use std::type_name;
  use sui::bcs;
  use sui::vec_map::VecMap;
  public enum Shape has copy, drop, store { Circle { r: u64 }, Rect(u64, u64), Unit }
  public struct Pair<A, B> has copy, drop, store { a: A, b: B }
  public struct Empty has copy, drop, store {}
  public struct Phantom<phantom T> has copy, drop, store { v: vector<T_> }
  public struct T_ has copy, drop, store { x: u8 }
  public struct Object has key { id: UID, n: u64 }

  fun bytes<T: drop>(t: T): vector<u8> { std::bcs::to_bytes(&t) }
  fun repeat(byte: u8, n: u64): vector<u8> { vector::tabulate!(n, |_| byte) }
  fun text(b: vector<u8>): string::String { string::utf8(b) }
  fun part(b: vector<u8>, i: u64, j: u64): string::String { text(b).substring(i, j) }
  fun found(b: vector<u8>, c: vector<u8>): u64 { text(b).index_of(&text(c)) }
  fun spliced(b: vector<u8>, at: u64, c: vector<u8>): string::String { let mut s = text(b); s.insert(at, text(c)); s }
  fun name<T>(): ascii::String { type_name::with_defining_ids<T>().into_string() }
  fun original<T>(): ascii::String { type_name::with_original_ids<T>().into_string() }
  fun ascii_found(b: vector<u8>, c: vector<u8>): u64 { ascii::string(b).index_of(&ascii::string(c)) }
  fun rest(b: vector<u8>): vector<u8> { let mut r = bcs::new(b); r.peel_u16(); r.into_remainder_bytes() }
`;

const TYPES = ['bool', 'u8', 'u256', 'address', 'vector<u8>', 'vector<vector<address>>', 'Empty', 'Shape'];
const DATATYPES = [
  'Pair<u8, Pair<bool, Shape>>',
  'Option<Shape>',
  'sui::coin::Coin<sui::sui::SUI>',
  'Phantom<Object>',
];

const cases = casesOf({
  'vector<u8>': [
    'bytes(255u8)',
    'bytes(0x1234u16)',
    'bytes(0x12345678u32)',
    'bytes(0x123456789abcdef0u64)',
    'bytes(0x123456789abcdef0123456789abcdef0u128)',
    'bytes(0x123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0u256)',
    'bytes(true)',
    'bytes(false)',
    'bytes(@0xabcdef)',
    'bytes(b"text")',
    'bytes(vector<u64>[])',
    'bytes(vector[1u128, 2u128])',
    'bytes(vector[true, false])',
    'bytes(vector[vector[@0x1], vector[]])',
    'bytes(repeat(7, 127))',
    'bytes(repeat(7, 128))',
    'bytes(repeat(7, 300))',
    'bytes(vector::tabulate!(130, |i| i as u16))',
    'bytes(Empty {})',
    'bytes(Pair { a: @0x5, b: vector[1u16, 2u16] })',
    'bytes(Pair { a: Pair { a: 1u8, b: Empty {} }, b: Shape::Rect(1, 2) })',
    'bytes(Phantom<u64> { v: vector[T_ { x: 1 }] })',
    'bytes(Shape::Circle { r: 9 })',
    'bytes(Shape::Unit)',
    'bytes(vector[Shape::Unit, Shape::Rect(3, 4)])',
    'bytes(option::some(3u64))',
    'bytes(option::none<u64>())',
    'bytes(option::some(option::some(b"x")))',
    'bytes(text(x"c3bc"))',
    'bytes(type_name::with_defining_ids<u8>())',
    'bytes(object::id_from_address(@0x77))',
    'std::hash::sha2_256(b"")',
    'std::hash::sha2_256(b"abc")',
    'std::hash::sha2_256(repeat(97, 200))',
    'std::hash::sha3_256(b"")',
    'std::hash::sha3_256(b"abc")',
    'std::hash::sha3_256(repeat(97, 136))',
    'sui::hash::blake2b256(&b"")',
    'sui::hash::blake2b256(&b"abc")',
    'sui::hash::blake2b256(&repeat(97, 129))',
    'sui::hash::keccak256(&b"")',
    'sui::hash::keccak256(&b"abc")',
    'sui::hash::keccak256(&repeat(97, 137))',
    'sui::hmac::hmac_sha3_256(&b"", &b"")',
    'sui::hmac::hmac_sha3_256(&b"key", &b"The quick brown fox jumps over the lazy dog")',
    'sui::hmac::hmac_sha3_256(&repeat(1, 136), &b"m")',
    'sui::hmac::hmac_sha3_256(&repeat(1, 137), &b"m")',
    'rest(x"0102030405")',
    'rest(x"01")',
    'sui::hex::encode(x"00ff10")',
    'sui::hex::decode(b"00fF10")',
    'sui::hex::decode(b"0")',
    'sui::hex::decode(b"0g")',
    'sui::address::to_bytes(@0x1234)',
    'object::id_from_address(@0x9).to_bytes()',
  ],
  u256: [
    '@0x0.to_u256()',
    '@0x123456789abcdef.to_u256()',
    `@0x${'f'.repeat(64)}.to_u256()`,
    'sui::address::max()',
  ],
  address: [
    'sui::address::from_u256(0)',
    'sui::address::from_u256(77)',
    'sui::address::from_u256(sui::address::max())',
    'sui::address::from_bytes(b"short")',
    'sui::address::from_bytes(repeat(1, 32))',
    'sui::address::from_bytes(repeat(1, 33))',
    'sui::address::from_ascii_bytes(&repeat(97, 64))',
    'sui::address::from_ascii_bytes(&repeat(97, 63))',
    'sui::address::from_ascii_bytes(&repeat(103, 64))',
    'bcs::new(repeat(9, 32)).peel_address()',
    'bcs::new(repeat(9, 31)).peel_address()',
    'type_name::defining_id<Shape>()',
    'type_name::defining_id<Option<Shape>>()',
    'type_name::defining_id<u8>()',
    'type_name::defining_id<vector<Shape>>()',
    'type_name::original_id<sui::coin::Coin<Shape>>()',
    'type_name::original_id<bool>()',
  ],
  'ascii::String': [
    ...[...TYPES, ...DATATYPES].flatMap((type) => [`name<${type}>()`, `original<${type}>()`]),
    ...DATATYPES.flatMap((type) => [
      `type_name::with_defining_ids<${type}>().address_string()`,
      `type_name::with_defining_ids<${type}>().module_string()`,
    ]),
    'type_name::with_defining_ids<u8>().address_string()',
    'type_name::with_defining_ids<vector<Shape>>().module_string()',
    'ascii::string(b"plain")',
    'ascii::string(x"80")',
    'ascii::string(b"plain").substring(1, 3)',
    'ascii::string(b"plain").substring(1, 9)',
    'ascii::string(b"MiXed").to_lowercase()',
    'ascii::string(b"MiXed").to_uppercase()',
    '@0xabc.to_ascii_string()',
    'text(x"c3bc").to_ascii()',
  ],
  'string::String': [
    'text(b"")',
    'text(b"plain")',
    'text(x"f09f9a80")',
    'text(x"c328")',
    'text(x"c0af")',
    'text(x"eda080")',
    'text(x"f4908080")',
    'text(x"c3")',
    'part(x"c3bc61", 0, 2)',
    'part(x"c3bc61", 0, 1)',
    'part(x"c3bc61", 1, 2)',
    'part(x"c3bc61", 2, 3)',
    'part(x"c3bc61", 3, 3)',
    'part(x"c3bc61", 2, 1)',
    'part(x"c3bc61", 0, 4)',
    'spliced(x"c3bc61", 2, b"--")',
    'spliced(x"c3bc61", 3, b"--")',
    'spliced(x"c3bc61", 1, b"--")',
    'spliced(x"c3bc61", 4, b"--")',
    '12345u64.to_string()',
    '0u8.to_string()',
    '@0x2.to_string()',
  ],
  u64: [
    'found(b"marketplace", b"place")',
    'found(b"marketplace", b"x")',
    'found(b"marketplace", b"")',
    'found(b"", b"")',
    'found(b"", b"a")',
    'found(b"aaab", b"aab")',
    'ascii_found(b"aaab", b"aab")',
    'ascii_found(b"aaab", b"")',
    'ascii_found(b"a", b"aaa")',
    'bcs::new(x"ff00000000000080").peel_u64()',
    'bcs::new(x"ff").peel_u64()',
    'bcs::new(x"8001").peel_vec_length()',
    'bcs::new(x"ffffffffff01").peel_vec_length()',
    'text(x"f09f9a80").length()',
  ],
  bool: [
    'bcs::new(x"01").peel_bool()',
    'bcs::new(x"02").peel_bool()',
    'bcs::new(x"").peel_bool()',
    'string::try_utf8(x"c328").is_none()',
    'type_name::with_defining_ids<vector<Shape>>().is_primitive()',
    'type_name::with_defining_ids<Shape>().is_primitive()',
    'sui::types::is_one_time_witness(&Empty {})',
    'sui::types::is_one_time_witness(&Shape::Unit)',
    'sui::types::is_one_time_witness(&5u64)',
    '{ std::debug::print(&1u8); std::debug::print_stack_trace(); true }',
  ],
  'vector<vector<u8>>': [
    'bcs::new(x"0201610162").peel_vec_vec_u8()',
    'bcs::new(x"020161").peel_vec_vec_u8()',
  ],
  'Option<u64>': [
    'bcs::new(x"00").peel_option_u64()',
    'bcs::new(x"010500000000000000").peel_option_u64()',
    'bcs::new(x"02").peel_option_u64()',
  ],
  'VecMap<u8, bool>': [
    '{ let mut m = sui::vec_map::empty(); m.insert(1, true); m.insert(2, false); m }',
    '{ let mut m = sui::vec_map::empty(); m.insert(1, true); m.insert(1, false); m }',
    '{ let mut m = sui::vec_map::from_keys_values(vector[1, 2, 3], vector[true, false, true]); m.remove(&2); m }',
    '{ let mut m = sui::vec_map::empty(); m.insert(1, true); m.remove(&2); m }',
    'sui::vec_map::from_keys_values(vector[1], vector[])',
  ],
  'sui::vec_set::VecSet<u8>': [
    'sui::vec_set::from_keys(vector[3, 1])',
    'sui::vec_set::from_keys(vector[3, 3])',
    '{ let mut s = sui::vec_set::singleton(1); s.remove(&1); s }',
    '{ let mut s = sui::vec_set::singleton(1); s.remove(&2); s }',
  ],
});

/** Natives and framework functions on plain values: BCS, hashes, strings, addresses, type names. */
export const VALUES_SUITE: Suite = { name: 'values', members, cases };
