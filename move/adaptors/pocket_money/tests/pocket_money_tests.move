#[test_only]
module pocket_money::pocket_money_tests;

use pocket_money::pocket_money::{Self, PocketMoney};
use std::unit_test::{assert_eq, destroy};
use sui::clock;
use sui::coin::{Self, Coin};
use sui::sui::SUI;
use sui::test_scenario as scenario;
use wallet::wallet;

const OWNER: address = @0xa;
const CHILD: address = @0xb;

#[test]
fun the_recipient_gets_what_the_grant_covers() {
    let mut test = scenario::begin(OWNER);
    let mut wallet = wallet::create(test.ctx());
    wallet.deposit(coin::mint_for_testing<SUI>(100, test.ctx()));
    wallet.grant_service_coin<PocketMoney, SUI>(50, test.ctx());
    let clock = clock::create_for_testing(test.ctx());
    pocket_money::pay<SUI>(&mut wallet, 30, CHILD, &clock, test.ctx());
    assert_eq!(wallet.balance<SUI>(), 70);
    assert_eq!(wallet.granted<PocketMoney, SUI>(), 20);
    test.next_tx(CHILD);
    let paid = test.take_from_sender<Coin<SUI>>();
    assert_eq!(paid.burn_for_testing(), 30);
    destroy(wallet);
    clock.destroy_for_testing();
    test.end();
}

#[test, expected_failure(abort_code = wallet::EGrantExceeded)]
fun more_than_the_grant_is_refused() {
    let mut test = scenario::begin(OWNER);
    let mut wallet = wallet::create(test.ctx());
    wallet.deposit(coin::mint_for_testing<SUI>(100, test.ctx()));
    wallet.grant_service_coin<PocketMoney, SUI>(20, test.ctx());
    let clock = clock::create_for_testing(test.ctx());
    pocket_money::pay<SUI>(&mut wallet, 30, CHILD, &clock, test.ctx());
    abort
}
