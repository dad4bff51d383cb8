/// What issuers of coins rely on: deny lists, the coin registry and tokens. The same tests hold with the real framework.
#[test_only]
module framework_checks::currency_checks;

use std::unit_test::{assert_eq, destroy};
use sui::coin::{Self, TreasuryCap};
use sui::coin_registry::{Self, CoinRegistry, Currency};
use sui::deny_list::{Self, DenyList};
use sui::test_scenario as scenario;
use sui::test_utils::create_one_time_witness;
use sui::token::{Self, TokenPolicy};

public struct CURRENCY_CHECKS has drop {}

public struct Made has key { id: UID }

public struct Rule has drop {}

const ISSUER: address = @0x155;
const DENIED: address = @0xde;

#[test]
#[allow(deprecated_usage)]
fun an_address_is_denied_from_the_next_epoch_on_until_it_is_removed() {
    let mut test = scenario::begin(@0x0);
    deny_list::create_for_test(test.ctx());
    test.next_tx(ISSUER);
    let witness = create_one_time_witness<CURRENCY_CHECKS>();
    let (treasury, mut cap, metadata) = coin::create_regulated_currency_v2(
        witness,
        2,
        b"C",
        b"Checks",
        b"",
        option::none(),
        true,
        test.ctx(),
    );
    test.next_tx(ISSUER);
    let mut list: DenyList = test.take_shared();
    assert!(!list.deny_next(DENIED));
    coin::deny_list_v2_add(&mut list, &mut cap, DENIED, test.ctx());
    coin::deny_list_v2_add(&mut list, &mut cap, DENIED, test.ctx());
    coin::deny_list_v2_enable_global_pause(&mut list, &mut cap, test.ctx());
    assert!(list.deny_next(DENIED) && !list.deny_next(ISSUER));
    assert!(coin::deny_list_v2_is_global_pause_enabled_next_epoch<CURRENCY_CHECKS>(&list));
    scenario::return_shared(list);
    test.next_tx(ISSUER);
    let list: DenyList = test.take_shared();
    let ctx = test.ctx();
    assert!(!coin::deny_list_v2_contains_current_epoch<CURRENCY_CHECKS>(&list, DENIED, ctx));
    scenario::return_shared(list);
    test.next_epoch(ISSUER);
    let mut list: DenyList = test.take_shared();
    let ctx = test.ctx();
    assert!(coin::deny_list_v2_contains_current_epoch<CURRENCY_CHECKS>(&list, DENIED, ctx));
    assert!(!coin::deny_list_v2_contains_current_epoch<CURRENCY_CHECKS>(&list, ISSUER, ctx));
    assert!(coin::deny_list_v2_is_global_pause_enabled_current_epoch<CURRENCY_CHECKS>(&list, ctx));
    coin::deny_list_v2_remove(&mut list, &mut cap, DENIED, ctx);
    coin::deny_list_v2_disable_global_pause(&mut list, &mut cap, ctx);
    assert!(!list.deny_next(DENIED));
    assert!(!coin::deny_list_v2_is_global_pause_enabled_next_epoch<CURRENCY_CHECKS>(&list));
    scenario::return_shared(list);
    destroy(treasury);
    destroy(cap);
    destroy(metadata);
    test.end();
}

use fun deny_next as DenyList.deny_next;

fun deny_next(list: &DenyList, address: address): bool {
    coin::deny_list_v2_contains_next_epoch<CURRENCY_CHECKS>(list, address)
}

#[test]
#[allow(deprecated_usage)]
fun the_first_version_of_the_list_is_brought_to_the_second() {
    let mut test = scenario::begin(ISSUER);
    let ctx = test.ctx();
    let mut list = deny_list::new_for_testing(ctx);
    let witness = create_one_time_witness<CURRENCY_CHECKS>();
    let (treasury, mut cap, metadata) =
        coin::create_regulated_currency(witness, 2, b"C", b"Checks", b"", option::none(), ctx);
    coin::deny_list_add(&mut list, &mut cap, DENIED, ctx);
    coin::deny_list_add(&mut list, &mut cap, ISSUER, ctx);
    coin::deny_list_remove(&mut list, &mut cap, ISSUER, ctx);
    assert!(coin::deny_list_contains<CURRENCY_CHECKS>(&list, DENIED));
    assert!(!coin::deny_list_contains<CURRENCY_CHECKS>(&list, ISSUER));
    let cap = coin::migrate_regulated_currency_to_v2(&mut list, cap, false, ctx);
    assert!(!coin::deny_list_contains<CURRENCY_CHECKS>(&list, DENIED));
    assert!(list.deny_next(DENIED) && !list.deny_next(ISSUER));
    destroy(list);
    destroy(treasury);
    destroy(cap);
    destroy(metadata);
    test.end();
}

