import type { ListedOp } from '@adaptor-marketplace/adaptor/manifest';
import type { ClientBase } from 'pg';
import type { Queryable } from './queryable.ts';

/** What is listed: adaptors with their service type, or rules with their rule type. */
export type Listed = 'listings' | 'rules';

/** The column of each that has the type of the witness. */
export const typeColumns = { listings: 'service_type', rules: 'rule_type' };

interface ListingKey {
  /** Type of the witness. */
  type: string;
  publisher: string;
}

/** A listing, or rule, whose witness and publisher are checked. */
export interface ListingCheck extends ListingKey {
  packageId: string;
  /** At the present answer, this one included. */
  attempts: number;
}

/** `first`: what the chain has just brought, and what could not be answered yet. `again`: what was answered long ago. */
export type CheckQueue = 'first' | 'again';

/** For each queue the column with the due time, what else must hold, and the attempts at the present answer. */
const queues = {
  first: { due: 'next_check_at', where: 'true', attempts: 'check_attempts + 1' },
  // One that is being retried keeps its count.
  again: {
    due: 'recheck_at',
    where: 'listed',
    attempts: 'case when next_check_at is null then 1 else greatest(check_attempts, 1) end',
  },
};

const checkColumns = (table: Listed, queue: CheckQueue) =>
  `${typeColumns[table]} as type, publisher, package_id as "packageId", ${queues[queue].attempts} as attempts`;

/**
 * Checks that are due, in a fair order. A stranger makes publishers, and many listings of one package, for free: neither
 * may take all slots.
 */
export async function readDueChecks(
  db: Queryable,
  network: string,
  table: Listed,
  queue: CheckQueue,
  limit: number,
): Promise<ListingCheck[]> {
  const { due, where } = queues[queue];
  const { rows } = await db.query<ListingCheck>({
    name: `due-checks-${table}-${queue}`,
    text: `with due as (
        select ${checkColumns(table, queue)} from ${table} where network = $1 and ${due} <= now() and ${where}
      ), ranked as (
        select *, row_number() over (partition by publisher order by attempts, random()) as of_publisher,
          row_number() over (partition by "packageId" order by attempts, random()) as of_package
        from due
      )
      select type, publisher, "packageId", attempts from ranked
      order by attempts > 1, greatest(of_publisher, of_package), random() limit $2`,
    values: [network, limit],
  });
  return rows;
}

/** A check as it is now; undefined where it is no longer due. */
export async function readDueCheck(
  db: Queryable,
  network: string,
  table: Listed,
  queue: CheckQueue,
  { type, publisher }: ListingKey,
): Promise<ListingCheck | undefined> {
  const { due, where } = queues[queue];
  const { rows } = await db.query<ListingCheck>({
    name: `due-check-${table}-${queue}`,
    text: `select ${checkColumns(table, queue)} from ${table}
      where network = $1 and ${typeColumns[table]} = $2 and publisher = $3 and ${due} <= now() and ${where}`,
    values: [network, type, publisher],
  });
  return rows[0];
}

/** Milliseconds until the next check is due; undefined where none is scheduled. */
export async function msUntilNextCheck(
  db: Queryable,
  network: string,
  table: Listed,
  queue: CheckQueue,
): Promise<number | undefined> {
  const { due, where } = queues[queue];
  const { rows } = await db.query<{ ms: number | null }>({
    name: `next-check-${table}-${queue}`,
    text: `select (extract(epoch from min(${due}) - now()) * 1000)::float8 as ms
      from ${table} where network = $1 and ${due} > now() and ${where}`,
    values: [network],
  });
  return rows[0]?.ms ?? undefined;
}

/** What a check found; null where it could not be answered. */
interface CheckOutcome {
  witness: string | null;
  publisher: string | null;
  error: string | null;
  warnings: readonly object[] | null;
  /** Of listings only; null while the package is not known. */
  misfits: readonly object[] | null;
  /** A negative answer that was not repeated often enough: positive answers stay. */
  doubted: boolean;
  /** Null: no retry. */
  retryAfterSeconds: number | null;
  recheckAfterSeconds: number;
}

