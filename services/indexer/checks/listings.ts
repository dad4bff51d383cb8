import type { Database } from '../../../db/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { Unknown } from '../../../lib/chain/answers.ts';
import { type ChainClient, createChainClient } from '../../../lib/chain/client.ts';
import { findPublishers, isVerifiedPublisher, type PublisherVerdict } from '../../../lib/chain/publisher.ts';
import type { WitnessCheck } from '../../../lib/chain/witness.ts';
import type { NetworkSettings } from '../../../lib/config/index.ts';
import type { IndexerMetrics } from '../metrics.ts';
import { publicMessage } from '../public-message.ts';
import { bumpCatalog } from '../store/catalog.ts';
import type { WorkQueue } from './queue.ts';
import { recheckAfterSeconds, retryAfterSeconds } from './schedule.ts';
import { checkListedWitness, type ListedWitness } from './witness.ts';

/** What is listed: adaptors with their service type, or rules with their rule type. */
export type Listed = 'listings' | 'rules';

interface Listing {
  /** The witness's. */
  type: string;
  publisher: string;
  packageId: string;
  attempts: number;
}

export interface ListingQueues {
  /** What the chain has just brought, and what could not be told yet. */
  first: WorkQueue<Listing>;
  /** What was told long ago. In a queue of its own, so that however many are due, a new listing does not wait. */
  again: WorkQueue<Listing>;
  close(): void;
}

const leaseSeconds = 120;
/** A no is asked about again this often: another replica behind the same url may not have the package yet. */
const doubtedAttempts = 2;

/** Where each has the type of its witness. */
export const typeColumns = { listings: 'service_type', rules: 'rule_type' };

/** Asks the chain what a listing's events do not say: whether its witness exists, and who may speak for its package. */
export function listingQueues(
  table: Listed,
  db: Database,
  settings: NetworkSettings,
  metrics: IndexerMetrics,
): ListingQueues {
  const { network, rpcUrl, archiveUrl, rpcToken: token } = settings;
  const client = createChainClient({ url: rpcUrl, token });
  const archive = archiveUrl ? createChainClient({ url: archiveUrl, token }) : undefined;

  async function work(listing: Listing): Promise<void> {
    const [witness, publisher] = await Promise.all([
      checkListedWitness(client, listing),
      checkPublisher(client, archive, listing),
    ]);
    await record(table, db, settings, listing, witness, publisher);
    metrics.checks.inc({ network, check: 'witness', state: witness.check.status });
    metrics.checks.inc({ network, check: 'publisher', state: publisher.status });
  }

  const type = typeColumns[table];

  /** Claims lengthen the due time by a lease, and count the attempts at the present answer. */
  const queue = (part: {
    name: string;
    concurrency: number;
    due: string;
    where: string;
    attempts: string;
  }) => ({
    name: `${network}/${part.name}`,
    concurrency: part.concurrency,
    work,
    async claim() {
      const { rows } = await db.pool.query<Listing>({
        name: `claim-${part.name}`,
        text: `with due as (
            select network, ${type}, publisher from ${table}
            where network = $1 and ${part.due} <= now() and ${part.where}
            order by ${part.due} limit 1 for update skip locked)
          update ${table} l set check_attempts = ${part.attempts},
            ${part.due} = now() + make_interval(secs => $2)
          from due where l.network = due.network and l.${type} = due.${type} and l.publisher = due.publisher
          returning l.${type} as type, l.publisher, l.package_id as "packageId",
            l.check_attempts as attempts`,
        values: [network, leaseSeconds],
      });
      return rows[0];
    },
    async nextDueMs() {
      const { rows } = await db.pool.query<{ ms: number | null }>({
        name: `next-${part.name}`,
        text: `select (extract(epoch from min(${part.due}) - now()) * 1000)::float8 as ms
          from ${table} where network = $1 and ${part.where}`,
        values: [network],
      });
      return rows[0]?.ms ?? undefined;
    },
  });

  return {
    first: queue({
      name: table,
      concurrency: 4,
      due: 'next_check_at',
      where: 'next_check_at is not null',
      attempts: 'l.check_attempts + 1',
    }),
    // One that is being tried already keeps its count.
    again: queue({
      name: `${table}-again`,
      concurrency: 1,
      due: 'recheck_at',
      where: 'listed and recheck_at is not null',
      attempts: 'case when l.next_check_at is null then 1 else l.check_attempts end',
    }),
    close() {
      client.close();
      archive?.close();
    },
  };
}

async function checkPublisher(
  client: ChainClient,
  archive: ChainClient | undefined,
  { packageId, publisher }: Listing,
): Promise<PublisherVerdict> {
  const verdict = isVerifiedPublisher(await findPublishers(client, packageId), publisher);
  if (!archive || verdict.status !== 'unknown' || verdict.retryable) return verdict;
  return isVerifiedPublisher(await findPublishers(archive, packageId), publisher);
}

/**
 * What could not be told leaves the former answer, and so does a no against a former yes until it was said
 * often enough: one replica that is behind must not take an adaptor out of the catalog.
 */
async function record(
  table: Listed,
  db: Database,
  { network, rpcToken }: NetworkSettings,
  listing: Listing,
  { check: witness, warnings }: ListedWitness,
  publisher: PublisherVerdict,
): Promise<void> {
  const open = isOpen(witness) || isOpen(publisher);
  const doubted =
    listing.attempts <= doubtedAttempts &&
    (witness.status === 'invalid' || publisher.status === 'unverified');
  const reasons = [witness, publisher].flatMap((check) => ('reason' in check ? [check.reason] : []));
  await inTransaction(db.pool, async (client) => {
    // A listing that changed meanwhile has a check of its own due.
    const { rows } = await client.query<{ changed: boolean }>(
      `with former as (
          select witness_check, publisher_check, witness_warnings from ${table}
          where network = $1 and ${typeColumns[table]} = $2 and publisher = $3 and package_id = $4 for update)
        update ${table} l set
          witness_check = case when $9 and former.witness_check = 'valid' then 'valid'
            else coalesce($5, former.witness_check) end,
          publisher_check = case when $9 and former.publisher_check = 'verified' then 'verified'
            when $6 = 'unknown' and former.publisher_check <> 'pending' then former.publisher_check
            else coalesce($6, former.publisher_check) end,
          witness_warnings = coalesce($11::jsonb, former.witness_warnings),
          check_error = $7, next_check_at = now() + make_interval(secs => $8),
          recheck_at = now() + make_interval(secs => $10)
        from former where l.network = $1 and l.${typeColumns[table]} = $2 and l.publisher = $3
        returning (former.witness_check, former.publisher_check, former.witness_warnings)
          is distinct from (l.witness_check, l.publisher_check, l.witness_warnings) as changed`,
      [
        network,
        listing.type,
        listing.publisher,
        listing.packageId,
        witness.status === 'unknown' ? null : witness.status,
        publisher.status === 'unknown' && publisher.retryable ? null : publisher.status,
        publicMessage(reasons.join(' '), [rpcToken]) || null,
        open || doubted ? retryAfterSeconds(listing.attempts) : null,
        doubted,
        recheckAfterSeconds(),
        warnings ? JSON.stringify(warnings) : null,
      ],
    );
    if (rows[0]?.changed && table === 'listings') await bumpCatalog(client, network);
  });
}

const isOpen = (check: WitnessCheck | PublisherVerdict): check is Unknown =>
  check.status === 'unknown' && check.retryable;
