import type { ClientBase } from 'pg';
import { type Item, nameColumns, type Row, readColumns, unnestColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import { byPosition, type KeyedList, keyColumns, type Paging } from './lists.ts';
import { createLookup } from './lookups.ts';
import { type EventPosition, fromMsSql, positionColumns, toColumns, toPositionColumns } from './queryable.ts';

/** The states of an escrow job, each at the position of its number on the chain. */
export const jobStates = ['open', 'funded', 'submitted', 'released', 'refunded'] as const;

const jobColumns = readColumns(
  tables.jobs,
  [
    'jobId',
    'walletId',
    'provider',
    'brief',
    'note',
    'assessorType',
    'assessor',
    'reviewMs',
    'refundedTo',
    'refundReason',
    'assessorCapId',
  ],
  {
    coinType: 'coin',
    stateNum: 'state',
    deadlineMs: 'deadlineAt',
    createdMs: 'createdAt',
    fundedMs: 'fundedAt',
    submittedMs: 'submittedAt',
    releasedMs: 'releasedAt',
    refundedMs: 'refundedAt',
  },
);

/** An escrow job as its events left it. `stateNum` is a position in `jobStates`. */
export interface Job extends Item<typeof jobColumns> {
  /** Address that hired the provider, else the present owner of the wallet. Null if neither is known. */
  payer: string | null;
  /** Base units; 0 until funding if only funding fixes the amount. */
  amount: string;
  /** Address that a refund goes to: the one that paid or, if a wallet paid, the wallet's own. Null before the payment. */
  refundTo: string | null;
}

type JobRow = Row<typeof jobColumns> & Pick<Job, 'payer' | 'amount' | 'refundTo'>;

interface JobKey {
  network: string;
  jobId: string;
}

const selected = `${jobColumns.select('j')}, coalesce(j.payer, w.owner) as payer, coalesce(j.amount, 0)::text as amount,
  case when j.from_wallet then w.identity else j.funder end as "refundTo"`;
const ownerJoin = 'left join wallets w on w.network = j.network and w.wallet_id = j.wallet_id';

const toJob = (row: JobRow): Job => ({
  ...jobColumns.toItem(row),
  payer: row.payer,
  amount: row.amount,
  refundTo: row.refundTo,
});

export const readJobs = createLookup<JobKey, JobRow, Job>({
  name: 'find-jobs',
  key: keyColumns(tables.jobs, 'network', 'jobId'),
  select: selected,
  join: `join jobs j on j.network = key.network and j.job_id = key.job_id ${ownerJoin}`,
  toItem: toJob,
});

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
  key: keyColumns(tables.jobs, 'network'),
  filters: {
    provider: { column: ['text', ({ provider }) => provider], where: 'j.provider = key.provider' },
    owner: { column: ['text', ({ owner }) => owner], where: 'j.payer = key.owner' },
    wallet: { column: ['text', ({ walletId }) => walletId], where: 'j.wallet_id = key.wallet' },
    state: { column: ['int', ({ state }) => state], where: 'j.state = key.state' },
  },
  from: `jobs j ${ownerJoin}`,
  where: 'j.network = key.network',
  select: selected,
  ...byPosition('j.created_checkpoint', 'j.created_tx_index', 'j.created_event_index'),
  toItem: toJob,
};

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

/** The columns that any event may fill. */
const filled = [
  'state',
  'payer',
  'coin',
  'amount',
  'note',
  'assessor',
  'assessorCapId',
  'funder',
  'fromWallet',
  'refundedTo',
  'refundReason',
  'fundedAt',
  'submittedAt',
  'releasedAt',
  'refundedAt',
] as const;
/** The columns that only the creation fills. */
const made = ['jobId', 'walletId', 'provider', 'assessorType', 'brief'] as const;
const inserted = [...made, ...positionColumns('created'), 'reviewMs', ...filled] as const;

/**
 * SQL for the time of the next check: now if the events do not name the payer or the coin, which the job's object
 * contains.
 */
const checkDue = 'case when c.payer is null or c.coin is null then now() end';

const released = jobStates.indexOf('released');

/** SQL condition: job `j` counts for the rank of its provider. A provider that judges its own work does not. */
export const isHire = (j: string): string =>
  `(${j}.state = ${released} and ${j}.payer is not null and ${j}.assessor is distinct from ${j}.provider)`;

