/// Random numbers, from bytes that the network renews in one shared object at 0x8.
module sui::random;

use std::bcs;
use sui::hmac::hmac_sha3_256;
use sui::versioned::{Self, Versioned};

/// Only the system may make or renew the randomness.
const ENotSystemAddress: u64 = 0;
const EWrongInnerVersion: u64 = 1;
/// Rounds follow each other, and begin again in an epoch.
const EInvalidRandomnessUpdate: u64 = 2;
/// The range ends before it begins.
const EInvalidRange: u64 = 3;
/// The vector is too long to shuffle.
const EInvalidLength: u64 = 4;

const VERSION: u64 = 1;
const BLOCK_BYTES: u16 = 32;
const MAX_SHUFFLED: u64 = 65_535;

public struct Random has key {
    id: UID,
    inner: Versioned,
}

public struct RandomInner has store {
    version: u64,
    epoch: u64,
    randomness_round: u64,
    random_bytes: vector<u8>,
}

/// A sequence of random bytes: the HMACs of a counter under a seed.
public struct RandomGenerator has drop {
    seed: vector<u8>,
    counter: u16,
    /// Bytes that were made and not taken yet; the last one is taken first.
    buffer: vector<u8>,
}

#[allow(unused_function)]
fun create(ctx: &mut TxContext) {
    assert!(ctx.sender() == @0x0, ENotSystemAddress);
    let inner = RandomInner {
        version: VERSION,
        epoch: ctx.epoch(),
        randomness_round: 0,
        random_bytes: vector[],
    };
    transfer::share_object(Random {
        id: object::randomness_state(),
        inner: versioned::create(VERSION, inner, ctx),
    })
}

#[allow(unused_function)]
fun update_randomness_state(self: &mut Random, new_round: u64, new_bytes: vector<u8>, ctx: &TxContext) {
    assert!(ctx.sender() == @0x0, ENotSystemAddress);
    assert!(self.inner.version() == VERSION, EWrongInnerVersion);
    let epoch = ctx.epoch();
    let inner: &mut RandomInner = self.inner.load_value_mut();
    assert!(inner.version == VERSION, EWrongInnerVersion);
    let is_first = inner.epoch == 0 && inner.randomness_round == 0 && inner.random_bytes.is_empty();
    let follows = if (is_first) {
        new_round == 0
    } else {
        new_round == inner.randomness_round + 1 || (epoch > inner.epoch && new_round == 0)
    };
    assert!(follows, EInvalidRandomnessUpdate);
    inner.epoch = epoch;
    inner.randomness_round = new_round;
    inner.random_bytes = new_bytes
}

/// A generator of its own for each call, in the same transaction too.
public fun new_generator(r: &Random, ctx: &mut TxContext): RandomGenerator {
    assert!(r.inner.version() == VERSION, EWrongInnerVersion);
    let inner: &RandomInner = r.inner.load_value();
    assert!(inner.version == VERSION, EWrongInnerVersion);
    let seed = hmac_sha3_256(&inner.random_bytes, &ctx.fresh_object_address().to_bytes());
    RandomGenerator { seed, counter: 0, buffer: vector[] }
}

fun next_block(g: &mut RandomGenerator): vector<u8> {
    g.counter = g.counter + 1;
    hmac_sha3_256(&g.seed, &bcs::to_bytes(&g.counter))
}

/// Makes sure that the buffer has `bytes`, at most a block.
fun fill(g: &mut RandomGenerator, bytes: u64) {
    if (g.buffer.length() < bytes) {
        let block = g.next_block();
        g.buffer.append(block)
    }
}

/// A number of so many random bytes, at most a block.
fun number(g: &mut RandomGenerator, bytes: u8): u256 {
    g.fill(bytes as u64);
    let mut number = 0u256;
    bytes.do!(|_| number = (number << 8) + (g.buffer.pop_back() as u256));
    number
}

