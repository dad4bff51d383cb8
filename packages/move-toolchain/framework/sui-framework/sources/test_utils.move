/// What unit tests of packages on this chain need beside `std::unit_test`.
#[test_only]
module sui::test_utils;

public fun assert_eq<T: drop>(t1: T, t2: T) {
    std::unit_test::assert_eq!(t1, t2)
}

public fun assert_ref_eq<T>(t1: &T, t2: &T) {
    std::unit_test::assert_ref_eq!(t1, t2)
}

public fun print(str: vector<u8>) {
    std::debug::print(&str.to_ascii_string())
}

/// Ends the life of any value, droppable or not.
public fun destroy<T>(x: T) {
    std::unit_test::destroy(x)
}

/// What the chain hands to `init` when it publishes the module of `T`.
public native fun create_one_time_witness<T: drop>(): T;
