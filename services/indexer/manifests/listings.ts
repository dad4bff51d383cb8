import type { Unknown } from '@adaptor-marketplace/adaptor/chain/answers';
import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import {
  findPublishers,
  isVerifiedPublisher,
  type PublisherVerdict,
} from '@adaptor-marketplace/adaptor/chain/publisher';
import type { WitnessCheck } from '@adaptor-marketplace/adaptor/chain/witness';
import type { Database } from '../../../db/client.ts';
import { bumpCatalog } from '../../../db/queries/catalog/bump.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { NetworkSettings } from '../../../lib/config/index.ts';
import type { IndexerMetrics } from '../metrics.ts';
import { publicMessage } from '../public-message.ts';
import { recheckAfterSeconds, retryAfterSeconds } from '../queue/schedule.ts';
import { bound, Slots } from '../queue/slots.ts';
import type { Waiting, WorkQueue } from '../queue/worker.ts';
import { misfitsOf } from './op-fit.ts';
import { checkListedWitness, type ListedWitness } from './witness.ts';

/** What is listed: adaptors with their service type, or rules with their rule type. */
export type Listed = 'listings' | 'rules';

interface Listing {
  /** The witness's. */
  type: string;
  publisher: string;
  packageId: string;
  /** At the present answer, this one included. */
  attempts: number;
}

export interface ListingQueues {
  /** What the chain has just brought, and what could not be told yet. */
  first: WorkQueue<Listing>;
  /** What was told long ago. In a queue of its own, so that however many are due, a new listing does not wait. */
  again: WorkQueue<Listing>;
  close(): void;
}

/** A no is asked about again this often: another replica behind the same url may not have the package yet. */
const doubtedAttempts = 2;

/** Checks of new listings under way; of one publisher, half. */
const firstSlots = 8;

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

  /** `due` is the column that says when. `attempts` counts those at the present answer, the next one included. */
  const queue = (part: { name: string; slots: Slots; due: string; where: string; attempts: string }) => {
    const columns = `${type} as type, publisher, package_id as "packageId", ${part.attempts} as attempts`;
    return {
      name: `${network}/${part.name}`,
      lanes: [{ slots: part.slots, due: (limit: number) => due(limit) }],
      work,
      async current(listing: Listing) {
        const { rows } = await db.pool.query<Listing>({
          name: `current-${part.name}`,
          text: `select ${columns} from ${table}
            where network = $1 and ${type} = $2 and publisher = $3 and ${part.due} <= now() and ${part.where}`,
          values: [network, listing.type, listing.publisher],
        });
        return rows[0];
      },
      async nextDueMs() {
        const { rows } = await db.pool.query<{ ms: number | null }>({
          name: `next-${part.name}`,
          text: `select (extract(epoch from min(${part.due}) - now()) * 1000)::float8 as ms
            from ${table} where network = $1 and ${part.due} > now() and ${part.where}`,
          values: [network],
        });
        return rows[0]?.ms ?? undefined;
      },
    };

    // A stranger makes publishers for nothing, and many listings of one package: neither may take all turns.
    async function due(limit: number): Promise<Waiting<Listing>[]> {
      const { rows } = await db.pool.query<Listing>({
        name: `due-${part.name}`,
        text: `with due as (
            select ${columns} from ${table} where network = $1 and ${part.due} <= now() and ${part.where}
          ), ranked as (
            select *, row_number() over (partition by publisher order by attempts, random()) as of_publisher,
              row_number() over (partition by "packageId" order by attempts, random()) as of_package
            from due
          )
          select type, publisher, "packageId", attempts from ranked
          order by attempts > 1, greatest(of_publisher, of_package), random() limit $2`,
        values: [network, limit],
      });
      return rows.map((job) => ({
        key: `${table} ${network} ${job.type} ${job.publisher}`,
        precedence: job.attempts > 1 ? 1 : 0,
        groups: [`publisher ${job.publisher}`, `package ${job.packageId}`],
        job,
      }));
    }
  };

  return {
    first: queue({
      name: table,
      slots: new Slots(firstSlots, [bound(firstSlots / 2)]),
      due: 'next_check_at',
      where: 'true',
      attempts: 'check_attempts + 1',
    }),
    // One that is being tried already keeps its count.
    again: queue({
      name: `${table}-again`,
      slots: new Slots(1),
      due: 'recheck_at',
      where: 'listed',
      attempts: 'case when next_check_at is null then 1 else greatest(check_attempts, 1) end',
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
  { check: witness, warnings, pkg }: ListedWitness,
  publisher: PublisherVerdict,
): Promise<void> {
  const open = isOpen(witness) || isOpen(publisher);
  const doubted =
    listing.attempts <= doubtedAttempts &&
    (witness.status === 'invalid' || publisher.status === 'unverified');
  const reasons = [witness, publisher].flatMap((check) => ('reason' in check ? [check.reason] : []));
  await inTransaction(db.pool, async (client) => {
    // What a rule's manifest lists is not called.
    const hasOps = table === 'listings';
    const misfits = pkg && hasOps ? await misfitsOf(client, network, listing, pkg) : undefined;
    const checked = `publisher_check, witness_check, witness_warnings${hasOps ? ', op_misfits' : ''}`;
    const columnsOf = (row: string) => checked.replaceAll(/\w+/g, `${row}.$&`);
    // A listing that changed meanwhile has a check of its own due.
    const { rows } = await client.query<{ changed: boolean }>(
      `with former as (
          select ${checked} from ${table}
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
        listing.attempts,
        ...(hasOps ? [misfits ? JSON.stringify(misfits) : null] : []),
      ],
    );
    if (rows[0]?.changed && table === 'listings') await bumpCatalog(client, network);
  });
}

const isOpen = (check: WitnessCheck | PublisherVerdict): check is Unknown =>
  check.status === 'unknown' && check.retryable;
