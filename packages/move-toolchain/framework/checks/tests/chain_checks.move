/// What our packages rely on in 0x2 beside collections. The same tests hold with the real framework.
#[test_only]
module framework_checks::chain_checks;

use std::unit_test::{assert_eq, destroy};
use sui::balance;
use sui::bcs;
use sui::clock;
use sui::coin::{Self, Coin, TreasuryCap};
use sui::event;
use sui::hex;
use sui::package;
use sui::sui::SUI;
use sui::test_scenario as scenario;
use sui::test_utils::create_one_time_witness;
use sui::transfer::Receiving;

public struct CHAIN_CHECKS has drop {}

public struct Box has key, store {
    id: UID,
}

public struct Told has copy, drop { number: u8 }

public struct Untold has copy, drop {}

const ALICE: address = @0xa11ce;
const BOB: address = @0xb0b;

#[test]
fun balances_and_coins_conserve_value() {
    let ctx = &mut tx_context::dummy();
    let mut coin = coin::mint_for_testing<SUI>(100, ctx);
    let part = coin.split(30, ctx);
    coin.join(part);
    let parts = coin.divide_into_n(3, ctx);
    assert_eq!(coin.value(), 34);
    parts.do!(|part| coin.join(part));
    let mut held = coin.into_balance();
    assert_eq!(held.split(40).destroy_for_testing(), 40);
    coin::put(&mut held, coin::mint_for_testing(5, ctx));
    assert_eq!(coin::take(&mut held, 15, ctx).burn_for_testing(), 15);
    assert_eq!(held.withdraw_all().into_coin(ctx).burn_for_testing(), 50);
    held.destroy_zero();
}

#[test, expected_failure(abort_code = balance::ENotEnough)]
fun no_more_is_taken_than_there_is() {
    let mut held = balance::create_for_testing<SUI>(1);
    let _ = held.split(2).destroy_for_testing();
    abort
}

#[test]
fun a_currency_is_minted_and_burned_with_its_cap() {
    let ctx = &mut tx_context::dummy();
    let witness = create_one_time_witness<CHAIN_CHECKS>();
    let (mut cap, metadata) = coin::create_currency(witness, 6, b"CHK", b"Check", b"", option::none(), ctx);
    let coin = cap.mint(42, ctx);
    assert_eq!(cap.total_supply(), 42);
    assert_eq!(cap.burn(coin), 42);
    assert_eq!(cap.total_supply(), 0);
    assert_eq!(metadata.get_decimals(), 6);
    assert_eq!(metadata.get_symbol(), b"CHK".to_ascii_string());
    destroy<TreasuryCap<CHAIN_CHECKS>>(cap);
    destroy(metadata);
}

#[test]
fun a_publisher_speaks_for_its_package() {
    let ctx = &mut tx_context::dummy();
    let publisher = package::claim(create_one_time_witness<CHAIN_CHECKS>(), ctx);
    assert!(publisher.from_module<Box>() && publisher.from_package<Box>());
    assert!(!publisher.from_package<SUI>());
    assert_eq!(*publisher.module_(), b"chain_checks".to_ascii_string());
    publisher.burn();
}

#[test]
fun an_upgrade_moves_the_cap_to_the_new_package() {
    let ctx = &mut tx_context::dummy();
    let mut cap = package::test_publish(@0x42.to_id(), ctx);
    let ticket = cap.authorize(package::compatible_policy(), b"digest");
    assert_eq!(cap.package(), @0x0.to_id());
    assert_eq!(ticket.package(), @0x42.to_id());
    cap.commit(package::test_upgrade(ticket));
    assert!(cap.package() != @0x42.to_id() && cap.version() == 2);
    cap.only_additive_upgrades();
    assert_eq!(cap.policy(), package::additive_policy());
    cap.make_immutable();
}

#[test, expected_failure(abort_code = package::ETooPermissive)]
fun a_policy_is_never_widened() {
    let mut cap = package::test_publish(@0x42.to_id(), &mut tx_context::dummy());
    cap.only_dep_upgrades();
    cap.only_additive_upgrades();
    abort
}

