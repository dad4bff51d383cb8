/// UTF-8 text. Positions and lengths count bytes.
module std::string;

use std::ascii;

/// The bytes are not UTF-8.
const EInvalidUTF8: u64 = 1;
/// The position is beyond the end, or inside a character.
const EInvalidIndex: u64 = 2;

public struct String has copy, drop, store {
    bytes: vector<u8>,
}

public fun utf8(bytes: vector<u8>): String {
    assert!(internal_check_utf8(&bytes), EInvalidUTF8);
    String { bytes }
}

public fun try_utf8(bytes: vector<u8>): Option<String> {
    if (internal_check_utf8(&bytes)) option::some(String { bytes }) else option::none()
}

public fun from_ascii(s: ascii::String): String {
    String { bytes: s.into_bytes() }
}

public fun to_ascii(s: String): ascii::String {
    ascii::string(s.into_bytes())
}

public fun as_bytes(s: &String): &vector<u8> {
    &s.bytes
}

public fun into_bytes(s: String): vector<u8> {
    let String { bytes } = s;
    bytes
}

public fun is_empty(s: &String): bool {
    s.bytes.is_empty()
}

public fun length(s: &String): u64 {
    s.bytes.length()
}

public fun append(s: &mut String, r: String) {
    s.bytes.append(r.into_bytes())
}

public fun append_utf8(s: &mut String, bytes: vector<u8>) {
    s.append(utf8(bytes))
}

public fun insert(s: &mut String, at: u64, o: String) {
    let end = s.length();
    assert!(at <= end && internal_is_char_boundary(&s.bytes, at), EInvalidIndex);
    let mut spliced = s.substring(0, at);
    spliced.append(o);
    spliced.append(s.substring(at, end));
    *s = spliced
}

public fun substring(s: &String, i: u64, j: u64): String {
    let bytes = &s.bytes;
    let inside = i <= j && j <= bytes.length();
    assert!(
        inside && internal_is_char_boundary(bytes, i) && internal_is_char_boundary(bytes, j),
        EInvalidIndex,
    );
    String { bytes: internal_sub_string(bytes, i, j) }
}

/// Position of the first occurrence of `r`, or the length of `s` when there is none.
public fun index_of(s: &String, r: &String): u64 {
    internal_index_of(&s.bytes, &r.bytes)
}

// The older names of what is above.

#[deprecated(note = b"Renamed to `as_bytes`.")]
public fun bytes(s: &String): &vector<u8> {
    s.as_bytes()
}

#[deprecated(note = b"Renamed to `substring`.")]
public fun sub_string(s: &String, i: u64, j: u64): String {
    s.substring(i, j)
}

native fun internal_check_utf8(v: &vector<u8>): bool;
native fun internal_is_char_boundary(v: &vector<u8>, i: u64): bool;
native fun internal_sub_string(v: &vector<u8>, i: u64, j: u64): vector<u8>;
native fun internal_index_of(v: &vector<u8>, r: &vector<u8>): u64;
