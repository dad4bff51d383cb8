#[test_only]
module escrow::job_tests;

use escrow::cap_assessor::{Self, CapAssessor};
use escrow::job::{Self, Job, JobCreated, JobFunded, JobRefunded, JobReleased, JobSubmitted};
use escrow::set_up::{
    assess,
    begin,
    coin,
    delivered,
    end,
    end_with,
    fund_by,
    fund_from_wallet,
    hire,
    hire_for_oracle,
    oracle,
    received,
    spend,
    submit,
    text,
    Oracle
};
use std::string::String;
use std::type_name::with_defining_ids;
use std::unit_test::{assert_eq, destroy};
use sui::bcs::to_bytes;
use sui::clock::Clock;
use sui::coin::Coin;
use sui::event;
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};
use wallet::action;
use wallet::lock;
use wallet::policy;
use wallet::type_names;
use wallet::wallet::{Self, Wallet};

const OWNER: address = @0xa11ce;
const HEIR: address = @0xb0b;
const PROVIDER: address = @0x9407;
const STRANGER: address = @0x574;

const HOUR_MS: u64 = 60 * 60 * 1000;
const YEAR_MS: u64 = 366 * 24 * HOUR_MS;
const USUAL_REVIEW_MS: u64 = 72 * HOUR_MS;

/// A witness of nobody's trust.
public struct Other has drop {}

/// A type whose name can be made as long as the chain lets it be.
public struct Pair<phantom A, phantom B> has drop {}

// === The states of a job, and what each announces ===

#[test]
fun a_job_says_all_that_the_parties_agree_on() {
    let (mut test, wallet, clock) = begin();
    let id = job::create_and_share<SUI, Oracle>(&wallet, PROVIDER, 100, 5000, text(7), &clock, test.ctx());
    assert_eq!(
        to_bytes(&event::events_by_type<JobCreated>()[0]),
        vector[
            to_bytes(&id),
            to_bytes(&wallet.id()),
            to_bytes(&PROVIDER),
            to_bytes(&with_defining_ids<Oracle>()),
            to_bytes(&OWNER),
            to_bytes(&with_defining_ids<SUI>()),
            to_bytes(&100u64),
            to_bytes(&5000u64),
            to_bytes(&text(7)),
            to_bytes(&USUAL_REVIEW_MS),
        ].flatten(),
    );
    test.next_tx(OWNER);
    let job = test.take_shared_by_id<Job<SUI>>(id);
    assert_eq!(job.job_version(), 1);
    assert_eq!(job.job_review_ms(), USUAL_REVIEW_MS);
    assert_eq!(job.job_state(), 0);
    assert_eq!(job.job_amount(), 100);
    assert_eq!(job.job_provider(), PROVIDER);
    assert_eq!(job.job_payer(), OWNER);
    assert_eq!(job.job_assessor_type(), with_defining_ids<Oracle>());
    assert_eq!(job.job_deadline_ms(), 5000);
    assert_eq!(job.job_note(), text(0));
    end_with(test, wallet, clock, job);
}

#[test]
fun approved_work_is_paid() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    let id = object::id(&job);
    fund_by(&mut test, &mut job, OWNER);
    assert_eq!(job.job_state(), 1);
    assert_eq!(
        to_bytes(&event::events_by_type<JobFunded>()[0]),
        vector[to_bytes(&id), to_bytes(&100u64), to_bytes(&OWNER), to_bytes(&false)].flatten(),
    );
    submit(&mut test, &mut job, &clock);
    assert_eq!(job.job_state(), 2);
    assert_eq!(job.job_note(), text(4));
    assert_eq!(
        to_bytes(&event::events_by_type<JobSubmitted>()[0]),
        vector[to_bytes(&id), to_bytes(&text(4))].flatten(),
    );
    assess(&mut test, &mut job, true);
    assert_eq!(job.job_state(), 3);
    assert_eq!(
        to_bytes(&event::events_by_type<JobReleased>()[0]),
        vector[
            to_bytes(&id),
            to_bytes(&PROVIDER),
            to_bytes(&100u64),
            to_bytes(&with_defining_ids<SUI>()),
        ].flatten(),
    );
    assert_eq!(received(&mut test, PROVIDER), 100);
    end_with(test, wallet, clock, job);
}

