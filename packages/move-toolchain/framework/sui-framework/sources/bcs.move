/// Reading values back from their BCS bytes, field by field.
module sui::bcs;

use std::bcs;
use sui::address;

/// The bytes end inside a value.
const EOutOfRange: u64 = 0;
/// A bool is neither 0 nor 1.
const ENotBool: u64 = 1;
/// A length does not fit in 64 bits.
const ELenOutOfRange: u64 = 2;

/// The bytes not read yet, last one first.
public struct BCS has copy, drop, store {
    bytes: vector<u8>,
}

public fun to_bytes<T>(value: &T): vector<u8> {
    bcs::to_bytes(value)
}

public fun new(mut bytes: vector<u8>): BCS {
    bytes.reverse();
    BCS { bytes }
}

/// What was not read.
public fun into_remainder_bytes(bcs: BCS): vector<u8> {
    let BCS { mut bytes } = bcs;
    bytes.reverse();
    bytes
}

public fun peel_address(bcs: &mut BCS): address {
    let bytes = vector::tabulate!(32, |_| bcs.peel_u8());
    address::from_bytes(bytes)
}

public fun peel_bool(bcs: &mut BCS): bool {
    let byte = bcs.peel_u8();
    assert!(byte < 2, ENotBool);
    byte == 1
}

public fun peel_u8(bcs: &mut BCS): u8 {
    assert!(!bcs.bytes.is_empty(), EOutOfRange);
    bcs.bytes.pop_back()
}

macro fun peel_number<$T>($bcs: &mut BCS, $width: u8): $T {
    let bcs = $bcs;
    let mut number: $T = 0;
    std::u8::do!($width, |i| number = number | ((bcs.peel_u8() as $T) << (8 * i)));
    number
}

public fun peel_u16(bcs: &mut BCS): u16 {
    peel_number!(bcs, 2)
}

public fun peel_u32(bcs: &mut BCS): u32 {
    peel_number!(bcs, 4)
}

public fun peel_u64(bcs: &mut BCS): u64 {
    peel_number!(bcs, 8)
}

public fun peel_u128(bcs: &mut BCS): u128 {
    peel_number!(bcs, 16)
}

public fun peel_u256(bcs: &mut BCS): u256 {
    peel_number!(bcs, 32)
}

public fun peel_vec_length(bcs: &mut BCS): u64 {
    let mut length = 0;
    let mut shift = 0;
    loop {
        assert!(shift < 35, ELenOutOfRange);
        // The end of the bytes is here an error of the vector, and no abort.
        let byte = bcs.bytes.pop_back() as u64;
        length = length | ((byte & 0x7f) << shift);
        if (byte < 0x80) return length;
        shift = shift + 7;
    }
}

/// Which variant of an enum follows.
public fun peel_enum_tag(bcs: &mut BCS): u32 {
    let tag = bcs.peel_vec_length();
    assert!(tag <= 0xffffffff, EOutOfRange);
    tag as u32
}

public macro fun peel_vec<$T>($bcs: &mut BCS, $peel: |&mut BCS| -> $T): vector<$T> {
    let bcs = $bcs;
    vector::tabulate!(bcs.peel_vec_length(), |_| $peel(bcs))
}

public macro fun peel_option<$T>($bcs: &mut BCS, $peel: |&mut BCS| -> $T): Option<$T> {
    let bcs = $bcs;
    if (bcs.peel_bool()) option::some($peel(bcs)) else option::none()
}

public fun peel_vec_address(bcs: &mut BCS): vector<address> {
    bcs.peel_vec!(|bcs| bcs.peel_address())
}

public fun peel_vec_bool(bcs: &mut BCS): vector<bool> {
    bcs.peel_vec!(|bcs| bcs.peel_bool())
}

public fun peel_vec_u8(bcs: &mut BCS): vector<u8> {
    bcs.peel_vec!(|bcs| bcs.peel_u8())
}

public fun peel_vec_vec_u8(bcs: &mut BCS): vector<vector<u8>> {
    bcs.peel_vec!(|bcs| bcs.peel_vec_u8())
}

public fun peel_vec_u16(bcs: &mut BCS): vector<u16> {
    bcs.peel_vec!(|bcs| bcs.peel_u16())
}

public fun peel_vec_u32(bcs: &mut BCS): vector<u32> {
    bcs.peel_vec!(|bcs| bcs.peel_u32())
}

public fun peel_vec_u64(bcs: &mut BCS): vector<u64> {
    bcs.peel_vec!(|bcs| bcs.peel_u64())
}

public fun peel_vec_u128(bcs: &mut BCS): vector<u128> {
    bcs.peel_vec!(|bcs| bcs.peel_u128())
}

public fun peel_vec_u256(bcs: &mut BCS): vector<u256> {
    bcs.peel_vec!(|bcs| bcs.peel_u256())
}

public fun peel_option_address(bcs: &mut BCS): Option<address> {
    bcs.peel_option!(|bcs| bcs.peel_address())
}

public fun peel_option_bool(bcs: &mut BCS): Option<bool> {
    bcs.peel_option!(|bcs| bcs.peel_bool())
}

public fun peel_option_u8(bcs: &mut BCS): Option<u8> {
    bcs.peel_option!(|bcs| bcs.peel_u8())
}

public fun peel_option_u16(bcs: &mut BCS): Option<u16> {
    bcs.peel_option!(|bcs| bcs.peel_u16())
}

public fun peel_option_u32(bcs: &mut BCS): Option<u32> {
    bcs.peel_option!(|bcs| bcs.peel_u32())
}

public fun peel_option_u64(bcs: &mut BCS): Option<u64> {
    bcs.peel_option!(|bcs| bcs.peel_u64())
}

public fun peel_option_u128(bcs: &mut BCS): Option<u128> {
    bcs.peel_option!(|bcs| bcs.peel_u128())
}

public fun peel_option_u256(bcs: &mut BCS): Option<u256> {
    bcs.peel_option!(|bcs| bcs.peel_u256())
}