export const hireColumns = readColumns(tables.jobs, [
  'provider',
  'walletId',
  'payer',
  'coin',
  'amount',
  'releasedAt',
]);

/** A job that an event or a check released, or whose part in the earnings or the rank of its provider it changed. */
export interface JobResult extends Row<typeof hireColumns> {
  /** Difference to the earnings of the provider. A job that leaves a coin for another adds to both. */
  earned: { coin: string | null; jobs: number; amount: string }[];
  /** `true` if it counts for the rank of its provider from now on. */
  isHire: boolean;
}

/** SQL for `earned` of job `j`. @param former row of the job before; absent for a new job */
export const buildEarnedSql = (j: string, former?: string): string => {
  const part = (row: string, sign: number) =>
    `select ${row}.coin, ${sign} as jobs, (${sign} * coalesce(${row}.amount, 0))::text as amount where ${row}.state = ${released}`;
  const parts = [part(j, 1), ...(former === undefined ? [] : [part(former, -1)])];
  return `(select coalesce(json_agg(parts), '[]') from (${parts.join(' union all ')}) parts)`;
};

/** SQL condition: the change of row `former` of a job to row `j` changes what its provider earned. */
export const changesEarnings = (j: string, former: string): string =>
  `((${j}.state = ${released}) <> (${former}.state = ${released})
    or ${j}.state = ${released} and (${j}.coin, ${j}.amount) is distinct from (${former}.coin, ${former}.amount))`;

/** Adds jobs. A job that is already stored stays as it is. @returns those that are released */
export async function insertJobs(
  client: ClientBase,
  network: string,
  jobs: readonly (JobChange & { created: EventPosition })[],
): Promise<JobResult[]> {
  if (jobs.length === 0) return [];
  const { rows } = await client.query<JobResult>({
    name: 'insert-jobs',
    text: `with inserted as (
      insert into jobs (network, ${nameColumns(tables.jobs, inserted)}, deadline_at, next_check_at)
      select $1, ${nameColumns(tables.jobs, inserted)}, ${fromMsSql('c.deadline_ms')}, ${checkDue}
      from ${unnestColumns(tables.jobs, 2, inserted, { deadline_ms: 'bigint' })}
      on conflict do nothing returning *)
      select ${hireColumns.select('i')}, ${buildEarnedSql('i')} as earned, ${isHire('i')} as "isHire"
      from inserted i where i.state = ${released}`,
    values: [
      network,
      ...toColumns(jobs, ...made),
      ...toPositionColumns(jobs.map(({ created }) => created)),
      ...toColumns(jobs, 'reviewMs', ...filled, 'deadlineMs'),
    ],
  });
  return rows;
}

const setFilled = nameColumns(tables.jobs, filled)
  .split(', ')
  .map((name) => `${name} = coalesce(c.${name}, j.${name})`)
  .join(', ');

/** @returns the jobs whose part in the earnings or the rank of their providers changes */
export async function updateJobs(
  client: ClientBase,
  network: string,
  jobs: readonly JobChange[],
): Promise<JobResult[]> {
  if (jobs.length === 0) return [];
  const { rows } = await client.query<JobResult>({
    name: 'update-jobs',
    // The last select returns the row before the update.
    text: `with updated as (update jobs j set ${setFilled},
        next_check_at = case when coalesce(c.payer, j.payer) is null or coalesce(c.coin, j.coin) is null
          then j.next_check_at end
      from ${unnestColumns(tables.jobs, 2, ['jobId', ...filled])}
      where j.network = $1 and j.job_id = c.job_id
      returning j.*),
      changed as (
        select u.*, ${buildEarnedSql('u', 'former')} as earned, ${changesEarnings('u', 'former')} as has_earned,
          ${isHire('u')} and not ${isHire('former')} as is_hire
        from updated u join jobs former on former.network = $1 and former.job_id = u.job_id)
      select ${hireColumns.select('c')}, c.earned, c.is_hire as "isHire"
      from changed c where c.has_earned or c.is_hire`,
    values: [network, ...toColumns(jobs, 'jobId', ...filled)],
  });
  return rows;
}