fun refund(job: &Job<SUI>, amount: u64, refunded_to: address, reason: u8): vector<u8> {
    vector[
        to_bytes(&object::id(job)),
        to_bytes(&OWNER),
        to_bytes(&amount),
        to_bytes(&with_defining_ids<SUI>()),
        to_bytes(&refunded_to),
        to_bytes(&reason),
    ].flatten()
}

fun assert_refunded(job: &Job<SUI>, amount: u64, refunded_to: address, reason: u8) {
    assert_eq!(job.job_state(), 4);
    let refunds = event::events_by_type<JobRefunded>();
    assert_eq!(refunds.length(), 1);
    assert_eq!(to_bytes(&refunds[0]), refund(job, amount, refunded_to, reason))
}

#[test]
fun rejected_work_is_refunded_to_whoever_paid() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut job, STRANGER);
    submit(&mut test, &mut job, &clock);
    assess(&mut test, &mut job, false);
    assert_refunded(&job, 100, STRANGER, 2);
    assert_eq!(received(&mut test, STRANGER), 100);
    end_with(test, wallet, clock, job);
}

#[test]
fun an_open_job_can_be_cancelled() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    job.cancel(&wallet, test.ctx());
    assert_refunded(&job, 0, OWNER, 0);
    let effects = test.next_tx(OWNER);
    assert!(effects.transferred_to_account().is_empty());
    end_with(test, wallet, clock, job);
}

#[test]
fun a_funded_job_can_be_cancelled() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut job, STRANGER);
    test.next_tx(OWNER);
    job.cancel(&wallet, test.ctx());
    assert_refunded(&job, 100, STRANGER, 0);
    assert_eq!(received(&mut test, STRANGER), 100);
    end_with(test, wallet, clock, job);
}

#[test]
fun an_open_job_expires() {
    let (mut test, wallet, mut clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    clock.set_for_testing(5000);
    job.expire(&clock, test.ctx());
    assert_refunded(&job, 0, OWNER, 1);
    end_with(test, wallet, clock, job);
}

#[test]
fun a_funded_job_expires() {
    let (mut test, wallet, mut clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut job, OWNER);
    clock.set_for_testing(5000);
    test.next_tx(STRANGER);
    job.expire(&clock, test.ctx());
    assert_refunded(&job, 100, OWNER, 1);
    end_with(test, wallet, clock, job);
}

#[test]
fun an_oracle_judges_without_a_cap() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire_for_oracle(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut job, OWNER);
    submit(&mut test, &mut job, &clock);
    test.next_tx(STRANGER);
    let mut request = job.begin_release();
    assert_eq!(request.request_job_id(), object::id(&job));
    assert_eq!(request.request_provider(), PROVIDER);
    assert_eq!(request.request_amount(), 100);
    job::judge(oracle(), &mut request, true);
    job.confirm_release(request, test.ctx());
    assert_eq!(job.job_state(), 3);
    end_with(test, wallet, clock, job);
}

// === Money of the wallet ===

