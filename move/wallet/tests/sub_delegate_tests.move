#[test_only]
module wallet::sub_delegate_tests;

use std::type_name;
use std::unit_test::{assert_eq, destroy};
use sui::bcs::to_bytes;
use sui::test_scenario::Scenario;
use wallet::cap_auth::{Self, CapAuth};
use wallet::fixtures::{
    agent,
    another_wallet,
    assert_event,
    assert_events,
    begin,
    end,
    EUR,
    name,
    none,
    owner,
    shop_address,
    stranger,
    USD,
};
use wallet::policy::{Self, SpendConfirmed};
use wallet::sub_delegate::{
    Self,
    ScopedAuth,
    ScopedBudget,
    ScopedCap,
    ScopedCapBurned,
    ScopedCapMinted,
    ScopedCapRevoked,
    ScopedRefunded,
    ScopedSpent,
};
use wallet::wallet::{Self, Wallet};

/// Scoped caps are trusted within their budget; the agent has one of 100 USD that can be split twice over, and sends
/// the next transaction.
fun begin_with_root(): (Scenario, Wallet, ScopedCap) {
    let (mut test, mut wallet) = begin();
    policy::initialize(&mut wallet, test.ctx());
    policy::add_auth_rule<ScopedAuth>(&mut wallet, test.ctx());
    policy::add_caveat_rule_for<ScopedAuth, ScopedBudget>(&mut wallet, test.ctx());
    let root = sub_delegate::mint_root<USD>(&wallet, 100, 2, test.ctx());
    test.next_tx(agent!());
    (test, wallet, root)
}

fun split(test: &mut Scenario, wallet: &Wallet, cap: &mut ScopedCap, amount: u64): ScopedCap {
    cap.subdelegate(wallet, amount, test.ctx())
}

fun spend(test: &mut Scenario, wallet: &mut Wallet, cap: &mut ScopedCap, amount: u64) {
    let mut request = policy::begin_spend<USD>(wallet, amount, shop_address!());
    cap.spend(&mut request);
    policy::confirm_spend<USD>(wallet, request, test.ctx())
}

// === Spending ===

#[test]
fun a_spend_runs_down_the_budget_and_is_named() {
    let (mut test, mut wallet, mut cap) = begin_with_root();
    spend(&mut test, &mut wallet, &mut cap, 30);
    let (id, cap_id) = (to_bytes(&wallet.id()), to_bytes(&object::id(&cap)));
    let (amount, remaining) = (to_bytes(&30u64), to_bytes(&70u64));
    assert_event<ScopedSpent>(vector[id, cap_id, name<USD>(), amount, remaining]);
    assert_event<SpendConfirmed>(vector[
        id,
        name<USD>(),
        amount,
        to_bytes(&shop_address!()),
        to_bytes(&1u64),
        to_bytes(&agent!()),
        name<ScopedAuth>(),
        to_bytes(&option::some(object::id(&cap))),
        to_bytes(&false),
    ]);
    assert_eq!(cap.remaining(), 70);
    assert_eq!(wallet.balance<USD>(), 970);
    spend(&mut test, &mut wallet, &mut cap, 70);
    assert_eq!(cap.remaining(), 0);
    destroy(cap);
    end(test, wallet);
}

#[test, expected_failure(abort_code = sub_delegate::EInsufficientBudget)]
fun no_more_is_spent_than_the_budget() {
    let (mut test, mut wallet, mut cap) = begin_with_root();
    spend(&mut test, &mut wallet, &mut cap, 60);
    spend(&mut test, &mut wallet, &mut cap, 41);
    abort
}

#[test, expected_failure(abort_code = sub_delegate::EWrongCoin)]
fun a_budget_of_one_coin_spends_no_other() {
    let (_test, wallet, mut cap) = begin_with_root();
    let mut request = policy::begin_spend<EUR>(&wallet, 1, shop_address!());
    cap.spend(&mut request);
    abort
}

