import type { ClientBase, Pool } from 'pg';
import { lockUntilCommit } from '../../lock.ts';
import { type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { inTransaction } from '../../transaction.ts';
import type { ListingKey } from '../catalog/maintain.ts';
import { entriesMax, refreshPages } from '../catalog/refresh-pages.ts';
import { buildSourceVerdictSql, type SourceVerdict } from '../catalog/source-verdict.ts';
import type { DueItems } from '../due.ts';
import type { Queryable } from '../queryable.ts';
import { appendServiceEvents } from '../service-events.ts';
import { readInTurns, type Turns } from '../turns.ts';
import { offersLock } from './offers.ts';
import { rankResult, type SourceReport } from './report.ts';

const dueColumns = readColumns(tables.packageSources, ['packageId', 'hash', 'sourceHash']);

/** An offer whose build is due. */
export interface DueBuild extends Row<typeof dueColumns> {
  /** Attempts, this one included. */
  attempts: number;
  /** `true` for source that no person sent. */
  named: boolean;
}

const selectDue = `${dueColumns.select('q')}, q.check_attempts + 1 as attempts, q.sender is null as named`;
const priority = '(case when sender is null then 2 else least(check_attempts, 1) end)';

/** Reads the due builds: offers of persons, then other source. A package with many offers delays no other. */
export async function readDueBuilds(
  db: Queryable,
  read: { network: string; limit: number; turns: Turns },
): Promise<DueItems<DueBuild>> {
  return await readInTurns<DueBuild>(db, read, {
    name: 'due-builds',
    table: 'package_sources',
    due: 'next_check_at',
    ready: 'check_ready',
    priorities: [0, 1, 2].map((value) => `${priority} = ${value}`),
    groups: [{ group: 'package_id', order: 'hash' }],
    select: selectDue,
  });
}

interface OfferKey {
  network: string;
  packageId: string;
  hash: string;
}

/** Reads a due build in its current state, with the offered content; undefined if it is no longer due. */
export async function readDueBuild(
  db: Queryable,
  { network, packageId, hash }: OfferKey,
): Promise<(DueBuild & { content: Buffer }) | undefined> {
  const { rows } = await db.query<DueBuild & { content: Buffer }>({
    name: 'due-build',
    text: `select ${selectDue}, s.content from package_sources q join offered_sources s using (hash)
      where q.network = $1 and q.package_id = $2 and q.hash = $3 and q.next_check_at <= now()`,
    values: [network, packageId, hash],
  });
  return rows[0];
}

/** Number of the newest results of a package that stay beside the best one. */
const recentMax = 4;
/** Maximum number of listings of one package that an event is added for. */
const listingsMax = 100;

/**
 * Stores the result of a build, changes the entries of the package, and takes the build out of the queue. The package
 * has the best result of all offers: a worse one replaces nothing, and of equal ones the earliest stays. If that changes the
 * package's verdict, its listings get an event. The build stays due until all entries have changed, so another process
 * completes what this one leaves.
 */
export async function recordVerification(
  pool: Pool,
  key: OfferKey,
  { verdict, report }: { verdict: SourceVerdict; report: SourceReport },
  pageSize = entriesMax,
): Promise<void> {
  const { network, packageId, hash } = key;
  await inTransaction(pool, async (client) => {
    await lockUntilCommit(client, offersLock);
    const before = await readBestVerdict(client, key);
    const { rowCount } = await client.query({
      name: 'record-verification',
      text: `update package_sources set verdict = $4, rank = $5, report = $6, verified_at = clock_timestamp(), sender = null,
          last_error = null
        where network = $1 and package_id = $2 and hash = $3 and next_check_at is not null`,
      values: [network, packageId, hash, verdict, rankResult(verdict, report), JSON.stringify(report)],
    });
    if (rowCount === 0) return;
    await deleteSurplus(client, key);
    const after = await readBestVerdict(client, key);
    if (after !== before) await announceVerdict(client, key, { verdict: after!, before });
  });
  await refreshPages(pool, network, (db, last, limit) => findOutdated(db, key, last, limit), pageSize);
  await pool.query({
    name: 'end-build',
    text: `update package_sources set next_check_at = null, check_ready = false
      where network = $1 and package_id = $2 and hash = $3 and verdict is not null`,
    values: [network, packageId, hash],
  });
}

/** Finds the package's entries after one that have another verdict than the best one. */
async function findOutdated(
  db: Queryable,
  { network, packageId }: OfferKey,
  after: ListingKey | undefined,
  limit: number,
): Promise<ListingKey[]> {
  const { rows } = await db.query<ListingKey>({
    name: 'find-entries-of-other-verdict',
    text: `select e.service_type as "serviceType", e.publisher from catalog_entries e
      where e.network = $1 and e.package_id = $2 and (e.service_type, e.publisher) > ($3, $4)
        and e.source_verdict is distinct from ${buildSourceVerdictSql('$1', '$2')}
      order by e.service_type, e.publisher limit $5`,
    values: [network, packageId, after?.serviceType ?? '', after?.publisher ?? '', limit],
  });
  return rows;
}

async function readBestVerdict(client: ClientBase, { network, packageId }: OfferKey) {
  const { rows } = await client.query<{ verdict: SourceVerdict | null }>({
    name: 'best-source-verdict',
    text: `select ${buildSourceVerdictSql('$1', '$2')} as verdict`,
    values: [network, packageId],
  });
  return rows[0]!.verdict;
}

/** Deletes results beyond the best and the newest ones, and contents that no offer names any longer. */
async function deleteSurplus(client: ClientBase, { network, packageId }: OfferKey): Promise<void> {
  await client.query({
    name: 'delete-surplus-sources',
    text: `with ordered as (
        select hash, row_number() over (order by rank, offered_at) as nth,
          row_number() over (order by verified_at desc) as newest
        from package_sources where network = $1 and package_id = $2 and rank is not null),
      deleted as (
        delete from package_sources p using ordered o
        where p.network = $1 and p.package_id = $2 and p.hash = o.hash and o.nth > 1 and o.newest > ${recentMax}
        returning p.hash)
      delete from offered_sources s using deleted d where s.hash = d.hash and not exists (
        select from package_sources p where p.hash = d.hash and (p.network, p.package_id) <> ($1, $2))`,
    values: [network, packageId],
  });
}

async function announceVerdict(
  client: ClientBase,
  { network, packageId }: OfferKey,
  { verdict, before }: { verdict: SourceVerdict; before: SourceVerdict | null },
): Promise<void> {
  const { rows } = await client.query<{ serviceType: string }>({
    name: 'listed-types-of-package',
    text: `select distinct service_type as "serviceType" from catalog_entries
      where network = $1 and package_id = $2 order by service_type limit ${listingsMax}`,
    values: [network, packageId],
  });
  const change = { publisher: null, packageId, verdict, before };
  await appendServiceEvents(
    client,
    rows.map(({ serviceType }) => ({
      network,
      name: 'SourceVerdictChanged',
      data: { serviceType, ...change },
    })),
  );
}

/** Stores an attempt that a later one repeats: the node did not show the package. */
export async function postponeBuild(
  db: Queryable,
  { network, packageId, hash }: OfferKey,
  { attempts, reason, retryAfterSeconds }: { attempts: number; reason: string; retryAfterSeconds: number },
): Promise<void> {
  await db.query({
    name: 'postpone-build',
    text: `update package_sources set last_error = $4, check_attempts = $5,
        next_check_at = now() + make_interval(secs => $6::float8), check_ready = false
      where network = $1 and package_id = $2 and hash = $3 and next_check_at is not null`,
    values: [network, packageId, hash, reason, attempts, retryAfterSeconds],
  });
}
