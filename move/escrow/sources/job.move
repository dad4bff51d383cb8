/// Work for hire: the job keeps the money until an assessor has judged the delivery.
///
/// Everything that the parties rely on is fixed when the job is created, before it is funded: provider, amount,
/// deadline, review period, and whose verdict counts. The payer is the current owner of the wallet. A refund
/// goes back to where the money came from.
module escrow::job;

use std::string::String;
use std::type_name::{Self, TypeName};
use sui::balance::{Self, Balance};
use sui::clock::Clock;
use sui::coin::Coin;
use sui::event;
use wallet::policy::{Self, SpendRequest};
use wallet::type_names;
use wallet::wallet::Wallet;

/// The job is in another state.
const EWrongState: u64 = 1;
/// The sender is not the owner of the job's wallet.
const ENotOwner: u64 = 2;
/// The sender is not the job's provider.
const ENotProvider: u64 = 3;
/// The release has no verdict.
const EAssessorNotProven: u64 = 4;
/// The release belongs to another job.
const EWrongJob: u64 = 5;
/// The amount is zero.
const EZeroAmount: u64 = 6;
/// The wallet, or the spend, does not belong to the job's wallet.
const EWrongWallet: u64 = 7;
/// The amount differs from the job's amount.
const EWrongAmount: u64 = 8;
/// The spend names another recipient than the job's provider.
const EWrongRecipient: u64 = 9;
/// The deadline is not within the next 366 days.
const EBadDeadline: u64 = 10;
/// The deadline has passed.
const EDeadlinePassed: u64 = 11;
/// The deadline has not passed, or the review of the submitted work is not over.
const EDeadlineNotPassed: u64 = 12;
/// The brief is not 1..1024 bytes long, or contains a NUL.
const EBadBrief: u64 = 13;
/// The note is not 1..1024 bytes long, or contains a NUL.
const EBadNote: u64 = 14;
/// The witness does not have the job's assessor type.
const EWrongAssessor: u64 = 15;
/// The job already has a verdict.
const EAlreadyJudged: u64 = 16;
/// A job with a cap assessor can only be funded after the cap was minted.
const ENoAssessorCap: u64 = 17;
/// The job already has its assessor cap.
const EAssessorCapExists: u64 = 18;

/// The job has another version than this code: anyone calls `migrate` of the newest package.
const EWrongVersion: u64 = 19;
/// The job already has this version or a later one.
const EAlreadyNewest: u64 = 20;
/// The review period is not between one hour and 30 days.
const EBadReview: u64 = 21;

/// Increased by each upgrade that must disable the code before it.
const VERSION: u64 = 1;

const OPEN: u8 = 0;
const FUNDED: u8 = 1;
const SUBMITTED: u8 = 2;
const RELEASED: u8 = 3;
const REFUNDED: u8 = 4;

const REASON_CANCELLED: u8 = 0;
const REASON_EXPIRED: u8 = 1;
const REASON_REJECTED: u8 = 2;

const MAX_TEXT_BYTES: u64 = 1024;
const HOUR_MS: u64 = 60 * 60 * 1000;
/// A submitted job without a verdict only ends after its deadline and review period, so both have an upper
/// limit.
const MAX_DURATION_MS: u64 = 366 * 24 * HOUR_MS;
const MIN_REVIEW_MS: u64 = HOUR_MS;
const MAX_REVIEW_MS: u64 = 30 * 24 * HOUR_MS;
/// The review period of a job that is created without one.
const USUAL_REVIEW_MS: u64 = 72 * HOUR_MS;

public struct Job<phantom CoinT> has key {
    id: UID,
    wallet_id: ID,
    /// The wallet's owner when the job was created. The current owner has the rights of the payer.
    payer: address,
    provider: address,
    assessor_type: TypeName,
    /// The address that received the assessor cap.
    assessor: Option<address>,
    amount: u64,
    deadline_ms: u64,
    brief: String,
    note: String,
    state: u8,
    funds: Balance<CoinT>,
    /// The origin of the money.
    refund_to: address,
    /// The time after the deadline in which submitted work can be judged and no one can `expire` the job.
    review_ms: u64,
    /// The version of the code that may change it (`VERSION`).
    version: u64,
}

/// A release in progress. It ends in `confirm_release`, after the verdict of the assessor.
public struct ReleaseRequest {
    job_id: ID,
    provider: address,
    amount: u64,
    assessor_type: TypeName,
    verdict: Option<bool>,
}

// Readers ignore unknown fields at the end, so new fields are only appended.

