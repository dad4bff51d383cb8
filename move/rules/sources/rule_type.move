/// The only valid form of a rule type: `0x`, 64 lower-case hex digits, `::module::Rule`. With other forms, one
/// rule would have several names, and its ratings would be split.
module rules::rule_type;

use std::string::String;

/// The rule_type is not canonical.
const EBadRuleType: u64 = 10;

const MAX_BYTES: u64 = 256;
/// `0x` and 64 digits.
const ADDRESS_END: u64 = 66;

/// Aborts with `EBadRuleType` unless the text is canonical and at most 256 bytes long.
public(package) fun assert_canonical(rule_type: &String) {
    let text = rule_type.as_bytes();
    assert!(text.length() <= MAX_BYTES && has_address(text), EBadRuleType);
    let module_end = identifier_end(text, after_colons(text, ADDRESS_END));
    let rule_end = identifier_end(text, after_colons(text, module_end));
    assert!(rule_end == text.length(), EBadRuleType)
}

/// The digits of the address in a canonical rule_type, without `0x`.
public(package) fun address_text(rule_type: &String): String {
    rule_type.substring(2, ADDRESS_END)
}

fun has_address(text: &vector<u8>): bool {
    if (text.length() < ADDRESS_END || text[0] != 0x30 || text[1] != 0x78) return false;
    let mut at = 2;
    while (at < ADDRESS_END && (is_digit(text[at]) || is_within(text[at], 0x61, 0x66))) at = at + 1;
    at == ADDRESS_END
}

/// The position after the `::` at `at`.
fun after_colons(text: &vector<u8>, at: u64): u64 {
    assert!(at + 2 <= text.length() && text[at] == 0x3a && text[at + 1] == 0x3a, EBadRuleType);
    at + 2
}

/// The position after the Move identifier that starts at `at`: letters, digits and `_`, not starting with a
/// digit and not `_` alone.
fun identifier_end(text: &vector<u8>, at: u64): u64 {
    let mut end = at;
    while (end < text.length() && (is_letter(text[end]) || is_digit(text[end]) || text[end] == 0x5f)) {
        end = end + 1;
    };
    assert!(end > at && !is_digit(text[at]) && (text[at] != 0x5f || end - at > 1), EBadRuleType);
    end
}

fun is_letter(byte: u8): bool {
    is_within(byte, 0x61, 0x7a) || is_within(byte, 0x41, 0x5a)
}

fun is_digit(byte: u8): bool {
    is_within(byte, 0x30, 0x39)
}

fun is_within(byte: u8, first: u8, last: u8): bool {
    first <= byte && byte <= last
}
