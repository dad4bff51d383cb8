#[test_only]
module wallet::cap_auth_tests;

use std::unit_test::assert_eq;
use sui::bcs::to_bytes;
use sui::test_scenario::Scenario;
use wallet::cap_auth::{
    Self,
    CapAuth,
    DelegateCap,
    DelegateCapBurned,
    DelegateCapMinted,
    DelegateCapRevoked,
};
use wallet::fixtures::{
    Self,
    agent,
    another_wallet,
    assert_event,
    begin,
    end,
    Hours,
    name,
    none,
    owner,
    shop_address,
    stranger,
    USD,
};
use wallet::policy::{Self, SpendConfirmed};
use wallet::sub_delegate::{ScopedAuth, ScopedBudget};
use wallet::wallet::{Self, Wallet};

/// Bearer caps are trusted, within hours; the owner has one in hand.
fun begin_with_cap(): (Scenario, Wallet, DelegateCap) {
    let (mut test, mut wallet) = begin();
    policy::initialize(&mut wallet, test.ctx());
    policy::add_auth_rule<CapAuth>(&mut wallet, test.ctx());
    policy::add_caveat_rule_for<CapAuth, Hours>(&mut wallet, test.ctx());
    let cap = cap_auth::mint(&wallet, test.ctx());
    (test, wallet, cap)
}

/// The holder of the cap spends 10 USD within hours.
fun spend(test: &mut Scenario, wallet: &mut Wallet, cap: &DelegateCap) {
    let mut request = policy::begin_spend<USD>(wallet, 10, shop_address!());
    cap_auth::prove(cap, &mut request);
    policy::add_caveat_receipt(fixtures::hours(), &mut request);
    policy::confirm_spend<USD>(wallet, request, test.ctx())
}

#[test]
fun whoever_holds_the_cap_spends_and_is_named() {
    let (mut test, mut wallet, cap) = begin_with_cap();
    assert_eq!(cap.cap_wallet_id(), wallet.id());
    assert_eq!(cap.cap_policy_version(), 1);
    assert!(cap.is_current(&wallet));
    test.next_tx(agent!());
    spend(&mut test, &mut wallet, &cap);
    assert_event<SpendConfirmed>(vector[
        to_bytes(&wallet.id()),
        name<USD>(),
        to_bytes(&10u64),
        to_bytes(&shop_address!()),
        to_bytes(&1u64),
        to_bytes(&agent!()),
        name<CapAuth>(),
        to_bytes(&option::some(object::id(&cap))),
        to_bytes(&false),
    ]);
    cap.burn();
    end(test, wallet);
}

#[test]
fun the_life_of_a_cap_is_told() {
    let (mut test, mut wallet, cap) = begin_with_cap();
    let (id, cap_id) = (to_bytes(&wallet.id()), object::id(&cap));
    assert_event<DelegateCapMinted>(vector[id, to_bytes(&cap_id), to_bytes(&1u64), none()]);
    cap_auth::revoke(&mut wallet, cap_id, test.ctx());
    cap_auth::revoke(&mut wallet, cap_id, test.ctx());
    assert_event<DelegateCapRevoked>(vector[id, to_bytes(&cap_id)]);
    assert!(!cap.is_current(&wallet));
    cap.burn();
    assert_event<DelegateCapBurned>(vector[id, to_bytes(&cap_id)]);

    test.next_tx(owner!());
    cap_auth::mint_and_transfer(&wallet, agent!(), test.ctx());
    test.next_tx(agent!());
    let cap = test.take_from_sender<DelegateCap>();
    assert!(cap.is_current(&wallet));
    test.return_to_sender(cap);
    end(test, wallet);
}

#[test]
fun a_cap_that_is_sent_says_to_whom() {
    let (mut test, wallet, cap) = begin_with_cap();
    test.next_tx(owner!());
    cap_auth::mint_and_transfer(&wallet, agent!(), test.ctx());
    let cap_id = sui::object::last_created(test.ctx());
    let to = to_bytes(&option::some(agent!()));
    assert_event<DelegateCapMinted>(vector[
        to_bytes(&wallet.id()),
        to_bytes(&cap_id),
        to_bytes(&1u64),
        to,
    ]);
    cap.burn();
    end(test, wallet);
}

