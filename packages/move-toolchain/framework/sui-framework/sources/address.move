/// Addresses as numbers, bytes and text.
#[defines_primitive(address)]
module sui::address;

use std::ascii;
use std::bcs;
use std::string;
use sui::hex;

public use fun sui::object::id_from_address as address.to_id;

const LENGTH: u64 = 32;
const MAX: u256 = 0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff;

/// Not 64 hex digits.
const EAddressParseError: u64 = 0;

public native fun to_u256(a: address): u256;
public native fun from_u256(n: u256): address;
public native fun from_bytes(bytes: vector<u8>): address;

public fun to_bytes(a: address): vector<u8> {
    bcs::to_bytes(&a)
}

/// Hex without `0x`.
public fun to_ascii_string(a: address): ascii::String {
    hex::encode(to_bytes(a)).to_ascii_string()
}

public fun to_string(a: address): string::String {
    to_ascii_string(a).to_string()
}

public fun from_ascii_bytes(bytes: &vector<u8>): address {
    assert!(bytes.length() == 2 * LENGTH, EAddressParseError);
    let digits = *bytes;
    assert!(
        digits.all!(|b| (*b >= 48 && *b <= 57) || (*b >= 65 && *b <= 70) || (*b >= 97 && *b <= 102)),
        EAddressParseError,
    );
    from_bytes(hex::decode(digits))
}

public fun length(): u64 {
    LENGTH
}

public fun max(): u256 {
    MAX
}
