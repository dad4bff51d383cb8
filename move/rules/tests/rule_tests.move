#[test_only]
module rules::rule_tests;

use rules::rule::{
    Self,
    Allowlist,
    AllowlistChanged,
    AllowlistCreated,
    AllowlistRetired,
    RecipientAllowlist
};
use std::unit_test::assert_eq;
use sui::address;
use sui::bcs::to_bytes;
use sui::coin::{Self, Coin};
use sui::event;
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};
use wallet::action;
use wallet::lock;
use wallet::policy::{Self, SpendRequest};
use wallet::wallet::{Self, Wallet};

const OWNER: address = @0xa11ce;
const HEIR: address = @0xb0b;
const SHOP: address = @0x5409;
const THIEF: address = @0xbad;

/// An auth rule that approves every request.
public struct Anyone has drop {}

// === Set-up: a wallet of 100 under the allowlist, and its active list, with the shop on it ===

fun begin(): (Scenario, Wallet, Allowlist) {
    let mut test = scenario::begin(OWNER);
    let (mut wallet, list) = wallet_with_list(&mut test);
    policy::add_auth_rule<Anyone>(&mut wallet, test.ctx());
    policy::add_caveat_rule<RecipientAllowlist>(&mut wallet, test.ctx());
    wallet.deposit(coin::mint_for_testing<SUI>(100, test.ctx()));
    let mut list = list;
    list.allow(SHOP, &wallet, test.ctx());
    test.next_tx(OWNER);
    (test, wallet, list)
}

fun wallet_with_list(test: &mut Scenario): (Wallet, Allowlist) {
    wallet::create(test.ctx()).share();
    test.next_tx(OWNER);
    let mut wallet = test.take_shared<Wallet>();
    policy::initialize(&mut wallet, test.ctx());
    let list = new_list(test, &mut wallet);
    (wallet, list)
}

fun new_list(test: &mut Scenario, wallet: &mut Wallet): Allowlist {
    let id = rule::create_and_share(wallet, test.ctx());
    test.next_tx(OWNER);
    test.take_shared_by_id<Allowlist>(id)
}

fun end(test: Scenario, wallet: Wallet, list: Allowlist) {
    scenario::return_shared(wallet);
    scenario::return_shared(list);
    test.end();
}

fun ask(wallet: &Wallet, recipient: address): SpendRequest {
    let mut request = policy::begin_spend<SUI>(wallet, 10, recipient);
    policy::add_auth_receipt(Anyone {}, &mut request);
    request
}

fun enforced(wallet: &Wallet, list: &Allowlist, recipient: address): SpendRequest {
    let mut request = ask(wallet, recipient);
    list.enforce(&mut request);
    request
}

fun list_event(list: &Allowlist): vector<u8> {
    vector[to_bytes(&object::id(list)), to_bytes(&list.wallet_id())].flatten()
}

// === Life of a list ===

#[test]
fun a_new_list_is_announced_empty_and_active() {
    let mut test = scenario::begin(OWNER);
    wallet::create(test.ctx()).share();
    test.next_tx(OWNER);
    let mut wallet = test.take_shared<Wallet>();
    policy::initialize(&mut wallet, test.ctx());
    let id = rule::create_and_share(&mut wallet, test.ctx());
    let announced = event::events_by_type<AllowlistCreated>();
    assert!(event::events_by_type<AllowlistRetired>().is_empty());

    test.next_tx(OWNER);
    let list = test.take_shared_by_id<Allowlist>(id);
    assert_eq!(to_bytes(&announced[0]), list_event(&list));
    assert_eq!(policy::rule_object<RecipientAllowlist>(&wallet), option::some(id));
    assert_eq!(list.wallet_id(), wallet.id());
    assert!(!list.is_allowed(SHOP));
    end(test, wallet, list);
}

#[test]
fun a_change_is_announced_and_a_repetition_is_not() {
    let (mut test, wallet, mut list) = begin();
    list.allow(SHOP, &wallet, test.ctx());
    list.disallow(THIEF, &wallet, test.ctx());
    assert_eq!(event::num_events(), 0);
    list.allow(HEIR, &wallet, test.ctx());
    list.disallow(SHOP, &wallet, test.ctx());
    let changes = event::events_by_type<AllowlistChanged>();
    assert_eq!(
        to_bytes(&changes[0]),
        vector[to_bytes(&object::id(&list)), to_bytes(&HEIR), to_bytes(&true)].flatten(),
    );
    assert_eq!(
        to_bytes(&changes[1]),
        vector[to_bytes(&object::id(&list)), to_bytes(&SHOP), to_bytes(&false)].flatten(),
    );
    assert!(list.is_allowed(HEIR) && !list.is_allowed(SHOP));
    end(test, wallet, list);
}

#[test]
fun a_spend_to_a_recipient_on_the_list_is_paid() {
    let (mut test, mut wallet, list) = begin();
    let request = enforced(&wallet, &list, SHOP);
    policy::confirm_spend<SUI>(&mut wallet, request, test.ctx());
    test.next_tx(SHOP);
    let paid = test.take_from_sender<Coin<SUI>>();
    assert_eq!(paid.value(), 10);
    test.return_to_sender(paid);
    end(test, wallet, list);
}

