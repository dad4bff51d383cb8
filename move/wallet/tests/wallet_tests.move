#[test_only]
module wallet::wallet_tests;

use std::string::String;
use std::unit_test::assert_eq;
use sui::bcs::to_bytes;
use sui::coin::Coin;
use sui::test_scenario as scenario;
use wallet::fixtures::{
    Self,
    agent,
    assert_event,
    begin,
    begin_empty,
    burn,
    end,
    mint,
    name,
    none,
    owner,
    Pair,
    Rival,
    Shop,
    some_name,
    stranger,
    ticket,
    Ticket,
    EUR,
    USD,
};
use wallet::type_names;
use wallet::wallet::{
    Self,
    AssetReclaimed,
    CoinDeposited,
    CoinWithdrawn,
    LegacyCoinSwept,
    OwnerChanged,
    ServiceAssetStored,
    ServiceAssetTaken,
    ServiceCoinRevoked,
    ServiceGranted,
    ServicePullGranted,
    ServiceRevoked,
    Wallet,
    WalletCreated,
    WalletPauseChanged,
};

fun text(length: u64): String {
    vector::tabulate!(length, |_| 0x61).to_string()
}

// === Life ===

#[test]
fun a_new_wallet_is_the_senders_and_shared() {
    let mut test = scenario::begin(owner!());
    let id = wallet::create_and_share(test.ctx());
    assert_event<WalletCreated>(vector[to_bytes(&id), to_bytes(&owner!()), to_bytes(&id)]);

    test.next_tx(stranger!());
    let wallet = test.take_shared<Wallet>();
    assert_eq!(wallet.id(), id);
    assert_eq!(wallet.owner(), owner!());
    assert_eq!(wallet.identity(), id.to_address());
    assert_eq!(wallet.uid().to_inner(), id);
    assert!(!wallet.is_paused());
    scenario::return_shared(wallet);
    test.end();
}

#[test]
fun a_wallet_can_be_set_up_before_it_is_shared() {
    let (mut test, mut wallet) = begin_empty();
    wallet.grant_service_coin<Shop, USD>(5, test.ctx());
    wallet.share();
    test.next_tx(owner!());
    let wallet = test.take_shared<Wallet>();
    assert!(wallet.is_authorized<Shop, USD>());
    scenario::return_shared(wallet);
    test.end();
}

// === Coins ===

#[test]
fun anyone_deposits() {
    let (mut test, mut wallet) = begin_empty();
    assert_eq!(wallet.balance<USD>(), 0);
    test.next_tx(stranger!());
    wallet.deposit(mint<USD>(30, &mut test));
    let id = to_bytes(&wallet.id());
    assert_event<CoinDeposited>(vector[id, none(), name<USD>(), to_bytes(&30u64)]);
    wallet.deposit(mint<USD>(12, &mut test));
    wallet.deposit(mint<EUR>(7, &mut test));
    assert_eq!(wallet.balance<USD>(), 42);
    assert_eq!(wallet.balance<EUR>(), 7);
    end(test, wallet);
}

#[test, expected_failure(abort_code = wallet::EZeroAmount)]
fun nothing_cannot_be_deposited() {
    let (mut test, mut wallet) = begin_empty();
    wallet.deposit(mint<USD>(0, &mut test));
    abort
}

#[test]
fun a_coin_sent_to_the_identity_is_swept_in_by_anyone() {
    let mut test = scenario::begin(owner!());
    let id = wallet::create_and_share(test.ctx());
    test.next_tx(stranger!());
    transfer::public_transfer(mint<USD>(9, &mut test), id.to_address());

    test.next_tx(stranger!());
    let mut wallet = test.take_shared<Wallet>();
    wallet.sweep_legacy_coin<USD>(scenario::most_recent_receiving_ticket(&id));
    assert_event<CoinDeposited>(vector[to_bytes(&id), none(), name<USD>(), to_bytes(&9u64)]);
    assert_event<LegacyCoinSwept>(vector[to_bytes(&id), name<USD>(), to_bytes(&9u64)]);
    assert_eq!(wallet.balance<USD>(), 9);
    scenario::return_shared(wallet);
    test.end();
}

