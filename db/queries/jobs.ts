import { decodeCursor, encodeCursor, positionShape } from './cursor.ts';
import { type Page, toPage } from './page.ts';
import type { Queryable, Statement } from './queryable.ts';

/** The states of an escrow job, each at the place of its number on the chain. */
export const jobStates = ['open', 'funded', 'submitted', 'released', 'refunded'] as const;

/** An escrow job as its events left it. */
export interface Job {
  jobId: string;
  walletId: string;
  provider: string;
  /** Who hired; else the present owner of the wallet; null where neither is known. */
  payer: string | null;
  coinType: string | null;
  /** Base units; 0 where only funding fixes it, until then. */
  amount: string;
  /** Place in `jobStates`. */
  stateNum: number;
  brief: string | null;
  note: string | null;
  assessor: string | null;
  deadlineMs: number | null;
  /** So long after the deadline submitted work may still be judged, and no one can have it refunded. */
  reviewMs: number | null;
  createdMs: number;
  refundedTo: string | null;
  /** `cancelled`, `expired` or `rejected`. */
  refundReason: string | null;
}

export interface JobKey {
  network: string;
  jobId: string;
}

interface JobRow {
  job_id: string;
  wallet_id: string;
  provider: string;
  payer: string | null;
  coin: string | null;
  amount: string | null;
  state: number;
  brief: string | null;
  note: string | null;
  assessor: string | null;
  deadline_at: Date | null;
  review_ms: number | null;
  created_at: Date;
  created_checkpoint: number;
  created_tx_index: number;
  created_event_index: number;
  refunded_to: string | null;
  refund_reason: string | null;
}

const columns = `j.job_id, j.wallet_id, j.provider, j.coin, j.amount, j.state, j.brief, j.note, j.assessor,
  j.deadline_at, j.review_ms, j.created_at, j.created_checkpoint, j.created_tx_index, j.created_event_index, j.refunded_to,
  j.refund_reason, coalesce(j.payer, w.owner) as payer`;
const ownerOf = 'left join wallets w on w.network = j.network and w.wallet_id = j.wallet_id';

const findJobs: Statement = {
  name: 'find_jobs',
  text: `
select key.place::int, ${columns}
from unnest($1::text[], $2::text[]) with ordinality as key (network, job_id, place)
join jobs j on j.network = key.network and j.job_id = key.job_id
${ownerOf}`,
};

/** Reads many jobs in one round trip, in the order of the keys. */
export async function readJobs(db: Queryable, keys: readonly JobKey[]): Promise<(Job | undefined)[]> {
  const { rows } = await db.query<JobRow & { place: number }>({
    ...findJobs,
    values: [keys.map((key) => key.network), keys.map((key) => key.jobId)],
  });
  const found = new Map(rows.map((row) => [row.place, toJob(row)]));
  return keys.map((_, at) => found.get(at + 1));
}

export interface JobsQuery {
  network: string;
  /** Whether `address` works, or hires. */
  role: 'provider' | 'owner';
  address: string;
  limit: number;
  cursor?: string | undefined;
}

const listJobs = (name: string, column: 'provider' | 'payer'): Statement => ({
  name,
  text: `
select ${columns}
from jobs j
${ownerOf}
where j.network = $1 and j.${column} = $2 and ($4::bigint is null
  or (j.created_checkpoint, j.created_tx_index, j.created_event_index) < ($4, $5::int, $6::int))
order by j.created_checkpoint desc, j.created_tx_index desc, j.created_event_index desc
limit $3::int + 1`,
});

const byRole = {
  provider: listJobs('list_jobs_of_provider', 'provider'),
  owner: listJobs('list_jobs_of_owner', 'payer'),
};

/**
 * The jobs that an address works on, or hired for, the newest first.
 * @throws BadCursorError
 */
export async function readJobsOf(
  db: Queryable,
  { network, role, address, limit, cursor }: JobsQuery,
): Promise<Page<Job>> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor, positionShape);
  const { rows } = await db.query<JobRow>({
    ...byRole[role],
    values: [network, address, limit, after?.[0] ?? null, after?.[1] ?? null, after?.[2] ?? null],
  });
  return toPage(rows, limit, toJob, (row) =>
    encodeCursor([row.created_checkpoint, row.created_tx_index, row.created_event_index]),
  );
}

const toJob = (row: JobRow): Job => ({
  jobId: row.job_id,
  walletId: row.wallet_id,
  provider: row.provider,
  payer: row.payer,
  coinType: row.coin,
  amount: row.amount ?? '0',
  stateNum: row.state,
  brief: row.brief,
  note: row.note,
  assessor: row.assessor,
  deadlineMs: row.deadline_at?.getTime() ?? null,
  reviewMs: row.review_ms,
  createdMs: row.created_at.getTime(),
  refundedTo: row.refunded_to,
  refundReason: row.refund_reason,
});
