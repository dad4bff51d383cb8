#[test_only]
module wallet::intent_tests;

use std::unit_test::assert_eq;
use sui::bcs::to_bytes;
use sui::test_scenario::Scenario;
use wallet::delegate;
use wallet::fixtures::{
    Self,
    agent,
    another_wallet,
    assert_event,
    begin,
    burn,
    clock_at,
    end,
    EUR,
    mint,
    name,
    none,
    owner,
    Shop,
    shop_address,
    stranger,
    USD,
};
use wallet::intent::{
    Self,
    PaymentValidated,
    PaymentVerified,
    SwapValidated,
    SwapVerified,
    WalletSwapWitness,
    WalletWitness,
};
use wallet::wallet::{Self, Wallet};

/// The shop is granted 100 USD; the agent, who sends the next transaction, has a budget of 50 for it and of 40 USD.
fun begin_as_agent(): (Scenario, Wallet) {
    let (mut test, mut wallet) = begin();
    wallet.grant_service_coin<Shop, USD>(100, test.ctx());
    delegate::initialize(&mut wallet, test.ctx());
    delegate::add(&mut wallet, agent!(), test.ctx());
    delegate::set_service_allowance<Shop>(&mut wallet, agent!(), 50, test.ctx());
    delegate::set_coin_allowance<USD>(&mut wallet, agent!(), 40, test.ctx());
    test.next_tx(agent!());
    (test, wallet)
}

/// The shop may also pull 30 of its USD; a stranger sends the next transaction.
fun begin_with_pull(): (Scenario, Wallet) {
    let (mut test, mut wallet) = begin_as_agent();
    test.next_tx(owner!());
    wallet.grant_service_pull<Shop, USD>(30, test.ctx());
    test.next_tx(stranger!());
    (test, wallet)
}

/// The shop takes the amount on the sender's account and uses it up.
fun pay(test: &mut Scenario, wallet: &mut Wallet, amount: u64): WalletWitness<Shop, USD> {
    let clock = clock_at(0, test);
    let sig = intent::request_payment<_, USD>(fixtures::shop(), amount, shop_address!());
    let (coin, witness) = intent::validate_and_pay(wallet, sig, &clock, test.ctx());
    clock.destroy_for_testing();
    assert_eq!(burn(coin), amount);
    witness
}

fun pay_for(
    test: &mut Scenario,
    wallet: &mut Wallet,
    amount: u64,
    payer: address,
    now_ms: u64,
): WalletWitness<Shop, USD> {
    let clock = clock_at(now_ms, test);
    let shop = fixtures::shop();
    let sig = intent::request_payment_for_payer<_, USD>(shop, amount, shop_address!(), payer);
    let (coin, witness) = intent::validate_and_pay_for_payer(wallet, sig, &clock, test.ctx());
    clock.destroy_for_testing();
    assert_eq!(burn(coin), amount);
    witness
}

fun pay_unmetered(test: &mut Scenario, wallet: &mut Wallet, amount: u64): WalletWitness<Shop, USD> {
    let sig = intent::request_payment_unmetered<_, USD>(fixtures::shop(), amount, shop_address!());
    let (coin, witness) = intent::validate_and_pay_unmetered(wallet, sig, test.ctx());
    assert_eq!(burn(coin), amount);
    witness
}

fun clear(wallet: &Wallet, witness: WalletWitness<Shop, USD>, amount: u64) {
    let receipt = intent::create_receipt_sig(fixtures::shop(), amount, shop_address!());
    intent::verify_and_clear(wallet, witness, receipt)
}

/// The shop takes the amount for a swap and keeps it.
fun begin_swap(
    test: &mut Scenario,
    wallet: &mut Wallet,
    amount: u64,
    min: u64,
): WalletSwapWitness<Shop, USD, EUR> {
    let clock = clock_at(0, test);
    let sig = intent::request_swap<_, USD, EUR>(fixtures::shop(), amount, min);
    let (coin, witness) = intent::validate_and_swap_out(wallet, sig, &clock, test.ctx());
    clock.destroy_for_testing();
    assert_eq!(burn(coin), amount);
    witness
}

/// The shop says it swapped `amount_in` into `amount_out` and brings a coin of `brought`.
fun finish_swap(
    test: &mut Scenario,
    wallet: &mut Wallet,
    witness: WalletSwapWitness<Shop, USD, EUR>,
    amount_in: u64,
    amount_out: u64,
    brought: u64,
) {
    let receipt = intent::create_swap_receipt(fixtures::shop(), amount_in, amount_out);
    intent::verify_swap_and_credit(wallet, witness, receipt, mint<EUR>(brought, test))
}