#[test, expected_failure(abort_code = sub_delegate::EWrongWallet)]
fun a_cap_of_one_wallet_spends_from_no_other() {
    let (mut test, _wallet, mut cap) = begin_with_root();
    let mut other = another_wallet(&mut test);
    policy::initialize(&mut other, test.ctx());
    let mut request = policy::begin_spend<USD>(&other, 1, shop_address!());
    cap.spend(&mut request);
    abort
}

#[test, expected_failure(abort_code = policy::EAlreadyProven)]
fun a_second_cap_cannot_hide_whose_spend_it_is() {
    let (mut test, wallet, mut cap) = begin_with_root();
    let mut child = split(&mut test, &wallet, &mut cap, 50);
    let mut request = policy::begin_spend<USD>(&wallet, 1, shop_address!());
    cap.spend(&mut request);
    child.spend(&mut request);
    abort
}

// === Minting and splitting ===

#[test]
fun a_root_says_what_it_is() {
    let (mut test, wallet, cap) = begin_with_root();
    assert_eq!(cap.coin(), type_name::with_defining_ids<USD>());
    assert_eq!(cap.remaining(), 100);
    assert_eq!(cap.depth(), 0);
    assert_eq!(cap.max_depth(), 2);
    assert_eq!(cap.wallet_id(), wallet.id());
    assert_eq!(cap.policy_version(), 1);
    assert_eq!(cap.parent(), option::none());
    assert_eq!(cap.ancestors(), vector[]);
    assert!(cap.is_current(&wallet));
    test.next_tx(owner!());
    sub_delegate::mint_root_and_transfer<USD>(&wallet, 5, 8, stranger!(), test.ctx());
    let cap_id = sui::object::last_created(test.ctx());
    assert_event<ScopedCapMinted>(vector[
        to_bytes(&wallet.id()),
        to_bytes(&cap_id),
        name<USD>(),
        to_bytes(&5u64),
        to_bytes(&0u8),
        to_bytes(&8u8),
        none(),
        to_bytes(&1u64),
        to_bytes(&option::some(stranger!())),
    ]);
    test.next_tx(stranger!());
    assert!(test.has_most_recent_for_sender<ScopedCap>());
    destroy(cap);
    end(test, wallet);
}

#[test]
fun a_split_takes_from_the_parent_and_goes_one_level_down() {
    let (mut test, wallet, mut root) = begin_with_root();
    let mut child = split(&mut test, &wallet, &mut root, 60);
    child.subdelegate_and_transfer(&wallet, 25, stranger!(), test.ctx());
    let grandchild_id = sui::object::last_created(test.ctx());
    assert_eq!(root.remaining(), 40);
    assert_eq!(child.remaining(), 35);
    assert_eq!(child.parent(), option::some(object::id(&root)));
    assert_events<ScopedCapMinted>(vector[
        vector[
            to_bytes(&wallet.id()),
            to_bytes(&object::id(&child)),
            name<USD>(),
            to_bytes(&60u64),
            to_bytes(&1u8),
            to_bytes(&2u8),
            to_bytes(&option::some(object::id(&root))),
            to_bytes(&1u64),
            none(),
        ],
        vector[
            to_bytes(&wallet.id()),
            to_bytes(&grandchild_id),
            name<USD>(),
            to_bytes(&25u64),
            to_bytes(&2u8),
            to_bytes(&2u8),
            to_bytes(&option::some(object::id(&child))),
            to_bytes(&1u64),
            to_bytes(&option::some(stranger!())),
        ],
    ]);
    test.next_tx(stranger!());
    let grandchild = test.take_from_sender<ScopedCap>();
    assert_eq!(grandchild.depth(), 2);
    assert_eq!(grandchild.ancestors(), vector[object::id(&child), object::id(&root)]);
    destroy(grandchild);
    destroy(child);
    destroy(root);
    end(test, wallet);
}

#[test, expected_failure(abort_code = sub_delegate::EMaxDepthExceeded)]
fun a_cap_at_the_maximum_depth_is_not_split() {
    let (mut test, wallet, mut root) = begin_with_root();
    let mut child = split(&mut test, &wallet, &mut root, 60);
    let mut grandchild = split(&mut test, &wallet, &mut child, 30);
    let _too_deep = split(&mut test, &wallet, &mut grandchild, 10);
    abort
}

