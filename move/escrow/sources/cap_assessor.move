/// An assessor who is a person or an agent: whoever holds a job's one cap judges it.
module escrow::cap_assessor;

use escrow::job::{Self, Job, ReleaseRequest};
use sui::event;
use wallet::wallet::Wallet;

/// The cap is of another job.
const EWrongJob: u64 = 1;

/// The right to judge one job. It stays with the address it was minted to, which both parties could read
/// before they bound themselves.
public struct AssessorCap has key {
    id: UID,
    job_id: ID,
}

/// The assessor type of jobs that a cap judges.
public struct CapAssessor has drop {}

public struct AssessorCapMinted has copy, drop {
    cap_id: ID,
    job_id: ID,
    assessor: address,
}

/// Mints the open job's one cap to `assessor`, for good. The owner of the job's wallet only.
public fun mint_and_transfer<CoinT>(
    job: &mut Job<CoinT>,
    assessor: address,
    wallet: &Wallet,
    ctx: &mut TxContext,
) {
    job.bind_assessor<CoinT, CapAssessor>(assessor, wallet, ctx);
    let job_id = object::id(job);
    let cap = AssessorCap { id: object::new(ctx), job_id };
    event::emit(AssessorCapMinted { cap_id: object::id(&cap), job_id, assessor });
    transfer::transfer(cap, assessor)
}

/// Judges the cap's job.
public fun assess(cap: &AssessorCap, request: &mut ReleaseRequest, approve: bool) {
    assert!(cap.job_id == request.request_job_id(), EWrongJob);
    job::judge(CapAssessor {}, request, approve)
}

public fun cap_job_id(cap: &AssessorCap): ID {
    cap.job_id
}
