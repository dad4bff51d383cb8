/// What only the module of a type can say.
module std::internal;

/// Proof that the module which defines `T` allowed what it is asked for.
public struct Permit<phantom T> has drop {}

/// The verifier lets only the module that defines `T` call it.
public fun permit<T>(): Permit<T> {
    Permit {}
}
