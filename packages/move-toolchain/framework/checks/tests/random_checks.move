/// What packages rely on in `sui::random`. The same tests hold with the real framework.
#[test_only]
module framework_checks::random_checks;

use std::unit_test::assert_eq;
use sui::random::{Self, Random};
use sui::test_scenario as scenario;

/// The expected values are HMACs (SHA3-256) of the block's number, worked out by another program.
#[test]
fun a_seed_determines_all_that_is_generated() {
    let mut g = random::new_generator_from_seed_for_testing(b"seed");
    assert_eq!(g.generate_bool(), false);
    assert_eq!(g.generate_u8(), 216);
    assert_eq!(g.generate_u16(), 65271);
    assert_eq!(g.generate_u32(), 1452769018);
    assert_eq!(g.generate_u64(), 7962444752033735496);
    assert_eq!(g.generate_u128(), 216236703840979445576933910758156879707);
    assert_eq!(
        g.generate_u256(),
        36477667567420394980328851176982066524123080837179958032112747794173371811676,
    );
    assert_eq!(
        g.generate_bytes(40),
        x"3db0646a1010b2e611db2926064eeb3e0e8f1195b606a049a768d0e47251b65d4edf6ab0f188ec2f",
    );
    assert_eq!(g.generate_u8_in_range(1, 6), 1);
    assert_eq!(g.generate_u64_in_range(5, 5), 5);
    assert_eq!(g.generate_u64_in_range(10, 1000), 839);
    let most = std::u128::max_value!();
    assert_eq!(g.generate_u128_in_range(0, most), 154579533638107416957794325380077022421);
    let mut numbers = vector::tabulate!(8, |i| i);
    g.shuffle(&mut numbers);
    assert_eq!(numbers, vector[3, 2, 0, 4, 1, 6, 7, 5]);
    let mut other = random::new_generator_from_seed_for_testing(b"Arbitrary seed bytes");
    assert_eq!(other.generate_bool(), false);
    assert!(other.generate_u16_in_range(3, 4) >= 3 && other.generate_u32_in_range(3, 4) <= 4);
}

#[test, expected_failure(abort_code = random::EInvalidRange)]
fun a_range_does_not_end_before_it_begins() {
    random::new_generator_from_seed_for_testing(b"seed").generate_u64_in_range(2, 1);
}

#[test]
fun generators_of_one_object_are_different_ones() {
    let mut test = scenario::begin(@0x0);
    random::create_for_testing(test.ctx());
    test.next_tx(@0x0);
    let mut random: Random = test.take_shared();
    random.update_randomness_state_for_testing(0, x"0102", test.ctx());
    random.update_randomness_state_for_testing(1, x"0103", test.ctx());
    let mut one = random.new_generator(test.ctx());
    let mut two = random.new_generator(test.ctx());
    assert!(one.generate_u256() != two.generate_u256());
    assert!(random::new_generator_for_testing().generate_bytes(3).length() == 3);
    scenario::return_shared(random);
    test.end();
}

#[test, expected_failure(abort_code = random::EInvalidRandomnessUpdate)]
fun no_round_is_left_out() {
    let mut test = scenario::begin(@0x0);
    random::create_for_testing(test.ctx());
    test.next_tx(@0x0);
    let mut random: Random = test.take_shared();
    random.update_randomness_state_for_testing(1, x"0102", test.ctx());
    abort 100
}
