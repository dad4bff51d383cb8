/// What publishers rely on among kiosks, transfer policies, displays and signatures of 0x2. The same tests hold
/// with the real framework.
#[test_only]
module framework_checks::market_checks;

use std::unit_test::{assert_eq, destroy};
use sui::display;
use sui::kiosk::{Self, Kiosk, KioskOwnerCap};
use sui::kiosk_extension;
use sui::package;
use sui::test_utils;
use sui::transfer_policy::{Self, TransferPolicy, TransferPolicyCap};

public struct MARKET_CHECKS has drop {}

public struct Rule has drop {}

public struct OtherRule has drop {}

public struct Thing has key, store {
    id: UID,
    size: u64,
}

fun listed(price: u64, ctx: &mut TxContext): (Kiosk, KioskOwnerCap, ID) {
    let (mut kiosk, cap) = kiosk::new(ctx);
    let thing = Thing { id: object::new(ctx), size: 7 };
    let id = object::id(&thing);
    kiosk.place_and_list(&cap, thing, price);
    (kiosk, cap, id)
}

fun policy(ctx: &mut TxContext): (TransferPolicy<Thing>, TransferPolicyCap<Thing>) {
    transfer_policy::new_for_testing(ctx)
}

#[test]
fun a_sale_needs_the_receipt_of_each_rule() {
    let ctx = &mut tx_context::dummy();
    let (mut kiosk, cap, id) = listed(5, ctx);
    let (mut policy, policy_cap) = policy(ctx);
    transfer_policy::add_rule(Rule {}, &mut policy, &policy_cap, 3u8);
    assert_eq!(*transfer_policy::get_rule<Thing, Rule, u8>(Rule {}, &policy), 3);
    let payment = sui::coin::mint_for_testing(5, ctx);
    let (thing, mut request) = kiosk.purchase<Thing>(id, payment);
    transfer_policy::add_receipt(Rule {}, &mut request);
    let (item, paid, from) = policy.confirm_request(request);
    assert_eq!(item, object::id(&thing));
    assert_eq!(paid, 5);
    assert_eq!(from, object::id(&kiosk));
    let profits = kiosk.withdraw(&cap, option::none(), ctx);
    assert_eq!(profits.value(), 5);
    destroy(thing);
    destroy(profits);
    policy.destroy_and_withdraw(policy_cap, ctx).destroy_zero();
    kiosk.close_and_withdraw(cap, ctx).destroy_zero();
}

#[test, expected_failure(abort_code = transfer_policy::EPolicyNotSatisfied)]
fun a_sale_without_a_receipt_is_refused() {
    let ctx = &mut tx_context::dummy();
    let (mut policy, policy_cap) = policy(ctx);
    transfer_policy::add_rule(Rule {}, &mut policy, &policy_cap, true);
    let zero = object::id_from_address(@0x0);
    policy.confirm_request(transfer_policy::new_request(zero, 0, zero));
    abort
}

#[test, expected_failure(abort_code = transfer_policy::EIllegalRule)]
fun a_receipt_of_another_rule_does_not_count() {
    let ctx = &mut tx_context::dummy();
    let (mut policy, policy_cap) = policy(ctx);
    transfer_policy::add_rule(Rule {}, &mut policy, &policy_cap, true);
    let zero = object::id_from_address(@0x0);
    let mut request = transfer_policy::new_request(zero, 0, zero);
    transfer_policy::add_receipt(OtherRule {}, &mut request);
    policy.confirm_request(request);
    abort
}

#[test, expected_failure(abort_code = kiosk::EIncorrectAmount)]
fun an_item_costs_its_price() {
    let ctx = &mut tx_context::dummy();
    let (mut kiosk, _cap, id) = listed(5, ctx);
    let payment = sui::coin::mint_for_testing(4, ctx);
    let (_thing, _request) = kiosk.purchase<Thing>(id, payment);
    abort
}

