/// Arithmetic and loops over `u128`.
#[defines_primitive(u128)]
module std::u128;

use std::string::String;

public fun max(x: u128, y: u128): u128 {
    std::macros::num_max!(x, y)
}

public fun min(x: u128, y: u128): u128 {
    std::macros::num_min!(x, y)
}

public fun diff(x: u128, y: u128): u128 {
    std::macros::num_diff!(x, y)
}

public fun bitwise_not(x: u128): u128 {
    x ^ max_value!()
}

public fun divide_and_round_up(x: u128, y: u128): u128 {
    std::macros::num_divide_and_round_up!(x, y)
}

public fun pow(base: u128, exponent: u8): u128 {
    std::macros::num_pow!(base, exponent)
}

/// Rounded down.
public fun sqrt(x: u128): u128 {
    std::macros::num_sqrt!<u128, u256>(x)
}

public fun try_as_u8(x: u128): Option<u8> {
    std::macros::num_try_as!<u128, u8>(x, 0xff)
}

public fun try_as_u16(x: u128): Option<u16> {
    std::macros::num_try_as!<u128, u16>(x, 0xffff)
}

public fun try_as_u32(x: u128): Option<u32> {
    std::macros::num_try_as!<u128, u32>(x, 0xffffffff)
}

public fun try_as_u64(x: u128): Option<u64> {
    std::macros::num_try_as!<u128, u64>(x, 0xffffffffffffffff)
}

public fun to_string(x: u128): String {
    std::macros::num_to_string!(x)
}

/// None on overflow.
public fun checked_add(x: u128, y: u128): Option<u128> {
    std::macros::num_checked_add!(x, y, max_value!())
}

/// None below zero.
public fun checked_sub(x: u128, y: u128): Option<u128> {
    std::macros::num_checked_sub!(x, y)
}

/// None on overflow.
public fun checked_mul(x: u128, y: u128): Option<u128> {
    std::macros::num_checked_mul!(x, y, max_value!())
}

/// None for a division by zero.
public fun checked_div(x: u128, y: u128): Option<u128> {
    std::macros::num_checked_div!(x, y)
}

/// At most the largest value.
public fun saturating_add(x: u128, y: u128): u128 {
    std::macros::num_saturating_add!(x, y, max_value!())
}

/// At least zero.
public fun saturating_sub(x: u128, y: u128): u128 {
    std::macros::num_saturating_sub!(x, y)
}

/// At most the largest value.
public fun saturating_mul(x: u128, y: u128): u128 {
    std::macros::num_saturating_mul!(x, y, max_value!())
}

/// None for a shift by 128 bits or more.
public fun checked_shl(x: u128, shift: u8): Option<u128> {
    std::macros::num_checked_shl!(x, shift, 128)
}

/// None for a shift by 128 bits or more.
public fun checked_shr(x: u128, shift: u8): Option<u128> {
    std::macros::num_checked_shr!(x, shift, 128)
}

/// None for a shift by 128 bits or more, and where bits would be lost.
public fun lossless_shl(x: u128, shift: u8): Option<u128> {
    std::macros::num_lossless_shl!(x, shift, 128)
}

/// None for a shift by 128 bits or more, and where bits would be lost.
public fun lossless_shr(x: u128, shift: u8): Option<u128> {
    std::macros::num_lossless_shr!(x, shift, 128)
}

/// None for a division by zero, and where a remainder would be lost.
public fun lossless_div(x: u128, y: u128): Option<u128> {
    std::macros::num_lossless_div!(x, y)
}

public macro fun max_value(): u128 {
    0xffffffffffffffffffffffffffffffff
}

public macro fun range_do<$R: drop>($start: u128, $stop: u128, $f: |u128| -> $R) {
    std::macros::range_do!($start, $stop, $f)
}

public macro fun range_do_eq<$R: drop>($start: u128, $stop: u128, $f: |u128| -> $R) {
    std::macros::range_do_eq!($start, $stop, $f)
}

public macro fun do<$R: drop>($stop: u128, $f: |u128| -> $R) {
    std::macros::range_do!(0, $stop, $f)
}

public macro fun do_eq<$R: drop>($stop: u128, $f: |u128| -> $R) {
    std::macros::range_do_eq!(0, $stop, $f)
}
