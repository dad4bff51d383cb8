/// What unit tests need. The compiler itself refers to `poison`.
#[test_only]
module std::unit_test;

/// Fails to link outside a unit test, so that a package compiled for tests cannot be published.
public native fun poison();

public macro fun assert_eq<$T: drop>($t1: $T, $t2: $T) {
    let left = $t1;
    let right = $t2;
    assert_ref_eq!(&left, &right)
}

public macro fun assert_ref_eq<$T>($t1: &$T, $t2: &$T) {
    let left = $t1;
    let right = $t2;
    if (left != right) {
        std::debug::print(&b"not equal:".to_string());
        std::debug::print(left);
        std::debug::print(right);
        assert!(false);
    }
}

/// Ends the life of any value, droppable or not.
public native fun destroy<T>(x: T);