#[test]
fun a_retired_list_is_announced_once_and_the_next_one_is_active() {
    let (mut test, mut wallet, first) = begin();
    let id = rule::create_and_share(&mut wallet, test.ctx());
    let retired = event::events_by_type<AllowlistRetired>();
    assert_eq!(retired.length(), 1);
    assert_eq!(to_bytes(&retired[0]), list_event(&first));

    // What is retired already is only cleared away.
    test.next_tx(OWNER);
    first.retire(&mut wallet, test.ctx());
    assert_eq!(event::num_events(), 0);
    assert_eq!(policy::rule_object<RecipientAllowlist>(&wallet), option::some(id));

    test.next_tx(OWNER);
    let second = test.take_shared_by_id<Allowlist>(id);
    let expected = list_event(&second);
    second.retire(&mut wallet, test.ctx());
    assert_eq!(to_bytes(&event::events_by_type<AllowlistRetired>()[0]), expected);
    assert!(policy::rule_object<RecipientAllowlist>(&wallet).is_none());
    scenario::return_shared(wallet);
    test.end();
}

#[test]
fun the_owner_of_now_keeps_the_list() {
    let (mut test, mut wallet, mut list) = begin();
    wallet.offer_ownership(HEIR, test.ctx());
    test.next_tx(HEIR);
    wallet.accept_ownership(test.ctx());
    list.disallow(SHOP, &wallet, test.ctx());
    assert!(!list.is_allowed(SHOP));
    end(test, wallet, list);
}

// === Attacks ===

#[test, expected_failure(abort_code = rule::ENotAllowed)]
fun a_spend_to_a_recipient_who_is_not_on_the_list_is_refused() {
    let (_test, wallet, list) = begin();
    let _request = enforced(&wallet, &list, THIEF);
    abort
}

#[test, expected_failure(abort_code = policy::EMissingCaveat)]
fun a_spend_that_leaves_the_list_out_is_refused() {
    let (mut test, mut wallet, _list) = begin();
    let request = ask(&wallet, THIEF);
    policy::confirm_spend<SUI>(&mut wallet, request, test.ctx());
    abort
}

#[test, expected_failure(abort_code = rule::ENotActive)]
fun an_older_and_wider_list_opens_nothing() {
    let (mut test, mut wallet, mut wide) = begin();
    wide.allow(THIEF, &wallet, test.ctx());
    rule::create_and_share(&mut wallet, test.ctx());
    test.next_tx(THIEF);
    let _request = enforced(&wallet, &wide, THIEF);
    abort
}

#[test, expected_failure(abort_code = policy::EMissingCaveat)]
fun a_wallet_whose_list_is_retired_pays_nobody() {
    let (mut test, mut wallet, list) = begin();
    list.retire(&mut wallet, test.ctx());
    let request = ask(&wallet, SHOP);
    policy::confirm_spend<SUI>(&mut wallet, request, test.ctx());
    abort
}

#[test, expected_failure(abort_code = rule::EWrongWallet)]
fun the_list_of_another_wallet_opens_nothing() {
    let (mut test, wallet, _list) = begin();
    let (_other, mut list) = wallet_with_list(&mut test);
    list.allow(THIEF, &_other, test.ctx());
    let _request = enforced(&wallet, &list, THIEF);
    abort
}

#[test, expected_failure(abort_code = policy::ESpendIntoNotAllowed)]
fun an_allowed_recipient_is_no_pretext_to_take_the_coin_elsewhere() {
    let (mut test, mut wallet, list) = begin();
    let request = enforced(&wallet, &list, SHOP);
    let coin = policy::confirm_spend_into<SUI>(&mut wallet, request, test.ctx());
    transfer::public_transfer(coin, THIEF);
    abort
}

#[test, expected_failure(abort_code = rule::ENotOwner)]
fun a_former_owner_cannot_widen_the_list() {
    let (mut test, mut wallet, mut list) = begin();
    wallet.offer_ownership(HEIR, test.ctx());
    test.next_tx(HEIR);
    wallet.accept_ownership(test.ctx());
    test.next_tx(OWNER);
    list.allow(THIEF, &wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = rule::ENotOwner)]
fun a_stranger_cannot_give_the_wallet_a_list() {
    let (mut test, mut wallet, _list) = begin();
    test.next_tx(THIEF);
    rule::create_and_share(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = rule::ENotOwner)]
fun a_stranger_cannot_allow() {
    let (mut test, wallet, mut list) = begin();
    test.next_tx(THIEF);
    list.allow(THIEF, &wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = rule::ENotOwner)]
fun a_stranger_cannot_disallow() {
    let (mut test, wallet, mut list) = begin();
    test.next_tx(THIEF);
    list.disallow(SHOP, &wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = rule::ENotOwner)]
fun a_stranger_cannot_retire_the_list() {
    let (mut test, mut wallet, list) = begin();
    test.next_tx(THIEF);
    list.retire(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = rule::EWrongWallet)]
