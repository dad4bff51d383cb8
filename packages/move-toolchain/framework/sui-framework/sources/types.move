/// What the chain knows about types.
module sui::types;

/// True for the value that the chain hands to a module's `init` as it is published.
public native fun is_one_time_witness<T: drop>(_: &T): bool;
