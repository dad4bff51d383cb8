/// An assessor that is a person or an agent: the holder of a job's only cap decides.
module escrow::cap_assessor;

use escrow::job::{Self, Job, ReleaseRequest};
use sui::event;
use wallet::wallet::Wallet;

/// The cap belongs to another job.
const EWrongJob: u64 = 1;

/// The right to assess one job. It stays with the address it was minted to, so both parties know the assessor
/// before they commit.
public struct AssessorCap has key {
    id: UID,
    job_id: ID,
}

/// The assessor type of jobs that the holder of a cap assesses.
public struct CapAssessor has drop {}

public struct AssessorCapMinted has copy, drop {
    cap_id: ID,
    job_id: ID,
    assessor: address,
}

/// Mints the only cap of an open job to `assessor`. It cannot be moved. Only for the owner of the job's wallet.
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

/// Gives the verdict on the cap's job.
public fun assess(cap: &AssessorCap, request: &mut ReleaseRequest, approve: bool) {
    assert!(cap.job_id == request.request_job_id(), EWrongJob);
    job::judge(CapAssessor {}, request, approve)
}

public fun cap_job_id(cap: &AssessorCap): ID {
    cap.job_id
}
