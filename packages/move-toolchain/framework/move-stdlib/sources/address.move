/// The width of an address.
module std::address;

public fun length(): u64 {
    32
}
