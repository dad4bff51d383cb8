/// Unsigned fixed-point numbers with 64 bits before and 64 behind the point.
module std::uq64_64;

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

public struct UQ64_64(u128) has copy, drop, store;

public fun from_quotient(numerator: u128, denominator: u128): UQ64_64 {
    assert!(denominator != 0, EDenominator);
    let quotient = ((numerator as u256) << 64) / (denominator as u256);
    assert!(quotient != 0 || numerator == 0, EQuotientTooSmall);
    assert!(quotient <= std::u128::max_value!() as u256, EQuotientTooLarge);
    UQ64_64(quotient as u128)
}

public fun from_int(integer: u64): UQ64_64 {
    UQ64_64((integer as u128) << 64)
}

public fun add(a: UQ64_64, b: UQ64_64): UQ64_64 {
    UQ64_64(narrow((a.0 as u256) + (b.0 as u256)))
}

public fun sub(a: UQ64_64, b: UQ64_64): UQ64_64 {
    assert!(a.0 >= b.0, EOverflow);
    UQ64_64(a.0 - b.0)
}

public fun mul(a: UQ64_64, b: UQ64_64): UQ64_64 {
    UQ64_64(int_mul(a.0, b))
}

public fun div(a: UQ64_64, b: UQ64_64): UQ64_64 {
    UQ64_64(int_div(a.0, b))
}

/// Without what is behind the point.
public fun to_int(a: UQ64_64): u64 {
    (a.0 >> 64) as u64
}

public fun int_mul(val: u128, multiplier: UQ64_64): u128 {
    narrow(((val as u256) * (multiplier.0 as u256)) >> 64)
}

public fun int_div(val: u128, divisor: UQ64_64): u128 {
    assert!(divisor.0 != 0, EDivisionByZero);
    narrow(((val as u256) << 64) / (divisor.0 as u256))
}

fun narrow(wide: u256): u128 {
    assert!(wide <= std::u128::max_value!() as u256, EOverflow);
    wide as u128
}

public fun le(a: UQ64_64, b: UQ64_64): bool {
    a.0 <= b.0
}

public fun lt(a: UQ64_64, b: UQ64_64): bool {
    a.0 < b.0
}

public fun ge(a: UQ64_64, b: UQ64_64): bool {
    a.0 >= b.0
}

public fun gt(a: UQ64_64, b: UQ64_64): bool {
    a.0 > b.0
}

public fun to_raw(a: UQ64_64): u128 {
    a.0
}

public fun from_raw(raw_value: u128): UQ64_64 {
    UQ64_64(raw_value)
}
