import type { Pool } from 'pg';
import { type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { inTransaction } from '../../transaction.ts';
import type { DueItems } from '../due.ts';
import type { Queryable } from '../queryable.ts';
import { checkQueue, readInTurns, type Turns } from '../turns.ts';
import { buildDomainSeenSql, buildPackageNameSql, buildPublisherNameSql } from './identity.ts';
import type { ListingKey } from './maintain.ts';
import { entriesMax, refreshPages } from './refresh-pages.ts';
import { lockCatalog } from './revision.ts';

const proofKey = readColumns(tables.publisherProofs, ['publisher', 'kind', 'claim']);

interface ProofKey extends Row<typeof proofKey> {}

/** A due check of a name that a publisher or its package has or claims. */
export interface ProofCheck extends ProofKey {
  /** Failed attempts since the last success, this one included if it fails. */
  attempts: number;
  /** `false` if no entry of the publisher, for a package of its own, shows the result. */
  needed: boolean;
}

const buildNeededSql = (row: string) => `exists (
    select from catalog_entries e where e.network = $1 and e.publisher = ${row}.publisher and e.publisher_verified
      and case ${row}.kind when 'domain' then e.domain = ${row}.claim when 'mvr' then e.package_id = ${row}.claim
        else true end)`;
const checkColumns = `${proofKey.select('q')}, q.check_attempts + 1 as attempts, ${buildNeededSql('q')} as needed`;

/**
 * Reads the due checks. A publisher can claim any number of domains and have any number of packages, and any number of
 * publishers can claim one domain: neither delays the others.
 */
export async function readDueProofs(
  db: Queryable,
  network: string,
  kind: tables.ProofKind,
  limit: number,
  turns: Turns,
): Promise<DueItems<ProofCheck>> {
  return await readInTurns<ProofCheck>(
    db,
    { network, limit, turns },
    {
      name: `due-proofs-${kind}`,
      table: 'publisher_proofs',
      ...checkQueue,
      where: `kind = '${kind}'`,
      groups:
        kind === 'domain'
          ? [
              { group: 'claim', order: 'publisher' },
              { group: 'publisher', order: 'claim' },
            ]
          : [{ group: 'publisher', order: 'claim' }],
      select: checkColumns,
    },
  );
}

const proofCondition = 'network = $1 and publisher = $2 and kind = $3 and claim = $4';
const toValues = (network: string, { publisher, kind, claim }: ProofKey) => [network, publisher, kind, claim];

/** Reads a check in its current state; undefined if it is not due now. */
export async function readDueProof(
  db: Queryable,
  network: string,
  key: ProofKey,
): Promise<ProofCheck | undefined> {
  const { rows } = await db.query<ProofCheck>({
    name: 'due-proof',
    text: `select ${checkColumns} from publisher_proofs q where ${proofCondition} and next_check_at <= now()`,
    values: toValues(network, key),
  });
  return rows[0];
}

export interface ProofFinding {
  /** The proven name; null if there is none, undefined if the check found nothing out: the former name stays. */
  name: string | null | undefined;
  /** The reason why the check failed; null if it did not. */
  error: string | null;
}

interface ProofOutcome extends Omit<ProofCheck, 'needed'>, ProofFinding {
  /** Seconds until the next check. Null: no entry shows the result, so the check ends. */
  nextAfterSeconds: number | null;
}

/**
 * Stores the result of a check, and changes the entries of the publisher. The check stays due until all of them have
 * changed, so another process completes what this one leaves.
 */
export async function recordProof(
  pool: Pool,
  network: string,
  outcome: ProofOutcome,
  pageSize = entriesMax,
): Promise<void> {
  const { name, error, attempts, nextAfterSeconds, publisher } = outcome;
  const key = toValues(network, outcome);
  await pool.query({
    name: 'record-proof',
    text: `update publisher_proofs set name = case when $5 then $6 else name end,
        seen_at = case when not $5 then seen_at when $6::text is not null then now() end,
        last_error = $7, check_attempts = case when $7::text is null then 0 else $8::int end
      where ${proofCondition}`,
    values: [...key, name !== undefined, name ?? null, error, attempts],
  });
  // Most checks find what they found before, so the catalog is not locked for them.
  await refreshPages(
    pool,
    network,
    (db, after, limit) => findRenamed(db, network, publisher, after, limit),
    pageSize,
  );
  if (nextAfterSeconds !== null) {
    await pool.query({
      name: 'schedule-proof',
      text: `update publisher_proofs set next_check_at = now() + make_interval(secs => $5::float8), check_ready = false
        where ${proofCondition}`,
      values: [...key, nextAfterSeconds],
    });
    return;
  }
  await inTransaction(pool, async (client) => {
    // An entry may need it again meanwhile. Entries change under this lock.
    await lockCatalog(client, network);
    await client.query({
      name: 'end-proof',
      text: `delete from publisher_proofs p where ${proofCondition} and not ${buildNeededSql('p')}`,
      values: key,
    });
  });
}

/** Finds the publisher's entries after one that show another domain or name than the stored one. */
async function findRenamed(
  db: Queryable,
  network: string,
  publisher: string,
  after: ListingKey | undefined,
  limit: number,
): Promise<ListingKey[]> {
  const { rows } = await db.query<ListingKey>({
    name: 'find-renamed-entries',
    text: `select e.service_type as "serviceType", e.publisher from catalog_entries e
      where e.network = $1 and e.publisher = $2 and e.service_type > $3
        and (e.domain_seen_at, e.publisher_name, e.package_name)
          is distinct from (${buildDomainSeenSql('e.publisher', 'e.domain')}, ${buildPublisherNameSql('e.publisher')},
            ${buildPackageNameSql('e.publisher', 'e.package_id')})
      order by e.service_type limit $4`,
    values: [network, publisher, after?.serviceType ?? '', limit],
  });
  return rows;
}