#[test]
fun the_owner_takes_money_out() {
    let (mut test, mut wallet) = begin();
    assert_eq!(burn(wallet.withdraw_coin<USD>(400, test.ctx())), 400);
    let id = to_bytes(&wallet.id());
    assert_event<CoinWithdrawn>(vector[id, none(), name<USD>(), to_bytes(&400u64), none()]);
    wallet.take_coin<USD>(600, test.ctx());
    assert_eq!(wallet.balance<USD>(), 0);

    test.next_tx(owner!());
    assert_eq!(burn(test.take_from_sender<Coin<USD>>()), 600);
    end(test, wallet);
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_takes_nothing_out() {
    let (mut test, mut wallet) = begin();
    test.next_tx(stranger!());
    wallet.take_coin<USD>(1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EInsufficientBalance)]
fun no_more_is_taken_out_than_there_is() {
    let (mut test, mut wallet) = begin();
    wallet.take_coin<USD>(1001, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EInsufficientBalance)]
fun a_coin_that_never_came_is_not_there() {
    let (mut test, mut wallet) = begin();
    wallet.take_coin<EUR>(1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EZeroAmount)]
fun nothing_cannot_be_taken_out() {
    let (mut test, mut wallet) = begin();
    wallet.take_coin<USD>(0, test.ctx());
    abort
}

#[test]
fun a_service_credits_in_its_name() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, EUR>(1, test.ctx());
    test.next_tx(stranger!());
    wallet.receive_from_service(mint<USD>(5, &mut test), fixtures::shop());
    let id = to_bytes(&wallet.id());
    assert_event<CoinDeposited>(vector[id, some_name<Shop>(), name<USD>(), to_bytes(&5u64)]);
    assert_eq!(wallet.balance<USD>(), 1005);
    end(test, wallet);
}

/// Else its author would make a user of every wallet with one unit of a coin each.
#[test]
fun a_service_cannot_feign_use_by_a_wallet_that_granted_it_nothing() {
    let (mut test, mut wallet) = begin();
    test.next_tx(stranger!());
    wallet.receive_from_service(mint<USD>(5, &mut test), fixtures::shop());
    assert_event<CoinDeposited>(vector[to_bytes(&wallet.id()), none(), name<USD>(), to_bytes(&5u64)]);
    assert_eq!(wallet.balance<USD>(), 1005);
    end(test, wallet);
}

#[test, expected_failure(abort_code = wallet::EZeroAmount)]
fun a_service_cannot_feign_use_with_empty_coins() {
    let (mut test, mut wallet) = begin();
    wallet.receive_from_service(mint<USD>(0, &mut test), fixtures::shop());
    abort
}

// === Grants ===

#[test]
fun a_grant_is_set_not_added() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(30, test.ctx());
    let id = to_bytes(&wallet.id());
    assert_event<ServiceGranted>(vector[id, name<Shop>(), name<USD>(), to_bytes(&30u64)]);
    wallet.grant_service_coin<Shop, USD>(20, test.ctx());
    assert_eq!(wallet.granted<Shop, USD>(), 20);
    assert!(!wallet.is_authorized<Shop, EUR>());
    assert!(!wallet.is_authorized<Rival, USD>());
    assert_eq!(wallet.granted<Shop, EUR>(), 0);
    assert_eq!(wallet.pull_cap<Shop, EUR>(), 0);
    end(test, wallet);
}

