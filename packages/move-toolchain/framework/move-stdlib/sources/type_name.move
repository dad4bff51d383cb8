/// Types as values. Addresses in the text are 64 lower-case hex digits without `0x`.
module std::type_name;

use std::ascii::{Self, String};

/// A primitive type belongs to no module.
const ENonModuleType: u64 = 0;

public struct TypeName has copy, drop, store {
    name: String,
}

/// Packages by the id that first introduced each type.
public native fun with_defining_ids<T>(): TypeName;
/// Packages by the id of their first version.
public native fun with_original_ids<T>(): TypeName;
public native fun defining_id<T>(): address;
public native fun original_id<T>(): address;

public fun is_primitive(self: &TypeName): bool {
    let name = self.name.as_bytes();
    let words = vector[b"bool", b"u8", b"u16", b"u32", b"u64", b"u128", b"u256", b"address"];
    words.contains(name) || self.name.index_of(&ascii::string(b"vector")) == 0
}

public fun as_string(self: &TypeName): &String {
    &self.name
}

public fun into_string(self: TypeName): String {
    self.name
}

public fun address_string(self: &TypeName): String {
    assert!(!self.is_primitive(), ENonModuleType);
    self.name.substring(0, 64)
}

public fun module_string(self: &TypeName): String {
    assert!(!self.is_primitive(), ENonModuleType);
    let rest = self.name.substring(66, self.name.length());
    rest.substring(0, rest.index_of(&ascii::string(b"::")))
}

public fun datatype_string(self: &TypeName): String {
    assert!(!self.is_primitive(), ENonModuleType);
    let rest = self.name.substring(66, self.name.length());
    let start = rest.index_of(&ascii::string(b"::")) + 2;
    let datatype = rest.substring(start, rest.length());
    datatype.substring(0, datatype.index_of(&ascii::string(b"<")))
}

// The older names of what is above.

#[deprecated(note = b"Renamed to `with_defining_ids`.")]
public fun get<T>(): TypeName {
    with_defining_ids<T>()
}

#[deprecated(note = b"Renamed to `with_original_ids`.")]
public fun get_with_original_ids<T>(): TypeName {
    with_original_ids<T>()
}

#[deprecated(note = b"Renamed to `as_string`.")]
public fun borrow_string(self: &TypeName): &String {
    self.as_string()
}

#[deprecated(note = b"Renamed to `address_string`.")]
public fun get_address(self: &TypeName): String {
    self.address_string()
}

#[deprecated(note = b"Renamed to `module_string`.")]
public fun get_module(self: &TypeName): String {
    self.module_string()
}