/**
 * Stores what a check found. A question without an answer keeps its former one. A listing that moved to another package
 * meanwhile stays as it is: it has a check of its own due.
 * @returns whether what is shown of the listing changed
 */
export async function recordCheck(
  client: ClientBase,
  network: string,
  table: Listed,
  check: ListingCheck,
  outcome: CheckOutcome,
): Promise<boolean> {
  const hasOps = table === 'listings';
  const columns = ['publisher_check', 'witness_check', 'witness_warnings', ...(hasOps ? ['op_misfits'] : [])];
  const columnsOf = (row: string) => columns.map((column) => `${row}.${column}`).join(', ');
  const { rows } = await client.query<{ changed: boolean }>({
    name: `record-check-${table}`,
    text: `with former as (
        select ${columns.join(', ')} from ${table}
        where network = $1 and ${typeColumns[table]} = $2 and publisher = $3 and package_id = $4 for update)
      update ${table} l set
        witness_check = case when $9 and former.witness_check = 'valid' then 'valid'
          else coalesce($5, former.witness_check) end,
        publisher_check = case when $9 and former.publisher_check = 'verified' then 'verified'
          when $6 = 'unknown' and former.publisher_check <> 'pending' then former.publisher_check
          else coalesce($6, former.publisher_check) end,
        witness_warnings = coalesce($11::jsonb, former.witness_warnings),
        ${hasOps ? 'op_misfits = coalesce($13::jsonb, former.op_misfits),' : ''}
        check_attempts = $12, check_error = $7, next_check_at = now() + make_interval(secs => $8),
        recheck_at = now() + make_interval(secs => $10)
      from former where l.network = $1 and l.${typeColumns[table]} = $2 and l.publisher = $3
      returning (${columnsOf('former')}) is distinct from (${columnsOf('l')}) as changed`,
    values: [
      network,
      check.type,
      check.publisher,
      check.packageId,
      outcome.witness,
      outcome.publisher,
      outcome.error,
      outcome.retryAfterSeconds,
      outcome.doubted,
      outcome.recheckAfterSeconds,
      outcome.warnings && JSON.stringify(outcome.warnings),
      check.attempts,
      ...(hasOps ? [outcome.misfits && JSON.stringify(outcome.misfits)] : []),
    ],
  });
  return rows[0]?.changed ?? false;
}

/**
 * The ops of a listing's present manifest; undefined while it is not known. Locks the listing, so that a manifest that
 * is stored meanwhile is either seen, or has the listing checked again.
 */
export async function lockOps(
  client: ClientBase,
  network: string,
  { type, publisher }: ListingKey,
): Promise<{ manifestHash: string; ops: ListedOp[] } | undefined> {
  const values = [network, type, publisher];
  await client.query({
    name: 'lock-listing',
    text: 'select from listings where network = $1 and service_type = $2 and publisher = $3 for update',
    values,
  });
  // A second statement: one that had to wait for the lock would see the manifests from before.
  const { rows } = await client.query<{ manifestHash: string; ops: ListedOp[] | null }>({
    name: 'find-ops',
    text: `select m.hash as "manifestHash", m.body -> 'ops' as ops
      from listings l join manifests m on m.hash = l.manifest_hash
      where l.network = $1 and l.service_type = $2 and l.publisher = $3`,
    values,
  });
  const [row] = rows;
  return row?.ops ? { manifestHash: row.manifestHash, ops: row.ops } : undefined;
}

/** Makes the listings of a manifest that has just been stored due for a check of the functions that its ops call. */
export async function recheckOps(client: ClientBase, network: string, manifestHash: string): Promise<void> {
  await client.query({
    name: 'recheck-ops',
    text: `update listings set recheck_at = now()
      where network = $1 and manifest_hash = $2 and listed`,
    values: [network, manifestHash],
  });
}