#[test]
fun a_grant_runs_down_and_says_what_is_left() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(30, test.ctx());
    assert_eq!(burn(wallet.pay_by_service<Shop, USD>(10, test.ctx())), 10);
    assert_event<CoinWithdrawn>(vector[
        to_bytes(&wallet.id()),
        some_name<Shop>(),
        name<USD>(),
        to_bytes(&10u64),
        to_bytes(&option::some(20u64)),
    ]);
    assert_eq!(burn(wallet.pay_by_service<Shop, USD>(20, test.ctx())), 20);
    assert_eq!(wallet.granted<Shop, USD>(), 0);
    assert!(wallet.is_authorized<Shop, USD>());
    end(test, wallet);
}

#[test]
fun an_unlimited_grant_does_not_run_down() {
    let (mut test, mut wallet) = begin();
    let unlimited = std::u64::max_value!();
    wallet.grant_service_coin<Shop, USD>(unlimited, test.ctx());
    wallet.grant_service_pull<Shop, USD>(unlimited, test.ctx());
    burn(wallet.pull_by_service<Shop, USD>(10, test.ctx()));
    assert_eq!(wallet.granted<Shop, USD>(), unlimited);
    assert_eq!(wallet.pull_cap<Shop, USD>(), unlimited);
    end(test, wallet);
}

#[test, expected_failure(abort_code = wallet::EGrantExceeded)]
fun a_service_takes_no_more_than_it_was_granted() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(30, test.ctx());
    burn(wallet.pay_by_service<Shop, USD>(20, test.ctx()));
    burn(wallet.pay_by_service<Shop, USD>(11, test.ctx()));
    abort
}

#[test]
fun a_pull_is_granted_changed_and_ended() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(30, test.ctx());
    assert_eq!(wallet.pull_cap<Shop, USD>(), 0);
    wallet.grant_service_pull<Shop, USD>(15, test.ctx());
    let id = to_bytes(&wallet.id());
    assert_event<ServicePullGranted>(vector[id, name<Shop>(), name<USD>(), to_bytes(&15u64)]);
    burn(wallet.pull_by_service<Shop, USD>(10, test.ctx()));
    assert_eq!(wallet.pull_cap<Shop, USD>(), 5);
    assert_eq!(wallet.granted<Shop, USD>(), 20);
    wallet.grant_service_pull<Shop, USD>(0, test.ctx());
    assert_eq!(wallet.pull_cap<Shop, USD>(), 0);
    end(test, wallet);
}

#[test]
fun a_service_pulls_all_of_its_cap() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(30, test.ctx());
    wallet.grant_service_pull<Shop, USD>(15, test.ctx());
    assert_eq!(burn(wallet.pull_by_service<Shop, USD>(15, test.ctx())), 15);
    assert_eq!(wallet.pull_cap<Shop, USD>(), 0);
    end(test, wallet);
}

#[test, expected_failure(abort_code = wallet::EPullExceeded)]
fun a_service_pulls_no_more_than_its_cap() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(30, test.ctx());
    wallet.grant_service_pull<Shop, USD>(15, test.ctx());
    burn(wallet.pull_by_service<Shop, USD>(16, test.ctx()));
    abort
}

#[test, expected_failure(abort_code = wallet::EGrantExceeded)]
fun a_pull_is_bounded_by_the_grant_too() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(30, test.ctx());
    wallet.grant_service_pull<Shop, USD>(std::u64::max_value!(), test.ctx());
    burn(wallet.pull_by_service<Shop, USD>(31, test.ctx()));
    abort
}

#[test, expected_failure(abort_code = wallet::EAuthServiceNotFound)]
fun a_pull_needs_a_grant() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_pull<Shop, USD>(5, test.ctx());
    abort
}

