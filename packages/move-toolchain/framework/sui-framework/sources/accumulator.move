/// Where the funds of addresses and objects are counted: one place for each owner and type.
module sui::accumulator;

use sui::dynamic_field;

const ROOT: address = @0xacc;

public struct Key<phantom T> has copy, drop, store {
    address: address,
}

public(package) fun accumulator_address<T>(address: address): address {
    dynamic_field::hash_type_and_key(ROOT, Key<T> { address })
}
