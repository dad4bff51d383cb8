#[test_only]
module {{name}}::{{name}}_tests;

use std::unit_test::{assert_eq, destroy};
use sui::clock;
use sui::coin::{Self, Coin};
use sui::sui::SUI;
use sui::test_scenario as scenario;
use wallet::wallet;
use {{name}}::{{name}}::{Self, {{Witness}}};

const OWNER: address = @0xa;
const RECIPIENT: address = @0xb;

#[test]
fun the_recipient_gets_what_the_grant_covers() {
    let mut test = scenario::begin(OWNER);
    let mut wallet = wallet::create(test.ctx());
    wallet.deposit(coin::mint_for_testing<SUI>(100, test.ctx()));
    wallet.grant_service_coin<{{Witness}}, SUI>(50, test.ctx());
    let clock = clock::create_for_testing(test.ctx());
    {{name}}::pay<SUI>(&mut wallet, 30, RECIPIENT, &clock, test.ctx());
    assert_eq!(wallet.balance<SUI>(), 70);
    assert_eq!(wallet.granted<{{Witness}}, SUI>(), 20);
    test.next_tx(RECIPIENT);
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
    wallet.grant_service_coin<{{Witness}}, SUI>(20, test.ctx());
    let clock = clock::create_for_testing(test.ctx());
    {{name}}::pay<SUI>(&mut wallet, 30, RECIPIENT, &clock, test.ctx());
    abort
}