#[test, expected_failure(abort_code = kiosk::EItemLocked)]
fun a_locked_item_cannot_be_taken() {
    let ctx = &mut tx_context::dummy();
    let (mut kiosk, cap) = kiosk::new(ctx);
    let (policy, _policy_cap) = policy(ctx);
    let thing = Thing { id: object::new(ctx), size: 1 };
    let id = object::id(&thing);
    kiosk.lock(&cap, &policy, thing);
    let _thing: Thing = kiosk.take(&cap, id);
    abort
}

#[test]
fun an_extension_does_what_the_owner_allows_until_it_is_removed() {
    let ctx = &mut tx_context::dummy();
    let (mut kiosk, cap) = kiosk::new(ctx);
    let (policy, policy_cap) = policy(ctx);
    kiosk_extension::add(Rule {}, &mut kiosk, &cap, 2, ctx);
    assert!(kiosk_extension::can_lock<Rule>(&kiosk) && !kiosk_extension::can_place<Rule>(&kiosk));
    let thing = Thing { id: object::new(ctx), size: 1 };
    let id = object::id(&thing);
    kiosk_extension::place(Rule {}, &mut kiosk, thing, &policy);
    assert!(kiosk.has_item(id) && !kiosk.is_locked(id));
    kiosk_extension::storage_mut(Rule {}, &mut kiosk).add(1u8, 5u64);
    kiosk_extension::disable<Rule>(&mut kiosk, &cap);
    assert!(!kiosk_extension::can_lock<Rule>(&kiosk));
    assert_eq!(kiosk_extension::storage(Rule {}, &kiosk).length(), 1);
    let _: u64 = kiosk_extension::storage_mut(Rule {}, &mut kiosk).remove(1u8);
    kiosk_extension::enable<Rule>(&mut kiosk, &cap);
    kiosk_extension::remove<Rule>(&mut kiosk, &cap);
    assert!(!kiosk_extension::is_installed<Rule>(&kiosk));
    destroy(kiosk);
    destroy(cap);
    destroy(policy);
    destroy(policy_cap);
}

#[test, expected_failure(abort_code = kiosk_extension::EExtensionNotAllowed)]
fun an_extension_does_no_more_than_the_owner_allows() {
    let ctx = &mut tx_context::dummy();
    let (mut kiosk, cap) = kiosk::new(ctx);
    let (policy, _policy_cap) = policy(ctx);
    kiosk_extension::add(Rule {}, &mut kiosk, &cap, 1, ctx);
    kiosk_extension::lock(Rule {}, &mut kiosk, Thing { id: object::new(ctx), size: 1 }, &policy);
    abort 0
}

#[test]
fun a_publisher_describes_its_types() {
    let ctx = &mut tx_context::dummy();
    let publisher = package::test_claim(test_utils::create_one_time_witness<MARKET_CHECKS>(), ctx);
    let (names, values) = (vector[b"name".to_string()], vector[b"{size}".to_string()]);
    let mut display = display::new_with_fields<Thing>(&publisher, names, values, ctx);
    display.edit(b"name".to_string(), b"Thing {size}".to_string());
    display.update_version();
    assert_eq!(display.version(), 1);
    assert_eq!(*display.fields().get(&b"name".to_string()), b"Thing {size}".to_string());
    destroy(display);
    destroy(publisher);
}

#[test, expected_failure(abort_code = display::ENotOwner)]
fun nobody_else_describes_a_type() {
    let ctx = &mut tx_context::dummy();
    let publisher = package::test_claim(test_utils::create_one_time_witness<MARKET_CHECKS>(), ctx);
    let _display = display::new<sui::clock::Clock>(&publisher, ctx);
    abort
}

#[test]
fun a_signature_of_rfc_8032_is_valid() {
    let key = x"3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
    let signature =
        x"92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
    assert!(sui::ed25519::ed25519_verify(&signature, &key, &x"72"));
    assert!(!sui::ed25519::ed25519_verify(&signature, &key, &x"73"));
}