#[test, expected_failure(abort_code = policy::ECapRevoked)]
fun a_cap_that_was_revoked_alone_opens_nothing() {
    let (mut test, mut wallet, cap) = begin_with_cap();
    cap_auth::revoke(&mut wallet, object::id(&cap), test.ctx());
    spend(&mut test, &mut wallet, &cap);
    abort
}

#[test]
fun revoking_one_cap_leaves_the_others() {
    let (mut test, mut wallet, cap) = begin_with_cap();
    let other = cap_auth::mint(&wallet, test.ctx());
    cap_auth::revoke(&mut wallet, object::id(&cap), test.ctx());
    assert!(!cap.is_current(&wallet));
    assert!(other.is_current(&wallet));
    spend(&mut test, &mut wallet, &other);
    cap.burn();
    other.burn();
    end(test, wallet);
}

#[test, expected_failure(abort_code = cap_auth::ECapRevoked)]
fun caps_from_before_a_revocation_of_all_open_nothing() {
    let (mut test, mut wallet, cap) = begin_with_cap();
    policy::revoke_all(&mut wallet, test.ctx());
    spend(&mut test, &mut wallet, &cap);
    abort
}

#[test, expected_failure(abort_code = cap_auth::ECapRevoked)]
fun trusting_bearer_caps_again_revives_no_old_cap() {
    let (mut test, mut wallet, cap) = begin_with_cap();
    policy::remove_auth_rule<CapAuth>(&mut wallet, test.ctx());
    policy::add_auth_rule<CapAuth>(&mut wallet, test.ctx());
    policy::add_caveat_rule_for<CapAuth, Hours>(&mut wallet, test.ctx());
    spend(&mut test, &mut wallet, &cap);
    abort
}

#[test, expected_failure(abort_code = policy::ENoCaveats)]
fun a_bearer_cap_without_caveats_cannot_empty_the_wallet() {
    let (mut test, mut wallet, cap) = begin_with_cap();
    policy::remove_caveat_rule_for<CapAuth, Hours>(&mut wallet, test.ctx());
    spend(&mut test, &mut wallet, &cap);
    abort
}

#[test]
fun a_budget_demanded_of_scoped_caps_does_not_bar_bearer_caps() {
    let (mut test, mut wallet, cap) = begin_with_cap();
    policy::add_auth_rule<ScopedAuth>(&mut wallet, test.ctx());
    policy::add_caveat_rule_for<ScopedAuth, ScopedBudget>(&mut wallet, test.ctx());
    spend(&mut test, &mut wallet, &cap);
    assert_eq!(wallet.balance<USD>(), 990);
    cap.burn();
    end(test, wallet);
}

#[test, expected_failure(abort_code = cap_auth::EWrongWallet)]
fun a_cap_of_one_wallet_opens_no_other() {
    let (mut test, wallet, cap) = begin_with_cap();
    let mut other = another_wallet(&mut test);
    policy::initialize(&mut other, test.ctx());
    let mut request = policy::begin_spend<USD>(&other, 10, shop_address!());
    assert!(!cap.is_current(&other));
    cap_auth::prove(&cap, &mut request);
    std::unit_test::destroy(wallet);
    abort
}

#[test, expected_failure(abort_code = policy::EAlreadyProven)]
fun a_second_cap_cannot_hide_whose_spend_it_is() {
    let (mut test, wallet, cap) = begin_with_cap();
    let other = cap_auth::mint(&wallet, test.ctx());
    let mut request = policy::begin_spend<USD>(&wallet, 10, shop_address!());
    cap_auth::prove(&cap, &mut request);
    cap_auth::prove(&other, &mut request);
    abort
}

#[test, expected_failure(abort_code = policy::ENotInitialized)]
fun a_wallet_without_a_policy_has_no_caps() {
    let (mut test, wallet) = begin();
    let _cap = cap_auth::mint(&wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_holder_mints_no_cap() {
    let (mut test, wallet, _cap) = begin_with_cap();
    test.next_tx(stranger!());
    cap_auth::mint_and_transfer(&wallet, stranger!(), test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_revokes_no_cap() {
    let (mut test, mut wallet, cap) = begin_with_cap();
    test.next_tx(stranger!());
    cap_auth::revoke(&mut wallet, object::id(&cap), test.ctx());
    abort
}