#[test]
fun money_of_the_wallet_is_refunded_to_the_wallet_and_not_to_its_owner() {
    let (mut test, mut wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    test.next_tx(STRANGER);
    fund_from_wallet(&mut test, &mut job, &mut wallet);
    assert_eq!(
        to_bytes(&event::events_by_type<JobFunded>()[0]),
        vector[
            to_bytes(&object::id(&job)),
            to_bytes(&100u64),
            to_bytes(&STRANGER),
            to_bytes(&true),
        ].flatten(),
    );
    assert_eq!(wallet.balance<SUI>(), 900);

    test.next_tx(OWNER);
    job.cancel(&wallet, test.ctx());
    assert_refunded(&job, 100, wallet.identity(), 0);
    test.next_tx(OWNER);
    assert!(!test.has_most_recent_for_sender<Coin<SUI>>());
    let sent = scenario::most_recent_receiving_ticket<Coin<SUI>>(&wallet.id());
    wallet.sweep_legacy_coin(sent);
    assert_eq!(wallet.balance<SUI>(), 1000);
    end_with(test, wallet, clock, job);
}

#[test]
fun money_of_the_wallet_pays_approved_work() {
    let (mut test, mut wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    fund_from_wallet(&mut test, &mut job, &mut wallet);
    submit(&mut test, &mut job, &clock);
    assess(&mut test, &mut job, true);
    assert_eq!(received(&mut test, PROVIDER), 100);
    assert_eq!(wallet.balance<SUI>(), 900);
    end_with(test, wallet, clock, job);
}

#[test, expected_failure(abort_code = policy::ESpendIntoNotAllowed)]
fun money_of_the_wallet_needs_the_owners_leave() {
    let (mut test, mut wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    policy::set_spend_into(&mut wallet, false, test.ctx());
    fund_from_wallet(&mut test, &mut job, &mut wallet);
    abort
}

#[test, expected_failure(abort_code = job::EWrongRecipient)]
fun a_spend_that_rules_passed_for_another_recipient_cannot_pay_the_provider() {
    let (mut test, mut wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    let request = spend(&wallet, 100, STRANGER);
    job.fund_from_wallet(&mut wallet, request, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::EWrongWallet)]
fun the_wallet_of_another_cannot_pay_the_job() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    let mut other = wallet::create(test.ctx());
    let request = spend(&wallet, 100, PROVIDER);
    job.fund_from_wallet(&mut other, request, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::EWrongAmount)]
fun a_spend_of_another_amount_cannot_pay_the_job() {
    let (mut test, mut wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    let request = spend(&wallet, 99, PROVIDER);
    job.fund_from_wallet(&mut wallet, request, test.ctx());
    abort
}

// === Attacks on the verdict ===

#[test, expected_failure(abort_code = job::EWrongAssessor)]
fun a_verdict_cannot_be_flipped_by_another_witness() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire_for_oracle(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut job, OWNER);
    submit(&mut test, &mut job, &clock);
    let mut request = job.begin_release();
    job::judge(oracle(), &mut request, false);
    job::judge(Other {}, &mut request, true);
    abort
}

#[test, expected_failure(abort_code = job::EAlreadyJudged)]
fun there_is_one_verdict() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire_for_oracle(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut job, OWNER);
    submit(&mut test, &mut job, &clock);
    let mut request = job.begin_release();
    job::judge(oracle(), &mut request, false);
    job::judge(oracle(), &mut request, true);
    abort
}

#[test, expected_failure(abort_code = job::EAssessorNotProven)]
fun nothing_is_released_without_a_verdict() {
    let (mut test, wallet, clock) = begin();
    let mut job = delivered(&mut test, &wallet, &clock);
    let request = job.begin_release();
    job.confirm_release(request, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::EWrongJob)]
fun the_verdict_on_one_job_releases_no_other() {
    let (mut test, wallet, clock) = begin();
    let mut dear = delivered(&mut test, &wallet, &clock);
    test.next_tx(OWNER);
    let mut own = hire_for_oracle(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut own, OWNER);
    submit(&mut test, &mut own, &clock);
    let mut request = own.begin_release();
    job::judge(oracle(), &mut request, true);
    dear.confirm_release(request, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::EWrongState)]
fun two_releases_of_one_job_do_not_pay_twice() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire_for_oracle(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut job, OWNER);
    submit(&mut test, &mut job, &clock);
    let mut first = job.begin_release();
    let mut second = job.begin_release();
    job::judge(oracle(), &mut first, true);
    job::judge(oracle(), &mut second, true);
    job.confirm_release(first, test.ctx());
    job.confirm_release(second, test.ctx());
    abort
}

fun created_for<AssessorT>() {
    let (mut test, wallet, clock) = begin();
    job::create_and_share<SUI, AssessorT>(&wallet, PROVIDER, 100, 5000, text(7), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = type_names::ENoWitness)]
fun a_number_is_no_assessor() {
    created_for<u64>()
}

#[test, expected_failure(abort_code = type_names::ENoWitness)]
fun a_vector_of_witnesses_is_no_assessor() {
    created_for<vector<Oracle>>()
}

/// Its provider would judge its own work with any text.
#[test, expected_failure(abort_code = type_names::ENoWitness)]
fun a_text_is_no_assessor() {
    created_for<String>()
}

#[test, expected_failure(abort_code = type_names::ENoWitness)]
fun an_option_is_no_assessor() {
    created_for<Option<u8>>()
}

#[test, expected_failure(abort_code = type_names::ENoWitness)]
fun a_generic_type_is_no_assessor() {
    created_for<Pair<Oracle, Oracle>>()
}

#[test, expected_failure(abort_code = type_names::ETooLong)]
fun no_job_is_hidden_behind_a_coins_long_name() {
    let (mut test, wallet, clock) = begin();
    let (deadline_ms, brief) = (5000, text(7));
    job::create_and_share<Pair<Pair<Pair<Other, Other>, Pair<Other, Other>>, Pair<Pair<Other, Other>, Pair<Other, Other>>>, Oracle>(&wallet, PROVIDER, 100, deadline_ms, brief, &clock, test.ctx());
    abort
}

// === Attacks on the money ===

#[test]
fun a_silent_assessor_locks_no_money() {
    let (mut test, wallet, mut clock) = begin();
    let mut job = delivered(&mut test, &wallet, &clock);
    clock.set_for_testing(5000 + USUAL_REVIEW_MS);
    test.next_tx(STRANGER);
    job.expire(&clock, test.ctx());
    assert_refunded(&job, 100, OWNER, 1);
    assert_eq!(received(&mut test, OWNER), 100);
    end_with(test, wallet, clock, job);
}

#[test, expected_failure(abort_code = job::EDeadlineNotPassed)]
fun nothing_expires_before_its_deadline() {
    let (mut test, wallet, mut clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut job, OWNER);
    clock.set_for_testing(4999);
    job.expire(&clock, test.ctx());
    abort
}

/// Otherwise a payer who does not want to pay expires the job before the assessor sees the work.
#[test, expected_failure(abort_code = job::EDeadlineNotPassed)]
fun work_submitted_just_before_the_deadline_does_not_expire_at_it() {
    let (mut test, wallet, mut clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut job, OWNER);
    clock.set_for_testing(4999);
    submit(&mut test, &mut job, &clock);
    clock.set_for_testing(5000);
    test.next_tx(STRANGER);
    job.expire(&clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::EDeadlineNotPassed)]
fun submitted_work_does_not_expire_before_its_review_is_over() {
    let (mut test, wallet, mut clock) = begin();
    let mut job = delivered(&mut test, &wallet, &clock);
    clock.set_for_testing(5000 + USUAL_REVIEW_MS - 1);
    job.expire(&clock, test.ctx());
    abort
}

#[test]
fun submitted_work_is_judged_after_the_deadline() {
    let (mut test, wallet, mut clock) = begin();
    let mut job = delivered(&mut test, &wallet, &clock);
    clock.set_for_testing(5000 + USUAL_REVIEW_MS - 1);
    assess(&mut test, &mut job, true);
    assert_eq!(received(&mut test, PROVIDER), 100);
    end_with(test, wallet, clock, job);
}

#[test, expected_failure(abort_code = job::EWrongState)]
fun nothing_expires_twice() {
    let (mut test, wallet, mut clock) = begin();
    let mut job = delivered(&mut test, &wallet, &clock);
    clock.set_for_testing(5000 + USUAL_REVIEW_MS);
    job.expire(&clock, test.ctx());
    job.expire(&clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::EWrongAmount)]
fun one_unit_does_not_fund_the_job() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    test.next_tx(STRANGER);
    job.fund(coin(1, test.ctx()), test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::EWrongAmount)]
