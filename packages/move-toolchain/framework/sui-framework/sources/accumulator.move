/// Where the funds of addresses and objects are counted: one place for each owner and type.
module sui::accumulator;

use sui::dynamic_field;

/// Only the system makes the object.
const ENotSystemAddress: u64 = 0;

/// The parent of what is counted, as of the end of the last checkpoint. Networks share one, at 0xacc.
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
    dynamic_field::hash_type_and_key(object::sui_accumulator_root_address(), Key<T> { address })
}

#[allow(unused_function)]
fun create(ctx: &TxContext) {
    assert!(ctx.sender() == @0x0, ENotSystemAddress);
    transfer::share_object(AccumulatorRoot { id: object::sui_accumulator_root_object_id() })
}

public(package) fun id_mut(root: &mut AccumulatorRoot): &mut UID {
    &mut root.id
}

/// Zero where nothing is counted.
public(package) fun u128_or_zero<T>(root: &AccumulatorRoot, address: address): u128 {
    if (!root.has_u128<T>(address)) return 0;
    dynamic_field::borrow<Key<T>, U128>(&root.id, Key { address }).value
}

public(package) fun has_u128<T>(root: &AccumulatorRoot, address: address): bool {
    dynamic_field::exists_with_type<Key<T>, U128>(&root.id, Key { address })
}

/// What is counted for an owner, with what merges came to added and what splits came to taken off. It exists while it
/// is more than zero. Adding comes first: only the sum is bounded.
public(package) fun update_u128<T>(root: &mut AccumulatorRoot, address: address, merge: u128, split: u128) {
    let key = Key<T> { address };
    if (!root.has_u128<T>(address)) {
        dynamic_field::add(&mut root.id, key, U128 { value: merge - split });
        return
    };
    let counted: &mut U128 = dynamic_field::borrow_mut(&mut root.id, key);
    counted.value = counted.value + merge - split;
    if (counted.value == 0) {
        let U128 { value: _ } = dynamic_field::remove(&mut root.id, key);
    }
}

#[test_only]
public fun create_for_testing(ctx: &mut TxContext) {
    transfer::share_object(AccumulatorRoot { id: object::new(ctx) })
}
