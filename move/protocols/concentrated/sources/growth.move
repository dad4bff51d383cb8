/// The earnings of one unit of liquidity since the pool began, in units of 2^-64. Its earnings in a range are a
/// difference with an arbitrary zero: all arithmetic is modulo 2^256, and only later minus earlier has a meaning.
module concentrated::growth;

public struct Growth has copy, drop, store {
    a: u256,
    b: u256,
    reward: u256,
}

public fun zero(): Growth {
    Growth { a: 0, b: 0, reward: 0 }
}

/// Shares fees of either coin and a reward among the liquidity, rounded down.
public fun grow(growth: &mut Growth, a: u64, b: u64, reward: u64, liquidity: u128) {
    growth.a = growth.a + per_unit(a, liquidity);
    growth.b = growth.b + per_unit(b, liquidity);
    growth.reward = growth.reward + per_unit(reward, liquidity);
}

public fun minus(left: Growth, right: Growth): Growth {
    Growth {
        a: difference(left.a, right.a),
        b: difference(left.b, right.b),
        reward: difference(left.reward, right.reward),
    }
}

/// The earnings of this liquidity by the growth, in A, B and the reward, rounded down.
public fun earned(growth: &Growth, liquidity: u128): (u64, u64, u64) {
    let liquidity = liquidity as u256;
    (
        (growth.a * liquidity >> 64) as u64,
        (growth.b * liquidity >> 64) as u64,
        (growth.reward * liquidity >> 64) as u64,
    )
}

fun per_unit(amount: u64, liquidity: u128): u256 {
    if (amount == 0) 0 else ((amount as u256) << 64) / (liquidity as u256)
}

fun difference(left: u256, right: u256): u256 {
    if (left >= right) left - right else std::u256::max_value!() - right + left + 1
}