/// BCS of the PaymentValidated of `amount` by the sender.
fun validated(wallet: &Wallet, mode: u8, payer: vector<u8>, amount: u64, sender: address): vector<vector<u8>> {
    vector[
        to_bytes(&wallet.id()),
        name<Shop>(),
        to_bytes(&mode),
        payer,
        to_bytes(&shop_address!()),
        to_bytes(&amount),
        name<USD>(),
        to_bytes(&sender),
    ]
}

// === On the sender's account ===

#[test]
fun a_delegate_pays_within_budgets_and_grant() {
    let (mut test, mut wallet) = begin_as_agent();
    let witness = pay(&mut test, &mut wallet, 10);
    assert_eq!(intent::wallet_witness_wallet_id(&witness), wallet.id());
    assert_eq!(intent::wallet_witness_amount(&witness), 10);
    assert_eq!(intent::wallet_witness_recipient(&witness), shop_address!());
    clear(&wallet, witness, 10);
    let payer = to_bytes(&option::some(agent!()));
    assert_event<PaymentValidated>(validated(&wallet, 0, payer, 10, agent!()));
    assert_event<PaymentVerified>(vector[
        name<Shop>(),
        to_bytes(&10u64),
        to_bytes(&shop_address!()),
        to_bytes(&wallet.id()),
        name<USD>(),
    ]);
    assert_eq!(delegate::service_allowance<Shop>(&wallet, agent!()), 40);
    assert_eq!(delegate::coin_allowance<USD>(&wallet, agent!()), 30);
    assert_eq!(wallet.granted<Shop, USD>(), 90);
    assert_eq!(wallet.balance<USD>(), 990);
    end(test, wallet);
}

#[test]
fun the_owner_pays_within_the_grant() {
    let (mut test, mut wallet) = begin_as_agent();
    test.next_tx(owner!());
    let witness = pay(&mut test, &mut wallet, 100);
    clear(&wallet, witness, 100);
    assert_eq!(wallet.granted<Shop, USD>(), 0);
    end(test, wallet);
}

#[test, expected_failure(abort_code = intent::EAuthMissing)]
fun a_service_without_a_grant_takes_nothing() {
    let (mut test, mut wallet) = begin();
    let _witness = pay(&mut test, &mut wallet, 1);
    abort
}

#[test, expected_failure(abort_code = wallet::EGrantExceeded)]
fun not_even_the_owner_pays_a_service_more_than_the_grant() {
    let (mut test, mut wallet) = begin_as_agent();
    test.next_tx(owner!());
    let _witness = pay(&mut test, &mut wallet, 101);
    abort
}

#[test, expected_failure(abort_code = delegate::ENotDelegate)]
fun a_stranger_has_a_service_take_nothing() {
    let (mut test, mut wallet) = begin_with_pull();
    let _witness = pay(&mut test, &mut wallet, 1);
    abort
}

#[test, expected_failure(abort_code = delegate::EInsufficientCoinAllowance)]
fun a_delegate_has_a_service_take_no_more_than_the_budget() {
    let (mut test, mut wallet) = begin_as_agent();
    let _witness = pay(&mut test, &mut wallet, 41);
    abort
}

#[test, expected_failure(abort_code = wallet::EZeroAmount)]
fun a_payment_of_nothing_is_refused() {
    let (mut test, mut wallet) = begin_as_agent();
    let _witness = pay(&mut test, &mut wallet, 0);
    abort
}

#[test, expected_failure(abort_code = intent::EWrongWallet)]
fun a_payment_from_one_wallet_is_not_cleared_for_another() {
    let (mut test, mut wallet) = begin_as_agent();
    let witness = pay(&mut test, &mut wallet, 10);
    let mine = another_wallet(&mut test);
    clear(&mine, witness, 10);
    abort
}

#[test, expected_failure(abort_code = intent::EAmountMismatch)]
fun a_receipt_for_another_amount_clears_nothing() {
    let (mut test, mut wallet) = begin_as_agent();
    let witness = pay(&mut test, &mut wallet, 10);
    clear(&wallet, witness, 9);
    abort
}

#[test, expected_failure(abort_code = intent::ERecipientMismatch)]
fun a_receipt_for_another_recipient_clears_nothing() {
    let (mut test, mut wallet) = begin_as_agent();
    let witness = pay(&mut test, &mut wallet, 10);
    let receipt = intent::create_receipt_sig(fixtures::shop(), 10, agent!());
    intent::verify_and_clear(&wallet, witness, receipt);
    abort
}

// === For a payer, and unmetered ===