#[test]
fun revoking_a_coin_ends_its_pull_and_leaves_the_others() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(30, test.ctx());
    wallet.grant_service_pull<Shop, USD>(30, test.ctx());
    wallet.grant_service_coin<Shop, EUR>(30, test.ctx());
    wallet.revoke_service_coin<Shop, USD>(test.ctx());
    assert_event<ServiceCoinRevoked>(vector[to_bytes(&wallet.id()), name<Shop>(), name<USD>()]);
    assert!(!wallet.is_authorized<Shop, USD>());
    assert!(wallet.is_authorized<Shop, EUR>());
    wallet.grant_service_coin<Shop, USD>(30, test.ctx());
    assert_eq!(wallet.pull_cap<Shop, USD>(), 0);
    end(test, wallet);
}

/// What no index holds, nobody sees who takes over the wallet.
#[test, expected_failure(abort_code = type_names::ETooLong)]
fun no_grant_is_hidden_behind_a_services_long_name() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Pair<Pair<Pair<USD, USD>, Pair<USD, USD>>, Pair<Pair<USD, USD>, Pair<USD, USD>>>, USD>(1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = type_names::ETooLong)]
fun no_grant_is_hidden_behind_a_coins_long_name() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, Pair<Pair<Pair<USD, USD>, Pair<USD, USD>>, Pair<Pair<USD, USD>, Pair<USD, USD>>>>(1, test.ctx());
    abort
}

#[test]
fun a_coin_with_type_arguments_is_granted() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, Pair<Pair<USD, EUR>, EUR>>(1, test.ctx());
    assert!(wallet.is_authorized<Shop, Pair<Pair<USD, EUR>, EUR>>());
    end(test, wallet);
}

#[test]
fun a_grant_of_zero_revokes() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(30, test.ctx());
    wallet.grant_service_coin<Shop, USD>(0, test.ctx());
    assert_event<ServiceCoinRevoked>(vector[to_bytes(&wallet.id()), name<Shop>(), name<USD>()]);
    assert!(!wallet.is_authorized<Shop, USD>());
    end(test, wallet);
}

#[test]
fun revoking_a_service_ends_all_its_grants() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(30, test.ctx());
    wallet.grant_service_coin<Shop, EUR>(30, test.ctx());
    wallet.grant_service_coin<Rival, USD>(30, test.ctx());
    wallet.revoke_service<Shop>(test.ctx());
    assert_event<ServiceRevoked>(vector[to_bytes(&wallet.id()), name<Shop>()]);
    assert!(!wallet.is_authorized<Shop, USD>());
    assert!(!wallet.is_authorized<Shop, EUR>());
    assert!(wallet.is_authorized<Rival, USD>());
    end(test, wallet);
}

#[test, expected_failure(abort_code = wallet::EAuthServiceNotFound)]
fun a_service_without_a_grant_has_none_to_revoke() {
    let (mut test, mut wallet) = begin();
    wallet.revoke_service<Shop>(test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EAuthCoinNotFound)]
fun a_coin_without_a_grant_has_none_to_revoke() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(30, test.ctx());
    wallet.revoke_service_coin<Shop, EUR>(test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EAuthServiceNotFound)]
