/// Which types may be named in stored data and events, and which of them prove who acts.
module wallet::type_names;

use std::type_name::{Self, TypeName};

/// The name of the type is longer than 960 bytes.
const ETooLong: u64 = 1;
/// The type proves nothing: it is primitive, generic, or a type of the framework.
const ENoWitness: u64 = 2;

/// Type arguments can make a name tens of thousands of bytes long. No index stores such a name, so it would
/// hide what it names.
const MAX_BYTES: u64 = 960;

/// The number of leading zero digits in the addresses of the framework: 0x1 to 0xffff.
const FRAMEWORK_ZEROS: u64 = 60;
const ADDRESS_DIGITS: u64 = 64;

/// The name of a type that is stored or put into an event: at most 960 bytes.
public fun bounded<T>(): TypeName {
    let name = type_name::with_defining_ids<T>();
    assert!(name.as_string().length() <= MAX_BYTES, ETooLong);
    name
}

/// The name of a type whose values prove who acts: a type of a user's package, without type arguments, which
/// anyone could choose. Anyone can make a value of a primitive type, and of many types of the framework.
/// Whether anyone can make a value of the type in its own module cannot be seen here.
public fun witness<T>(): TypeName {
    let name = bounded<T>();
    let text = name.as_string().as_bytes();
    // A primitive name has no address, and a vector has a type argument.
    assert!(text.length() > ADDRESS_DIGITS && !text.contains(&0x3c), ENoWitness);
    assert!(!is_frameworks(text), ENoWitness);
    name
}

/// 0x0 is not one of them: it has no package, and tests run there.
fun is_frameworks(name: &vector<u8>): bool {
    let first = vector::tabulate!(ADDRESS_DIGITS, |at| at).find_index!(|at| name[*at] != 0x30);
    first.is_some_and!(|digit| *digit >= FRAMEWORK_ZEROS)
}
