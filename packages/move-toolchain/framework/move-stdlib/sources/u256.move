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
