import { parseServiceType } from '@adaptor-marketplace/adaptor';
import {
  findPublishers,
  isVerifiedPublisher,
  type Publishers,
  type PublisherVerdict,
  readLineage,
  readWitness,
  type VersionReader,
} from '@adaptor-marketplace/adaptor/chain';
import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import {
  findParsedModules,
  listedWitnessWarnings,
  PackageUnreadableError,
  type WitnessWarning,
} from '@adaptor-marketplace/adaptor/introspect';
import DataLoader from 'dataloader';
import { readVersionCheckpoints } from '../../../db/queries/catalog/version-checkpoints.ts';
import {
  type CheckedManifests,
  type CheckQueue,
  type ListedOps,
  type ListingCheck,
  noteTriedManifests,
  type RegistrationTable,
  readCurrentChecks,
  readDueChecks,
  readOps,
} from '../../../db/queries/checks.ts';
import { beginTurns } from '../../../db/queries/turns.ts';
import { createGroupLimit, type Slot, Slots } from '../queue/slots.ts';
import type { BatchWriter } from '../queue/together.ts';
import { type CheckDependencies, type Partition, queueDue, type WorkQueue } from '../queue/work-queue.ts';
import { traceCheck } from '../reporting/trace-check.ts';
import { batchReads } from './batched-reads.ts';
import { readCalled } from './called-packages.ts';
import { type CheckReader, createCheckReader } from './check-reader.ts';
import { readObjectTypes } from './object-types.ts';
import type { Checked, ListedWitness } from './store-checked.ts';

interface ListingQueues {
  /** New listings, and listings whose check had no answer yet. */
  first: WorkQueue<ListingCheck>;
  /** Listings whose last answer is old. A separate queue, so that a new listing does not wait, however many are due. */
  again: WorkQueue<ListingCheck>;
  close(): void;
}

/**
 * Maximum number of checks that run at once, which share their requests and statements. One publisher can use half of the
 * slots for new listings.
 */
const firstSlots = 64;
/** Slots for new listings whose manifest was not fetched yet: their checks are repeated for the operations. */
const untriedSlots = 8;
const againSlots = 16;
/**
 * Interval of the searches for checks whose manifest could not be fetched. Each search reads all checks that wait for a
 * manifest.
 */
const noteTriedEveryMs = 1_000;

/** Reads from the chain whether a listing's witness exists, and who controls its package. */
export function createListingQueues(
  table: RegistrationTable,
  { db, settings, metrics, providers }: CheckDependencies,
  store: BatchWriter<Checked>,
): ListingQueues {
  const { network, archiveUrl, rpcToken: token } = settings;
  const client = providers.client('check');
  const batched = batchReads(client.ledgerService);
  const archive = archiveUrl ? createChainClient({ url: archiveUrl, token }) : undefined;
  const ops = new DataLoader<ListingCheck, ListedOps | undefined>(
    async (listings) => {
      const manifests = await readOps(db.pool, network, listings);
      const byKey = new Map(manifests.map((one) => [`${one.type} ${one.publisher}`, one]));
      return listings.map(({ type, publisher }) => byKey.get(`${type} ${publisher}`));
    },
    { cache: false },
  );

  async function work(listing: ListingCheck, slot: Slot): Promise<void> {
    const startMs = Date.now();
    // A check that is repeated reads alone: it may be the one that makes its batch fail.
    const ledgerService = listing.attempts > 1 ? client.ledgerService : batched;
    const reader = createCheckReader({ ledgerService, movePackageService: client.movePackageService });
    const publishers = findPublishers(reader, listing.packageId);
    const reading = table === 'listings' ? ops.load(listing) : Promise.resolve(undefined);
    // Nothing is awaited before all of these are: one that failed meanwhile would end the process.
    const [witness, publisher, called, fixed] = await Promise.all([
      checkWitness(
        reader,
        listing,
        async () => (await publishers).newestId ?? findNewest(client, listing.packageId),
      ),
      checkPublisher(publishers, archive, listing),
      reading.then((manifest) => readCalled(reader, manifest)),
      reading.then((manifest) => readObjectTypes(reader, manifest)),
    ]);
    if (store.hasRoom) slot.free();
    await store.add(
      { table, listing, witness, publisher, called, fixed, readFor: (await reading)?.manifestHash },
      slot.isContended,
    );
    metrics.checks.inc({ network, check: 'witness', state: witness.check.status });
    metrics.checks.inc({ network, check: 'publisher', state: publisher.status });
    if (table === 'listings') {
      const attributes = {
        'marketplace.witness': witness.check.status,
        'marketplace.publisher': publisher.status,
      };
      const key = { serviceType: listing.type, publisher: listing.publisher };
      await traceCheck('check listing', { startMs, attributes }, () =>
        readVersionCheckpoints(db.pool, network, 'listings', [key]),
      );
    }
  }

  const createPartition = (
    checkQueue: CheckQueue,
    slots: Slots,
    manifests?: CheckedManifests,
  ): Partition<ListingCheck> => {
    const turns = beginTurns();
    let noteAtMs = 0;
    /** @returns milliseconds until it must be called again */
    const noteTried = async (limit: number): Promise<number | undefined> => {
      const nowMs = performance.now();
      if (nowMs < noteAtMs) return noteAtMs - nowMs;
      noteAtMs = nowMs + noteTriedEveryMs;
      return (await noteTriedManifests(db.pool, { network, limit, turns })) ? undefined : noteTriedEveryMs;
    };
    const due = async (limit: number) => {
      const noteMs = manifests === 'tried' ? await noteTried(limit) : undefined;
      const read = { network, table, queue: checkQueue, limit, turns, manifests };
      const { waiting, nextMs } = queueDue(await readDueChecks(db.pool, read), (job) => ({
        key: `${table} ${network} ${job.type} ${job.publisher}`,
        groups: [`publisher ${job.publisher}`, `package ${job.packageId}`],
      }));
      const never = Number.POSITIVE_INFINITY;
      return { waiting, nextMs: Math.min(nextMs ?? never, noteMs ?? never) };
    };
    return { slots, due };
  };

  const createQueue = (
    name: string,
    checkQueue: CheckQueue,
    partitions: Partition<ListingCheck>[],
  ): WorkQueue<ListingCheck> => {
    const current = new DataLoader<ListingCheck, ListingCheck | undefined>(
      (listings) => readCurrentChecks(db.pool, network, table, checkQueue, listings),
      { cache: false },
    );
    return { name: `${network}/${name}`, partitions, current: (listing) => current.load(listing), work };
  };

  const createFairSlots = (max: number) => new Slots(max, [createGroupLimit(max / 2)]);
  return {
    first: createQueue(
      table,
      'first',
      // A rule's manifest has nothing that its check reads.
      table === 'rules'
        ? [createPartition('first', createFairSlots(firstSlots))]
        : [
            createPartition('first', createFairSlots(firstSlots), 'tried'),
            createPartition('first', createFairSlots(untriedSlots), 'untried'),
          ],
    ),
    again: createQueue(`${table}-again`, 'again', [createPartition('again', new Slots(againSlots))]),
    close() {
      client.close();
      archive?.close();
    },
  };
}

