import type { Unknown } from '@adaptor-marketplace/adaptor/chain/answers';
import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { parseServiceType } from '@adaptor-marketplace/adaptor/chain/names';
import {
  findPublishers,
  isVerifiedPublisher,
  type PublisherVerdict,
} from '@adaptor-marketplace/adaptor/chain/publisher';
import { readWitness, type WitnessCheck } from '@adaptor-marketplace/adaptor/chain/witness';
import { listedWitnessWarnings } from '@adaptor-marketplace/adaptor/introspect/listed-witness';
import type { WitnessWarning } from '@adaptor-marketplace/adaptor/introspect/types';
import { contentOf } from '@adaptor-marketplace/adaptor/packages/node-source';
import type { GrpcTypes } from '@mysten/sui/grpc';
import type { Database } from '../../../db/client.ts';
import { bumpCatalog } from '../../../db/queries/catalog/listings.ts';
import {
  type CheckQueue,
  type Listed,
  type ListingCheck,
  msUntilNextCheck,
  readDueCheck,
  readDueChecks,
  recordCheck,
} from '../../../db/queries/listing-checks.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { NetworkSettings } from '../../../lib/config/index.ts';
import { bound, Slots } from '../queue/slots.ts';
import { recheckAfterSeconds, retryAfterSeconds, type WorkQueue } from '../queue/worker.ts';
import type { IndexerMetrics } from '../reporting.ts';
import { publicMessage } from '../reporting.ts';
import { misfitsOf } from './fit.ts';

export interface ListingQueues {
  /** What the chain has just brought, and what could not be answered yet. */
  first: WorkQueue<ListingCheck>;
  /** What was answered long ago. A separate queue, so that a new listing does not wait, however many are due. */
  again: WorkQueue<ListingCheck>;
  close(): void;
}

/** A negative answer is checked again this often: another replica behind the same url may not have the package yet. */
const doubtedAttempts = 2;

/** Checks of new listings at once; of one publisher, half. */
const firstSlots = 8;

/** Asks the chain what a listing's events do not say: whether its witness exists, and who controls its package. */
export function listingQueues(
  table: Listed,
  db: Database,
  settings: NetworkSettings,
  metrics: IndexerMetrics,
): ListingQueues {
  const { network, rpcUrl, archiveUrl, rpcToken: token } = settings;
  const client = createChainClient({ url: rpcUrl, token });
  const archive = archiveUrl ? createChainClient({ url: archiveUrl, token }) : undefined;

  async function work(listing: ListingCheck): Promise<void> {
    const [witness, publisher] = await Promise.all([
      checkWitness(client, listing),
      checkPublisher(client, archive, listing),
    ]);
    await record(table, db, settings, listing, witness, publisher);
    metrics.checks.inc({ network, check: 'witness', state: witness.check.status });
    metrics.checks.inc({ network, check: 'publisher', state: publisher.status });
  }

  const queue = (name: string, which: CheckQueue, slots: Slots): WorkQueue<ListingCheck> => ({
    name: `${network}/${name}`,
    lanes: [
      {
        slots,
        async due(limit) {
          const checks = await readDueChecks(db.pool, network, table, which, limit);
          return checks.map((job) => ({
            key: `${table} ${network} ${job.type} ${job.publisher}`,
            precedence: job.attempts > 1 ? 1 : 0,
            groups: [`publisher ${job.publisher}`, `package ${job.packageId}`],
            job,
          }));
        },
      },
    ],
    current: (listing) => readDueCheck(db.pool, network, table, which, listing),
    nextDueMs: () => msUntilNextCheck(db.pool, network, table, which),
    work,
  });

  return {
    first: queue(table, 'first', new Slots(firstSlots, [bound(firstSlots / 2)])),
    again: queue(`${table}-again`, 'again', new Slots(1)),
    close() {
      client.close();
      archive?.close();
    },
  };
}

interface ListedWitness {
  check: WitnessCheck;
  /** What the package's bytecode warns of; undefined where the node did not show the package. */
  warnings: WitnessWarning[] | undefined;
  /** The package, where the node showed it. */
  pkg?: GrpcTypes.Package;
}

/** Whether a listing's witness is one, and who else can make a value of it, by one call to the node. */
async function checkWitness(client: ChainClient, { type, packageId }: ListingCheck): Promise<ListedWitness> {
  const { check, pkg } = await readWitness(client, type, packageId);
  const named = parseServiceType(type);
  if (!pkg || 'error' in named) return { check, warnings: undefined };
  return { check, warnings: await listedWitnessWarnings(contentOf(packageId, pkg), named), pkg };
}

async function checkPublisher(
  client: ChainClient,
  archive: ChainClient | undefined,
  { packageId, publisher }: ListingCheck,
): Promise<PublisherVerdict> {
  const verdict = isVerifiedPublisher(await findPublishers(client, packageId), publisher);
  if (!archive || verdict.status !== 'unknown' || verdict.retryable) return verdict;
  return isVerifiedPublisher(await findPublishers(archive, packageId), publisher);
}

/**
 * Stores the answers. A negative answer does not replace a positive one until it was repeated often enough: one replica
 * that is behind must not take an adaptor out of the catalog.
 */
async function record(
  table: Listed,
  db: Database,
  { network, rpcToken }: NetworkSettings,
  listing: ListingCheck,
  { check: witness, warnings, pkg }: ListedWitness,
  publisher: PublisherVerdict,
): Promise<void> {
  const open = isOpen(witness) || isOpen(publisher);
  const doubted =
    listing.attempts <= doubtedAttempts &&
    (witness.status === 'invalid' || publisher.status === 'unverified');
  const reasons = [witness, publisher].flatMap((check) => ('reason' in check ? [check.reason] : []));
  await inTransaction(db.pool, async (client) => {
    // A rule's manifest lists no calls.
    const hasOps = table === 'listings';
    const changed = await recordCheck(client, network, table, listing, {
      witness: witness.status === 'unknown' ? null : witness.status,
      publisher: publisher.status === 'unknown' && publisher.retryable ? null : publisher.status,
      error: publicMessage(reasons.join(' '), [rpcToken]) || null,
      warnings: warnings ?? null,
      misfits: pkg && hasOps ? await misfitsOf(client, network, listing, pkg) : null,
      doubted,
      retryAfterSeconds: open || doubted ? retryAfterSeconds(listing.attempts) : null,
      recheckAfterSeconds: recheckAfterSeconds(),
    });
    if (changed && table === 'listings') await bumpCatalog(client, network);
  });
}

const isOpen = (check: WitnessCheck | PublisherVerdict): check is Unknown =>
  check.status === 'unknown' && check.retryable;
