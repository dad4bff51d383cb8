/// Where the funds of addresses and objects are counted: one place for each owner and type.
module sui::accumulator;

use sui::dynamic_field;

const ROOT: address = @0xacc;

/// The parent of what is counted, as of the start of a checkpoint. Networks share one, at `ROOT`.
public struct AccumulatorRoot has key {
    id: UID,
}

public struct Key<phantom T> has copy, drop, store {
    address: address,
}

/// A sum.
public struct U128 has store {
    value: u128,
}

public(package) fun accumulator_address<T>(address: address): address {
    dynamic_field::hash_type_and_key(ROOT, Key<T> { address })
}

/// Zero where nothing is counted.
public(package) fun u128_or_zero<T>(root: &AccumulatorRoot, address: address): u128 {
    let key = Key<T> { address };
    if (!dynamic_field::exists_with_type<Key<T>, U128>(&root.id, key)) return 0;
    dynamic_field::borrow<Key<T>, U128>(&root.id, key).value
}

#[test_only]
public fun create_for_testing(ctx: &mut TxContext) {
    transfer::share_object(AccumulatorRoot { id: object::new(ctx) })
}
