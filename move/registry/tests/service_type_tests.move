#[test_only]
module adaptor_registry::service_type_tests;

use adaptor_registry::service_type::{Self, assert_canonical};

/// 64 digits.
const DIGITS: vector<u8> = b"00000000000000000000000000000000000000000000000000000000000abc12";

fun check(prefix: vector<u8>, digits: vector<u8>, rest: vector<u8>) {
    let mut text = prefix;
    text.append(digits);
    text.append(rest);
    assert_canonical(&text.to_string())
}

fun letters(count: u64): vector<u8> {
    vector::tabulate!(count, |_| 0x61)
}

#[test]
fun canonical_names_pass() {
    check(b"0x", DIGITS, b"::tip_jar::TipJar");
    check(b"0x", DIGITS, b"::m::W");
    check(b"0x", DIGITS, b"::_m::_W");
    check(b"0x", DIGITS, b"::m1_::W2_x9");
}

#[test]
fun the_address_is_read_without_its_prefix() {
    let mut text = b"0x";
    text.append(DIGITS);
    text.append(b"::m::W");
    assert!(service_type::address_text(&text.to_string()) == DIGITS.to_string());
}

#[test]
fun a_name_of_256_bytes_passes() {
    let mut rest = b"::m::";
    rest.append(letters(185));
    check(b"0x", DIGITS, rest)
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun a_name_of_257_bytes_is_refused() {
    let mut rest = b"::m::";
    rest.append(letters(186));
    check(b"0x", DIGITS, rest)
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun an_empty_name_is_refused() {
    check(b"", b"", b"")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun an_address_alone_is_refused() {
    check(b"0x", DIGITS, b"")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun upper_case_digits_are_refused() {
    check(b"0x", b"00000000000000000000000000000000000000000000000000000000000ABC12", b"::m::W")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun digits_beyond_f_are_refused() {
    check(b"0x", b"0000000000000000000000000000000000000000000000000000000000000g12", b"::m::W")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun a_short_address_is_refused() {
    check(b"0x", b"abc12", b"::m::W")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun an_address_of_63_digits_is_refused() {
    check(b"0x", b"0000000000000000000000000000000000000000000000000000000000abc12", b"::m::W")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun an_address_of_65_digits_is_refused() {
    check(b"0x0", DIGITS, b"::m::W")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun a_missing_0x_is_refused() {
    check(b"", DIGITS, b"::module::Witness")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun an_upper_case_0x_is_refused() {
    check(b"0X", DIGITS, b"::m::W")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun a_missing_module_is_refused() {
    check(b"0x", DIGITS, b"::Witness")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun an_empty_module_is_refused() {
    check(b"0x", DIGITS, b"::::W")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun an_empty_witness_is_refused() {
    check(b"0x", DIGITS, b"::m::")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun a_single_colon_is_refused() {
    check(b"0x", DIGITS, b"::m:W")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun an_identifier_that_starts_with_a_digit_is_refused() {
    check(b"0x", DIGITS, b"::1m::W")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun an_underscore_is_no_identifier() {
    check(b"0x", DIGITS, b"::m::_")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun a_dash_in_an_identifier_is_refused() {
    check(b"0x", DIGITS, b"::m-n::W")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun type_arguments_are_refused() {
    check(b"0x", DIGITS, b"::m::W<u8>")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun a_fourth_part_is_refused() {
    check(b"0x", DIGITS, b"::m::W::X")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun trailing_space_is_refused() {
    check(b"0x", DIGITS, b"::m::W ")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun letters_outside_ascii_are_refused() {
    check(b"0x", DIGITS, x"3a3a6d3a3a57c3a9")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun two_other_signs_for_the_colons_are_refused() {
    check(b"0x", DIGITS, b"--m::W")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun another_sign_for_the_first_colon_is_refused() {
    check(b"0x", DIGITS, b"-:m::W")
}

#[test, expected_failure(abort_code = service_type::EBadServiceType)]
fun another_sign_for_the_second_colon_is_refused() {
    check(b"0x", DIGITS, b":-m::W")
}