fun the_owner_of_another_wallet_cannot_allow() {
    let (mut test, _wallet, mut list) = begin();
    test.next_tx(THIEF);
    let own = wallet::create(test.ctx());
    list.allow(THIEF, &own, test.ctx());
    abort
}

#[test, expected_failure(abort_code = rule::EWrongWallet)]
fun the_owner_of_another_wallet_cannot_retire_the_list() {
    let (mut test, _wallet, list) = begin();
    test.next_tx(THIEF);
    let mut own = wallet::create(test.ctx());
    list.retire(&mut own, test.ctx());
    abort
}

// === Bounds ===

fun fill(test: &mut Scenario, wallet: &Wallet, list: &mut Allowlist, recipients: u64) {
    recipients.do!(|at| list.allow(address::from_u256((at as u256) + 1), wallet, test.ctx()))
}

#[test]
fun a_list_of_256_recipients_can_still_be_shortened_and_repeated() {
    let mut test = scenario::begin(OWNER);
    let (wallet, mut list) = wallet_with_list(&mut test);
    fill(&mut test, &wallet, &mut list, 256);
    list.allow(@0x1, &wallet, test.ctx());
    list.disallow(@0x1, &wallet, test.ctx());
    list.allow(SHOP, &wallet, test.ctx());
    end(test, wallet, list);
}

#[test, expected_failure(abort_code = rule::ETooManyRecipients)]
fun a_257th_recipient_is_refused() {
    let mut test = scenario::begin(OWNER);
    let (wallet, mut list) = wallet_with_list(&mut test);
    fill(&mut test, &wallet, &mut list, 257);
    abort
}

// === Within an action: an op in the owner's own transaction does not have the owner's word ===

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_recipient_is_allowed_within_an_action() {
    let (mut test, mut wallet, mut list) = begin();
    wallet.grant_service_coin<Anyone, SUI>(1, test.ctx());
    let _ticket = action::begin<Anyone>(&mut wallet, test.ctx());
    list.allow(THIEF, &wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_recipient_is_taken_off_within_an_action() {
    let (mut test, mut wallet, mut list) = begin();
    wallet.grant_service_coin<Anyone, SUI>(1, test.ctx());
    let _ticket = action::begin<Anyone>(&mut wallet, test.ctx());
    list.disallow(SHOP, &wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_list_is_made_within_an_action() {
    let (mut test, mut wallet, _list) = begin();
    wallet.grant_service_coin<Anyone, SUI>(1, test.ctx());
    let _ticket = action::begin<Anyone>(&mut wallet, test.ctx());
    rule::create_and_share(&mut wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_list_is_retired_within_an_action() {
    let (mut test, mut wallet, list) = begin();
    wallet.grant_service_coin<Anyone, SUI>(1, test.ctx());
    let _ticket = action::begin<Anyone>(&mut wallet, test.ctx());
    list.retire(&mut wallet, test.ctx());
    abort
}

// === Versions ===

#[test]
fun a_new_list_is_of_the_first_version() {
    let (test, wallet, list) = begin();
    assert_eq!(list.version(), 1);
    end(test, wallet, list);
}

#[test]
fun the_owner_brings_a_list_to_the_newest_version() {
    let (mut test, wallet, mut list) = begin();
    list.set_version_for_testing(0);
    list.migrate(&wallet, test.ctx());
    list.allow(HEIR, &wallet, test.ctx());
    assert!(list.is_allowed(HEIR));
    end(test, wallet, list);
}

#[test]
fun a_list_of_any_version_is_retired() {
    let (mut test, mut wallet, mut list) = begin();
    list.set_version_for_testing(2);
    list.retire(&mut wallet, test.ctx());
    assert_eq!(policy::rule_object<RecipientAllowlist>(&wallet), option::none());
    scenario::return_shared(wallet);
    test.end();
}

#[test, expected_failure(abort_code = rule::EAlreadyNewest)]
fun a_list_of_the_newest_version_stays_there() {
    let (mut test, wallet, mut list) = begin();
    list.migrate(&wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = rule::ENotOwner)]
fun a_stranger_brings_no_list_to_another_version() {
    let (mut test, wallet, mut list) = begin();
    list.set_version_for_testing(0);
    test.next_tx(THIEF);
    list.migrate(&wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = rule::EWrongVersion)]
fun nobody_is_allowed_on_a_list_of_another_version() {
    let (mut test, wallet, mut list) = begin();
    list.set_version_for_testing(0);
    list.allow(THIEF, &wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = rule::EWrongVersion)]
fun nobody_is_taken_off_a_list_of_another_version() {
    let (mut test, wallet, mut list) = begin();
    list.set_version_for_testing(2);
    list.disallow(SHOP, &wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = rule::EWrongVersion)]
fun a_list_of_another_version_stamps_nothing() {
    let (_test, wallet, mut list) = begin();
    list.set_version_for_testing(2);
    let _request = enforced(&wallet, &list, SHOP);
    abort
}