public struct JobCreated has copy, drop {
    job_id: ID,
    wallet_id: ID,
    provider: address,
    assessor_type: TypeName,
    payer: address,
    coin: TypeName,
    amount: u64,
    deadline_ms: u64,
    brief: String,
    review_ms: u64,
}

public struct JobFunded has copy, drop {
    job_id: ID,
    amount: u64,
    funder: address,
    from_wallet: bool,
}

public struct JobSubmitted has copy, drop {
    job_id: ID,
    note: String,
}

public struct JobReleased has copy, drop {
    job_id: ID,
    provider: address,
    amount: u64,
    coin: TypeName,
}

public struct JobRefunded has copy, drop {
    job_id: ID,
    payer: address,
    /// Zero for a job that was never funded; then `refunded_to` is the payer.
    amount: u64,
    coin: TypeName,
    refunded_to: address,
    /// 0 cancelled, 1 expired, 2 rejected.
    reason: u8,
}

/// Creates an open job of the sender's wallet, with 72 hours for review. It must be shared in the same
/// transaction, with `share`.
public fun create<CoinT, AssessorT>(
    wallet: &Wallet,
    provider: address,
    amount: u64,
    deadline_ms: u64,
    brief: String,
    clock: &Clock,
    ctx: &mut TxContext,
): Job<CoinT> {
    create_with_review<CoinT, AssessorT>(
        wallet,
        provider,
        amount,
        deadline_ms,
        USUAL_REVIEW_MS,
        brief,
        clock,
        ctx,
    )
}

/// The same with the review period `review_ms`: one hour to 30 days, in which no one can `expire` submitted
/// work.
public fun create_with_review<CoinT, AssessorT>(
    wallet: &Wallet,
    provider: address,
    amount: u64,
    deadline_ms: u64,
    review_ms: u64,
    brief: String,
    clock: &Clock,
    ctx: &mut TxContext,
): Job<CoinT> {
    assert_owner(wallet, ctx);
    assert!(amount > 0, EZeroAmount);
    assert_text(&brief, EBadBrief);
    let now = clock.timestamp_ms();
    assert!(deadline_ms > now && deadline_ms - now <= MAX_DURATION_MS, EBadDeadline);
    assert!(MIN_REVIEW_MS <= review_ms && review_ms <= MAX_REVIEW_MS, EBadReview);
    let assessor_type = type_names::witness<AssessorT>();
    let coin = type_names::bounded<CoinT>();
    let job = Job<CoinT> {
        id: object::new(ctx),
        version: VERSION,
        wallet_id: wallet.id(),
        payer: ctx.sender(),
        provider,
        assessor_type,
        assessor: option::none(),
        amount,
        deadline_ms,
        review_ms,
        brief,
        note: b"".to_string(),
        state: OPEN,
        funds: balance::zero(),
        refund_to: ctx.sender(),
    };
    event::emit(JobCreated {
        job_id: object::id(&job),
        wallet_id: job.wallet_id,
        provider,
        assessor_type,
        payer: job.payer,
        coin,
        amount,
        deadline_ms,
        brief,
        review_ms,
    });
    job
}

public fun share<CoinT>(job: Job<CoinT>) {
    transfer::share_object(job)
}

/// `create` and `share` in one call, for assessors without a cap, or with a cap that is minted later.
public fun create_and_share<CoinT, AssessorT>(
    wallet: &Wallet,
    provider: address,
    amount: u64,
    deadline_ms: u64,
    brief: String,
    clock: &Clock,
    ctx: &mut TxContext,
): ID {
    let job = create<CoinT, AssessorT>(wallet, provider, amount, deadline_ms, brief, clock, ctx);
    let id = object::id(&job);
    job.share();
    id
}

/// Upgrades the job to the version of this code; older code then aborts. Anyone may call this. The terms stay
/// the same.
public fun migrate<CoinT>(job: &mut Job<CoinT>) {
    assert!(job.version < VERSION, EAlreadyNewest);
    job.version = VERSION
}

/// Funds the job with its amount. Anyone may call this; a refund goes to the sender.
public fun fund<CoinT>(job: &mut Job<CoinT>, coin: Coin<CoinT>, ctx: &TxContext) {
    job.receive(coin, ctx.sender(), false, ctx)
}

