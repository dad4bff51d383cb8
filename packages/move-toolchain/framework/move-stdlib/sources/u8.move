/// Arithmetic and loops over `u8`.
#[defines_primitive(u8)]
module std::u8;

use std::string::String;

public fun max(x: u8, y: u8): u8 {
    std::macros::num_max!(x, y)
}

public fun min(x: u8, y: u8): u8 {
    std::macros::num_min!(x, y)
}

public fun diff(x: u8, y: u8): u8 {
    std::macros::num_diff!(x, y)
}

public fun bitwise_not(x: u8): u8 {
    x ^ max_value!()
}

public fun divide_and_round_up(x: u8, y: u8): u8 {
    std::macros::num_divide_and_round_up!(x, y)
}

public fun pow(base: u8, exponent: u8): u8 {
    std::macros::num_pow!(base, exponent)
}

/// Rounded down.
public fun sqrt(x: u8): u8 {
    std::macros::num_sqrt!<u8, u64>(x)
}

public fun to_string(x: u8): String {
    std::macros::num_to_string!(x)
}

/// None on overflow.
public fun checked_add(x: u8, y: u8): Option<u8> {
    std::macros::num_checked_add!(x, y, max_value!())
}

/// None below zero.
public fun checked_sub(x: u8, y: u8): Option<u8> {
    std::macros::num_checked_sub!(x, y)
}

/// None on overflow.
public fun checked_mul(x: u8, y: u8): Option<u8> {
    std::macros::num_checked_mul!(x, y, max_value!())
}

/// None for a division by zero.
public fun checked_div(x: u8, y: u8): Option<u8> {
    std::macros::num_checked_div!(x, y)
}

/// At most the largest value.
public fun saturating_add(x: u8, y: u8): u8 {
    std::macros::num_saturating_add!(x, y, max_value!())
}

/// At least zero.
public fun saturating_sub(x: u8, y: u8): u8 {
    std::macros::num_saturating_sub!(x, y)
}

/// At most the largest value.
public fun saturating_mul(x: u8, y: u8): u8 {
    std::macros::num_saturating_mul!(x, y, max_value!())
}

/// None for a shift by 8 bits or more.
public fun checked_shl(x: u8, shift: u8): Option<u8> {
    std::macros::num_checked_shl!(x, shift, 8)
}

/// None for a shift by 8 bits or more.
public fun checked_shr(x: u8, shift: u8): Option<u8> {
    std::macros::num_checked_shr!(x, shift, 8)
}

/// None for a shift by 8 bits or more, and where bits would be lost.
public fun lossless_shl(x: u8, shift: u8): Option<u8> {
    std::macros::num_lossless_shl!(x, shift, 8)
}

/// None for a shift by 8 bits or more, and where bits would be lost.
public fun lossless_shr(x: u8, shift: u8): Option<u8> {
    std::macros::num_lossless_shr!(x, shift, 8)
}

/// None for a division by zero, and where a remainder would be lost.
public fun lossless_div(x: u8, y: u8): Option<u8> {
    std::macros::num_lossless_div!(x, y)
}

public macro fun max_value(): u8 {
    0xff
}

public macro fun range_do<$R: drop>($start: u8, $stop: u8, $f: |u8| -> $R) {
    std::macros::range_do!($start, $stop, $f)
}

public macro fun range_do_eq<$R: drop>($start: u8, $stop: u8, $f: |u8| -> $R) {
    std::macros::range_do_eq!($start, $stop, $f)
}

public macro fun do<$R: drop>($stop: u8, $f: |u8| -> $R) {
    std::macros::range_do!(0, $stop, $f)
}

public macro fun do_eq<$R: drop>($stop: u8, $f: |u8| -> $R) {
    std::macros::range_do_eq!(0, $stop, $f)
}
