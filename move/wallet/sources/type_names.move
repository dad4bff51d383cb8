/// Which types may be named by what is stored and by what events say, and which of them prove who acts.
module wallet::type_names;

use std::type_name::{Self, TypeName};

/// The name of the type is longer than 960 bytes.
const ETooLong: u64 = 1;
/// The type proves nobody: it is primitive, generic, or one of the framework's.
const ENoWitness: u64 = 2;

/// Type arguments make a name as long as tens of thousands of bytes, which no index holds: what it names could not
/// be seen.
const MAX_BYTES: u64 = 960;

/// How many hex digits of an address are zero in the framework's own: 0x1 to 0xffff.
const FRAMEWORK_ZEROS: u64 = 60;
const ADDRESS_DIGITS: u64 = 64;

/// The name of a type that is stored or put in an event: at most 960 bytes.
public fun bounded<T>(): TypeName {
    let name = type_name::with_defining_ids<T>();
    assert!(name.as_string().length() <= MAX_BYTES, ETooLong);
    name
}

/// The name of a type whose values are to prove who acts: of a module of some package of users, and without type
/// arguments, which anyone could choose. Anyone makes a value of a primitive type, and of many of the framework's.
/// That anyone can make a value of the type in its own module cannot be seen here.
public fun witness<T>(): TypeName {
    let name = bounded<T>();
    let text = name.as_string().as_bytes();
    // A primitive name has no address, and a vector has a type argument.
    assert!(text.length() > ADDRESS_DIGITS && !text.contains(&0x3c), ENoWitness);
    assert!(!is_frameworks(text), ENoWitness);
    name
}

/// Not so for 0x0, at which no package is and tests run.
fun is_frameworks(name: &vector<u8>): bool {
    let first = vector::tabulate!(ADDRESS_DIGITS, |at| at).find_index!(|at| name[*at] != 0x30);
    first.is_some_and!(|digit| *digit >= FRAMEWORK_ZEROS)
}
