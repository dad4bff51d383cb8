/// A fixed number of bits.
module std::bit_vector;

/// The position is at or beyond the length.
const EINDEX: u64 = 0x20000;
/// No bits, or too many.
const ELENGTH: u64 = 0x20001;

const MAX_SIZE: u64 = 1024;

public struct BitVector has copy, drop, store {
    length: u64,
    bit_field: vector<bool>,
}

public fun new(length: u64): BitVector {
    assert!(length > 0 && length < MAX_SIZE, ELENGTH);
    BitVector { length, bit_field: vector::tabulate!(length, |_| false) }
}

public fun set(bitvector: &mut BitVector, bit_index: u64) {
    bitvector.put(bit_index, true)
}

public fun unset(bitvector: &mut BitVector, bit_index: u64) {
    bitvector.put(bit_index, false)
}

/// Towards the first bit; the last ones become 0.
public fun shift_left(bitvector: &mut BitVector, amount: u64) {
    let n = bitvector.length();
    let mut at = 0;
    while (at < n) {
        let moved = amount < n - at && bitvector.bit_field[at + amount];
        *&mut bitvector.bit_field[at] = moved;
        at = at + 1
    }
}

public fun is_index_set(bitvector: &BitVector, bit_index: u64): bool {
    assert!(bit_index < bitvector.length(), EINDEX);
    bitvector.bit_field[bit_index]
}

public fun length(bitvector: &BitVector): u64 {
    bitvector.bit_field.length()
}

/// How many bits from `start_index` on are set, without a gap.
public fun longest_set_sequence_starting_at(bitvector: &BitVector, start_index: u64): u64 {
    assert!(start_index < bitvector.length(), EINDEX);
    let mut end = start_index;
    while (end < bitvector.length() && bitvector.bit_field[end]) end = end + 1;
    end - start_index
}

fun put(bitvector: &mut BitVector, at: u64, bit: bool) {
    assert!(at < bitvector.length(), EINDEX);
    *&mut bitvector.bit_field[at] = bit
}
