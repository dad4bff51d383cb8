#[test_only]
module escrow::cap_assessor_tests;

use escrow::cap_assessor::{Self, AssessorCap, AssessorCapMinted, CapAssessor};
use escrow::job::{Self, Job};
use escrow::set_up::{assess, begin, coin, delivered, end_with, hire, hire_for_oracle, fund_by, text};
use std::unit_test::assert_eq;
use sui::bcs::to_bytes;
use sui::event;
use sui::sui::SUI;

const OWNER: address = @0xa11ce;
const HEIR: address = @0xb0b;
const PROVIDER: address = @0x9407;
const ASSESSOR: address = @0xa55e5;
const STRANGER: address = @0x574;

#[test]
fun the_one_cap_goes_to_the_assessor_that_the_job_names() {
    let (mut test, wallet, clock) = begin();
    let mut job = job::create<SUI, CapAssessor>(&wallet, PROVIDER, 100, 5000, text(7), &clock, test.ctx());
    assert!(job.job_assessor().is_none());
    cap_assessor::mint_and_transfer(&mut job, ASSESSOR, &wallet, test.ctx());
    let minted = to_bytes(&event::events_by_type<AssessorCapMinted>()[0]);
    assert_eq!(job.job_assessor(), option::some(ASSESSOR));
    let job_id = object::id(&job);
    job.share();

    test.next_tx(ASSESSOR);
    let cap = test.take_from_sender<AssessorCap>();
    assert_eq!(cap.cap_job_id(), job_id);
    assert_eq!(minted, vector[to_bytes(&object::id(&cap)), to_bytes(&job_id), to_bytes(&ASSESSOR)].flatten());
    test.return_to_sender(cap);
    let job = test.take_shared_by_id<Job<SUI>>(job_id);
    end_with(test, wallet, clock, job);
}

#[test]
fun a_job_shared_without_its_cap_can_still_get_it() {
    let (mut test, wallet, clock) = begin();
    let id = job::create_and_share<SUI, CapAssessor>(
        &wallet,
        PROVIDER,
        100,
        5000,
        text(7),
        &clock,
        test.ctx(),
    );
    test.next_tx(OWNER);
    let mut job = test.take_shared_by_id<Job<SUI>>(id);
    cap_assessor::mint_and_transfer(&mut job, ASSESSOR, &wallet, test.ctx());
    fund_by(&mut test, &mut job, OWNER);
    assert_eq!(job.job_state(), 1);
    end_with(test, wallet, clock, job);
}

#[test, expected_failure(abort_code = job::ENoAssessorCap)]
fun a_job_without_its_cap_takes_no_money() {
    let (mut test, wallet, clock) = begin();
    let mut job = job::create<SUI, CapAssessor>(&wallet, PROVIDER, 100, 5000, text(7), &clock, test.ctx());
    job.fund(coin(100, test.ctx()), test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::EAssessorCapExists)]
fun the_payer_cannot_mint_a_second_cap_for_itself() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire(&mut test, &wallet, &clock);
    cap_assessor::mint_and_transfer(&mut job, OWNER, &wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::EWrongState)]
fun no_cap_is_minted_once_the_job_is_funded() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire_for_oracle(&mut test, &wallet, &clock);
    fund_by(&mut test, &mut job, OWNER);
    cap_assessor::mint_and_transfer(&mut job, OWNER, &wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::EWrongAssessor)]
fun a_job_that_an_oracle_judges_has_no_cap() {
    let (mut test, wallet, clock) = begin();
    let mut job = hire_for_oracle(&mut test, &wallet, &clock);
    cap_assessor::mint_and_transfer(&mut job, OWNER, &wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::ENotOwner)]
fun a_stranger_mints_no_cap() {
    let (mut test, wallet, clock) = begin();
    let mut job = job::create<SUI, CapAssessor>(&wallet, PROVIDER, 100, 5000, text(7), &clock, test.ctx());
    test.next_tx(STRANGER);
    cap_assessor::mint_and_transfer(&mut job, STRANGER, &wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = job::ENotOwner)]
fun a_former_owner_mints_no_cap() {
    let (mut test, mut wallet, clock) = begin();
    let mut job = job::create<SUI, CapAssessor>(&wallet, PROVIDER, 100, 5000, text(7), &clock, test.ctx());
    wallet.offer_ownership(HEIR, test.ctx());
    test.next_tx(HEIR);
    wallet.accept_ownership(test.ctx());
    test.next_tx(OWNER);
    cap_assessor::mint_and_transfer(&mut job, OWNER, &wallet, test.ctx());
    abort
}

#[test, expected_failure(abort_code = cap_assessor::EWrongJob)]
fun the_cap_of_one_job_judges_no_other() {
    let (mut test, wallet, clock) = begin();
    let dear = delivered(&mut test, &wallet, &clock);
    test.next_tx(STRANGER);
    // The stranger's own wallet and job, with the stranger for assessor.
    let own_wallet = wallet::wallet::create(test.ctx());
    let mut own = job::create<SUI, CapAssessor>(
        &own_wallet,
        PROVIDER,
        1,
        5000,
        text(7),
        &clock,
        test.ctx(),
    );
    cap_assessor::mint_and_transfer(&mut own, STRANGER, &own_wallet, test.ctx());
    test.next_tx(STRANGER);
    let cap = test.take_from_sender<AssessorCap>();
    let mut request = dear.begin_release();
    cap.assess(&mut request, true);
    abort
}

#[test, expected_failure(abort_code = job::EWrongState)]
fun a_cap_judges_once() {
    let (mut test, wallet, clock) = begin();
    let mut job = delivered(&mut test, &wallet, &clock);
    assess(&mut test, &mut job, false);
    assess(&mut test, &mut job, true);
    abort
}