#[test]
fun a_currency_of_an_init_function_is_registered_later() {
    let mut test = scenario::begin(@0x0);
    let mut registry = coin_registry::create_coin_data_registry_for_testing(test.ctx());
    let witness = create_one_time_witness<CURRENCY_CHECKS>();
    let (mut init, mut treasury) = coin_registry::new_currency_with_otw(
        witness,
        6,
        b"C".to_string(),
        b"Checks".to_string(),
        b"for tests".to_string(),
        b"https://c.example".to_string(),
        test.ctx(),
    );
    let cap = init.make_regulated(true, test.ctx());
    let minted = treasury.mint(5, test.ctx());
    init.make_supply_burn_only(treasury);
    let (mut currency, metadata_cap) = init.finalize_unwrap_for_testing(test.ctx());
    assert_eq!(currency.symbol(), b"C".to_string());
    assert_eq!(currency.decimals(), 6);
    assert_eq!(currency.deny_cap_id(), option::some(object::id(&cap)));
    assert_eq!(currency.metadata_cap_id(), option::some(object::id(&metadata_cap)));
    assert!(currency.is_supply_burn_only() && !currency.is_supply_fixed() && currency.is_regulated());
    currency.set_name(&metadata_cap, b"More checks".to_string());
    assert_eq!(currency.name(), b"More checks".to_string());
    currency.burn(minted);
    assert_eq!(currency.total_supply(), option::some(0));
    let (metadata, borrow) = currency.borrow_legacy_metadata(test.ctx());
    let metadata_id = object::id(&metadata);
    assert_eq!(metadata.get_name(), b"More checks".to_string());
    assert_eq!(metadata.get_symbol(), b"C".to_ascii_string());
    currency.return_borrowed_legacy_metadata(metadata, borrow, test.ctx());
    currency.set_name(&metadata_cap, b"Even more checks".to_string());
    let (metadata, borrow) = currency.borrow_legacy_metadata(test.ctx());
    assert_eq!(metadata.get_name(), b"Even more checks".to_string());
    assert_eq!(object::id(&metadata), metadata_id);
    currency.return_borrowed_legacy_metadata(metadata, borrow, test.ctx());
    currency.delete_metadata_cap(metadata_cap);
    assert!(currency.is_metadata_cap_deleted() && currency.is_metadata_cap_claimed());
    assert!(!registry.exists<CURRENCY_CHECKS>());
    made_at_runtime(&mut registry, &mut test);
    destroy(currency);
    destroy(cap);
    destroy(registry);
    test.end();
}

fun made_at_runtime(registry: &mut CoinRegistry, test: &mut scenario::Scenario) {
    let (init, treasury) = registry.new_currency<Made>(
        2,
        b"M".to_string(),
        b"Made".to_string(),
        b"".to_string(),
        b"".to_string(),
        test.ctx(),
    );
    assert!(registry.exists<Made>());
    let metadata_cap = init.finalize(test.ctx());
    test.next_tx(@0x0);
    let currency: Currency<Made> = test.take_shared();
    assert_eq!(currency.treasury_cap_id(), option::some(object::id(&treasury)));
    assert_eq!(currency.total_supply(), option::none());
    scenario::return_shared(currency);
    destroy(metadata_cap);
    destroy(treasury);
}

#[test, expected_failure(abort_code = coin_registry::EInvalidSymbol)]
fun a_symbol_is_printable() {
    let ctx = &mut tx_context::dummy();
    let (_init, _treasury) = coin_registry::new_currency_with_otw(
        create_one_time_witness<CURRENCY_CHECKS>(),
        6,
        x"01".to_string(),
        b"".to_string(),
        b"".to_string(),
        b"".to_string(),
        ctx,
    );
    abort 100
}

#[test]
fun a_token_is_spent_as_its_policy_allows() {
    let mut test = scenario::begin(ISSUER);
    let ctx = test.ctx();
    let (mut policy, cap) = token::new_policy_for_testing<Made>(ctx);
    policy.allow(&cap, token::to_coin_action(), ctx);
    policy.add_rule_for_action<_, Rule>(&cap, token::spend_action(), ctx);
    token::add_rule_config(Rule {}, &mut policy, &cap, 7u64, ctx);
    assert_eq!(*token::rule_config<_, Rule, u64>(Rule {}, &policy), 7);
    let mut held = token::mint_for_testing<Made>(10, ctx);
    let spent = held.split(4, ctx);
    let (coin, request) = held.to_coin(ctx);
    let (name, amount, sender, recipient) = policy.confirm_request(request, ctx);
    assert_eq!(name, token::to_coin_action());
    assert_eq!(amount, 6);
    assert_eq!(sender, ISSUER);
    assert!(recipient.is_none() && coin.value() == 6);
    let mut request = spent.spend(ctx);
    assert_eq!(request.spent(), option::some(4));
    token::add_approval(Rule {}, &mut request, ctx);
    let (_, _, _, _) = policy.confirm_request_mut(request, ctx);
    assert_eq!(policy.spent_balance(), 4);
    let mut treasury: TreasuryCap<Made> = coin::create_treasury_cap_for_testing(ctx);
    let again = token::mint(&mut treasury, 5, ctx);
    let (_, _, _, _) = token::confirm_with_treasury_cap(&mut treasury, again.spend(ctx), ctx);
    assert_eq!(treasury.total_supply(), 0);
    coin.burn_for_testing();
    policy.burn_policy_for_testing(cap);
    destroy(treasury);
    test.end();
}

fun tokens(ctx: &mut TxContext): (TokenPolicy<Made>, token::Token<Made>) {
    let (mut policy, cap) = token::new_policy_for_testing<Made>(ctx);
    policy.add_rule_for_action<_, Rule>(&cap, token::spend_action(), ctx);
    destroy(cap);
    (policy, token::mint_for_testing(10, ctx))
}

#[test, expected_failure(abort_code = token::ENotApproved)]
fun a_rule_that_did_not_approve_is_missed() {
    let ctx = &mut tx_context::dummy();
    let (mut policy, held) = tokens(ctx);
    let (_, _, _, _) = policy.confirm_request_mut(held.spend(ctx), ctx);
    abort 100
}

#[test, expected_failure(abort_code = token::EUnknownAction)]
fun an_action_that_the_policy_does_not_know_is_refused() {
    let ctx = &mut tx_context::dummy();
    let (policy, held) = tokens(ctx);
    let (_, _, _, _) = policy.confirm_request(held.transfer(@0xb0b, ctx), ctx);
    abort 100
}
