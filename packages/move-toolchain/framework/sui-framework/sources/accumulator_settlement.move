/// How the system counts funds: at the end of each checkpoint, what its transactions moved, for each owner and type.
module sui::accumulator_settlement;

use sui::accumulator::AccumulatorRoot;

/// Only the system settles.
const ENotSystemAddress: u64 = 0;
/// Merges and splits are netted out before, and nothing is taken from what is not there.
const EInvalidSplitAmount: u64 = 1;

#[allow(unused_function)]
/// Makes the system's transaction unlike every other: `index` numbers those of one checkpoint.
fun settlement_prologue(
    _root: &mut AccumulatorRoot,
    _epoch: u64,
    _checkpoint_height: u64,
    _index: u64,
    _input_sui: u64,
    _output_sui: u64,
    ctx: &TxContext,
) {
    assert!(ctx.sender() == @0x0, ENotSystemAddress)
}

#[allow(unused_function)]
fun settle_u128<T>(root: &mut AccumulatorRoot, owner: address, merge: u128, split: u128, ctx: &mut TxContext) {
    assert!(ctx.sender() == @0x0, ENotSystemAddress);
    assert!((merge == 0) != (split == 0), EInvalidSplitAmount);
    assert!(split == 0 || root.has_u128<T>(owner), EInvalidSplitAmount);
    root.update_u128<T>(owner, merge, split)
}
