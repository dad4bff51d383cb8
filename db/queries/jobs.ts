import type { ClientBase } from 'pg';
import { byPosition, type KeyedList, type Paging } from './lists.ts';
import {
  type EventPosition,
  keyRows,
  orderByKeys,
  type Queryable,
  type Statement,
  toColumns,
  toPositionColumns,
} from './queryable.ts';

/** The states of an escrow job, each at the position of its number on the chain. */
export const jobStates = ['open', 'funded', 'submitted', 'released', 'refunded'] as const;

/** An escrow job as its events left it. */
export interface Job {
  jobId: string;
  walletId: string;
  provider: string;
  /** Address that hired the provider, else the present owner of the wallet. Null if neither is known. */
  payer: string | null;
  coinType: string | null;
  /** Base units; 0 until funding if only funding fixes the amount. */
  amount: string;
  /** Position in `jobStates`. */
  stateNum: number;
  brief: string | null;
  note: string | null;
  assessor: string | null;
  deadlineMs: number | null;
  /** Milliseconds after the deadline in which submitted work may still be judged and cannot be refunded. */
  reviewMs: number | null;
  createdMs: number;
  refundedTo: string | null;
  /** `cancelled`, `expired` or `rejected`. */
  refundReason: string | null;
  /** Cap of the assessor, who judges the job. */
  assessorCapId: string | null;
  fundedMs: number | null;
  submittedMs: number | null;
  releasedMs: number | null;
  refundedMs: number | null;
}

interface JobKey {
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
  refunded_to: string | null;
  refund_reason: string | null;
  assessor_cap_id: string | null;
  funded_at: Date | null;
  submitted_at: Date | null;
  released_at: Date | null;
  refunded_at: Date | null;
}

const readColumns = `j.job_id, j.wallet_id, j.provider, j.coin, j.amount, j.state, j.brief, j.note, j.assessor,
  j.deadline_at, j.review_ms, j.created_at, j.refunded_to, j.refund_reason, j.assessor_cap_id,
  j.funded_at, j.submitted_at, j.released_at, j.refunded_at, coalesce(j.payer, w.owner) as payer`;
const ownerJoin = 'left join wallets w on w.network = j.network and w.wallet_id = j.wallet_id';

const findJobs: Statement = {
  name: 'find-jobs',
  text: `
select key.nth::int, ${readColumns}
from ${keyRows({ network: 'text', job_id: 'text' })}
join jobs j on j.network = key.network and j.job_id = key.job_id
${ownerJoin}`,
};

/** Reads many jobs in one round trip, in the order of the keys. */
export async function readJobs(db: Queryable, keys: readonly JobKey[]): Promise<(Job | undefined)[]> {
  const { rows } = await db.query<JobRow & { nth: number }>({
    ...findJobs,
    values: [keys.map((key) => key.network), keys.map((key) => key.jobId)],
  });
  return orderByKeys(keys, rows, toJob);
}

interface JobsKey extends Paging {
  network: string;
  /** Address that works on the job. */
  provider?: string | undefined;
  /** Address that hired the provider. */
  owner?: string | undefined;
  walletId?: string | undefined;
  /** Position in `jobStates`. */
  state?: number | undefined;
}

/** The jobs of a network that meet all conditions of a key, the newest first. */
export const jobList: KeyedList<JobsKey, JobRow, Job> = {
  name: 'jobs',
  key: { network: ['text', ({ network }) => network] },
  filters: {
    provider: { column: ['text', ({ provider }) => provider], where: 'j.provider = key.provider' },
    owner: { column: ['text', ({ owner }) => owner], where: 'j.payer = key.owner' },
    wallet: { column: ['text', ({ walletId }) => walletId], where: 'j.wallet_id = key.wallet' },
    state: { column: ['int', ({ state }) => state], where: 'j.state = key.state' },
  },
  from: `jobs j ${ownerJoin}`,
  where: 'j.network = key.network',
  select: readColumns,
  ...byPosition('j.created_checkpoint', 'j.created_tx_index', 'j.created_event_index'),
  toItem: (row) => toJob(row),
};

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
  assessorCapId: row.assessor_cap_id,
  fundedMs: row.funded_at?.getTime() ?? null,
  submittedMs: row.submitted_at?.getTime() ?? null,
  releasedMs: row.released_at?.getTime() ?? null,
  refundedMs: row.refunded_at?.getTime() ?? null,
});

/** Changes to a job by a batch of events. An undefined field stays as it is. */
export interface JobChange {
  jobId: string;
  created?: EventPosition;
  walletId?: string;
  provider?: string;
  assessorType?: string;
  brief?: string | undefined;
  deadlineMs?: number | undefined;
  reviewMs?: number | undefined;
  state?: number;
  payer?: string | undefined;
  coin?: string | undefined;
  amount?: string | undefined;
  note?: string;
  assessor?: string | undefined;
  assessorCapId?: string;
  funder?: string | undefined;
  fromWallet?: boolean | undefined;
  refundedTo?: string | undefined;
  refundReason?: string | undefined;
  fundedAt?: Date;
  submittedAt?: Date;
  releasedAt?: Date;
  refundedAt?: Date;
}