fun one_unit_too_much_does_not_fund_the_job() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    job.fund(coin(101, test.ctx()), test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::EWrongState)]
fun a_job_is_funded_once() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut job, OWNER);
    fund_by(&mut test, &mut job, OWNER);
    abort
}

#[test, expected_failure(abort_code = job::EWrongState)]
fun submitted_work_cannot_be_cancelled() {
    let (mut test, wallet, clock) = begin();
    let mut job = delivered(&mut test, &wallet, &clock);
    test.next_tx(OWNER);
    job.cancel(&wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::EWrongState)]
fun paid_work_cannot_be_cancelled() {
    let (mut test, wallet, clock) = begin();
    let mut job = delivered(&mut test, &wallet, &clock);
    assess(&mut test, &mut job, true);
    test.next_tx(OWNER);
    job.cancel(&wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::EWrongState)]
fun paid_work_does_not_expire() {
    let (mut test, wallet, mut clock) = begin();
    let mut job = delivered(&mut test, &wallet, &clock);
    assess(&mut test, &mut job, true);
    clock.set_for_testing(5000);
    job.expire(&clock, test.ctx());
    abort
}

// === Who may do what ===

#[test, expected_failure(abort_code = job::ENotOwner)]
fun nobody_makes_a_job_for_the_wallet_of_another() {
    let (mut test, wallet, clock) = begin();
    test.next_tx(STRANGER);
    job::create_and_share<SUI, Oracle>(&wallet, PROVIDER, 100, 5000, text(7), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::ENotOwner)]