/**
 * What waits for its first check: witnesses and publishers, and the manifests of listings whose check they passed. A
 * stranger's listing is not in the catalog, so its host does not decide when the network is ready.
 */
const waits = (table: Listed) => `exists (
    select from ${table} l where l.network = $1 and l.next_check_at is not null and l.check_attempts = 0)
  or exists (
    select from manifest_fetches f join ${table} l
      on l.network = f.network and l.manifest_hash = f.hash and l.manifest_uri = f.uri
    where f.network = $1 and f.next_attempt_at is not null and f.status = 'pending' and f.attempts = 0
      and l.listed and l.publisher_check = 'verified' and l.witness_check = 'valid')`;

/**
 * Ends the wait of a source's history where everything that it brought was checked.
 * @param table where its checks are; undefined where nothing that is shown waits for any
 * @returns whether it was
 */
export async function endWait(
  db: Queryable,
  network: string,
  source: string,
  table: Listed | undefined,
): Promise<boolean> {
  const { rows } = await db.query<{ judged: boolean }>({
    name: `end-wait-${table ?? 'none'}`,
    text: `with state as materialized (select ${table ? `not (${waits(table)})` : 'true'} as judged),
      ended as (
        update sources s set unjudged_since = null from state
        where s.network = $1 and s.name = $2 and s.unjudged_since is not null and state.judged)
      select judged from state`,
    values: [network, source],
  });
  return rows[0]?.judged ?? false;
}

/** A job whose object on chain must be read. */
export interface JobCheck {
  jobId: string;
  /** This one included. */
  attempts: number;
}

const columns = 'job_id as "jobId", check_attempts + 1 as attempts';

/** The jobs whose check is due, the longest due first. */
export async function readDueJobs(db: Queryable, network: string, limit: number): Promise<JobCheck[]> {
  const { rows } = await db.query<JobCheck>({
    name: 'due-jobs',
    text: `select ${columns} from jobs where network = $1 and next_check_at <= now()
      order by next_check_at limit $2`,
    values: [network, limit],
  });
  return rows;
}

/** The check of a job as it is now; undefined where it is no longer due. */
export async function readDueJob(
  db: Queryable,
  network: string,
  jobId: string,
): Promise<JobCheck | undefined> {
  const { rows } = await db.query<JobCheck>({
    name: 'due-job',
    text: `select ${columns} from jobs where network = $1 and job_id = $2 and next_check_at <= now()`,
    values: [network, jobId],
  });
  return rows[0];
}

/** Milliseconds until the next check of a job is due; undefined where none is scheduled. */
export async function msUntilNextJob(db: Queryable, network: string): Promise<number | undefined> {
  const { rows } = await db.query<{ ms: number | null }>({
    name: 'next-job',
    text: `select (extract(epoch from min(next_check_at) - now()) * 1000)::float8 as ms
      from jobs where network = $1 and next_check_at > now()`,
    values: [network],
  });
  return rows[0]?.ms ?? undefined;
}

interface JobCheckOutcome extends JobCheck {
  coin: string | null;
  payer: string | null;
  error: string | null;
  /** Null: never. */
  retryAfterSeconds: number | null;
}

/** Stores what a check found. Coin and payer that an event has brought meanwhile stay. */
export async function recordJobCheck(
  db: Queryable,
  network: string,
  { jobId, attempts, coin, payer, error, retryAfterSeconds }: JobCheckOutcome,
): Promise<void> {
  await db.query({
    name: 'record-job-check',
    text: `update jobs set coin = coalesce(coin, $3), payer = coalesce(payer, $4), check_error = $5,
        check_attempts = $7, next_check_at = now() + make_interval(secs => $6)
      where network = $1 and job_id = $2`,
    values: [network, jobId, coin, payer, error, retryAfterSeconds, attempts],
  });
}
