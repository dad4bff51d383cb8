/// A wallet of 1000 under a policy that lets anyone spend, a clock at 1000 ms, and jobs of 100 until 5000 ms.
#[test_only]
module escrow::set_up;

use escrow::cap_assessor::{Self, AssessorCap, CapAssessor};
use escrow::job::{Self, Job};
use std::string::String;
use sui::clock::{Self, Clock};
use sui::coin::{Self, Coin};
use sui::sui::SUI;
use sui::test_scenario::{Self as scenario, Scenario};
use wallet::policy::{Self, SpendRequest};
use wallet::wallet::{Self, Wallet};

const OWNER: address = @0xa11ce;
const PROVIDER: address = @0x9407;
const ASSESSOR: address = @0xa55e5;

/// An assessor that approves every request.
public struct Anyone has drop {}

/// An assessor without a cap: an oracle that anyone may call, and whose answer they cannot choose.
public struct Oracle has drop {}

public fun begin(): (Scenario, Wallet, Clock) {
    let mut test = scenario::begin(OWNER);
    wallet::create(test.ctx()).share();
    let mut clock = clock::create_for_testing(test.ctx());
    clock.set_for_testing(1000);
    test.next_tx(OWNER);
    let mut wallet = test.take_shared<Wallet>();
    wallet.deposit(coin(1000, test.ctx()));
    policy::initialize(&mut wallet, test.ctx());
    policy::add_auth_rule<Anyone>(&mut wallet, test.ctx());
    policy::add_caveat_rule<Anyone>(&mut wallet, test.ctx());
    policy::set_spend_into(&mut wallet, true, test.ctx());
    test.next_tx(OWNER);
    (test, wallet, clock)
}

public fun end(test: Scenario, wallet: Wallet, clock: Clock) {
    scenario::return_shared(wallet);
    clock.destroy_for_testing();
    test.end();
}

public fun end_with(test: Scenario, wallet: Wallet, clock: Clock, job: Job<SUI>) {
    scenario::return_shared(job);
    end(test, wallet, clock)
}

public fun text(bytes: u64): String {
    vector::tabulate!(bytes, |_| 0x61).to_string()
}

public fun coin(amount: u64, ctx: &mut TxContext): Coin<SUI> {
    coin::mint_for_testing(amount, ctx)
}

/// An open job whose assessor holds its cap.
public fun hire(test: &mut Scenario, wallet: &Wallet, clock: &Clock): Job<SUI> {
    let mut job = job::create<SUI, CapAssessor>(wallet, PROVIDER, 100, 5000, text(7), clock, test.ctx());
    cap_assessor::mint_and_transfer(&mut job, ASSESSOR, wallet, test.ctx());
    let id = object::id(&job);
    job.share();
    test.next_tx(OWNER);
    test.take_shared_by_id<Job<SUI>>(id)
}

/// An open job that the oracle judges.
public fun hire_for_oracle(test: &mut Scenario, wallet: &Wallet, clock: &Clock): Job<SUI> {
    let id = job::create_and_share<SUI, Oracle>(wallet, PROVIDER, 100, 5000, text(7), clock, test.ctx());
    test.next_tx(OWNER);
    test.take_shared_by_id<Job<SUI>>(id)
}

/// Paid by `funder` from their own pocket.
public fun fund_by(test: &mut Scenario, job: &mut Job<SUI>, funder: address) {
    test.next_tx(funder);
    job.fund(coin(100, test.ctx()), test.ctx())
}

public fun spend(wallet: &Wallet, amount: u64, recipient: address): SpendRequest {
    let mut request = policy::begin_spend<SUI>(wallet, amount, recipient);
    policy::add_auth_receipt(Anyone {}, &mut request);
    policy::add_caveat_receipt(Anyone {}, &mut request);
    request
}

public fun fund_from_wallet(test: &mut Scenario, job: &mut Job<SUI>, wallet: &mut Wallet) {
    let request = spend(wallet, 100, PROVIDER);
    job.fund_from_wallet(wallet, request, test.ctx())
}

public fun submit(test: &mut Scenario, job: &mut Job<SUI>, clock: &Clock) {
    test.next_tx(PROVIDER);
    job.submit(text(4), clock, test.ctx())
}

/// Funded by the owner and submitted.
public fun delivered(test: &mut Scenario, wallet: &Wallet, clock: &Clock): Job<SUI> {
    let mut job = hire(test, wallet, clock);
    fund_by(test, &mut job, OWNER);
    submit(test, &mut job, clock);
    job
}

/// The assessor's verdict, carried out.
public fun assess(test: &mut Scenario, job: &mut Job<SUI>, approve: bool) {
    test.next_tx(ASSESSOR);
    let cap = test.take_from_sender<AssessorCap>();
    let mut request = job.begin_release();
    cap.assess(&mut request, approve);
    job.confirm_release(request, test.ctx());
    test.return_to_sender(cap)
}

/// What the address received in the transaction before, as one coin.
public fun received(test: &mut Scenario, recipient: address): u64 {
    test.next_tx(recipient);
    let coin = test.take_from_sender<Coin<SUI>>();
    let value = coin.value();
    coin.burn_for_testing();
    value
}

public fun oracle(): Oracle {
    Oracle {}
}