fun a_stranger_cannot_cancel() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    test.next_tx(STRANGER);
    job.cancel(&wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::EWrongWallet)]
fun the_owner_of_another_wallet_cannot_cancel() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    test.next_tx(STRANGER);
    let own = wallet::create(test.ctx());
    job.cancel(&own, test.ctx());
    abort
}

fun hand_over(test: &mut Scenario, wallet: &mut Wallet) {
    wallet.offer_ownership(HEIR, test.ctx());
    test.next_tx(HEIR);
    wallet.accept_ownership(test.ctx());
}

#[test]
fun the_owner_of_now_is_the_payer() {
    let (mut test, mut wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    hand_over(&mut test, &mut wallet);
    job.cancel(&wallet, test.ctx());
    assert_eq!(job.job_state(), 4);
    end_with(test, wallet, clock, job);
}

#[test, expected_failure(abort_code = job::ENotOwner)]
fun a_former_owner_cannot_cancel() {
    let (mut test, mut wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    hand_over(&mut test, &mut wallet);
    test.next_tx(OWNER);
    job.cancel(&wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::ENotProvider)]
fun the_provider_alone_submits() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut job, OWNER);
    job.submit(text(4), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::EWrongState)]
fun what_nobody_funded_is_not_submitted() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    submit(&mut test, &mut job, &clock);
    abort
}

#[test, expected_failure(abort_code = job::EDeadlinePassed)]
fun nothing_is_submitted_at_the_deadline() {
    let (mut test, wallet, mut clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut job, OWNER);
    clock.set_for_testing(5000);
    submit(&mut test, &mut job, &clock);
    abort
}

#[test, expected_failure(abort_code = job::EWrongState)]
fun nothing_is_released_that_was_not_submitted() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut job, OWNER);
    let _request = job.begin_release();
    abort
}

// === The end ===

#[test]
fun a_job_at_its_end_can_be_deleted() {
    let (mut test, wallet, clock) = begin();
    let mut job = delivered(&mut test, &wallet, &clock);
    assess(&mut test, &mut job, true);
    test.next_tx(OWNER);
    job.delete(&wallet, test.ctx());
    let mut cancelled = hire(&mut test, &wallet, &clock);
    cancelled.cancel(&wallet, test.ctx());
    cancelled.delete(&wallet, test.ctx());
    end(test, wallet, clock);
}

#[test, expected_failure(abort_code = job::EWrongState)]
fun a_job_with_money_in_it_cannot_be_deleted() {
    let (mut test, wallet, clock) = begin();
    let job = delivered(&mut test, &wallet, &clock);
    test.next_tx(OWNER);
    job.delete(&wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::ENotOwner)]
fun a_stranger_cannot_delete_a_job() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    job.cancel(&wallet, test.ctx());
    test.next_tx(STRANGER);
    job.delete(&wallet, test.ctx());
    abort
}

// === Bounds, at their edges ===

fun create(test: &mut Scenario, wallet: &Wallet, clock: &Clock, amount: u64, deadline_ms: u64, brief: u64) {
    job::create_and_share<SUI, CapAssessor>(
        wallet,
        PROVIDER,
        amount,
        deadline_ms,
        text(brief),
        clock,
        test.ctx(),
    );
}

fun refused(amount: u64, deadline_ms: u64, brief: u64) {
    let (mut test, wallet, clock) = begin();
    create(&mut test, &wallet, &clock, amount, deadline_ms, brief);
    abort
}

#[test]
fun the_edges_of_every_bound_are_inside() {
    let (mut test, wallet, clock) = begin();
    create(&mut test, &wallet, &clock, 1, 1001, 1);
    create(&mut test, &wallet, &clock, 18446744073709551615, 1000 + YEAR_MS, 1024);
    test.next_tx(OWNER);
    let mut job = hire(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut job, OWNER);
    test.next_tx(PROVIDER);
    job.submit(text(1024), &clock, test.ctx());
    end_with(test, wallet, clock, job);
}

#[test, expected_failure(abort_code = job::EZeroAmount)]
fun a_job_for_nothing_is_refused() {
    refused(0, 5000, 7)
}

#[test, expected_failure(abort_code = job::EBadDeadline)]
fun a_deadline_of_now_is_refused() {
    refused(100, 1000, 7)
}