/**
 * Checks whether a listing's type is a witness, and who else can make a value of it.
 * @param readNewestId reads the id of the package's newest version. It throws `PackageUnreadableError`
 */
async function checkWitness(
  reader: CheckReader,
  { type, packageId }: ListingCheck,
  readNewestId: () => Promise<string>,
): Promise<ListedWitness> {
  const { check, pkg } = await readWitness(reader, type, packageId);
  const named = parseServiceType(type);
  if (!pkg || 'error' in named) return { check, warnings: undefined };
  try {
    const content = await reader.packages.read(packageId);
    const warnings = await listedWitnessWarnings(content, named, { parsed: findParsedModules(pkg) });
    const newestId = await readNewestId();
    if (newestId === packageId) return { check, warnings, pkg };
    const later = await listedWitnessWarnings(await reader.packages.read(newestId), named);
    return { check, warnings: [...warnings, ...listAddedWarnings(newestId, later, warnings)], pkg };
  } catch (error) {
    if (!(error instanceof PackageUnreadableError)) throw error;
    // A witness counts as valid only once it is known who else can make a value of it.
    const unread = { status: 'unknown', reason: error.message, retryable: true } as const;
    return { check: check.status === 'valid' ? unread : check, warnings: undefined, pkg };
  }
}

/**
 * Returns the warnings that the newest version adds to those of the listed one. All versions make values of the same
 * type, so code of one that is not listed acts as the service too. A version keeps the public functions before it, so
 * the newest one has those of all.
 */
const listAddedWarnings = (
  newestId: string,
  later: readonly WitnessWarning[],
  listed: readonly WitnessWarning[],
): WitnessWarning[] =>
  later
    .filter(({ code }) => !listed.some((warning) => warning.code === code))
    .map(({ code, detail }) => ({
      code,
      detail: `In version ${newestId} of the package, which the listing does not name: ${detail}`,
    }));

/** Finds the newest version of a package whose UpgradeCap does not name it: the cap was destroyed or is inside an object. */
async function findNewest(client: VersionReader, packageId: string): Promise<string> {
  const lineage = await readLineage(client, packageId);
  if (lineage.status === 'found') return lineage.value.ids.at(-1) ?? packageId;
  if (lineage.status === 'absent') return packageId;
  throw new PackageUnreadableError(
    'unavailable',
    packageId,
    `The versions of ${packageId} are unknown: ${lineage.reason}.`,
  );
}

async function checkPublisher(
  publishers: Promise<Publishers>,
  archive: ChainClient | undefined,
  { packageId, publisher }: ListingCheck,
): Promise<PublisherVerdict> {
  const verdict = isVerifiedPublisher(await publishers, publisher);
  if (!archive || verdict.status !== 'unknown' || verdict.retryable) return verdict;
  return isVerifiedPublisher(await findPublishers(archive, packageId), publisher);
}