#[test, expected_failure(abort_code = sub_delegate::EMaxDepthTooLarge)]
fun a_root_allows_no_more_than_eight_levels() {
    let (mut test, wallet, _root) = begin_with_root();
    test.next_tx(owner!());
    let _cap = sub_delegate::mint_root<USD>(&wallet, 1, 9, test.ctx());
    abort
}

#[test, expected_failure(abort_code = sub_delegate::EInsufficientBudget)]
fun no_more_is_split_off_than_there_is() {
    let (mut test, wallet, mut root) = begin_with_root();
    let _cap = split(&mut test, &wallet, &mut root, 101);
    abort
}

#[test, expected_failure(abort_code = sub_delegate::EZeroAmount)]
fun nothing_is_not_split_off() {
    let (mut test, wallet, mut root) = begin_with_root();
    let _cap = split(&mut test, &wallet, &mut root, 0);
    abort
}

#[test, expected_failure(abort_code = sub_delegate::EZeroAmount)]
fun a_root_has_a_budget() {
    let (mut test, wallet, _root) = begin_with_root();
    test.next_tx(owner!());
    let _cap = sub_delegate::mint_root<USD>(&wallet, 0, 0, test.ctx());
    abort
}

#[test, expected_failure(abort_code = sub_delegate::ECapRevoked)]
fun a_void_cap_is_not_split() {
    let (mut test, mut wallet, mut root) = begin_with_root();
    test.next_tx(owner!());
    policy::revoke_all(&mut wallet, test.ctx());
    test.next_tx(agent!());
    let _cap = split(&mut test, &wallet, &mut root, 1);
    abort
}

#[test, expected_failure(abort_code = sub_delegate::ECapRevoked)]
fun a_cap_that_was_revoked_alone_is_not_split() {
    let (mut test, mut wallet, mut root) = begin_with_root();
    test.next_tx(owner!());
    sub_delegate::revoke(&mut wallet, object::id(&root), test.ctx());
    test.next_tx(agent!());
    let _cap = split(&mut test, &wallet, &mut root, 1);
    abort
}

