/// ASCII text: every byte below 0x80.
module std::ascii;

public use fun std::string::from_ascii as String.to_string;

/// The byte is not an ASCII character.
const EInvalidASCIICharacter: u64 = 0x10000;
/// The position is beyond the end.
const EInvalidIndex: u64 = 0x10001;

public struct String has copy, drop, store {
    bytes: vector<u8>,
}

public struct Char has copy, drop, store {
    byte: u8,
}

public fun char(byte: u8): Char {
    assert!(is_valid_char(byte), EInvalidASCIICharacter);
    Char { byte }
}

public fun byte(char: Char): u8 {
    char.byte
}

public fun is_valid_char(b: u8): bool {
    b < 0x80
}

public fun is_printable_char(byte: u8): bool {
    0x20 <= byte && byte < 0x7f
}

public fun string(bytes: vector<u8>): String {
    assert!(bytes.all!(|b| is_valid_char(*b)), EInvalidASCIICharacter);
    String { bytes }
}

public fun try_string(bytes: vector<u8>): Option<String> {
    if (bytes.all!(|b| is_valid_char(*b))) option::some(String { bytes }) else option::none()
}

public fun all_characters_printable(string: &String): bool {
    string.bytes.all!(|b| is_printable_char(*b))
}

public fun push_char(string: &mut String, char: Char) {
    string.bytes.push_back(char.byte)
}

public fun pop_char(string: &mut String): Char {
    Char { byte: string.bytes.pop_back() }
}

public fun length(string: &String): u64 {
    string.bytes.length()
}

public fun is_empty(string: &String): bool {
    string.bytes.is_empty()
}

public fun append(string: &mut String, other: String) {
    string.bytes.append(other.into_bytes())
}

public fun insert(s: &mut String, at: u64, o: String) {
    let end = s.length();
    assert!(at <= end, EInvalidIndex);
    let mut spliced = s.substring(0, at);
    spliced.append(o);
    spliced.append(s.substring(at, end));
    *s = spliced
}

public fun substring(string: &String, i: u64, j: u64): String {
    assert!(i <= j && j <= string.length(), EInvalidIndex);
    String { bytes: vector::tabulate!(j - i, |k| string.bytes[i + k]) }
}

/// Position of the first occurrence of `substr`, or the length of `string` when there is none.
public fun index_of(string: &String, substr: &String): u64 {
    let (n, m) = (string.length(), substr.length());
    let mut at = 0;
    while (at + m <= n) {
        let mut same = 0;
        while (same < m && string.bytes[at + same] == substr.bytes[same]) same = same + 1;
        if (same == m) return at;
        at = at + 1;
    };
    n
}

public fun as_bytes(string: &String): &vector<u8> {
    &string.bytes
}

public fun into_bytes(string: String): vector<u8> {
    let String { bytes } = string;
    bytes
}

public fun to_lowercase(string: &String): String {
    let bytes = string.bytes.map_ref!(|b| if (*b >= 65 && *b <= 90) *b + 32 else *b);
    String { bytes }
}

public fun to_uppercase(string: &String): String {
    let bytes = string.bytes.map_ref!(|b| if (*b >= 97 && *b <= 122) *b - 32 else *b);
    String { bytes }
}
