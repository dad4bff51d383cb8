/// Arithmetic and loops over `u256`.
#[defines_primitive(u256)]
module std::u256;

use std::string::String;

public fun max(x: u256, y: u256): u256 {
    std::macros::num_max!(x, y)
}

public fun min(x: u256, y: u256): u256 {
    std::macros::num_min!(x, y)
}

public fun diff(x: u256, y: u256): u256 {
    std::macros::num_diff!(x, y)
}

public fun bitwise_not(x: u256): u256 {
    x ^ max_value!()
}

public fun divide_and_round_up(x: u256, y: u256): u256 {
    std::macros::num_divide_and_round_up!(x, y)
}

public fun pow(base: u256, exponent: u8): u256 {
    std::macros::num_pow!(base, exponent)
}

public fun try_as_u8(x: u256): Option<u8> {
    std::macros::num_try_as!<u256, u8>(x, 0xff)
}

public fun try_as_u16(x: u256): Option<u16> {
    std::macros::num_try_as!<u256, u16>(x, 0xffff)
}

public fun try_as_u32(x: u256): Option<u32> {
    std::macros::num_try_as!<u256, u32>(x, 0xffffffff)
}

public fun try_as_u64(x: u256): Option<u64> {
    std::macros::num_try_as!<u256, u64>(x, 0xffffffffffffffff)
}

public fun try_as_u128(x: u256): Option<u128> {
    std::macros::num_try_as!<u256, u128>(x, 0xffffffffffffffffffffffffffffffff)
}

public fun to_string(x: u256): String {
    std::macros::num_to_string!(x)
}

/// None on overflow.
public fun checked_add(x: u256, y: u256): Option<u256> {
    std::macros::num_checked_add!(x, y, max_value!())
}

/// None below zero.
public fun checked_sub(x: u256, y: u256): Option<u256> {
    std::macros::num_checked_sub!(x, y)
}

/// None on overflow.
public fun checked_mul(x: u256, y: u256): Option<u256> {
    std::macros::num_checked_mul!(x, y, max_value!())
}

/// None for a division by zero.
public fun checked_div(x: u256, y: u256): Option<u256> {
    std::macros::num_checked_div!(x, y)
}

/// At most the largest value.
public fun saturating_add(x: u256, y: u256): u256 {
    std::macros::num_saturating_add!(x, y, max_value!())
}

/// At least zero.
public fun saturating_sub(x: u256, y: u256): u256 {
    std::macros::num_saturating_sub!(x, y)
}

/// At most the largest value.
public fun saturating_mul(x: u256, y: u256): u256 {
    std::macros::num_saturating_mul!(x, y, max_value!())
}

/// None where bits would be lost. Every shift is less than the 256 bits.
public fun lossless_shl(x: u256, shift: u8): Option<u256> {
    if (x << shift >> shift == x) option::some(x << shift) else option::none()
}

/// None where bits would be lost.
public fun lossless_shr(x: u256, shift: u8): Option<u256> {
    if (x >> shift << shift == x) option::some(x >> shift) else option::none()
}

/// None for a division by zero, and where a remainder would be lost.
public fun lossless_div(x: u256, y: u256): Option<u256> {
    std::macros::num_lossless_div!(x, y)
}

public macro fun max_value(): u256 {
    0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
}

public macro fun range_do<$R: drop>($start: u256, $stop: u256, $f: |u256| -> $R) {
    std::macros::range_do!($start, $stop, $f)
}

public macro fun range_do_eq<$R: drop>($start: u256, $stop: u256, $f: |u256| -> $R) {
    std::macros::range_do_eq!($start, $stop, $f)
}

public macro fun do<$R: drop>($stop: u256, $f: |u256| -> $R) {
    std::macros::range_do!(0, $stop, $f)
}

public macro fun do_eq<$R: drop>($stop: u256, $f: |u256| -> $R) {
    std::macros::range_do_eq!(0, $stop, $f)
}