/** The columns that any event may fill, with their types. */
const columns = [
  ['state', 'smallint', 'state'],
  ['payer', 'text', 'payer'],
  ['coin', 'text', 'coin'],
  ['amount', 'numeric', 'amount'],
  ['note', 'text', 'note'],
  ['assessor', 'text', 'assessor'],
  ['assessor_cap_id', 'text', 'assessorCapId'],
  ['funder', 'text', 'funder'],
  ['from_wallet', 'boolean', 'fromWallet'],
  ['refunded_to', 'text', 'refundedTo'],
  ['refund_reason', 'text', 'refundReason'],
  ['funded_at', 'timestamptz', 'fundedAt'],
  ['submitted_at', 'timestamptz', 'submittedAt'],
  ['released_at', 'timestamptz', 'releasedAt'],
  ['refunded_at', 'timestamptz', 'refundedAt'],
] as const;
const names = columns.map(([name]) => name).join(', ');
const given = (from: number) => columns.map(([, type], i) => `$${from + i}::${type}[]`).join(', ');
const toChangeColumns = (rows: readonly JobChange[]) =>
  toColumns(rows, ...columns.map(([, , field]) => field));

/**
 * SQL for the time of the next check: now if the events do not name the payer or the coin, which the job's object
 * contains.
 */
const checkDue = 'case when c.payer is null or c.coin is null then now() end';

/** Increase of a provider's number of completed jobs. */
export interface CompletedJobs {
  provider: string;
  jobs: number;
}

const released = jobStates.indexOf('released');

/** Adds jobs. A job that is already stored stays as it is. @returns the new completed jobs of their providers */
export async function insertJobs(
  client: ClientBase,
  network: string,
  jobs: readonly (JobChange & { created: EventPosition })[],
): Promise<CompletedJobs[]> {
  if (jobs.length === 0) return [];
  const { rows } = await client.query<CompletedJobs>({
    name: 'insert-jobs',
    // The deadline is sent as a number: JavaScript writes years beyond 9999 in a form that PostgreSQL does not read.
    text: `with inserted as (insert into jobs (network, job_id, wallet_id, provider, assessor_type, brief, created_at,
        created_checkpoint, created_tx_index, created_event_index, ${names}, deadline_at, review_ms, next_check_at)
      select $1, c.job_id, c.wallet_id, c.provider, c.assessor_type, c.brief, c.created_at,
        c.checkpoint, c.tx_index, c.event_index, ${columns.map(([name]) => `c.${name}`).join(', ')},
        to_timestamp(c.deadline_ms / 1000.0), c.review_ms, ${checkDue}
      from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[],
        $8::bigint[], $9::timestamptz[], $10::bigint[], $11::int[], $12::int[], ${given(13)})
        as c (job_id, wallet_id, provider, assessor_type, brief, deadline_ms, review_ms, created_at, checkpoint,
        tx_index, event_index, ${names})
      on conflict do nothing returning provider, state)
      select provider, count(*)::int as jobs from inserted where state = ${released} group by provider`,
    values: [
      network,
      ...toColumns(jobs, 'jobId', 'walletId', 'provider', 'assessorType', 'brief', 'deadlineMs', 'reviewMs'),
      ...toPositionColumns(jobs.map(({ created }) => created)),
      ...toChangeColumns(jobs),
    ],
  });
  return rows;
}

/** @returns the new completed jobs of the providers */
export async function updateJobs(
  client: ClientBase,
  network: string,
  jobs: readonly JobChange[],
): Promise<CompletedJobs[]> {
  if (jobs.length === 0) return [];
  const { rows } = await client.query<CompletedJobs>({
    name: 'update-jobs',
    // The last select returns the row before the update.
    text: `with updated as (update jobs j set ${columns.map(([name]) => `${name} = coalesce(c.${name}, j.${name})`).join(', ')},
        next_check_at = case when coalesce(c.payer, j.payer) is null or coalesce(c.coin, j.coin) is null
          then j.next_check_at end
      from unnest($2::text[], ${given(3)}) as c (job_id, ${names})
      where j.network = $1 and j.job_id = c.job_id
      returning j.job_id, j.provider, j.state)
      select u.provider, sum((u.state = ${released})::int - (former.state = ${released})::int)::int as jobs
      from updated u join jobs former on former.network = $1 and former.job_id = u.job_id
      where (u.state = ${released}) <> (former.state = ${released})
      group by u.provider`,
    values: [network, ...toColumns(jobs, 'jobId'), ...toChangeColumns(jobs)],
  });
  return rows;
}
