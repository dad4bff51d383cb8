#[test_only]
module coins::coins_tests;

use coins::anchor_usd::{Self, ANCHOR_USD};
use coins::credit_usd::{Self, CREDIT_USD};
use coins::dollar::{Self, DOLLAR};
use coins::flash_sui::{Self, FLASH_SUI};
use coins::reef_sui::{Self, REEF_SUI};
use coins::tide_sui::{Self, TIDE_SUI};
use std::unit_test::assert_eq;
use sui::coin::{CoinMetadata, TreasuryCap};
use sui::test_scenario::{Self as scenario, Scenario};

const PUBLISHER: address = @0xa;

/// The publisher has the treasury, and nothing was minted.
fun assert_new<T>(test: &Scenario, decimals: u8) {
    let treasury = test.take_from_sender<TreasuryCap<T>>();
    assert_eq!(treasury.total_supply(), 0);
    test.return_to_sender(treasury);
    let metadata = test.take_immutable<CoinMetadata<T>>();
    assert_eq!(metadata.get_decimals(), decimals);
    scenario::return_immutable(metadata);
}

#[test]
fun the_publisher_alone_mints_and_the_decimals_are_fixed() {
    let mut test = scenario::begin(PUBLISHER);
    dollar::init_for_testing(test.ctx());
    reef_sui::init_for_testing(test.ctx());
    anchor_usd::init_for_testing(test.ctx());
    credit_usd::init_for_testing(test.ctx());
    flash_sui::init_for_testing(test.ctx());
    tide_sui::init_for_testing(test.ctx());
    test.next_tx(PUBLISHER);

    let mut treasury = test.take_from_sender<TreasuryCap<DOLLAR>>();
    assert_eq!(treasury.total_supply(), 0);
    assert_eq!(treasury.mint(25, test.ctx()).burn_for_testing(), 25);
    test.return_to_sender(treasury);
    assert_new<REEF_SUI>(&test, 9);
    assert_new<ANCHOR_USD>(&test, 6);
    assert_new<CREDIT_USD>(&test, 6);
    assert_new<FLASH_SUI>(&test, 9);
    assert_new<TIDE_SUI>(&test, 9);
    let metadata = test.take_immutable<CoinMetadata<DOLLAR>>();
    assert_eq!(metadata.get_decimals(), 6);
    scenario::return_immutable(metadata);
    test.end();
}
