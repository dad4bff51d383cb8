/// Arithmetic of `u64`, from before each integer type had a module of its own.
#[deprecated(note = b"Use the module of the integer type, such as std::u64.")]
module sui::math;

public fun max(x: u64, y: u64): u64 {
    x.max(y)
}

public fun min(x: u64, y: u64): u64 {
    x.min(y)
}

public fun diff(x: u64, y: u64): u64 {
    x.diff(y)
}

public fun pow(base: u64, exponent: u8): u64 {
    base.pow(exponent)
}

public fun sqrt(x: u64): u64 {
    x.sqrt()
}

public fun sqrt_u128(x: u128): u128 {
    x.sqrt()
}

public fun divide_and_round_up(x: u64, y: u64): u64 {
    x.divide_and_round_up(y)
}