/// Funds the job from its wallet, with a spend that names the provider as recipient. A refund goes to the
/// wallet's identity. The wallet's owner must have allowed `confirm_spend_into`.
public fun fund_from_wallet<CoinT>(
    job: &mut Job<CoinT>,
    wallet: &mut Wallet,
    request: SpendRequest,
    ctx: &mut TxContext,
) {
    assert!(wallet.id() == job.wallet_id, EWrongWallet);
    // Rules approved the recipient that the spend names, so it must be the provider.
    assert!(request.spend_recipient() == job.provider, EWrongRecipient);
    let coin = policy::confirm_spend_into<CoinT>(wallet, request, ctx);
    job.receive(coin, wallet.identity(), true, ctx)
}

/// Submits the delivery, before the deadline. Only for the provider. To submit is to accept the terms of the
/// job.
public fun submit<CoinT>(job: &mut Job<CoinT>, note: String, clock: &Clock, ctx: &TxContext) {
    job.assert_version();
    assert!(job.state == FUNDED, EWrongState);
    assert!(ctx.sender() == job.provider, ENotProvider);
    assert!(clock.timestamp_ms() < job.deadline_ms, EDeadlinePassed);
    assert_text(&note, EBadNote);
    job.note = note;
    job.state = SUBMITTED;
    event::emit(JobSubmitted { job_id: object::id(job), note })
}

/// Ends a job that was not submitted. Only for the wallet's owner, at any version of the job.
public fun cancel<CoinT>(job: &mut Job<CoinT>, wallet: &Wallet, ctx: &mut TxContext) {
    assert!(job.state == OPEN || job.state == FUNDED, EWrongState);
    job.assert_payer(wallet, ctx);
    job.refund(REASON_CANCELLED, ctx)
}

/// Ends an unfinished job after its deadline, and submitted work after its review period. Anyone may call this,
/// at any version of the job.
public fun expire<CoinT>(job: &mut Job<CoinT>, clock: &Clock, ctx: &mut TxContext) {
    assert!(job.state <= SUBMITTED, EWrongState);
    let review_ms = if (job.state == SUBMITTED) job.review_ms else 0;
    assert!(clock.timestamp_ms() >= job.deadline_ms + review_ms, EDeadlineNotPassed);
    job.refund(REASON_EXPIRED, ctx)
}

/// Starts the release of a submitted job. Anyone may call this, because the verdict decides the result.
public fun begin_release<CoinT>(job: &Job<CoinT>): ReleaseRequest {
    job.assert_version();
    assert!(job.state == SUBMITTED, EWrongState);
    ReleaseRequest {
        job_id: object::id(job),
        provider: job.provider,
        amount: job.amount,
        assessor_type: job.assessor_type,
        verdict: option::none(),
    }
}

/// Adds the verdict. Only the module of the job's assessor type can call this, and only once.
public fun judge<AssessorT: drop>(_witness: AssessorT, request: &mut ReleaseRequest, approve: bool) {
    assert!(type_name::with_defining_ids<AssessorT>() == request.assessor_type, EWrongAssessor);
    assert!(request.verdict.is_none(), EAlreadyJudged);
    request.verdict.fill(approve)
}

/// Pays the provider or refunds the money, as the verdict says.
public fun confirm_release<CoinT>(job: &mut Job<CoinT>, request: ReleaseRequest, ctx: &mut TxContext) {
    let ReleaseRequest { job_id, verdict, .. } = request;
    assert!(job_id == object::id(job), EWrongJob);
    job.assert_version();
    assert!(job.state == SUBMITTED, EWrongState);
    assert!(verdict.is_some(), EAssessorNotProven);
    if (!verdict.destroy_some()) return job.refund(REASON_REJECTED, ctx);
    job.state = RELEASED;
    let provider = job.provider;
    let (amount, coin) = job.pay_out(provider, ctx);
    event::emit(JobReleased { job_id, provider, amount, coin })
}

/// Deletes a finished job. Only for the wallet's owner.
public fun delete<CoinT>(job: Job<CoinT>, wallet: &Wallet, ctx: &TxContext) {
    job.assert_version();
    assert!(job.state == RELEASED || job.state == REFUNDED, EWrongState);
    job.assert_payer(wallet, ctx);
    let Job { id, funds, .. } = job;
    funds.destroy_zero();
    id.delete()
}

// === Reads ===

public fun request_job_id(request: &ReleaseRequest): ID { request.job_id }

public fun request_provider(request: &ReleaseRequest): address { request.provider }

public fun request_amount(request: &ReleaseRequest): u64 { request.amount }

/// The version of the code that may change the job.
public fun job_version<CoinT>(job: &Job<CoinT>): u64 { job.version }

