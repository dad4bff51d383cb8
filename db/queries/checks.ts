import type { ListedOp } from '@adaptor-marketplace/adaptor/manifest';
import type { ClientBase } from 'pg';
import { nameColumns, type Row, readColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import type { DueItems } from './due.ts';
import { updateNamedBy } from './manifests.ts';
import { orderByKeys, type Queryable, toColumns } from './queryable.ts';
import { shownManifest } from './shown-manifest.ts';
import { checkQueue, readInTurns, type Turns, updateInTurns } from './turns.ts';

/**
 * Tables of checked registrations: `listings` (adaptors, with their service type) and `rules` (with their rule type).
 */
export type RegistrationTable = 'listings' | 'rules';

/** Column of each table with the type of the witness. */
export const typeColumns = {
  listings: nameColumns(tables.listings, ['serviceType']),
  rules: nameColumns(tables.rules, ['ruleType']),
};

const listed = {
  listings: readColumns(tables.listings, ['publisher', 'packageId'], { type: 'serviceType' }),
  rules: readColumns(tables.rules, ['publisher', 'packageId'], { type: 'ruleType' }),
};

type ListedRow = Row<(typeof listed)['listings']>;
type ListingKey = Pick<ListedRow, 'type' | 'publisher'>;

/** A due check of the witness and the publisher of a listing or rule. */
export interface ListingCheck extends ListedRow {
  /** Attempts for the current result, including this one. */
  attempts: number;
}

/** `first`: new registrations, and checks without a result yet. `again`: registrations that were checked long ago. */
export type CheckQueue = 'first' | 'again';

/** SQL parts of each queue: its columns, a further condition, and the attempts including this one. */
const queues = {
  first: { due: 'next_check_at', ready: 'check_ready', where: 'true', attempts: 'q.check_attempts + 1' },
  // A check that is being retried keeps its count.
  again: {
    due: 'recheck_at',
    ready: 'recheck_ready',
    where: 'listed',
    attempts: 'case when q.next_check_at is null then 1 else greatest(q.check_attempts, 1) end',
  },
};

const checkColumns = (table: RegistrationTable, queue: CheckQueue) =>
  `${listed[table].select('q')}, ${queues[queue].attempts} as attempts`;

/**
 * Checks by the manifest of their listing. `tried`: it was fetched, or could not be. `untried`: the check is repeated
 * when it was fetched, for its operations.
 */
export type CheckedManifests = 'any' | 'tried' | 'untried';

const isUntried = `exists (select from manifest_fetches f
  where f.network = q.network and f.hash = q.manifest_hash and f.uri = q.manifest_uri
    and f.attempts = 0 and f.next_attempt_at is not null)`;

interface DueChecksQuery {
  network: string;
  table: RegistrationTable;
  queue: CheckQueue;
  limit: number;
  turns: Turns;
  manifests?: CheckedManifests | undefined;
}

/** Priorities of first checks: those without an attempt come first. */
const firstPriorities = {
  any: checkQueue.priorities,
  tried: checkQueue.priorities.map((attempts) => `manifest_tried and ${attempts}`),
  untried: checkQueue.priorities.map((attempts) => `not manifest_tried and ${attempts}`),
};

/** Rows of checks, grouped so that a stranger, who creates publishers and listings of one package for free, cannot take all slots. */
const groupChecks = (table: RegistrationTable, queue: CheckQueue) => {
  const { due, ready, where } = queues[queue];
  const type = typeColumns[table];
  const groups = [
    { group: 'publisher', order: type },
    { group: 'package_id', order: `${type}, publisher` },
  ];
  return { table, due, ready, where, groups };
};

/** Reads due checks, in a fair order. */
export async function readDueChecks(
  db: Queryable,
  { table, queue, manifests = 'any', ...read }: DueChecksQuery,
): Promise<DueItems<ListingCheck>> {
  return await readInTurns<ListingCheck>(db, read, {
    ...groupChecks(table, queue),
    name: `due-checks-${table}-${queue}-${manifests}`,
    priorities: queue === 'again' ? ['true'] : firstPriorities[manifests],
    ...(manifests === 'untried' && { only: isUntried }),
    select: checkColumns(table, queue),
  });
}

/**
 * Moves due checks whose manifest could not be fetched from the untried to the tried ones. Those whose manifest was fetched
 * moved with it.
 * @returns `false` if some stay where they are because another transaction has locked them
 */
export async function noteTriedManifests(
  db: Queryable,
  read: { network: string; limit: number; turns: Turns },
): Promise<boolean> {
  return await updateInTurns(db, read, {
    ...groupChecks('listings', 'first'),
    name: 'note-tried-manifests',
    priorities: firstPriorities.untried,
    set: 'manifest_tried = true',
    only: `not ${isUntried}`,
  });
}

/** Reads checks in their current state, in the order of the keys; undefined for one that is no longer due. */
export async function readCurrentChecks(
  db: Queryable,
  network: string,
  table: RegistrationTable,
  queue: CheckQueue,
  keys: readonly ListingKey[],
): Promise<(ListingCheck | undefined)[]> {
  const { due, where } = queues[queue];
  const { rows } = await db.query<ListingCheck & { nth: number }>({
    name: `current-checks-${table}-${queue}`,
    text: `select key.nth::int, ${checkColumns(table, queue)}
      from unnest($2::text[], $3::text[]) with ordinality as key (type, publisher, nth)
      join ${table} q on q.network = $1 and q.${typeColumns[table]} = key.type and q.publisher = key.publisher
      where ${due} <= now() and ${where}`,
    values: [network, ...toColumns(keys, 'type', 'publisher')],
  });
  return orderByKeys(keys, rows, ({ nth: _, ...check }) => check);
}

/** Result of a check; null for a part that could not be determined. */
interface CheckOutcome {
  witness: string | null;
  publisher: string | null;
  error: string | null;
  warnings: readonly object[] | null;
  /** Operations that do not fit their functions, for listings only. Null while the package is not known. */
  misfits: readonly object[] | null;
  /** Coins of operations that their fixed objects settle, for listings only. Null while the package is not known. */
  coins: readonly object[] | null;
  /** The result is negative, but was not repeated often enough: a positive result stays stored. */
  doubted: boolean;
  /** Seconds until the next attempt. Null: no retry. */
  retryAfterSeconds: number | null;
  recheckAfterSeconds: number;
}

export interface CheckResult {
  check: ListingCheck;
  outcome: CheckOutcome;
}

/**
 * Stores the results of checks, each of a different listing. A part without a result keeps its former one. A listing
 * that moved to another package meanwhile stays as it is: a check of its own is due. A retry that is due already is not
 * postponed.
 * @returns the listings whose catalog entry can change
 */
export async function recordChecks(
  client: ClientBase,
  network: string,
  table: RegistrationTable,
  results: readonly CheckResult[],
): Promise<ListingKey[]> {
  const [checks, outcomes] = [results.map(({ check }) => check), results.map(({ outcome }) => outcome)];
  const hasOps = table === 'listings';
  const type = typeColumns[table];
  const columns = [
    'publisher_check',
    'witness_check',
    'witness_warnings',
    ...(hasOps ? ['op_misfits', 'op_coins'] : []),
  ];
  const listQualifiedColumns = (row: string) => columns.map((column) => `${row}.${column}`).join(', ');
  const { rows } = await client.query<ListingKey & { changed: boolean }>({
    name: `record-checks-${table}`,
    text: `with found as (
        select * from unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::text[], $7::text[], $8::text[], $9::jsonb[],
          $10::jsonb[], $11::jsonb[], $12::boolean[], $13::float8[], $14::float8[])
        as f (type, publisher, package_id, attempts, witness, verdict, error, warnings, misfits, coins, doubted,
          retry_after, recheck_after)),
      former as (
        select l.${type} as type, l.publisher, l.next_check_at, ${listQualifiedColumns('l')} from found f join ${table} l
          on l.network = $1 and l.${type} = f.type and l.publisher = f.publisher and l.package_id = f.package_id
        for update of l)
      update ${table} l set
        witness_check = case when f.doubted and former.witness_check = 'valid' then 'valid'
          else coalesce(f.witness, former.witness_check) end,
        publisher_check = case when f.doubted and former.publisher_check = 'verified' then 'verified'
          when f.verdict = 'unknown' and former.publisher_check <> 'pending' then former.publisher_check
          else coalesce(f.verdict, former.publisher_check) end,
        witness_warnings = coalesce(f.warnings, former.witness_warnings),
        ${hasOps ? 'op_misfits = coalesce(f.misfits, former.op_misfits), op_coins = coalesce(f.coins, former.op_coins),' : ''}
        check_attempts = f.attempts, check_error = f.error,
        next_check_at = case when f.retry_after is not null then least(now() + make_interval(secs => f.retry_after),
          case when former.next_check_at > now() then former.next_check_at end) end,
        recheck_at = now() + make_interval(secs => f.recheck_after), check_ready = false, recheck_ready = false
      from former join found f using (type, publisher)
      where l.network = $1 and l.${type} = f.type and l.publisher = f.publisher
      returning f.type, f.publisher, (${listQualifiedColumns('former')}) is distinct from (${listQualifiedColumns('l')}) as changed`,
    values: [
      network,
      ...toColumns(checks, 'type', 'publisher', 'packageId', 'attempts'),
      ...toColumns(outcomes, 'witness', 'publisher', 'error'),
      outcomes.map(({ warnings }) => warnings && JSON.stringify(warnings)),
      outcomes.map(({ misfits }) => misfits && JSON.stringify(misfits)),
      outcomes.map(({ coins }) => coins && JSON.stringify(coins)),
      ...toColumns(outcomes, 'doubted', 'retryAfterSeconds', 'recheckAfterSeconds'),
    ],
  });
  const changed = rows
    .filter((row) => row.changed)
    .map(({ publisher, ...row }) => ({ type: row.type, publisher }));
  await updateNamedBy(client, network, { table, type, keys: changed });
  return changed;
}

export interface ListedOps extends ListingKey {
  manifestHash: string;
  ops: ListedOp[];
}

/** SQL for those of the listings `key` whose manifest is known to fit: the ops of others are never shown. */
const fittingListings = `unnest($2::text[], $3::text[]) as key (service_type, publisher)
      join listings l on l.network = $1 and l.service_type = key.service_type and l.publisher = key.publisher
        and l.manifest_error is null and not l.judgement_due
      join manifests m on m.hash = l.manifest_hash`;

/**
 * Reads the ops of listings whose manifest is known to fit. The ops of a manifest are read once, however many listings
 * name it: those with the same hash have the same array.
 */
export async function readOps(
  db: Queryable,
  network: string,
  listings: readonly ListingKey[],
): Promise<ListedOps[]> {
  const { rows } = await db.query<Omit<ListedOps, 'ops'> & { ops: ListedOp[] | null }>({
    name: 'find-ops',
    text: `select l.service_type as type, l.publisher, m.hash as "manifestHash",
        case when row_number() over (partition by m.hash) = 1 then ${shownManifest} -> 'ops' end as ops
      from ${fittingListings}`,
    values: [network, ...toColumns(listings, 'type', 'publisher')],
  });
  const byHash = new Map(rows.flatMap(({ manifestHash, ops }) => (ops ? [[manifestHash, ops]] : [])));
  return rows.flatMap((row) => {
    const ops = byHash.get(row.manifestHash);
    return ops ? [{ ...row, ops }] : [];
  });
}

/** Reads the hashes of the manifests of listings, of those whose manifest is known to fit. */
export async function readFittingHashes(
  db: Queryable,
  network: string,
  listings: readonly ListingKey[],
): Promise<Omit<ListedOps, 'ops'>[]> {
  const { rows } = await db.query<Omit<ListedOps, 'ops'>>({
    name: 'find-fitting-hashes',
    text: `select l.service_type as type, l.publisher, m.hash as "manifestHash" from ${fittingListings}`,
    values: [network, ...toColumns(listings, 'type', 'publisher')],
  });
  return rows;
}

/**
 * SQL condition: something of the network waits for its first check. That is a witness, a publisher, or the manifest of
 * a listing or rule that passed both checks. A stranger's listing is not in the catalog, so its host does not decide
 * when the network is ready.
 */
const isWaiting = (table: RegistrationTable) => `exists (
    select from ${table} l where l.network = $1 and l.next_check_at is not null and l.check_attempts = 0)
  or exists (
    select from manifest_fetches f join ${table} l
      on l.network = f.network and l.manifest_hash = f.hash and l.manifest_uri = f.uri
    where f.network = $1 and f.next_attempt_at is not null and f.status = 'pending' and f.attempts = 0
      and l.listed and l.publisher_check = 'verified' and l.witness_check = 'valid')
  or exists (
    select from manifest_fetches f join ${table} l
      on l.network = f.network and l.manifest_hash = f.hash and l.manifest_uri = f.uri
    where f.network = $1 and f.apply_at is not null and l.judgement_due
      and l.listed and l.publisher_check = 'verified' and l.witness_check = 'valid')`;

/**
 * Marks a source's history as checked once everything that it brought was checked.
 * @param table of its checks; undefined if nothing of it needs a check
 * @returns `true` if the history is checked
 */
export async function endWait(
  db: Queryable,
  network: string,
  source: string,
  table: RegistrationTable | undefined,
): Promise<boolean> {
  const { rows } = await db.query<{ judged: boolean }>({
    name: `end-wait-${table ?? 'none'}`,
    text: `with state as materialized (select ${table ? `not (${isWaiting(table)})` : 'true'} as judged),
      ended as (
        update sources s set unjudged_since = null from state
        where s.network = $1 and s.name = $2 and s.unjudged_since is not null and state.judged)
      select judged from state`,
    values: [network, source],
  });
  return rows[0]?.judged ?? false;
}
