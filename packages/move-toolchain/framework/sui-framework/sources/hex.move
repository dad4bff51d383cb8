/// Bytes as lower-case hex digits, without `0x`.
module sui::hex;

/// An odd number of digits.
const EInvalidHexLength: u64 = 0;
/// Not a hex digit.
const ENotValidHexCharacter: u64 = 1;

public fun encode(bytes: vector<u8>): vector<u8> {
    let digits = b"0123456789abcdef";
    let mut text = vector[];
    bytes.do!(|byte| {
        text.push_back(digits[(byte / 16) as u64]);
        text.push_back(digits[(byte % 16) as u64]);
    });
    text
}

public fun decode(hex: vector<u8>): vector<u8> {
    let n = hex.length();
    assert!(n % 2 == 0, EInvalidHexLength);
    vector::tabulate!(n / 2, |i| digit(hex[2 * i]) * 16 + digit(hex[2 * i + 1]))
}

fun digit(character: u8): u8 {
    if (character >= 48 && character <= 57) character - 48
    else if (character >= 65 && character <= 70) character - 55
    else if (character >= 97 && character <= 102) character - 87
    else abort ENotValidHexCharacter
}