public fun job_state<CoinT>(job: &Job<CoinT>): u8 { job.state }

public fun job_amount<CoinT>(job: &Job<CoinT>): u64 { job.amount }

public fun job_provider<CoinT>(job: &Job<CoinT>): address { job.provider }

public fun job_payer<CoinT>(job: &Job<CoinT>): address { job.payer }

public fun job_assessor_type<CoinT>(job: &Job<CoinT>): TypeName { job.assessor_type }

/// The holder of the job's assessor cap, if one was minted.
public fun job_assessor<CoinT>(job: &Job<CoinT>): Option<address> { job.assessor }

public fun job_deadline_ms<CoinT>(job: &Job<CoinT>): u64 { job.deadline_ms }

/// The time after the deadline, in milliseconds, in which submitted work can be judged and no one can `expire`
/// the job.
public fun job_review_ms<CoinT>(job: &Job<CoinT>): u64 { job.review_ms }

public fun job_note<CoinT>(job: &Job<CoinT>): String { job.note }

// === For cap_assessor ===

/// Fixes the holder of the assessor cap, before the job is funded, so that payer and provider know the
/// assessor.
public(package) fun bind_assessor<CoinT, AssessorT>(
    job: &mut Job<CoinT>,
    assessor: address,
    wallet: &Wallet,
    ctx: &TxContext,
) {
    job.assert_version();
    assert!(job.state == OPEN, EWrongState);
    job.assert_payer(wallet, ctx);
    assert!(job.assessor_type == type_name::with_defining_ids<AssessorT>(), EWrongAssessor);
    assert!(job.assessor.is_none(), EAssessorCapExists);
    job.assessor.fill(assessor)
}

fun receive<CoinT>(
    job: &mut Job<CoinT>,
    coin: Coin<CoinT>,
    refund_to: address,
    from_wallet: bool,
    ctx: &TxContext,
) {
    job.assert_version();
    assert!(job.state == OPEN, EWrongState);
    assert!(coin.value() == job.amount, EWrongAmount);
    assert!(job.assessor.is_some() || !job.is_judged_by_cap(), ENoAssessorCap);
    job.funds.join(coin.into_balance());
    job.refund_to = refund_to;
    job.state = FUNDED;
    let job_id = object::id(job);
    event::emit(JobFunded { job_id, amount: job.amount, funder: ctx.sender(), from_wallet })
}

/// Compared by name: `cap_assessor` uses this module, so this module cannot use its type.
fun is_judged_by_cap<CoinT>(job: &Job<CoinT>): bool {
    let here = type_name::with_defining_ids<ReleaseRequest>();
    job.assessor_type.address_string() == here.address_string() &&
    job.assessor_type.module_string() == b"cap_assessor".to_ascii_string()
}

fun refund<CoinT>(job: &mut Job<CoinT>, reason: u8, ctx: &mut TxContext) {
    job.state = REFUNDED;
    let refunded_to = job.refund_to;
    let (amount, coin) = job.pay_out(refunded_to, ctx);
    event::emit(JobRefunded {
        job_id: object::id(job),
        payer: job.payer,
        amount,
        coin,
        refunded_to,
        reason,
    })
}

fun pay_out<CoinT>(job: &mut Job<CoinT>, recipient: address, ctx: &mut TxContext): (u64, TypeName) {
    let amount = job.funds.value();
    if (amount > 0) transfer::public_transfer(job.funds.withdraw_all().into_coin(ctx), recipient);
    (amount, type_name::with_defining_ids<CoinT>())
}

fun assert_payer<CoinT>(job: &Job<CoinT>, wallet: &Wallet, ctx: &TxContext) {
    assert!(wallet.id() == job.wallet_id, EWrongWallet);
    assert_owner(wallet, ctx)
}

/// Aborts during an action, because the code of an action does not act for the owner.
fun assert_owner(wallet: &Wallet, ctx: &TxContext) {
    assert!(ctx.sender() == wallet.owner(), ENotOwner);
    wallet.assert_owner_acts(ctx)
}

fun assert_version<CoinT>(job: &Job<CoinT>) {
    assert!(job.version == VERSION, EWrongVersion)
}

fun assert_text(text: &String, code: u64) {
    assert!(0 < text.length() && text.length() <= MAX_TEXT_BYTES, code);
    // Databases cannot store a NUL.
    assert!(!text.as_bytes().contains(&0), code)
}

#[test_only]
public fun set_version_for_testing<CoinT>(job: &mut Job<CoinT>, version: u64) {
    job.version = version
}