#[test, expected_failure(abort_code = job::EBadDeadline)]
fun a_deadline_that_nobody_lives_to_see_is_refused() {
    refused(100, 1001 + YEAR_MS, 7)
}

#[test, expected_failure(abort_code = job::EBadDeadline)]
fun the_largest_deadline_is_refused() {
    refused(100, 18446744073709551615, 7)
}

#[test, expected_failure(abort_code = job::EBadBrief)]
fun an_empty_brief_is_refused() {
    refused(100, 5000, 0)
}

#[test, expected_failure(abort_code = job::EBadBrief)]
fun a_brief_of_1025_bytes_is_refused() {
    refused(100, 5000, 1025)
}

fun note_refused(bytes: u64) {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut job, OWNER);
    test.next_tx(PROVIDER);
    job.submit(text(bytes), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::EBadNote)]
fun an_empty_note_is_refused() {
    note_refused(0)
}

#[test, expected_failure(abort_code = job::EBadNote)]
fun a_note_of_1025_bytes_is_refused() {
    note_refused(1025)
}

fun review(test: &mut Scenario, wallet: &Wallet, clock: &Clock, review_ms: u64): Job<SUI> {
    job::create_with_review<SUI, Oracle>(wallet, PROVIDER, 100, 5000, review_ms, text(7), clock, test.ctx())
}

#[test]
fun a_review_takes_one_hour_to_thirty_days() {
    let (mut test, wallet, mut clock) = begin();
    let longest = review(&mut test, &wallet, &clock, 30 * 24 * HOUR_MS);
    assert_eq!(longest.job_review_ms(), 30 * 24 * HOUR_MS);
    destroy(longest);
    let mut job = review(&mut test, &wallet, &clock, HOUR_MS);
    fund_by(&mut test, &mut job, OWNER);
    submit(&mut test, &mut job, &clock);
    clock.set_for_testing(5000 + HOUR_MS);
    job.expire(&clock, test.ctx());
    assert_refunded(&job, 100, OWNER, 1);
    destroy(job);
    end(test, wallet, clock);
}

#[test, expected_failure(abort_code = job::EBadReview)]
fun a_review_of_less_than_an_hour_is_refused() {
    let (mut test, wallet, clock) = begin();
    let _job = review(&mut test, &wallet, &clock, HOUR_MS - 1);
    abort
}

#[test, expected_failure(abort_code = job::EBadReview)]
fun a_review_of_more_than_thirty_days_is_refused() {
    let (mut test, wallet, clock) = begin();
    let _job = review(&mut test, &wallet, &clock, 30 * 24 * HOUR_MS + 1);
    abort
}

// A NUL is valid in a String, but readers that keep text in a database cannot keep it: the job, or its delivery,
// would not be seen.

#[test, expected_failure(abort_code = job::EBadBrief)]
fun a_brief_with_a_nul_is_refused() {
    let (mut test, wallet, clock) = begin();
    let brief = b"a\x00".to_string();
    job::create_and_share<SUI, Oracle>(&wallet, PROVIDER, 100, 5000, brief, &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::EBadNote)]
fun a_note_with_a_nul_is_refused() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut job, OWNER);
    test.next_tx(PROVIDER);
    job.submit(b"a\x00".to_string(), &clock, test.ctx());
    abort
}

