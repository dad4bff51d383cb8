/// How many places there are in which funds are counted.
module sui::accumulator_metadata;

use sui::accumulator::AccumulatorRoot;
use sui::dynamic_field;

/// More places ended than there were.
const EInvariantViolation: u64 = 0;

public struct AccumulatorObjectCountKey() has copy, drop, store;

#[allow(unused_function)]
fun record_accumulator_object_changes(root: &mut AccumulatorRoot, created: u64, destroyed: u64) {
    let key = AccumulatorObjectCountKey();
    let id = root.id_mut();
    if (!dynamic_field::exists_(id, key)) dynamic_field::add(id, key, 0u64);
    let count: &mut u64 = dynamic_field::borrow_mut(id, key);
    assert!(*count + created >= destroyed, EInvariantViolation);
    *count = *count + created - destroyed
}