#[test]
fun a_service_pulls_on_a_delegates_account_when_the_owner_allowed_it() {
    let (mut test, mut wallet) = begin_with_pull();
    let witness = pay_for(&mut test, &mut wallet, 10, agent!(), 0);
    clear(&wallet, witness, 10);
    let payer = to_bytes(&option::some(agent!()));
    assert_event<PaymentValidated>(validated(&wallet, 1, payer, 10, stranger!()));
    assert_eq!(delegate::service_allowance<Shop>(&wallet, agent!()), 40);
    assert_eq!(delegate::coin_allowance<USD>(&wallet, agent!()), 30);
    assert_eq!(wallet.pull_cap<Shop, USD>(), 20);
    assert_eq!(wallet.granted<Shop, USD>(), 90);
    end(test, wallet);
}

#[test]
fun a_service_pulls_on_nobodys_account_when_the_owner_allowed_it() {
    let (mut test, mut wallet) = begin_with_pull();
    let witness = pay_unmetered(&mut test, &mut wallet, 10);
    clear(&wallet, witness, 10);
    assert_event<PaymentValidated>(validated(&wallet, 2, none(), 10, stranger!()));
    assert_eq!(delegate::coin_allowance<USD>(&wallet, agent!()), 40);
    assert_eq!(wallet.pull_cap<Shop, USD>(), 20);
    assert_eq!(wallet.granted<Shop, USD>(), 90);
    end(test, wallet);
}

#[test, expected_failure(abort_code = wallet::EPullExceeded)]
fun a_granted_service_cannot_drain_the_wallet_on_its_own() {
    let (mut test, mut wallet) = begin_as_agent();
    test.next_tx(stranger!());
    let _witness = pay_unmetered(&mut test, &mut wallet, 1);
    abort
}

#[test, expected_failure(abort_code = wallet::EPullExceeded)]
fun a_granted_service_cannot_drain_a_delegates_budget_on_its_own() {
    let (mut test, mut wallet) = begin_as_agent();
    test.next_tx(stranger!());
    let _witness = pay_for(&mut test, &mut wallet, 1, agent!(), 0);
    abort
}

#[test, expected_failure(abort_code = wallet::EPullExceeded)]
fun the_pulls_of_both_modes_run_down_one_cap() {
    let (mut test, mut wallet) = begin_with_pull();
    let witness = pay_for(&mut test, &mut wallet, 20, agent!(), 0);
    clear(&wallet, witness, 20);
    let _witness = pay_unmetered(&mut test, &mut wallet, 11);
    abort
}

#[test, expected_failure(abort_code = intent::EPayerIsOwner)]
fun a_service_cannot_name_the_owner_as_payer_to_pass_the_budgets() {
    let (mut test, mut wallet) = begin_with_pull();
    let _witness = pay_for(&mut test, &mut wallet, 1, owner!(), 0);
    abort
}

#[test]
fun the_owner_is_a_payer_as_the_sender() {
    let (mut test, mut wallet) = begin_with_pull();
    test.next_tx(owner!());
    let witness = pay_for(&mut test, &mut wallet, 10, owner!(), 0);
    clear(&wallet, witness, 10);
    assert_eq!(wallet.pull_cap<Shop, USD>(), 20);
    end(test, wallet);
}

#[test, expected_failure(abort_code = delegate::EExpired)]
fun a_payer_whose_time_is_over_pays_nothing() {
    let (mut test, mut wallet) = begin_with_pull();
    test.next_tx(owner!());
    delegate::set_expiry(&mut wallet, agent!(), option::some(500), test.ctx());
    test.next_tx(stranger!());
    let _witness = pay_for(&mut test, &mut wallet, 1, agent!(), 500);
    abort
}

#[test, expected_failure(abort_code = intent::EAuthMissing)]
fun a_service_without_a_grant_pulls_nothing() {
    let (mut test, mut wallet) = begin();
    let _witness = pay_unmetered(&mut test, &mut wallet, 1);
    abort
}

#[test, expected_failure(abort_code = intent::EAuthMissing)]
fun a_service_without_a_grant_pulls_nothing_for_a_payer() {
    let (mut test, mut wallet) = begin();
    let _witness = pay_for(&mut test, &mut wallet, 1, owner!(), 0);
    abort
}

// === Swaps ===

