#[test_only]
module concentrated::math_tests;

use concentrated::sqrt_price;
use concentrated::tick_set;
use std::unit_test::{assert_eq, destroy};

#[test]
fun roots_are_those_worked_out_elsewhere_to_more_digits() {
    assert_eq!(sqrt_price::at_tick(0), 4346027219);
    assert_eq!(sqrt_price::at_tick(200_000), 95679771242980);
    assert_eq!(sqrt_price::at_tick(443_399), 18445821805675392311);
    assert_eq!(sqrt_price::at_tick(443_400), 1 << 64);
    assert_eq!(sqrt_price::at_tick(443_401), 18447666387855959850);
    assert_eq!(sqrt_price::at_tick(886_800), 78297339089790487272591684804);
}

#[test]
fun two_ticks_are_one_part_in_ten_thousand_and_none_is_out_of_order() {
    let mut tick = 0;
    while (tick + 2 <= sqrt_price::max_tick()) {
        let (low, middle, high) =
            (sqrt_price::at_tick(tick), sqrt_price::at_tick(tick + 1), sqrt_price::at_tick(tick + 2));
        assert!(low < middle && middle < high);
        // Each root is at most one unit or one part in 2^64 away from what it should be.
        let (expected, given) = ((low as u256) * 10_001, (high as u256) * 10_000);
        let allowed = 20_001 + ((high as u256) * 20_001 >> 64);
        assert!(expected.diff(given) <= allowed, tick as u64);
        tick = tick + 997;
    }
}

#[test, expected_failure(abort_code = sqrt_price::EBadTick)]
fun there_is_no_tick_above_the_last() {
    sqrt_price::at_tick(886_801);
}

/// In a set of ticks each neighbour is the one that looking at all of them finds.
#[test]
fun neighbours_are_those_that_a_look_at_all_ticks_finds() {
    let mut set = tick_set::new(&mut tx_context::dummy());
    let mut ticks = vector[0, 1, 255, 256, 257, 511, 65_535, 65_536, 131_072, 443_400, 700_001, 886_800];
    ticks.do_ref!(|tick| set.insert(*tick));
    let probes = vector[0, 1, 2, 254, 255, 256, 258, 510, 512, 60_000, 65_534, 65_536, 65_537, 200_000,
        443_399, 443_400, 443_401, 700_000, 800_000, 886_799, 886_800];
    while (!ticks.is_empty()) {
        probes.do_ref!(|probe| {
            let mut above = option::none();
            let mut below = option::none();
            ticks.do_ref!(|tick| {
                if (*tick >= *probe && above.is_none()) above = option::some(*tick);
                if (*tick <= *probe) below = option::some(*tick);
            });
            assert_eq!(set.at_or_above(*probe), above);
            assert_eq!(set.at_or_below(*probe), below);
        });
        let middle = ticks.length() / 2;
        let gone = ticks.remove(middle);
        set.remove(gone);
    };
    destroy(set);
}
