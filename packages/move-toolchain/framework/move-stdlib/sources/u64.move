/// Arithmetic and loops over `u64`.
#[defines_primitive(u64)]
module std::u64;

use std::string::String;

public fun max(x: u64, y: u64): u64 {
    std::macros::num_max!(x, y)
}

public fun min(x: u64, y: u64): u64 {
    std::macros::num_min!(x, y)
}

public fun diff(x: u64, y: u64): u64 {
    std::macros::num_diff!(x, y)
}

public fun bitwise_not(x: u64): u64 {
    x ^ max_value!()
}

public fun divide_and_round_up(x: u64, y: u64): u64 {
    std::macros::num_divide_and_round_up!(x, y)
}

public fun pow(base: u64, exponent: u8): u64 {
    std::macros::num_pow!(base, exponent)
}

/// Rounded down.
public fun sqrt(x: u64): u64 {
    std::macros::num_sqrt!<u64, u128>(x)
}

public fun try_as_u8(x: u64): Option<u8> {
    std::macros::num_try_as!<u64, u8>(x, 0xff)
}

public fun try_as_u16(x: u64): Option<u16> {
    std::macros::num_try_as!<u64, u16>(x, 0xffff)
}

public fun try_as_u32(x: u64): Option<u32> {
    std::macros::num_try_as!<u64, u32>(x, 0xffffffff)
}

public fun to_string(x: u64): String {
    std::macros::num_to_string!(x)
}

/// None on overflow.
public fun checked_add(x: u64, y: u64): Option<u64> {
    std::macros::num_checked_add!(x, y, max_value!())
}

/// None below zero.
public fun checked_sub(x: u64, y: u64): Option<u64> {
    std::macros::num_checked_sub!(x, y)
}

/// None on overflow.
public fun checked_mul(x: u64, y: u64): Option<u64> {
    std::macros::num_checked_mul!(x, y, max_value!())
}

/// None for a division by zero.
public fun checked_div(x: u64, y: u64): Option<u64> {
    std::macros::num_checked_div!(x, y)
}

/// At most the largest value.
public fun saturating_add(x: u64, y: u64): u64 {
    std::macros::num_saturating_add!(x, y, max_value!())
}

/// At least zero.
public fun saturating_sub(x: u64, y: u64): u64 {
    std::macros::num_saturating_sub!(x, y)
}

/// At most the largest value.
public fun saturating_mul(x: u64, y: u64): u64 {
    std::macros::num_saturating_mul!(x, y, max_value!())
}

/// None for a shift by 64 bits or more.
public fun checked_shl(x: u64, shift: u8): Option<u64> {
    std::macros::num_checked_shl!(x, shift, 64)
}

/// None for a shift by 64 bits or more.
public fun checked_shr(x: u64, shift: u8): Option<u64> {
    std::macros::num_checked_shr!(x, shift, 64)
}

/// None for a shift by 64 bits or more, and where bits would be lost.
public fun lossless_shl(x: u64, shift: u8): Option<u64> {
    std::macros::num_lossless_shl!(x, shift, 64)
}

/// None for a shift by 64 bits or more, and where bits would be lost.
public fun lossless_shr(x: u64, shift: u8): Option<u64> {
    std::macros::num_lossless_shr!(x, shift, 64)
}

/// None for a division by zero, and where a remainder would be lost.
public fun lossless_div(x: u64, y: u64): Option<u64> {
    std::macros::num_lossless_div!(x, y)
}

public macro fun max_value(): u64 {
    0xffffffffffffffff
}

public macro fun range_do<$R: drop>($start: u64, $stop: u64, $f: |u64| -> $R) {
    std::macros::range_do!($start, $stop, $f)
}

public macro fun range_do_eq<$R: drop>($start: u64, $stop: u64, $f: |u64| -> $R) {
    std::macros::range_do_eq!($start, $stop, $f)
}

public macro fun do<$R: drop>($stop: u64, $f: |u64| -> $R) {
    std::macros::range_do!(0, $stop, $f)
}

public macro fun do_eq<$R: drop>($stop: u64, $f: |u64| -> $R) {
    std::macros::range_do_eq!(0, $stop, $f)
}