#[test]
fun objects_go_where_they_are_sent() {
    let mut test = scenario::begin(ALICE);
    let parent = Box { id: object::new(test.ctx()) };
    let parent_id = object::id(&parent);
    transfer::public_transfer(coin::mint_for_testing<SUI>(7, test.ctx()), parent_id.to_address());
    transfer::public_transfer(parent, BOB);
    let frozen = Box { id: object::new(test.ctx()) };
    let frozen_id = object::id(&frozen);
    transfer::public_freeze_object(frozen);

    let effects = test.next_tx(BOB);
    assert_eq!(effects.created().length(), 3);
    assert_eq!(effects.frozen(), vector[frozen_id]);
    let mut parent = test.take_from_sender<Box>();
    let ticket: Receiving<Coin<SUI>> = scenario::most_recent_receiving_ticket(&parent_id);
    let coin = transfer::public_receive(&mut parent.id, ticket);
    assert_eq!(coin.burn_for_testing(), 7);
    test.return_to_sender(parent);
    let frozen = test.take_immutable<Box>();
    assert_eq!(object::id(&frozen), frozen_id);
    scenario::return_immutable(frozen);

    test.next_tx(ALICE);
    assert!(!scenario::has_most_recent_for_address<Box>(ALICE));
    assert_eq!(scenario::ids_for_address<Box>(BOB), vector[parent_id]);
    test.end();
}

#[test]
fun a_transaction_knows_its_sender_and_epoch() {
    let mut test = scenario::begin(ALICE);
    assert_eq!(test.ctx().sender(), ALICE);
    let first = test.ctx().fresh_object_address();
    let second = test.ctx().fresh_object_address();
    assert!(first != second);
    assert_eq!(test.ctx().last_created_object_id(), second);
    test.later_epoch(500, BOB);
    assert_eq!(test.ctx().epoch(), 1);
    assert_eq!(test.ctx().epoch_timestamp_ms(), 500);
    assert_eq!(test.ctx().sponsor(), option::none());
    test.end();
}

#[test]
fun the_clock_is_set_by_tests() {
    let mut clock = clock::create_for_testing(&mut tx_context::dummy());
    clock.set_for_testing(10);
    clock.increment_for_testing(5);
    assert_eq!(clock.timestamp_ms(), 15);
    clock.destroy_for_testing();
}

#[test]
fun addresses_are_numbers_and_text() {
    assert_eq!(@0x2a.to_u256(), 42);
    assert_eq!(sui::address::from_u256(42), @0x2a);
    assert_eq!(sui::address::from_ascii_bytes(@0x2a.to_string().as_bytes()), @0x2a);
    assert_eq!(hex::encode(x"00ff1a"), b"00ff1a");
    assert_eq!(hex::decode(b"00Ff1A"), x"00ff1a");
}

#[test]
fun events_are_kept_in_order_until_the_transaction_ends() {
    let mut test = scenario::begin(ALICE);
    event::emit(Told { number: 1 });
    event::emit(Told { number: 2 });
    assert_eq!(event::events_by_type<Told>(), vector[Told { number: 1 }, Told { number: 2 }]);
    assert_eq!(event::events_by_type<Untold>(), vector[]);
    assert_eq!(event::num_events(), 2);
    test.next_tx(ALICE);
    assert_eq!(event::events_by_type<Told>(), vector[]);
    test.end();
}

#[test]
fun values_are_peeled_off_their_bytes() {
    let mut bytes = bcs::to_bytes(&0x0102030405060708u64);
    bytes.append(bcs::to_bytes(&@0x2a));
    bytes.append(bcs::to_bytes(&vector[b"ab", b""]));
    bytes.append(bcs::to_bytes(&option::some(true)));
    bytes.append(bcs::to_bytes(&(1u256 << 255)));
    bytes.append(b"rest");
    let mut left = bcs::new(bytes);
    assert_eq!(left.peel_u64(), 0x0102030405060708);
    assert_eq!(left.peel_address(), @0x2a);
    assert_eq!(left.peel_vec_vec_u8(), vector[b"ab", b""]);
    assert_eq!(left.peel_option!(|bytes| bytes.peel_bool()), option::some(true));
    assert_eq!(left.peel_u256(), 1 << 255);
    assert_eq!(left.into_remainder_bytes(), b"rest");
}

