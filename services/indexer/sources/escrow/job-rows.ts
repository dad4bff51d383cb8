import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import type { ChainEvent, EventData } from '../source.ts';

/** What a batch says of a job; what is undefined is as it was. */
export interface JobChange {
  created?: ChainEvent<EventData>;
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
const changesOf = (rows: [string, JobChange][]) =>
  columns.map(([, , field]) => rows.map(([, change]) => change[field] ?? null));

/** Due for a check where the events leave open what the job's object says. */
const checkDue = 'case when c.payer is null or c.coin is null then now() end';

export async function insertJobs(
  client: ClientBase,
  network: Network,
  rows: [string, JobChange][],
): Promise<void> {
  if (rows.length === 0) return;
  const created = rows.map(([, change]) => change.created!);
  await client.query({
    name: 'insert-jobs',
    // By the number: JavaScript writes the years beyond 9999 in a form of its own.
    text: `insert into jobs (network, job_id, wallet_id, provider, assessor_type, brief, created_at,
        created_checkpoint, created_tx_index, created_event_index, ${names}, deadline_at, review_ms, next_check_at)
      select $1, c.job_id, c.wallet_id, c.provider, c.assessor_type, c.brief, c.created_at,
        c.checkpoint, c.tx_index, c.event_index, ${columns.map(([name]) => `c.${name}`).join(', ')},
        to_timestamp(c.deadline_ms / 1000.0), c.review_ms, ${checkDue}
      from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[],
        $8::bigint[], $9::timestamptz[], $10::bigint[], $11::int[], $12::int[], ${given(13)})
        as c (job_id, wallet_id, provider, assessor_type, brief, deadline_ms, review_ms, created_at, checkpoint,
        tx_index, event_index, ${names})
      on conflict do nothing`,
    values: [
      network,
      rows.map(([jobId]) => jobId),
      rows.map(([, { walletId }]) => walletId),
      rows.map(([, { provider }]) => provider),
      rows.map(([, { assessorType }]) => assessorType),
      rows.map(([, { brief }]) => brief ?? null),
      rows.map(([, { deadlineMs }]) => deadlineMs ?? null),
      rows.map(([, { reviewMs }]) => reviewMs ?? null),
      created.map(({ timestampMs }) => new Date(timestampMs)),
      created.map(({ checkpoint }) => checkpoint),
      created.map(({ txIndex }) => txIndex),
      created.map(({ eventIndex }) => eventIndex),
      ...changesOf(rows),
    ],
  });
}

export async function updateJobs(
  client: ClientBase,
  network: Network,
  rows: [string, JobChange][],
): Promise<void> {
  if (rows.length === 0) return;
  await client.query({
    name: 'update-jobs',
    text: `update jobs j set ${columns.map(([name]) => `${name} = coalesce(c.${name}, j.${name})`).join(', ')},
        next_check_at = case when coalesce(c.payer, j.payer) is null or coalesce(c.coin, j.coin) is null
          then j.next_check_at end
      from unnest($2::text[], ${given(3)}) as c (job_id, ${names})
      where j.network = $1 and j.job_id = c.job_id`,
    values: [network, rows.map(([jobId]) => jobId), ...changesOf(rows)],
  });
}
