/// Unsigned fixed-point numbers with 32 bits before and 32 behind the point.
module std::uq32_32;

#[error]
const EDenominator: vector<u8> = b"The denominator is zero.";
#[error]
const EQuotientTooSmall: vector<u8> = b"The quotient is too small for the type, and is not zero.";
#[error]
const EQuotientTooLarge: vector<u8> = b"The quotient is too large for the type.";
#[error]
const EOverflow: vector<u8> = b"The result is outside of the type.";
#[error]
const EDivisionByZero: vector<u8> = b"The divisor is zero.";

public struct UQ32_32(u64) has copy, drop, store;

public fun from_quotient(numerator: u64, denominator: u64): UQ32_32 {
    assert!(denominator != 0, EDenominator);
    let quotient = ((numerator as u128) << 32) / (denominator as u128);
    assert!(quotient != 0 || numerator == 0, EQuotientTooSmall);
    assert!(quotient <= std::u64::max_value!() as u128, EQuotientTooLarge);
    UQ32_32(quotient as u64)
}

public fun from_int(integer: u32): UQ32_32 {
    UQ32_32((integer as u64) << 32)
}

public fun add(a: UQ32_32, b: UQ32_32): UQ32_32 {
    UQ32_32(narrow((a.0 as u128) + (b.0 as u128)))
}

public fun sub(a: UQ32_32, b: UQ32_32): UQ32_32 {
    assert!(a.0 >= b.0, EOverflow);
    UQ32_32(a.0 - b.0)
}

public fun mul(a: UQ32_32, b: UQ32_32): UQ32_32 {
    UQ32_32(int_mul(a.0, b))
}

public fun div(a: UQ32_32, b: UQ32_32): UQ32_32 {
    UQ32_32(int_div(a.0, b))
}

/// Without what is behind the point.
public fun to_int(a: UQ32_32): u32 {
    (a.0 >> 32) as u32
}

public fun int_mul(val: u64, multiplier: UQ32_32): u64 {
    narrow(((val as u128) * (multiplier.0 as u128)) >> 32)
}

public fun int_div(val: u64, divisor: UQ32_32): u64 {
    assert!(divisor.0 != 0, EDivisionByZero);
    narrow(((val as u128) << 32) / (divisor.0 as u128))
}

fun narrow(wide: u128): u64 {
    assert!(wide <= std::u64::max_value!() as u128, EOverflow);
    wide as u64
}

public fun le(a: UQ32_32, b: UQ32_32): bool {
    a.0 <= b.0
}

public fun lt(a: UQ32_32, b: UQ32_32): bool {
    a.0 < b.0
}

public fun ge(a: UQ32_32, b: UQ32_32): bool {
    a.0 >= b.0
}

public fun gt(a: UQ32_32, b: UQ32_32): bool {
    a.0 > b.0
}

public fun to_raw(a: UQ32_32): u64 {
    a.0
}

public fun from_raw(raw_value: u64): UQ32_32 {
    UQ32_32(raw_value)
}
