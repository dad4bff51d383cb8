/// What our packages rely on in 0x1. The same tests hold with the real framework.
#[test_only]
module framework_checks::stdlib_checks;

use std::ascii;
use std::string;
use std::type_name;
use std::unit_test::assert_eq;

public struct Generic<phantom T> has drop {}

#[test]
fun vectors_keep_their_order() {
    let mut v = vector[1, 2, 3];
    v.append(vector[4, 5]);
    v.insert(9, 1);
    assert_eq!(v, vector[1, 9, 2, 3, 4, 5]);
    v.insert(7, 6);
    assert_eq!(v.remove(0), 1);
    assert_eq!(v.remove(5), 7);
    assert_eq!(v.swap_remove(0), 9);
    assert_eq!(v, vector[5, 2, 3, 4]);
    v.reverse();
    assert_eq!(v, vector[4, 3, 2, 5]);
    let (found, at) = v.index_of(&2);
    assert!(found && at == 2 && !v.contains(&1));
    assert_eq!(vector[vector[1], vector[], vector[2, 3]].flatten(), vector[1, 2, 3]);
}

#[test]
fun vector_macros_visit_in_order() {
    let v = vector::tabulate!(4, |i| i * 10);
    assert_eq!(v, vector[0, 10, 20, 30]);
    assert_eq!(v.map!(|e| e + 1), vector[1, 11, 21, 31]);
    assert_eq!(v.map_ref!(|e| *e / 10), vector[0, 1, 2, 3]);
    assert_eq!(v.filter!(|e| *e > 5), vector[10, 20, 30]);
    assert_eq!(v.fold!(vector[], |mut all, e| { all.push_back(e); all }), v);
    assert_eq!(v.find_index!(|e| *e == 20), option::some(2));
    assert_eq!(v.count!(|e| *e >= 10), 3);
    assert!(v.any!(|e| *e == 30) && !v.all!(|e| *e > 0));
    let mut backwards = vector[];
    v.destroy!(|e| backwards.push_back(e));
    assert_eq!(backwards, vector[30, 20, 10, 0]);
}

#[test, expected_failure(abort_code = 0x20000, location = std::vector)]
fun a_vector_ends_at_its_length() {
    vector[1, 2].remove(2);
}

#[test]
fun options_hold_one_value_or_none() {
    let mut o = option::some(5);
    assert!(o.is_some() && o.contains(&5) && *o.borrow() == 5);
    assert_eq!(o.swap(6), 5);
    assert_eq!(o.swap_or_fill(7), option::some(6));
    assert_eq!(o.extract(), 7);
    assert!(o.is_none());
    assert_eq!(o.get_with_default(1), 1);
    o.fill(8);
    assert!(o.is_some_and!(|e| *e == 8) && !option::none<u8>().is_some_and!(|_| true));
    assert_eq!(o.map!(|e| e * 2), option::some(16));
    assert_eq!(o.destroy_or!(0), 8);
    assert_eq!(std::bcs::to_bytes(&option::some(5u8)), vector[1, 5]);
}

#[test, expected_failure(abort_code = 0x40001, location = std::option)]
fun none_has_no_value() {
    option::none<u8>().destroy_some();
}

#[test]
fun strings_are_utf8() {
    let mut s = b"héllo".to_string();
    assert_eq!(s.length(), 6);
    assert_eq!(s.substring(0, 3), b"hé".to_string());
    assert_eq!(s.index_of(&b"llo".to_string()), 3);
    assert_eq!(s.index_of(&b"x".to_string()), 6);
    s.insert(3, b"--".to_string());
    assert_eq!(s, b"hé--llo".to_string());
    s.append_utf8(b"!");
    assert_eq!(s.into_bytes(), b"hé--llo!");
    assert!(string::try_utf8(vector[0xff]).is_none());
}

#[test, expected_failure(abort_code = string::EInvalidUTF8)]
fun other_bytes_are_no_string() {
    string::utf8(vector[0xff]);
}

#[test, expected_failure(abort_code = string::EInvalidIndex)]
fun a_character_is_not_cut() {
    b"hé".to_string().substring(0, 2);
}

#[test]
fun ascii_strings_are_ascii() {
    let mut s = b"Sui".to_ascii_string();
    assert_eq!(s.to_lowercase(), b"sui".to_ascii_string());
    assert_eq!(s.to_uppercase(), b"SUI".to_ascii_string());
    s.push_char(ascii::char(0x21));
    assert_eq!(s.substring(1, 4).into_bytes(), b"ui!");
    assert_eq!(s.index_of(&b"i!".to_ascii_string()), 2);
    assert_eq!(s.index_of(&b"x".to_ascii_string()), 4);
    assert_eq!(s.to_string().to_ascii(), s);
    assert!(ascii::try_string(vector[0x80]).is_none());
}

