import type { Transaction, TransactionArgument, TransactionObjectInput } from '@mysten/sui/transactions';

/** A shared job. */
export interface JobTarget {
  /** The version that is called. */
  packageId: string;
  /** The coin it is paid in. */
  coinType: string;
  jobId: string;
}

/** The terms of a new escrow job. The contract aborts outside these bounds. */
export interface JobTerms {
  /** Id of the payer's wallet; its owner is the sender. */
  walletId: string;
  provider: string;
  /** Address that receives the only cap that can judge the job. */
  assessor: string;
  coinType: string;
  /** Base units, not 0. */
  amount: bigint;
  /** Milliseconds since the epoch, within the next 366 days. */
  deadlineMs: bigint;
  /**
   * Review period in milliseconds, counted from the deadline: one hour to 30 days, by default 72 hours. Within it,
   * submitted work may still be judged. After it, anyone can expire the job.
   */
  reviewMs?: bigint;
  /** 1 to 1024 bytes. */
  brief: string;
  /** A coin of exactly the amount, which funds the job at once; a refund goes to the sender. */
  funding?: TransactionObjectInput;
  /** Id of the first version of the package, which its types carry. Default: `packageId`. */
  originalId?: string;
}

/**
 * Appends the calls that make and share a job, and send its assessor the cap. With `funding` the job is funded at once.
 */
export function createJob(tx: Transaction, packageId: string, terms: JobTerms): void {
  const wallet = tx.object(terms.walletId);
  const { reviewMs } = terms;
  const job = tx.moveCall({
    target: `${packageId}::job::${reviewMs === undefined ? 'create' : 'create_with_review'}`,
    typeArguments: [terms.coinType, `${terms.originalId ?? packageId}::cap_assessor::CapAssessor`],
    arguments: [
      wallet,
      tx.pure.address(terms.provider),
      tx.pure.u64(terms.amount),
      tx.pure.u64(terms.deadlineMs),
      ...(reviewMs === undefined ? [] : [tx.pure.u64(reviewMs)]),
      tx.pure.string(terms.brief),
      tx.object.clock(),
    ],
  });
  const typeArguments = [terms.coinType];
  tx.moveCall({
    target: `${packageId}::cap_assessor::mint_and_transfer`,
    typeArguments,
    arguments: [job, tx.pure.address(terms.assessor), wallet],
  });
  if (terms.funding !== undefined) {
    const target = `${packageId}::job::fund`;
    tx.moveCall({ target, typeArguments, arguments: [job, tx.object(terms.funding)] });
  }
  tx.moveCall({ target: `${packageId}::job::share`, typeArguments, arguments: [job] });
}

/** Appends `job::fund` with a coin of exactly the job's amount; a refund goes to the sender. */
export function fund(tx: Transaction, job: JobTarget, coin: TransactionObjectInput): void {
  callJob(tx, job, 'fund', [tx.object(coin)]);
}

/**
 * Appends `job::fund_from_wallet` with a stamped request that names the provider and the job's amount; a refund
 * goes to the wallet's own address. The owner must have allowed `policy.setSpendInto`.
 */
export function fundFromWallet(
  tx: Transaction,
  job: JobTarget,
  { walletId, request }: { walletId: string; request: TransactionObjectInput },
): void {
  callJob(tx, job, 'fund_from_wallet', [tx.object(walletId), tx.object(request)]);
}

/** Appends `job::submit` by the provider: a note of 1 to 1024 bytes. */
export function submit(tx: Transaction, job: JobTarget, note: string): void {
  callJob(tx, job, 'submit', [tx.pure.string(note), tx.object.clock()]);
}

/** Appends the verdict by the holder of the job's cap, and the release that carries it out. */
export function assess(
  tx: Transaction,
  job: JobTarget,
  { capId, approve }: { capId: string; approve: boolean },
): void {
  const request = callJob(tx, job, 'begin_release');
  tx.moveCall({
    target: `${job.packageId}::cap_assessor::assess`,
    arguments: [tx.object(capId), request, tx.pure.bool(approve)],
  });
  callJob(tx, job, 'confirm_release', [request]);
}

/** Appends `job::cancel` by the owner of the job's wallet, before anything is submitted. */
export function cancel(tx: Transaction, job: JobTarget, walletId: string): void {
  callJob(tx, job, 'cancel', [tx.object(walletId)]);
}

/** Appends `job::expire`. The job's deadline has passed; if work was submitted, its review period has passed too. */
export function expire(tx: Transaction, job: JobTarget): void {
  callJob(tx, job, 'expire', [tx.object.clock()]);
}

/** Appends `job::delete` of a finished job, by the owner of its wallet. */
export function deleteJob(tx: Transaction, job: JobTarget, walletId: string): void {
  callJob(tx, job, 'delete', [tx.object(walletId)]);
}

function callJob(
  tx: Transaction,
  { packageId, coinType, jobId }: JobTarget,
  name: string,
  args: TransactionArgument[] = [],
) {
  return tx.moveCall({
    target: `${packageId}::job::${name}`,
    typeArguments: [coinType],
    arguments: [tx.object(jobId), ...args],
  });
}