fun a_service_whose_last_coin_was_revoked_holds_no_grant() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(30, test.ctx());
    wallet.revoke_service_coin<Shop, USD>(test.ctx());
    wallet.receive_asset_from_service(ticket(&mut test), text(1), fixtures::shop());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_grants_nothing() {
    let (mut test, mut wallet) = begin();
    test.next_tx(stranger!());
    wallet.grant_service_coin<Shop, USD>(30, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_grants_no_pull() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(30, test.ctx());
    test.next_tx(stranger!());
    wallet.grant_service_pull<Shop, USD>(30, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_revokes_no_coin() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(30, test.ctx());
    test.next_tx(stranger!());
    wallet.grant_service_coin<Shop, USD>(0, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_revokes_no_service() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(30, test.ctx());
    test.next_tx(stranger!());
    wallet.revoke_service<Shop>(test.ctx());
    abort
}

// === Pause ===

#[test]
fun a_paused_wallet_is_still_its_owners_and_takes_in() {
    let (mut test, mut wallet) = begin();
    wallet.set_paused(true, test.ctx());
    wallet.set_paused(true, test.ctx());
    assert_event<WalletPauseChanged>(vector[to_bytes(&wallet.id()), to_bytes(&true)]);
    assert!(wallet.is_paused());
    burn(wallet.withdraw_coin<USD>(1, test.ctx()));
    wallet.deposit(mint<USD>(1, &mut test));
    wallet.receive_from_service(mint<USD>(1, &mut test), fixtures::shop());
    wallet.set_paused(false, test.ctx());
    wallet.grant_service_coin<Shop, USD>(1, test.ctx());
    burn(wallet.pay_by_service<Shop, USD>(1, test.ctx()));
    end(test, wallet);
}

#[test, expected_failure(abort_code = wallet::EPaused)]
fun a_paused_wallet_pays_no_service() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(30, test.ctx());
    wallet.set_paused(true, test.ctx());
    burn(wallet.pay_by_service<Shop, USD>(1, test.ctx()));
    abort
}

#[test, expected_failure(abort_code = wallet::EPaused)]
fun a_paused_wallet_lets_no_service_pull() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(30, test.ctx());
    wallet.grant_service_pull<Shop, USD>(30, test.ctx());
    wallet.set_paused(true, test.ctx());
    burn(wallet.pull_by_service<Shop, USD>(1, test.ctx()));
    abort
}

#[test, expected_failure(abort_code = wallet::EPaused)]
fun a_paused_wallet_pays_no_policy_spend() {
    let (mut test, mut wallet) = begin();
    wallet.set_paused(true, test.ctx());
    burn(wallet.pay_by_policy<USD>(1, test.ctx()));
    abort
}

#[test, expected_failure(abort_code = wallet::EPaused)]
fun a_paused_wallet_hands_a_service_no_asset() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(30, test.ctx());
    wallet.receive_asset_from_service(ticket(&mut test), text(1), fixtures::shop());
    wallet.set_paused(true, test.ctx());
    let _ticket: Ticket = wallet.take_asset_for_service(text(1), fixtures::shop());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_pauses_nothing() {
    let (mut test, mut wallet) = begin();
    test.next_tx(stranger!());
    wallet.set_paused(true, test.ctx());
    abort
}

// === Ownership ===

#[test]
fun ownership_passes_when_it_is_offered_and_accepted() {
    let (mut test, mut wallet) = begin();
    wallet.offer_ownership(agent!(), test.ctx());
    assert_eq!(wallet.owner(), owner!());
    assert_eq!(wallet.offered_to(), option::some(agent!()));
    test.next_tx(agent!());
    wallet.accept_ownership(test.ctx());
    let id = to_bytes(&wallet.id());
    assert_event<OwnerChanged>(vector[id, to_bytes(&owner!()), to_bytes(&agent!())]);
    assert_eq!(wallet.owner(), agent!());
    assert_eq!(wallet.offered_to(), option::none());
    burn(wallet.withdraw_coin<USD>(1, test.ctx()));
    end(test, wallet);
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun the_former_owner_is_a_stranger() {
    let (mut test, mut wallet) = begin();
    wallet.offer_ownership(agent!(), test.ctx());
    test.next_tx(agent!());
    wallet.accept_ownership(test.ctx());
    test.next_tx(owner!());
    wallet.take_coin<USD>(1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotOffered)]
fun ownership_is_accepted_only_by_whom_it_was_offered() {
    let (mut test, mut wallet) = begin();
    wallet.offer_ownership(agent!(), test.ctx());
    test.next_tx(stranger!());
    wallet.accept_ownership(test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotOffered)]
fun an_offer_can_be_taken_back() {
    let (mut test, mut wallet) = begin();
    wallet.offer_ownership(agent!(), test.ctx());
    wallet.offer_ownership(owner!(), test.ctx());
    test.next_tx(agent!());
    wallet.accept_ownership(test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_offers_no_ownership() {
    let (mut test, mut wallet) = begin();
    test.next_tx(stranger!());
    wallet.offer_ownership(stranger!(), test.ctx());
    abort
}

// === Assets ===

#[test]
fun an_owners_asset_goes_in_and_out() {
    let (mut test, mut wallet) = begin();
    let ticket = ticket(&mut test);
    let ticket_id = object::id(&ticket);
    wallet.add_asset(ticket, text(128), test.ctx());
    wallet.reclaim_asset<Ticket>(text(128), test.ctx());
    assert_event<AssetReclaimed>(vector[to_bytes(&wallet.id()), to_bytes(&text(128))]);
    test.next_tx(owner!());
    let ticket = test.take_from_sender<Ticket>();
    assert_eq!(object::id(&ticket), ticket_id);
    test.return_to_sender(ticket);
    end(test, wallet);
}

#[test]
fun a_service_keeps_an_asset_and_takes_it() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(1, test.ctx());
    let ticket = ticket(&mut test);
    let parts = vector[
        to_bytes(&wallet.id()),
        name<Shop>(),
        to_bytes(&text(1)),
        name<Ticket>(),
        to_bytes(&object::id(&ticket)),
    ];
    wallet.receive_asset_from_service(ticket, text(1), fixtures::shop());
    assert_event<ServiceAssetStored>(parts);
    let ticket: Ticket = wallet.take_asset_for_service(text(1), fixtures::shop());
    assert_event<ServiceAssetTaken>(parts);
    transfer::public_transfer(ticket, owner!());
    end(test, wallet);
}

#[test]
fun the_owner_gets_an_asset_back_from_a_service_that_was_revoked() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(1, test.ctx());
    wallet.receive_asset_from_service(ticket(&mut test), text(1), fixtures::shop());
    wallet.revoke_service<Shop>(test.ctx());
    wallet.reclaim_service_asset<Shop, Ticket>(text(1), test.ctx());
    assert_event<AssetReclaimed>(vector[to_bytes(&wallet.id()), to_bytes(&text(1))]);
    test.next_tx(owner!());
    assert!(test.has_most_recent_for_sender<Ticket>());
    end(test, wallet);
}

#[test, expected_failure(abort_code = wallet::EAuthServiceNotFound)]
fun a_revoked_service_cannot_take_its_asset() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(1, test.ctx());
    wallet.receive_asset_from_service(ticket(&mut test), text(1), fixtures::shop());
    wallet.revoke_service<Shop>(test.ctx());
    let _ticket: Ticket = wallet.take_asset_for_service(text(1), fixtures::shop());
    abort
}

#[test, expected_failure(abort_code = wallet::EAssetNotFound)]
fun a_service_cannot_take_anothers_asset() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(1, test.ctx());
    wallet.grant_service_coin<Rival, USD>(1, test.ctx());
    wallet.receive_asset_from_service(ticket(&mut test), text(1), fixtures::shop());
    let _ticket: Ticket = wallet.take_asset_for_service(text(1), fixtures::rival());
    abort
}