#[test]
fun integers_do_not_lose_their_edges() {
    assert_eq!(3u8.pow(5), 243);
    assert_eq!(2u64.pow(63), 1 << 63);
    assert_eq!(std::u64::max_value!().sqrt(), 4294967295);
    assert_eq!(std::u128::max_value!().sqrt(), 18446744073709551615);
    assert_eq!(99u64.sqrt(), 9);
    assert_eq!(0u64.sqrt(), 0);
    assert_eq!(7u64.divide_and_round_up(2), 4);
    assert_eq!(std::u64::max_value!().divide_and_round_up(1), std::u64::max_value!());
    assert_eq!(5u32.diff(9), 4);
    assert_eq!(0u16.bitwise_not(), 65535);
    assert_eq!(256u64.try_as_u8(), option::none());
    assert_eq!(255u64.try_as_u8(), option::some(255));
    assert_eq!(std::u256::max_value!().to_string().length(), 78);
    assert_eq!(0u8.to_string(), b"0".to_string());
    let mut sum = 0;
    4u64.do!(|i| sum = sum + i);
    4u64.do_eq!(|i| sum = sum + i);
    assert_eq!(sum, 16);
    let mut steps = 0;
    255u8.do_eq!(|_| steps = steps + 1);
    assert_eq!(steps, 256u64);
}

#[test]
fun types_have_names() {
    let name = type_name::with_defining_ids<Generic<u8>>();
    assert_eq!(name.module_string(), b"stdlib_checks".to_ascii_string());
    assert_eq!(name.datatype_string(), b"Generic".to_ascii_string());
    assert_eq!(name.address_string().length(), 64);
    assert!(!name.is_primitive());
    let vectors = type_name::with_original_ids<vector<u64>>();
    assert!(vectors.is_primitive());
    assert_eq!(vectors.into_string(), b"vector<u64>".to_ascii_string());
    assert_eq!(type_name::defining_id<std::string::String>(), @0x1);
}

#[test]
fun hashes_are_the_known_ones() {
    let abc = x"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(std::hash::sha2_256(b"abc"), abc);
    let abc = x"3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532";
    assert_eq!(std::hash::sha3_256(b"abc"), abc);
}

#[test]
fun vectors_are_walked_in_pairs() {
    let (a, b) = (vector[1u64, 2, 3], vector[10u64, 20, 30]);
    assert_eq!(a.zip_map!(b, |x, y| x + y), vector[11u64, 22, 33]);
    assert_eq!(a.zip_map_ref!(&b, |x, y| *x * *y), vector[10u64, 40, 90]);
    let mut order = vector[];
    a.zip_do_reverse!(b, |x, y| order.push_back(x + y));
    assert_eq!(order, vector[33u64, 22, 11]);
    let (odd, even) = a.partition!(|x| *x % 2 == 1);
    assert_eq!(odd, vector[1u64, 3]);
    assert_eq!(even, vector[2u64]);
    assert_eq!(b.find_indices!(|x| *x > 10), vector[1u64, 2]);
}

#[test, expected_failure]
fun vectors_of_two_lengths_make_no_pairs() {
    vector[1u64].zip_do!(vector[1u64, 2], |_, _| ());
}

#[test]
fun roots_are_rounded_down() {
    256u64.do!(|x| {
        let root = x.sqrt();
        assert!(root * root <= x && x < (root + 1) * (root + 1));
        assert_eq!((x as u8).sqrt() as u64, root);
        assert_eq!((x as u16).sqrt() as u64, root);
        assert_eq!((x as u32).sqrt() as u64, root);
        assert_eq!((x as u128).sqrt() as u64, root);
    });
    assert_eq!((std::u64::max_value!() - 1).sqrt(), 4294967295);
    assert_eq!((4294967295u64 * 4294967295 - 1).sqrt(), 4294967294);
}

#[test]
fun integers_stop_at_their_bounds() {
    assert_eq!(250u8.checked_add(5), option::some(255));
    assert_eq!(250u8.checked_add(6), option::none());
    assert_eq!(5u16.checked_sub(6), option::none());
    assert_eq!(16u8.checked_mul(15), option::some(240));
    assert_eq!(16u8.checked_mul(16), option::none());
    assert_eq!(0u8.checked_mul(255), option::some(0));
    assert_eq!(7u32.checked_div(0), option::none());
    assert_eq!(200u8.saturating_add(100), 255);
    assert_eq!(5u64.saturating_sub(6), 0);
    assert_eq!(std::u256::max_value!().saturating_mul(2), std::u256::max_value!());
    assert_eq!(0u256.saturating_mul(2), 0);
    assert_eq!(1u8.checked_shl(7), option::some(128));
    assert_eq!(1u8.checked_shl(8), option::none());
    assert_eq!(3u8.checked_shl(7), option::some(128));
    assert_eq!(3u8.lossless_shl(7), option::none());
    assert_eq!(6u8.lossless_shr(1), option::some(3));
    assert_eq!(6u8.lossless_shr(2), option::none());
    assert_eq!(3u256.lossless_shl(255), option::none());
    assert_eq!(6u64.lossless_div(3), option::some(2));
    assert_eq!(7u64.lossless_div(3), option::none());
    assert_eq!(7u64.lossless_div(0), option::none());
}

