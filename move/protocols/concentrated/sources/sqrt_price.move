/// Square roots of prices, and how trades move them. A price is what one base unit of A costs in base units of B; its
/// square root is in units of 2^-64. Ticks are the prices 1.0001^n, counted from the lowest one: tick `ONE` is 1.
module concentrated::sqrt_price;

/// The tick is above `MAX_TICK`.
const EBadTick: u64 = 0;

/// The tick whose price is 1. A multiple of all usual spacings, so that 1 is a tick of every pool.
const ONE: u32 = 443_400;
const MAX_TICK: u32 = 886_800;

/// The square root of the tick's price, with an error of at most one unit or one part in 2^64. Below
/// 2^96, and higher with every tick.
public fun at_tick(tick: u32): u128 {
    assert!(tick <= MAX_TICK, EBadTick);
    let distance = if (tick < ONE) ONE - tick else tick - ONE;
    // 1.0001^(-2^i / 2) in units of 2^-128, rounded to the nearest.
    let factors: vector<u256> = vector[
        340265354078544963557816517032075149313,
        340248342086729790484326174814286782778,
        340214320654664324051920982716015181260,
        340146287995602323631171512101879684304,
        340010263488231146823593991679159461444,
        339738377640345403697157401104375502016,
        339195258003219555707034227454543997025,
        338111622100601834656805679988414885971,
        335954724994790223023589805789778977700,
        331682121138379247127172139078559817300,
        323299236684853023288211250268160618739,
        307163716377032989948697243942600083929,
        277268403626896220162999269216087595045,
        225923453940442621947126027127485391333,
        149997214084966997727330242082538205943,
        66119101136024775622716233608466517926,
        12847376061809297530290974190478138313,
        485053260817066172746253684029974020,
        691415978906521570653435304214168,
    ];
    let mut root: u256 = 1 << 128;
    factors.length().do!(|i| if (distance >> (i as u8) & 1 == 1) {
        root = root * factors[i] >> 128;
    });
    if (tick > ONE) root = (1 << 255) / root << 1;
    (root >> 64) as u128
}

public fun tick_of_one(): u32 { ONE }

public fun max_tick(): u32 { MAX_TICK }

// === Amounts of a range, with one rounding. Liquidity is below 2^96. ===

/// The A in the liquidity between the two roots.
public fun amount_a(liquidity: u128, low: u128, high: u128, up: bool): u256 {
    let held = ((liquidity as u256) << 64) * ((high - low) as u256);
    divide(held, (low as u256) * (high as u256), up)
}

/// The B in the liquidity between the two roots.
public fun amount_b(liquidity: u128, low: u128, high: u128, up: bool): u256 {
    divide((liquidity as u256) * ((high - low) as u256), 1 << 64, up)
}

/// The most liquidity with at most this A between the two roots.
public fun liquidity_of_a(amount: u64, low: u128, high: u128): u256 {
    (amount as u256) * ((low as u256) * (high as u256)) / (((high - low) as u256) << 64)
}

/// The most liquidity with at most this B between the two roots.
public fun liquidity_of_b(amount: u64, low: u128, high: u128): u256 {
    ((amount as u256) << 64) / ((high - low) as u256)
}

/// Where the root falls to as A comes in, rounded up: the pool never pays more B than the A is worth.
public fun after_a(root: u128, liquidity: u128, amount: u64): u128 {
    let scaled = (liquidity as u256) << 64;
    divide(scaled * (root as u256), scaled + (amount as u256) * (root as u256), true) as u128
}

/// Where the root rises to as B comes in, rounded down: the pool never pays more A than the B is worth.
public fun after_b(root: u128, liquidity: u128, amount: u64): u128 {
    root + ((((amount as u256) << 64) / (liquidity as u256)) as u128)
}

fun divide(a: u256, b: u256, up: bool): u256 {
    if (up) a.divide_and_round_up(b) else a / b
}