#[test]
fun a_swap_takes_one_coin_and_brings_the_other() {
    let (mut test, mut wallet) = begin_as_agent();
    let witness = begin_swap(&mut test, &mut wallet, 10, 8);
    assert_eq!(intent::wallet_swap_witness_wallet_id(&witness), wallet.id());
    assert_eq!(intent::wallet_swap_witness_amount_in(&witness), 10);
    assert_eq!(intent::wallet_swap_witness_min_amount_out(&witness), 8);
    finish_swap(&mut test, &mut wallet, witness, 10, 9, 9);
    let id = to_bytes(&wallet.id());
    assert_event<SwapValidated>(vector[
        id,
        name<Shop>(),
        name<USD>(),
        name<EUR>(),
        to_bytes(&agent!()),
        to_bytes(&10u64),
        to_bytes(&8u64),
    ]);
    assert_event<SwapVerified>(vector[
        id,
        name<Shop>(),
        name<USD>(),
        name<EUR>(),
        to_bytes(&10u64),
        to_bytes(&9u64),
    ]);
    assert_eq!(wallet.balance<USD>(), 990);
    assert_eq!(wallet.balance<EUR>(), 9);
    assert_eq!(wallet.granted<Shop, USD>(), 90);
    assert_eq!(delegate::coin_allowance<USD>(&wallet, agent!()), 30);
    end(test, wallet);
}

#[test, expected_failure(abort_code = intent::EWrongWallet)]
fun a_delegate_cannot_credit_the_proceeds_to_a_wallet_of_its_own() {
    let (mut test, mut wallet) = begin_as_agent();
    let mut mine = another_wallet(&mut test);
    let witness = begin_swap(&mut test, &mut wallet, 10, 8);
    finish_swap(&mut test, &mut mine, witness, 10, 9, 9);
    abort
}

#[test, expected_failure(abort_code = intent::EZeroAmount)]
fun a_swap_for_nothing_is_refused() {
    let (mut test, mut wallet) = begin_as_agent();
    let _witness = begin_swap(&mut test, &mut wallet, 10, 0);
    abort
}

#[test, expected_failure(abort_code = intent::EZeroAmount)]
fun a_swap_of_nothing_is_refused() {
    let (mut test, mut wallet) = begin_as_agent();
    let _witness = begin_swap(&mut test, &mut wallet, 0, 1);
    abort
}

#[test, expected_failure(abort_code = intent::ESwapSlippageExceeded)]
fun a_swap_that_brings_an_empty_coin_fails() {
    let (mut test, mut wallet) = begin_as_agent();
    let witness = begin_swap(&mut test, &mut wallet, 10, 1);
    finish_swap(&mut test, &mut wallet, witness, 10, 0, 0);
    abort
}

#[test]
fun a_swap_may_bring_the_minimum() {
    let (mut test, mut wallet) = begin_as_agent();
    let witness = begin_swap(&mut test, &mut wallet, 10, 8);
    finish_swap(&mut test, &mut wallet, witness, 10, 8, 8);
    assert_eq!(wallet.balance<EUR>(), 8);
    end(test, wallet);
}

#[test, expected_failure(abort_code = intent::ESwapSlippageExceeded)]
fun a_swap_that_brings_less_than_the_minimum_fails() {
    let (mut test, mut wallet) = begin_as_agent();
    let witness = begin_swap(&mut test, &mut wallet, 10, 8);
    finish_swap(&mut test, &mut wallet, witness, 10, 7, 7);
    abort
}

#[test, expected_failure(abort_code = intent::ESwapAmountMismatch)]
fun a_receipt_for_more_than_is_brought_ends_no_swap() {
    let (mut test, mut wallet) = begin_as_agent();
    let witness = begin_swap(&mut test, &mut wallet, 10, 8);
    finish_swap(&mut test, &mut wallet, witness, 10, 9, 8);
    abort
}

#[test, expected_failure(abort_code = intent::ESwapAmountMismatch)]
fun a_receipt_for_less_than_was_taken_ends_no_swap() {
    let (mut test, mut wallet) = begin_as_agent();
    let witness = begin_swap(&mut test, &mut wallet, 10, 8);
    finish_swap(&mut test, &mut wallet, witness, 9, 9, 9);
    abort
}

#[test, expected_failure(abort_code = delegate::ENotDelegate)]
fun a_stranger_swaps_nothing() {
    let (mut test, mut wallet) = begin_with_pull();
    let _witness = begin_swap(&mut test, &mut wallet, 1, 1);
    abort
}

#[test, expected_failure(abort_code = wallet::EGrantExceeded)]
fun a_swap_is_bounded_by_the_grant() {
    let (mut test, mut wallet) = begin_as_agent();
    test.next_tx(owner!());
    let _witness = begin_swap(&mut test, &mut wallet, 101, 1);
    abort
}

#[test, expected_failure(abort_code = intent::EAuthMissing)]
fun a_service_without_a_grant_swaps_nothing() {
    let (mut test, mut wallet) = begin();
    let _witness = begin_swap(&mut test, &mut wallet, 1, 1);
    abort
}
