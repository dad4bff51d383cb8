import type { Database } from '../../../db/client.ts';
import type { Unknown } from '../../../lib/chain/answers.ts';
import { type ChainClient, createChainClient } from '../../../lib/chain/client.ts';
import { findPublishers, isVerifiedPublisher, type PublisherVerdict } from '../../../lib/chain/publisher.ts';
import { checkWitness, type WitnessCheck } from '../../../lib/chain/witness.ts';
import type { Network, NetworkSettings } from '../../../lib/config/index.ts';
import type { IndexerMetrics } from '../metrics.ts';
import { bumpCatalog } from '../store/catalog.ts';
import { inTransaction } from '../store/transaction.ts';
import type { WorkQueue } from './queue.ts';
import { retryAfterSeconds } from './schedule.ts';

interface Listing {
  serviceType: string;
  publisher: string;
  packageId: string;
  attempts: number;
}

export interface ListingQueue extends WorkQueue<Listing> {
  close(): void;
}

const leaseSeconds = 120;
/** A no is asked about again this often: another replica behind the same url may not have the package yet. */
const doubtedAttempts = 2;

/** Asks the chain what a listing's events do not say: whether its witness exists, and who may speak for its package. */
export function listingQueue(db: Database, settings: NetworkSettings, metrics: IndexerMetrics): ListingQueue {
  const { network, rpcUrl, archiveUrl, rpcToken: token } = settings;
  const client = createChainClient({ url: rpcUrl, token });
  const archive = archiveUrl ? createChainClient({ url: archiveUrl, token }) : undefined;
  return {
    name: `${network}/listings`,
    concurrency: 4,
    close() {
      client.close();
      archive?.close();
    },
    async claim() {
      const { rows } = await db.pool.query<Listing>({
        name: 'claim-listing',
        text: `with due as (
            select network, service_type, publisher from listings
            where network = $1 and next_check_at <= now()
            order by next_check_at limit 1 for update skip locked)
          update listings l set check_attempts = l.check_attempts + 1,
            next_check_at = now() + make_interval(secs => $2)
          from due where l.network = due.network and l.service_type = due.service_type
            and l.publisher = due.publisher
          returning l.service_type as "serviceType", l.publisher, l.package_id as "packageId",
            l.check_attempts as attempts`,
        values: [network, leaseSeconds],
      });
      return rows[0];
    },
    async nextDueMs() {
      const { rows } = await db.pool.query<{ ms: number | null }>({
        name: 'next-listing',
        text: `select (extract(epoch from min(next_check_at) - now()) * 1000)::float8 as ms
          from listings where network = $1 and next_check_at is not null`,
        values: [network],
      });
      return rows[0]?.ms ?? undefined;
    },
    async work(listing) {
      const [witness, publisher] = await Promise.all([
        checkWitness(client, listing.serviceType, listing.packageId),
        checkPublisher(client, archive, listing),
      ]);
      await record(db, network, listing, witness, publisher);
      metrics.checks.inc({ network, check: 'witness', state: witness.status });
      metrics.checks.inc({ network, check: 'publisher', state: publisher.status });
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

async function record(
  db: Database,
  network: Network,
  listing: Listing,
  witness: WitnessCheck,
  publisher: PublisherVerdict,
): Promise<void> {
  const open = isOpen(witness) || isOpen(publisher);
  const doubted =
    listing.attempts <= doubtedAttempts &&
    (witness.status === 'invalid' || publisher.status === 'unverified');
  const reasons = [witness, publisher].flatMap((check) => ('reason' in check ? [check.reason] : []));
  await inTransaction(db.pool, async (client) => {
    // What could not be told leaves the former answer; a listing that changed meanwhile has a check of its own due.
    const { rowCount } = await client.query(
      `update listings set witness_check = coalesce($5, witness_check),
        publisher_check = coalesce($6, publisher_check), check_error = $7,
        next_check_at = now() + make_interval(secs => $8)
      where network = $1 and service_type = $2 and publisher = $3 and package_id = $4`,
      [
        network,
        listing.serviceType,
        listing.publisher,
        listing.packageId,
        witness.status === 'unknown' ? null : witness.status,
        isOpen(publisher) ? null : publisher.status,
        reasons.join(' ').slice(0, 1_000) || null,
        open || doubted ? retryAfterSeconds(listing.attempts) : null,
      ],
    );
    if (rowCount) await bumpCatalog(client, network);
  });
}

const isOpen = (check: WitnessCheck | PublisherVerdict): check is Unknown =>
  check.status === 'unknown' && check.retryable;