#[test, expected_failure(abort_code = wallet::EAssetNameTaken)]
fun an_asset_does_not_replace_another() {
    let (mut test, mut wallet) = begin();
    wallet.add_asset(ticket(&mut test), text(1), test.ctx());
    wallet.add_asset(ticket(&mut test), text(1), test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EAuthServiceNotFound)]
fun a_foreign_service_cannot_fill_the_wallet_with_assets() {
    let (mut test, mut wallet) = begin();
    wallet.receive_asset_from_service(ticket(&mut test), text(1), fixtures::shop());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_adds_no_asset() {
    let (mut test, mut wallet) = begin();
    test.next_tx(stranger!());
    wallet.add_asset(ticket(&mut test), text(1), test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_reclaims_no_asset() {
    let (mut test, mut wallet) = begin();
    wallet.add_asset(ticket(&mut test), text(1), test.ctx());
    test.next_tx(stranger!());
    wallet.reclaim_asset<Ticket>(text(1), test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_reclaims_no_asset_of_a_service() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(1, test.ctx());
    wallet.receive_asset_from_service(ticket(&mut test), text(1), fixtures::shop());
    test.next_tx(stranger!());
    wallet.reclaim_service_asset<Shop, Ticket>(text(1), test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EBadAssetName)]
fun an_asset_needs_a_name() {
    let (mut test, mut wallet) = begin();
    wallet.add_asset(ticket(&mut test), text(0), test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::EBadAssetName)]
fun an_assets_name_is_bounded() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(1, test.ctx());
    wallet.receive_asset_from_service(ticket(&mut test), text(129), fixtures::shop());
    abort
}

/// A NUL is valid in a String, but readers that keep text in a database cannot keep it: the asset would not be seen.
#[test, expected_failure(abort_code = wallet::EBadAssetName)]
fun an_assets_name_with_a_nul_is_refused() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(1, test.ctx());
    wallet.receive_asset_from_service(ticket(&mut test), b"a\x00".to_string(), fixtures::shop());
    abort
}

// === Accounts elsewhere ===

#[test]
fun an_account_is_bound_and_unbound() {
    let (mut test, mut wallet) = begin();
    wallet.bind_external_account<Shop>(@0x1, test.ctx());
    wallet.bind_external_account<Shop>(@0x1, test.ctx());
    assert!(wallet.is_external_account_bound<Shop>(@0x1));
    assert!(!wallet.is_external_account_bound<Shop>(@0x2));
    assert!(!wallet.is_external_account_bound<Rival>(@0x1));
    test.next_tx(stranger!());
    wallet.assert_external_account_bound_or_owner<Shop>(@0x1, test.ctx());
    test.next_tx(owner!());
    wallet.unbind_external_account<Shop>(@0x1, test.ctx());
    wallet.unbind_external_account<Shop>(@0x1, test.ctx());
    assert!(!wallet.is_external_account_bound<Shop>(@0x1));
    wallet.assert_external_account_bound_or_owner<Shop>(@0x1, test.ctx());
    end(test, wallet);
}

#[test]
fun a_granted_service_binds_an_account() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(1, test.ctx());
    test.next_tx(agent!());
    wallet.bind_external_account_from_service(@0x1, fixtures::shop());
    assert!(wallet.is_external_account_bound<Shop>(@0x1));
    end(test, wallet);
}

#[test, expected_failure(abort_code = wallet::EAuthServiceNotFound)]
fun a_foreign_service_binds_no_account() {
    let (_test, mut wallet) = begin();
    wallet.bind_external_account_from_service(@0x1, fixtures::shop());
    abort
}

#[test, expected_failure(abort_code = wallet::EPaused)]
fun a_service_binds_no_account_to_a_paused_wallet() {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(1, test.ctx());
    wallet.set_paused(true, test.ctx());
    wallet.bind_external_account_from_service(@0x1, fixtures::shop());
    abort
}

#[test, expected_failure(abort_code = wallet::EExternalAccountNotBound)]
fun a_stranger_cannot_use_an_account_that_is_not_bound() {
    let (mut test, wallet) = begin();
    test.next_tx(stranger!());
    wallet.assert_external_account_bound_or_owner<Shop>(@0x1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_binds_no_account() {
    let (mut test, mut wallet) = begin();
    test.next_tx(stranger!());
    wallet.bind_external_account<Shop>(@0x1, test.ctx());
    abort
}

#[test, expected_failure(abort_code = wallet::ENotYourWallet)]
fun a_stranger_unbinds_no_account() {
    let (mut test, mut wallet) = begin();
    test.next_tx(stranger!());
    wallet.unbind_external_account<Shop>(@0x1, test.ctx());
    abort
}