// === Within an action: an op in the owner's own transaction does not have the owner's word ===

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_job_is_made_within_an_action() {
    let (mut test, mut wallet, clock) = begin();
    wallet.grant_service_coin<Oracle, SUI>(1, test.ctx());
    let _ticket = action::begin<Oracle>(&mut wallet, test.ctx());
    let _job = job::create<SUI, Oracle>(&wallet, PROVIDER, 100, 5000, text(7), &clock, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_job_is_cancelled_within_an_action() {
    let (mut test, mut wallet, clock) = begin();
    wallet.grant_service_coin<Oracle, SUI>(1, test.ctx());
    let mut job = hire(&mut test, &wallet, &clock);
    let _ticket = action::begin<Oracle>(&mut wallet, test.ctx());
    job.cancel(&wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_job_is_deleted_within_an_action() {
    let (mut test, mut wallet, clock) = begin();
    wallet.grant_service_coin<Oracle, SUI>(1, test.ctx());
    let mut job = hire(&mut test, &wallet, &clock);
    job.cancel(&wallet, test.ctx());
    let _ticket = action::begin<Oracle>(&mut wallet, test.ctx());
    job.delete(&wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_cap_of_a_job_is_minted_within_an_action() {
    let (mut test, mut wallet, clock) = begin();
    wallet.grant_service_coin<Oracle, SUI>(1, test.ctx());
    let mut job = job::create<SUI, CapAssessor>(&wallet, PROVIDER, 100, 5000, text(7), &clock, test.ctx());
    let _ticket = action::begin<Oracle>(&mut wallet, test.ctx());
    cap_assessor::mint_and_transfer(&mut job, STRANGER, &wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = lock::EOpen)]
fun no_job_is_funded_from_the_wallet_within_an_action() {
    let (mut test, mut wallet, clock) = begin();
    wallet.grant_service_coin<Oracle, SUI>(1, test.ctx());
    let mut job = hire(&mut test, &wallet, &clock);
    let _ticket = action::begin<Oracle>(&mut wallet, test.ctx());
    fund_from_wallet(&mut test, &mut job, &mut wallet);
    abort
}

// === Versions ===

#[test]
fun anyone_brings_a_job_to_the_newest_version() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    job.set_version_for_testing(0);
    test.next_tx(STRANGER);
    job.migrate();
    fund_by(&mut test, &mut job, OWNER);
    assert_eq!(job.job_version(), 1);
    end_with(test, wallet, clock, job);
}

#[test]
fun a_job_of_any_version_is_cancelled() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut job, OWNER);
    job.set_version_for_testing(2);
    job.cancel(&wallet, test.ctx());
    assert_refunded(&job, 100, OWNER, 0);
    end_with(test, wallet, clock, job);
}

#[test]
fun a_job_of_any_version_expires() {
    let (mut test, wallet, mut clock) = begin();
    let mut job = delivered(&mut test, &wallet, &clock);
    job.set_version_for_testing(2);
    clock.set_for_testing(5000 + USUAL_REVIEW_MS);
    test.next_tx(STRANGER);
    job.expire(&clock, test.ctx());
    assert_refunded(&job, 100, OWNER, 1);
    end_with(test, wallet, clock, job);
}

#[test, expected_failure(abort_code = job::EAlreadyNewest)]
fun a_job_of_the_newest_version_stays_there() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    job.migrate();
    abort
}

#[test, expected_failure(abort_code = job::EWrongVersion)]
fun a_job_of_another_version_is_not_funded() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    job.set_version_for_testing(0);
    fund_by(&mut test, &mut job, OWNER);
    abort
}

#[test, expected_failure(abort_code = job::EWrongVersion)]
fun a_job_of_another_version_is_not_funded_from_its_wallet() {
    let (mut test, mut wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    job.set_version_for_testing(0);
    fund_from_wallet(&mut test, &mut job, &mut wallet);
    abort
}

#[test, expected_failure(abort_code = job::EWrongVersion)]
fun a_job_of_another_version_is_not_submitted() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut job, OWNER);
    job.set_version_for_testing(0);
    submit(&mut test, &mut job, &clock);
    abort
}

#[test, expected_failure(abort_code = job::EWrongVersion)]
fun no_release_of_a_job_of_another_version_begins() {
    let (mut test, wallet, clock) = begin();
    let mut job = delivered(&mut test, &wallet, &clock);
    job.set_version_for_testing(0);
    let _request = job.begin_release();
    abort
}

#[test, expected_failure(abort_code = job::EWrongVersion)]
fun no_release_is_confirmed_after_the_version_changed() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire_for_oracle(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut job, OWNER);
    submit(&mut test, &mut job, &clock);
    let mut request = job.begin_release();
    job::judge(oracle(), &mut request, true);
    job.set_version_for_testing(2);
    job.confirm_release(request, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::EWrongVersion)]
fun no_cap_of_a_job_of_another_version_is_minted() {
    let (mut test, wallet, clock) = begin();
    let mut job = job::create<SUI, CapAssessor>(&wallet, PROVIDER, 100, 5000, text(7), &clock, test.ctx());
    job.set_version_for_testing(0);
    cap_assessor::mint_and_transfer(&mut job, STRANGER, &wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::EWrongVersion)]
fun a_job_of_another_version_is_not_deleted() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    job.cancel(&wallet, test.ctx());
    job.set_version_for_testing(2);
    job.delete(&wallet, test.ctx());
    abort
}