#[test, expected_failure(abort_code = sub_delegate::EWrongWallet)]
fun a_cap_is_not_split_under_another_wallet() {
    let (mut test, _wallet, mut root) = begin_with_root();
    let other = another_wallet(&mut test);
    let _cap = split(&mut test, &other, &mut root, 1);
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_holder_mints_no_root() {
    let (mut test, wallet, _root) = begin_with_root();
    let _cap = sub_delegate::mint_root<USD>(&wallet, 1, 0, test.ctx());
    abort
}

// === Revoking ===

#[test]
fun a_revocation_ends_a_cap_and_what_descends_from_it() {
    let (mut test, mut wallet, mut root) = begin_with_root();
    let mut child = split(&mut test, &wallet, &mut root, 60);
    let grandchild = split(&mut test, &wallet, &mut child, 30);
    let sibling = split(&mut test, &wallet, &mut root, 10);
    test.next_tx(owner!());
    sub_delegate::revoke(&mut wallet, object::id(&child), test.ctx());
    sub_delegate::revoke(&mut wallet, object::id(&child), test.ctx());
    let child_id = to_bytes(&object::id(&child));
    assert_event<ScopedCapRevoked>(vector[to_bytes(&wallet.id()), child_id]);
    assert!(root.is_current(&wallet));
    assert!(sibling.is_current(&wallet));
    assert!(!child.is_current(&wallet));
    assert!(!grandchild.is_current(&wallet));
    test.next_tx(agent!());
    spend(&mut test, &mut wallet, &mut root, 1);
    destroy(vector[root, child, grandchild, sibling]);
    end(test, wallet);
}

#[test, expected_failure(abort_code = policy::ECapRevoked)]
fun a_cap_that_was_revoked_alone_spends_nothing() {
    let (mut test, mut wallet, mut root) = begin_with_root();
    test.next_tx(owner!());
    sub_delegate::revoke(&mut wallet, object::id(&root), test.ctx());
    test.next_tx(agent!());
    spend(&mut test, &mut wallet, &mut root, 1);
    abort
}

#[test, expected_failure(abort_code = policy::ECapRevoked)]
fun a_revoked_holder_cannot_spend_through_a_cap_split_off_before() {
    let (mut test, mut wallet, mut root) = begin_with_root();
    let mut child = split(&mut test, &wallet, &mut root, 60);
    let mut grandchild = split(&mut test, &wallet, &mut child, 30);
    test.next_tx(owner!());
    sub_delegate::revoke(&mut wallet, object::id(&root), test.ctx());
    test.next_tx(agent!());
    spend(&mut test, &mut wallet, &mut grandchild, 1);
    abort
}

#[test, expected_failure(abort_code = policy::ECapRevoked)]
fun a_revoked_caps_budget_opens_nothing_for_a_bearer_cap_either() {
    let (mut test, mut wallet, mut root) = begin_with_root();
    test.next_tx(owner!());
    policy::add_auth_rule<CapAuth>(&mut wallet, test.ctx());
    policy::add_caveat_rule_for<CapAuth, ScopedBudget>(&mut wallet, test.ctx());
    let bearer = cap_auth::mint(&wallet, test.ctx());
    sub_delegate::revoke(&mut wallet, object::id(&root), test.ctx());
    test.next_tx(agent!());
    let mut request = policy::begin_spend<USD>(&wallet, 1, shop_address!());
    bearer.prove(&mut request);
    root.spend(&mut request);
    policy::confirm_spend<USD>(&mut wallet, request, test.ctx());
    abort
}

#[test, expected_failure(abort_code = sub_delegate::ECapRevoked)]
fun a_cap_from_before_a_revocation_of_all_spends_nothing() {
    let (mut test, mut wallet, mut root) = begin_with_root();
    test.next_tx(owner!());
    policy::revoke_all(&mut wallet, test.ctx());
    test.next_tx(agent!());
    spend(&mut test, &mut wallet, &mut root, 1);
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_holder_revokes_nothing() {
    let (mut test, mut wallet, root) = begin_with_root();
    sub_delegate::revoke(&mut wallet, object::id(&root), test.ctx());
    abort
}

// === Burning ===

#[test]
fun what_a_burned_cap_left_goes_back_to_its_parent() {
    let (mut test, mut wallet, mut root) = begin_with_root();
    let mut child = split(&mut test, &wallet, &mut root, 60);
    let grandchild = split(&mut test, &wallet, &mut child, 30);
    let (id, root_id) = (to_bytes(&wallet.id()), object::id(&root));
    let (child_id, grandchild_id) = (object::id(&child), object::id(&grandchild));
    spend(&mut test, &mut wallet, &mut child, 5);
    grandchild.burn(&mut wallet);
    child.burn(&mut wallet);
    assert_events<ScopedCapBurned>(vector[
        vector[
            id,
            to_bytes(&grandchild_id),
            name<USD>(),
            to_bytes(&30u64),
            to_bytes(&option::some(child_id)),
        ],
        vector[
            id,
            to_bytes(&child_id),
            name<USD>(),
            to_bytes(&55u64),
            to_bytes(&option::some(root_id)),
        ],
    ]);
    assert_eq!(root.remaining(), 40);
    root.collect_refund(&mut wallet);
    root.collect_refund(&mut wallet);
    let (amount, remaining) = (to_bytes(&55u64), to_bytes(&95u64));
    assert_event<ScopedRefunded>(vector[id, to_bytes(&root_id), name<USD>(), amount, remaining]);
    assert_eq!(root.remaining(), 95);

    test.next_tx(agent!());
    root.burn(&mut wallet);
    assert_event<ScopedCapBurned>(vector[
        id,
        to_bytes(&root_id),
        name<USD>(),
        to_bytes(&95u64),
        none(),
    ]);
    end(test, wallet);
}

#[test]
fun refunds_of_several_caps_add_up() {
    let (mut test, mut wallet, mut root) = begin_with_root();
    let first = split(&mut test, &wallet, &mut root, 60);
    let mut second = split(&mut test, &wallet, &mut root, 30);
    spend(&mut test, &mut wallet, &mut second, 30);
    first.burn(&mut wallet);
    second.burn(&mut wallet);
    let third = split(&mut test, &wallet, &mut root, 10);
    third.burn(&mut wallet);
    root.collect_refund(&mut wallet);
    assert_eq!(root.remaining(), 70);
    destroy(root);
    end(test, wallet);
}

#[test]
fun a_refund_of_one_cap_is_no_other_caps() {
    let (mut test, mut wallet, mut root) = begin_with_root();
    let mut child = split(&mut test, &wallet, &mut root, 60);
    let mut sibling = split(&mut test, &wallet, &mut root, 10);
    let grandchild = split(&mut test, &wallet, &mut child, 30);
    grandchild.burn(&mut wallet);
    sibling.collect_refund(&mut wallet);
    root.collect_refund(&mut wallet);
    assert_eq!(sibling.remaining(), 10);
    assert_eq!(root.remaining(), 30);
    child.collect_refund(&mut wallet);
    assert_eq!(child.remaining(), 60);
    destroy(vector[root, child, sibling]);
    end(test, wallet);
}

#[test, expected_failure(abort_code = sub_delegate::EWrongWallet)]
fun a_cap_is_not_burned_under_another_wallet() {
    let (mut test, _wallet, root) = begin_with_root();
    let mut other = another_wallet(&mut test);
    root.burn(&mut other);
    abort
}

#[test, expected_failure(abort_code = sub_delegate::EWrongWallet)]
fun a_refund_is_not_collected_under_another_wallet() {
    let (mut test, _wallet, mut root) = begin_with_root();
    let mut other = another_wallet(&mut test);
    root.collect_refund(&mut other);
    abort
}

#[test]
fun no_splitting_spending_and_burning_makes_or_loses_budget() {
    let (mut test, mut wallet) = begin();
    policy::initialize(&mut wallet, test.ctx());
    policy::add_auth_rule<ScopedAuth>(&mut wallet, test.ctx());
    policy::add_caveat_rule_for<ScopedAuth, ScopedBudget>(&mut wallet, test.ctx());
    let budget = 900;
    // A cap stands behind the one it was split off, so that the last one has no living descendant.
    let mut caps = vector[sub_delegate::mint_root<USD>(&wallet, budget, 8, test.ctx())];
    let (mut spent, mut random) = (0, 7u64);
    300u64.do!(|_| {
        random = (random * 1103515245 + 12345) % 2147483648;
        let (choice, at) = ((random / 64) % 5, (random / 1024) % caps.length());
        let (remaining, depth) = (caps[at].remaining(), caps[at].depth());
        let amount = 1 + remaining / 3;
        if (choice < 2 && remaining > 0 && depth < 8) {
            let child = split(&mut test, &wallet, &mut caps[at], amount);
            caps.push_back(child);
        } else if (choice == 2 && remaining > 0) {
            let amount = 1 + remaining / 16;
            spend(&mut test, &mut wallet, &mut caps[at], amount);
            spent = spent + amount;
        } else if (choice == 3 && caps.length() > 1) {
            caps.pop_back().burn(&mut wallet);
        } else {
            caps[at].collect_refund(&mut wallet);
        };
        let held = caps.map_ref!(|cap| cap.remaining()).fold!(0, |sum, part| sum + part);
        assert!(held + spent <= budget);
        assert_eq!(wallet.balance<USD>(), 1000 - spent);
    });
    assert!(spent > 100 && spent < budget);
    while (caps.length() > 1) caps.pop_back().burn(&mut wallet);
    let mut root = caps.pop_back();
    caps.destroy_empty();
    root.collect_refund(&mut wallet);
    assert_eq!(root.remaining() + spent, budget);
    destroy(root);
    end(test, wallet);
}
