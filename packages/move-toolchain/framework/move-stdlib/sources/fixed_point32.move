/// Numbers with 32 bits before the binary point and 32 behind it.
module std::fixed_point32;

/// The denominator is zero.
const EDENOMINATOR: u64 = 0x10001;
/// The quotient does not fit in a u64.
const EDIVISION: u64 = 0x20002;
/// The product does not fit in a u64.
const EMULTIPLICATION: u64 = 0x20003;
const EDIVISION_BY_ZERO: u64 = 0x10004;
/// The ratio is too large, or too small and not zero.
const ERATIO_OUT_OF_RANGE: u64 = 0x20005;

const MAX_U64: u128 = 0xffffffffffffffff;

public struct FixedPoint32 has copy, drop, store {
    value: u64,
}

/// Rounded down.
public fun multiply_u64(val: u64, multiplier: FixedPoint32): u64 {
    let product = ((val as u128) * (multiplier.value as u128)) >> 32;
    assert!(product <= MAX_U64, EMULTIPLICATION);
    product as u64
}

/// Rounded down.
public fun divide_u64(val: u64, divisor: FixedPoint32): u64 {
    assert!(divisor.value != 0, EDIVISION_BY_ZERO);
    let quotient = ((val as u128) << 32) / (divisor.value as u128);
    assert!(quotient <= MAX_U64, EDIVISION);
    quotient as u64
}

public fun create_from_rational(numerator: u64, denominator: u64): FixedPoint32 {
    assert!(denominator != 0, EDENOMINATOR);
    let value = ((numerator as u128) << 32) / (denominator as u128);
    assert!((value != 0 || numerator == 0) && value <= MAX_U64, ERATIO_OUT_OF_RANGE);
    FixedPoint32 { value: value as u64 }
}

public fun create_from_raw_value(value: u64): FixedPoint32 {
    FixedPoint32 { value }
}

public fun get_raw_value(num: FixedPoint32): u64 {
    num.value
}

public fun is_zero(num: FixedPoint32): bool {
    num.value == 0
}