#[test, allow(deprecated_usage)]
fun older_names_still_work() {
    let name = type_name::get<Generic<u8>>();
    assert_eq!(name, type_name::with_defining_ids<Generic<u8>>());
    assert_eq!(type_name::get_with_original_ids<u8>().into_string(), b"u8".to_ascii_string());
    assert_eq!(*name.borrow_string(), *name.as_string());
    assert_eq!(name.get_address(), name.address_string());
    assert_eq!(name.get_module(), name.module_string());
    let s = b"abc".to_string();
    assert_eq!(*s.bytes(), b"abc");
    assert_eq!(s.sub_string(1, 2), b"b".to_string());
}

#[test]
fun an_empty_option_takes_another_value() {
    let mut o = option::some(5u64);
    assert_eq!(o.extract_or!(abort), 5);
    assert_eq!(o.extract_or!(7), 7);
    assert_eq!(o.or!(option::some(9)), option::some(9));
    assert_eq!(option::some(1u64).or!(abort), option::some(1));
    assert_eq!(option::some(1u64).filter!(|x| *x > 1), option::none());
    assert_eq!(option::some(2u64).filter!(|x| *x > 1), option::some(2));
    assert_eq!(option::some(2u64).and_ref!(|x| option::some(*x + 1)), option::some(3));
}

#[test]
fun vectors_are_sorted_and_cut() {
    // By tens; what comes first stays first among equals.
    let v = vector[31u64, 12, 25, 11, 39, 3, 20];
    let sorted = vector[3u64, 12, 11, 25, 20, 31, 39];
    let (mut a, mut b) = (v, v);
    a.insertion_sort_by!(|x, y| *x / 10 <= *y / 10);
    b.merge_sort_by!(|x, y| *x / 10 <= *y / 10);
    assert_eq!(a, sorted);
    assert_eq!(b, sorted);
    assert!(a.is_sorted_by!(|x, y| *x / 10 <= *y / 10) && !v.is_sorted_by!(|x, y| *x <= *y));
    assert!(vector<u64>[].is_sorted_by!(|x, y| *x <= *y));
    assert_eq!(sorted.take_while!(|x| *x < 20), vector[3, 12, 11]);
    assert_eq!(sorted.skip_while!(|x| *x < 20), vector[25, 20, 31, 39]);
    assert_eq!(sorted.take(2), vector[3, 12]);
    assert_eq!(sorted.skip(5), vector[31, 39]);
    let (mut x, mut y) = (vector[1u64, 2], vector[5u64, 6]);
    x.zip_do_mut!(&mut y, |x, y| { *x = *x + *y; *y = 0 });
    assert_eq!(x, vector[6, 8]);
    assert_eq!(y, vector[0, 0]);
}

#[test]
fun ascii_strings_take_others_in() {
    let mut s = b"ad".to_ascii_string();
    s.insert(1, b"bc".to_ascii_string());
    assert_eq!(s, b"abcd".to_ascii_string());
}

#[test]
fun fixed_point_numbers_round_down() {
    use std::uq32_32 as small;
    use std::uq64_64 as large;
    let half = small::from_quotient(1, 2);
    assert_eq!(half.to_raw(), 1 << 31);
    assert_eq!(half.add(small::from_int(3)).to_int(), 3);
    assert_eq!(small::int_mul(7, half), 3);
    assert_eq!(small::int_div(7, half), 14);
    assert!(half.mul(half).lt(half) && half.div(half).ge(small::from_int(1)));
    assert_eq!(small::from_int(1).sub(half), half);
    let third = large::from_quotient(1, 3);
    assert_eq!(third.to_raw(), 6148914691236517205);
    assert_eq!(large::int_mul(9, third), 2);
    assert!(third.le(third) && third.gt(large::from_raw(1)));
}

#[test, expected_failure(abort_code = std::uq32_32::EOverflow)]
fun fixed_point_numbers_do_not_overflow() {
    std::uq32_32::int_div(std::u64::max_value!(), std::uq32_32::from_quotient(1, 2));
}

#[test, expected_failure(abort_code = std::uq64_64::EDenominator)]
fun a_quotient_has_a_denominator() {
    std::uq64_64::from_quotient(1, 0);
}
