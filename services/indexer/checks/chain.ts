import { parseServiceType } from '@adaptor-marketplace/adaptor';
import {
  type Answer,
  ask,
  callOptions,
  findPublishers,
  isVerifiedPublisher,
  type PublisherVerdict,
  readWitness,
  signatureOf,
  type Unknown,
  type WitnessCheck,
} from '@adaptor-marketplace/adaptor/chain';
import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import {
  contentOf,
  listedWitnessWarnings,
  type WitnessWarning,
} from '@adaptor-marketplace/adaptor/introspect';
import { callMisfit, isExecutable, type OpMisfit } from '@adaptor-marketplace/adaptor/manifest';
import type { GrpcTypes } from '@mysten/sui/grpc';
import { normalizeStructTag, parseStructTag } from '@mysten/sui/utils';
import { lockCatalog, refreshEntries } from '../../../db/queries/catalog/maintain.ts';
import {
  type CheckQueue,
  type JobCheck,
  type Listed,
  type ListingCheck,
  lockOps,
  msUntilNextCheck,
  msUntilNextJob,
  readDueCheck,
  readDueChecks,
  readDueJob,
  readDueJobs,
  recordCheck,
  recordJobCheck,
} from '../../../db/queries/checks.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { publicMessage } from '../../../lib/outbound/errors.ts';
import { bound, Slots } from '../queue/slots.ts';
import {
  type CheckDependencies,
  recheckAfterSeconds,
  retryAfterSeconds,
  type Waiting,
  type WorkQueue,
} from '../queue/worker.ts';
import { textBytesMax } from '../sources/source.ts';

interface ListingQueues {
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
export function listingQueues(table: Listed, { db, settings, metrics }: CheckDependencies): ListingQueues {
  const { network, rpcUrl, archiveUrl, rpcToken: token } = settings;
  const client = createChainClient({ url: rpcUrl, token });
  const archive = archiveUrl ? createChainClient({ url: archiveUrl, token }) : undefined;

  async function work(listing: ListingCheck): Promise<void> {
    const [witness, publisher] = await Promise.all([
      checkWitness(client, listing),
      checkPublisher(client, archive, listing),
    ]);
    await record(table, { db, settings }, listing, witness, publisher);
    metrics.checks.inc({ network, check: 'witness', state: witness.check.status });
    metrics.checks.inc({ network, check: 'publisher', state: publisher.status });
  }

  const queue = (name: string, which: CheckQueue, slots: Slots): WorkQueue<ListingCheck> => ({
    name: `${network}/${name}`,
    partitions: [
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
  { db, settings: { network, rpcToken } }: Omit<CheckDependencies, 'metrics'>,
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
    if (!changed || table === 'rules') return;
    const { type: serviceType, publisher: by } = listing;
    await refreshEntries(client, await lockCatalog(client, network), [{ serviceType, publisher: by }]);
  });
}

/**
 * The ops of a listing's present manifest whose calls do not fit the functions of its package; none while the manifest
 * is not known. Locks the listing until the end of the transaction.
 */
async function misfitsOf(
  client: Parameters<typeof lockOps>[0],
  network: string,
  listing: ListingCheck,
  pkg: GrpcTypes.Package,
): Promise<OpMisfit[]> {
  const manifest = await lockOps(client, network, listing);
  if (!manifest) return [];
  const { manifestHash, ops } = manifest;
  const modules = new Map(pkg.modules.map(({ name, functions }) => [name, functions]));
  return ops.flatMap((op, index): OpMisfit[] => {
    if (!isExecutable(op)) return [];
    const called = modules.get(op.module)?.find(({ name }) => name === op.entry);
    const detail = called ? callMisfit(op.call, signatureOf(called)) : 'The package has no such function.';
    return detail === undefined ? [] : [{ code: 'function_mismatch', detail, index, manifestHash }];
  });
}

const isOpen = (check: WitnessCheck | PublisherVerdict): check is Unknown =>
  check.status === 'unknown' && check.retryable;

/** What a job's object says beyond the events of some packages. */
interface JobFacts {
  coin: string;
  payer: string;
}

const slotsMax = 4;
const timeoutMs = 10_000;
/** The object begins with its own id and the wallet's; then comes the payer. */
const payerAt = 64;
const addressLength = 32;

/** Reads the objects of jobs whose events name no coin or no payer. */
export function jobQueue({ db: { pool }, settings, metrics }: CheckDependencies): WorkQueue<JobCheck> & {
  close(): void;
} {
  const { network, rpcUrl, rpcToken: token } = settings;
  const client = createChainClient({ url: rpcUrl, token });

  async function due(limit: number): Promise<Waiting<JobCheck>[]> {
    const jobs = await readDueJobs(pool, network, limit);
    return jobs.map((job) => ({ key: `job ${network} ${job.jobId}`, precedence: 0, groups: [], job }));
  }

  return {
    name: `${network}/jobs`,
    partitions: [{ slots: new Slots(slotsMax), due }],
    close: () => client.close(),
    current: ({ jobId }) => readDueJob(pool, network, jobId),
    nextDueMs: () => msUntilNextJob(pool, network),
    async work({ jobId, attempts }) {
      const facts = await readJob(client, jobId);
      metrics.checks.inc({ network, check: 'job', state: facts.status });
      const { coin, payer } = facts.status === 'found' ? facts.value : { coin: null, payer: null };
      await recordJobCheck(pool, network, {
        ...{ jobId, attempts, coin, payer },
        error: facts.status === 'found' ? null : publicMessage(facts.reason, [token]),
        retryAfterSeconds: facts.status === 'unavailable' ? retryAfterSeconds(attempts) : null,
      });
    },
  };
}

async function readJob({ ledgerService }: ChainClient, objectId: string): Promise<Answer<JobFacts>> {
  const readMask = { paths: ['object_type', 'contents'] };
  const answer = await ask(ledgerService.getObject({ objectId, readMask }, callOptions(timeoutMs)));
  if (answer.status !== 'found') return answer;
  const { objectType = '', contents } = answer.value.object ?? {};
  const payer = contents?.value?.subarray(payerAt, payerAt + addressLength);
  const coin = coinOf(objectType);
  if (!coin || payer?.length !== addressLength) {
    const reason = `The object ${objectId} is not a job of a coin whose type has up to ${textBytesMax} bytes.`;
    return { status: 'absent', reason };
  }
  return { status: 'found', value: { coin, payer: `0x${Buffer.from(payer).toString('hex')}` } };
}

/** `0x…::job::Job<COIN>` names the coin. Undefined also where no index can hold it. */
function coinOf(objectType: string): string | undefined {
  try {
    const { module, name, typeParams } = parseStructTag(objectType);
    const [coin] = typeParams;
    if (module !== 'job' || name !== 'Job' || !coin) return undefined;
    const canonical = normalizeStructTag(coin);
    return canonical.length > textBytesMax ? undefined : canonical;
  } catch {
    return undefined;
  }
}