#[test, expected_failure(abort_code = bcs::EOutOfRange)]
fun bytes_that_end_too_early_are_refused() {
    bcs::new(x"0102").peel_u64();
}

#[test]
fun the_chains_hash_is_blake2b() {
    let abc = x"bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319";
    assert_eq!(sui::hash::blake2b256(&b"abc"), abc);
}

#[test]
fun variants_are_read_by_their_number() {
    let mut bytes = bcs::new(x"03ffffffff0f");
    assert_eq!(bytes.peel_enum_tag(), 3);
    assert_eq!(bytes.peel_enum_tag(), 0xffffffff);
}

#[test, expected_failure(abort_code = bcs::EOutOfRange)]
fun no_variant_has_a_longer_number() {
    bcs::new(x"8080808010").peel_enum_tag();
}

#[test, expected_failure(vector_error, minor_status = 2, location = sui::bcs)]
fun a_length_does_not_begin_after_the_end() {
    bcs::new(vector[]).peel_vec_length();
}

#[test]
fun a_module_permits_what_is_done_with_its_types() {
    let _: std::internal::Permit<Told> = std::internal::permit();
}

#[test]
fun a_transaction_begins_with_the_context_that_was_built() {
    let mut test = scenario::begin_with_context(scenario::ctx_builder_from_sender(@0xa).set_gas_price(7));
    assert_eq!(test.ctx().gas_price(), 7);
    let next = test.ctx_builder().set_epoch(2).set_epoch_timestamp(500).unset_sponsor();
    test.next_with_context(next.set_reference_gas_price(9));
    assert_eq!(test.ctx().epoch(), 2);
    assert_eq!(test.ctx().epoch_timestamp_ms(), 500);
    assert_eq!(test.ctx().reference_gas_price(), 9);
    assert_eq!(test.num_concluded_txes(), 2);
    test.end();
}

#[test, expected_failure]
fun time_does_not_go_back() {
    let mut test = scenario::begin_with_context(scenario::ctx_builder_from_sender(@0xa).set_epoch_timestamp(5));
    let next = test.ctx_builder().set_epoch_timestamp(4);
    test.next_with_context(next);
    test.end();
}

#[test]
fun what_the_system_has_is_shared() {
    let mut test = scenario::begin(@0xa);
    test.create_system_objects();
    scenario::return_shared(test.take_shared<clock::Clock>());
    scenario::return_shared(test.take_shared<sui::random::Random>());
    scenario::return_shared(test.take_shared<sui::deny_list::DenyList>());
    test.skip_to_epoch(3);
    assert_eq!(test.ctx().epoch(), 3);
    test.end();
}

#[test]
fun an_address_without_funds_has_none_settled() {
    let mut test = scenario::begin(@0xa);
    sui::accumulator::create_for_testing(test.ctx());
    test.next_tx(@0xa);
    let root = test.take_shared<sui::accumulator::AccumulatorRoot>();
    assert_eq!(balance::settled_funds_value<SUI>(&root, @0xa), 0);
    scenario::return_shared(root);
    test.end();
}

#[test]
fun a_party_object_is_found_with_its_owner() {
    let mut test = scenario::begin(@0xa);
    let made = coin::mint_for_testing<SUI>(5, test.ctx());
    sui::party::single_owner(@0xb).public_transfer!(made);
    test.next_tx(@0xb);
    let found = test.take_from_sender<Coin<SUI>>();
    assert_eq!(found.value(), 5);
    test.return_to_sender(found);
    test.end();
}