public fun generate_bytes(g: &mut RandomGenerator, num_of_bytes: u16): vector<u8> {
    let mut bytes = vector[];
    (num_of_bytes / BLOCK_BYTES).do!(|_| bytes.append(g.next_block()));
    let rest = (num_of_bytes % BLOCK_BYTES) as u64;
    g.fill(rest);
    rest.do!(|_| bytes.push_back(g.buffer.pop_back()));
    bytes
}

public fun generate_u256(g: &mut RandomGenerator): u256 {
    g.number(32)
}

public fun generate_u128(g: &mut RandomGenerator): u128 {
    g.number(16) as u128
}

public fun generate_u64(g: &mut RandomGenerator): u64 {
    g.number(8) as u64
}

public fun generate_u32(g: &mut RandomGenerator): u32 {
    g.number(4) as u32
}

public fun generate_u16(g: &mut RandomGenerator): u16 {
    g.number(2) as u16
}

public fun generate_u8(g: &mut RandomGenerator): u8 {
    g.number(1) as u8
}

public fun generate_bool(g: &mut RandomGenerator): bool {
    g.number(1) % 2 == 1
}

/// A random offset of at most `last`. More bytes than the range needs keep the bias small; a range of one number
/// takes none.
fun offset(g: &mut RandomGenerator, last: u256, bytes: u8): u256 {
    if (last == 0) 0 else g.number(bytes) % (last + 1)
}

public fun generate_u128_in_range(g: &mut RandomGenerator, min: u128, max: u128): u128 {
    assert!(min <= max, EInvalidRange);
    min + (g.offset((max - min) as u256, 24) as u128)
}

public fun generate_u64_in_range(g: &mut RandomGenerator, min: u64, max: u64): u64 {
    assert!(min <= max, EInvalidRange);
    min + (g.offset((max - min) as u256, 16) as u64)
}

public fun generate_u32_in_range(g: &mut RandomGenerator, min: u32, max: u32): u32 {
    assert!(min <= max, EInvalidRange);
    min + (g.offset((max - min) as u256, 12) as u32)
}

public fun generate_u16_in_range(g: &mut RandomGenerator, min: u16, max: u16): u16 {
    assert!(min <= max, EInvalidRange);
    min + (g.offset((max - min) as u256, 10) as u16)
}

public fun generate_u8_in_range(g: &mut RandomGenerator, min: u8, max: u8): u8 {
    assert!(min <= max, EInvalidRange);
    min + (g.offset((max - min) as u256, 9) as u8)
}

/// Swaps each element with itself or a later one.
public fun shuffle<T>(g: &mut RandomGenerator, v: &mut vector<T>) {
    let length = v.length();
    if (length == 0) return;
    assert!(length <= MAX_SHUFFLED, EInvalidLength);
    let last = (length - 1) as u16;
    last.do!(|i| {
        let other = g.generate_u16_in_range(i, last);
        v.swap(i as u64, other as u64);
    })
}

#[test_only]
public fun create_for_testing(ctx: &mut TxContext) {
    create(ctx)
}

#[test_only]
public fun update_randomness_state_for_testing(
    self: &mut Random,
    new_round: u64,
    new_bytes: vector<u8>,
    ctx: &TxContext,
) {
    self.update_randomness_state(new_round, new_bytes, ctx)
}

#[test_only]
public fun generator_seed(r: &RandomGenerator): &vector<u8> {
    &r.seed
}

#[test_only]
public fun generator_counter(r: &RandomGenerator): u16 {
    r.counter
}

#[test_only]
public fun generator_buffer(r: &RandomGenerator): &vector<u8> {
    &r.buffer
}

#[test_only]
public fun new_generator_for_testing(): RandomGenerator {
    new_generator_from_seed_for_testing(generate_rand_seed_for_testing())
}

#[test_only]
public fun new_generator_from_seed_for_testing(seed: vector<u8>): RandomGenerator {
    RandomGenerator { seed, counter: 0, buffer: vector[] }
}

#[test_only]
native fun generate_rand_seed_for_testing(): vector<u8>;
