import { parseServiceType } from '@adaptor-marketplace/adaptor';
import {
  findPublishers,
  isVerifiedPublisher,
  type PublisherReader,
  type PublisherVerdict,
  readWitness,
} from '@adaptor-marketplace/adaptor/chain';
import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import {
  listedWitnessWarnings,
  nodePackages,
  PackageUnreadableError,
} from '@adaptor-marketplace/adaptor/introspect';
import {
  type CheckQueue,
  type ListingCheck,
  type RegistrationTable,
  readDueCheck,
  readDueChecks,
} from '../../../db/queries/checks.ts';
import { bound, type Slot, Slots } from '../queue/slots.ts';
import type { BatchWriter } from '../queue/together.ts';
import type { CheckDependencies, WorkQueue } from '../queue/work-queue.ts';
import { noPackages, readCalled } from './called-packages.ts';
import type { Checked, ListedWitness } from './store-checked.ts';

interface ListingQueues {
  /** New listings, and listings whose check had no answer yet. */
  first: WorkQueue<ListingCheck>;
  /** Listings whose last answer is old. A separate queue, so that a new listing does not wait, however many are due. */
  again: WorkQueue<ListingCheck>;
  close(): void;
}

/** Maximum number of checks of new listings that run at once. One publisher can use half of them. */
const firstSlots = 8;

/** Reads from the chain whether a listing's witness exists, and who controls its package. */
export function listingQueues(
  table: RegistrationTable,
  { db, settings, metrics, providers }: CheckDependencies,
  store: BatchWriter<Checked>,
): ListingQueues {
  const { network, archiveUrl, rpcToken: token } = settings;
  const client = providers.client('check');
  const archive = archiveUrl ? createChainClient({ url: archiveUrl, token }) : undefined;

  async function work(listing: ListingCheck, slot: Slot): Promise<void> {
    const reader = readingOnce(client);
    const [witness, publisher, called] = await Promise.all([
      checkWitness(reader, listing),
      checkPublisher(reader, archive, listing),
      table === 'listings' ? readCalled(db.pool, client, network, listing) : noPackages,
    ]);
    if (store.hasRoom) slot.free();
    await store.add({ table, listing, witness, publisher, called });
    metrics.checks.inc({ network, check: 'witness', state: witness.check.status });
    metrics.checks.inc({ network, check: 'publisher', state: publisher.status });
  }

  const queue = (name: string, which: CheckQueue, slots: Slots): WorkQueue<ListingCheck> => ({
    name: `${network}/${name}`,
    partitions: [
      {
        slots,
        async due(limit) {
          const { rows, nextMs } = await readDueChecks(db.pool, network, table, which, limit);
          const waiting = rows.map((job) => ({
            key: `${table} ${network} ${job.type} ${job.publisher}`,
            precedence: job.attempts > 1 ? 1 : 0,
            groups: [`publisher ${job.publisher}`, `package ${job.packageId}`],
            job,
          }));
          return { waiting, nextMs };
        },
      },
    ],
    current: (listing) => readDueCheck(db.pool, network, table, which, listing),
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

/** Returns a reader that reads the package once: both questions about a listing begin with it. */
function readingOnce({ ledgerService, movePackageService }: ChainClient): PublisherReader {
  let reading: ReturnType<PublisherReader['movePackageService']['getPackage']> | undefined;
  return {
    ledgerService,
    movePackageService: {
      getPackage(request, options) {
        reading ??= movePackageService.getPackage(request, options);
        return reading;
      },
    },
  };
}

/** Checks whether a listing's type is a witness, and who else can make a value of it. */
async function checkWitness(
  client: PublisherReader,
  { type, packageId }: ListingCheck,
): Promise<ListedWitness> {
  const { check, pkg } = await readWitness(client, type, packageId);
  const named = parseServiceType(type);
  if (!pkg || 'error' in named) return { check, warnings: undefined };
  try {
    const content = await nodePackages(client).read(packageId);
    return { check, warnings: await listedWitnessWarnings(content, named), pkg };
  } catch (error) {
    if (!(error instanceof PackageUnreadableError)) throw error;
    // A witness counts as valid only once it is known who else can make a value of it.
    const unread = { status: 'unknown', reason: error.message, retryable: true } as const;
    return { check: check.status === 'valid' ? unread : check, warnings: undefined, pkg };
  }
}

async function checkPublisher(
  client: PublisherReader,
  archive: ChainClient | undefined,
  { packageId, publisher }: ListingCheck,
): Promise<PublisherVerdict> {
  const verdict = isVerifiedPublisher(await findPublishers(client, packageId), publisher);
  if (!archive || verdict.status !== 'unknown' || verdict.retryable) return verdict;
  return isVerifiedPublisher(await findPublishers(archive, packageId), publisher);
}
