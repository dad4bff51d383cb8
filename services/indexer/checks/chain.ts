import { normalizeAddress, parseServiceType } from '@adaptor-marketplace/adaptor';
import {
  type Answer,
  ask,
  callOptions,
  findPublishers,
  isVerifiedPublisher,
  type PublisherReader,
  type PublisherVerdict,
  readWitness,
  toFunctionSignature,
  type Unknown,
  type WitnessCheck,
} from '@adaptor-marketplace/adaptor/chain';
import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import {
  listedWitnessWarnings,
  toPackageContent,
  type WitnessWarning,
} from '@adaptor-marketplace/adaptor/introspect';
import {
  type CanType,
  isExecutable,
  type KnownFunction,
  listOpSteps,
  type OpMisfit,
  opMisfit,
  type StepSpec,
} from '@adaptor-marketplace/adaptor/manifest';
import { GrpcTypes } from '@mysten/sui/grpc';
import { normalizeStructTag, parseStructTag } from '@mysten/sui/utils';
import type { ClientBase } from 'pg';
import type { ListingKey } from '../../../db/queries/catalog/maintain.ts';
import {
  type CheckQueue,
  type CheckResult,
  type JobCheck,
  type Listed,
  type ListedOps,
  type ListingCheck,
  readDueCheck,
  readDueChecks,
  readDueJob,
  readDueJobs,
  readOps,
  recordChecks,
  recordJobCheck,
} from '../../../db/queries/checks.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import type { NetworkSettings } from '../../../lib/config/networks.ts';
import { publicMessage } from '../../../lib/outbound/errors.ts';
import { bound, type Slot, Slots } from '../queue/slots.ts';
import type { Together } from '../queue/together.ts';
import {
  type CheckDependencies,
  type DueJobs,
  recheckAfterSeconds,
  retryAfterSeconds,
  type WorkQueue,
} from '../queue/worker.ts';
import { textBytesMax } from '../sources/source.ts';

interface ListingQueues {
  /** New listings, and listings whose check had no answer yet. */
  first: WorkQueue<ListingCheck>;
  /** Listings whose last answer is old. A separate queue, so that a new listing does not wait, however many are due. */
  again: WorkQueue<ListingCheck>;
  close(): void;
}

/**
 * Number of times that a negative answer is checked again: another replica behind the same url may not have the package
 * yet.
 */
const doubtedAttempts = 2;

/** Maximum number of checks of new listings that run at once. One publisher can use half of them. */
const firstSlots = 8;

/**
 * Reads from the chain what a listing's events do not say: whether its witness exists, and who controls its package.
 * @param store stores the answers, with `storeChecked`
 */
export function listingQueues(
  table: Listed,
  { db, settings, metrics }: CheckDependencies,
  store: Together<Checked>,
): ListingQueues {
  const { network, rpcUrl, archiveUrl, rpcToken: token } = settings;
  const client = createChainClient({ url: rpcUrl, token });
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

interface ListedWitness {
  check: WitnessCheck;
  /** Warnings from the package's bytecode; undefined if the node did not show the package. */
  warnings: WitnessWarning[] | undefined;
  /** The package, if the node showed it. */
  pkg?: GrpcTypes.Package;
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

/** Checks whether a listing's type is a witness, and who else can make a value of it, with one call to the node. */
async function checkWitness(
  client: PublisherReader,
  { type, packageId }: ListingCheck,
): Promise<ListedWitness> {
  const { check, pkg } = await readWitness(client, type, packageId);
  const named = parseServiceType(type);
  if (!pkg || 'error' in named) return { check, warnings: undefined };
  return { check, warnings: await listedWitnessWarnings(toPackageContent(packageId, pkg), named), pkg };
}

/** Other packages that a listing's ops call, by id; `undefined` for a package that does not exist. */
type CalledPackages = ReadonlyMap<string, GrpcTypes.Package | undefined>;
const noPackages: CalledPackages = new Map();

/**
 * Maximum number of other packages to read for one listing: a stranger's manifest may name hundreds. Ops of the others
 * are judged when they are called.
 */
const calledMax = 8;

/** Reads the other packages that the ops of a listing's manifest call; one that the node does not show is left out. */
async function readCalled(
  db: Queryable,
  { movePackageService }: ChainClient,
  network: string,
  listing: ListingCheck,
): Promise<CalledPackages> {
  const [manifest] = await readOps(db, network, [listing]);
  const steps = (manifest?.ops ?? []).filter(isExecutable).flatMap(listOpSteps);
  const others = new Set(steps.map(findOtherPackage).filter((id) => id !== undefined));
  const read = [...others].slice(0, calledMax).map(async (packageId) => {
    const answer = await ask(movePackageService.getPackage({ packageId }, callOptions(timeoutMs)));
    if (answer.status === 'unavailable') return [];
    return [[packageId, answer.status === 'found' ? answer.value.package : undefined] as const];
  });
  return new Map((await Promise.all(read)).flat());
}

const findOtherPackage = ({ packageId }: StepSpec) => packageId && normalizeAddress(packageId);

async function checkPublisher(
  client: PublisherReader,
  archive: ChainClient | undefined,
  { packageId, publisher }: ListingCheck,
): Promise<PublisherVerdict> {
  const verdict = isVerifiedPublisher(await findPublishers(client, packageId), publisher);
  if (!archive || verdict.status !== 'unknown' || verdict.retryable) return verdict;
  return isVerifiedPublisher(await findPublishers(archive, packageId), publisher);
}

/** A listing or rule, and the chain's answers about it. */
export interface Checked {
  table: Listed;
  listing: ListingCheck;
  witness: ListedWitness;
  publisher: PublisherVerdict;
  called: CalledPackages;
}

/**
 * Stores answers. The caller holds the lock of `lockManifests`.
 * @param token secret that errors must not show
 * @returns the listings whose shown data changed
 */
export async function storeChecked(
  client: ClientBase,
  { network, rpcToken: token }: Pick<NetworkSettings, 'network' | 'rpcToken'>,
  checked: readonly Checked[],
): Promise<ListingKey[]> {
  const [listings, rules] = (['listings', 'rules'] as const).map((table) =>
    checked.filter((check) => check.table === table),
  );
  // A rule's manifest lists no calls.
  if (rules!.length > 0) {
    await recordChecks(
      client,
      network,
      'rules',
      rules!.map((check) => toResult(check, token, null)),
    );
  }
  if (listings!.length === 0) return [];
  const known = listings!.filter(({ witness }) => witness.pkg).map(({ listing }) => listing);
  const manifests = known.length > 0 ? await readOps(client, network, known) : [];
  const results = listings!.map((check) => {
    const { witness, listing, called } = check;
    const isIts = ({ type, publisher }: ListedOps) =>
      type === listing.type && publisher === listing.publisher;
    const misfits = witness.pkg ? findMisfits(manifests.find(isIts), witness.pkg, called) : null;
    return toResult(check, token, misfits);
  });
  const changed = await recordChecks(client, network, 'listings', results);
  return changed.map(({ type: serviceType, publisher }) => ({ serviceType, publisher }));
}

/**
 * Returns the result to store for an answer. A negative answer does not replace a positive one until it was repeated
 * often enough: one replica that is behind must not take an adaptor out of the catalog.
 */
function toResult(
  { listing, witness: { check: witness, warnings }, publisher }: Checked,
  token: string | undefined,
  misfits: OpMisfit[] | null,
): CheckResult {
  const open = isOpen(witness) || isOpen(publisher);
  const doubted =
    listing.attempts <= doubtedAttempts &&
    (witness.status === 'invalid' || publisher.status === 'unverified');
  const reasons = [witness, publisher].flatMap((check) => ('reason' in check ? [check.reason] : []));
  return {
    check: listing,
    outcome: {
      witness: witness.status === 'unknown' ? null : witness.status,
      publisher: publisher.status === 'unknown' && publisher.retryable ? null : publisher.status,
      error: publicMessage(reasons.join(' '), [token]) || null,
      warnings: warnings ?? null,
      misfits,
      doubted,
      retryAfterSeconds: open || doubted ? retryAfterSeconds(listing.attempts) : null,
      recheckAfterSeconds: recheckAfterSeconds(),
    },
  };
}

/**
 * Returns the ops of a manifest whose calls do not fit the functions that they call; none if the manifest is not known.
 */
function findMisfits(
  manifest: ListedOps | undefined,
  own: GrpcTypes.Package,
  called: CalledPackages,
): OpMisfit[] {
  if (!manifest) return [];
  const { manifestHash, ops } = manifest;
  const findFunction = (step: StepSpec): KnownFunction => {
    const other = findOtherPackage(step);
    if (other !== undefined && !called.has(other)) return 'unread';
    const modules = (other === undefined ? own : called.get(other))?.modules ?? [];
    const functions = modules.find(({ name }) => name === step.module)?.functions;
    const described = functions?.find(({ name }) => name === step.entry);
    return described ? toFunctionSignature(described) : 'absent';
  };
  const can = abilitiesIn([own, ...called.values()]);
  return ops.flatMap((op, index): OpMisfit[] => {
    if (!isExecutable(op)) return [];
    const detail = opMisfit(op, listOpSteps(op).map(findFunction), can);
    return detail === undefined ? [] : [{ code: 'function_mismatch', detail, index, manifestHash }];
  });
}

/** Returns a look-up of the abilities of the types in these packages. */
function abilitiesIn(packages: readonly (GrpcTypes.Package | undefined)[]): CanType {
  const known = new Map(
    packages.flatMap((pkg) =>
      (pkg?.modules ?? []).flatMap(({ datatypes }) =>
        datatypes.map(({ typeName = '', abilities }) => {
          const [copy, drop] = [GrpcTypes.Ability.COPY, GrpcTypes.Ability.DROP].map((one) =>
            abilities.includes(one),
          );
          return [typeName, { copy: copy!, drop: drop! }] as const;
        }),
      ),
    ),
  );
  return (typeName) => known.get(typeName);
}

const isOpen = (check: WitnessCheck | PublisherVerdict): check is Unknown =>
  check.status === 'unknown' && check.retryable;

/** Facts from a job's object that the events of some packages do not have. */
interface JobFacts {
  coin: string;
  payer: string;
}

const slotsMax = 4;
const timeoutMs = 10_000;
/** Byte offset of the payer: the object begins with its own id and the wallet's. */
const payerAt = 64;
const addressLength = 32;

/** Reads the objects of jobs whose events name no coin or no payer. */
export function jobQueue({ db: { pool }, settings, metrics }: CheckDependencies): WorkQueue<JobCheck> & {
  close(): void;
} {
  const { network, rpcUrl, rpcToken: token } = settings;
  const client = createChainClient({ url: rpcUrl, token });

  async function due(limit: number): Promise<DueJobs<JobCheck>> {
    const { rows, nextMs } = await readDueJobs(pool, network, limit);
    const waiting = rows.map((job) => ({
      key: `job ${network} ${job.jobId}`,
      precedence: 0,
      groups: [],
      job,
    }));
    return { waiting, nextMs };
  }

  return {
    name: `${network}/jobs`,
    partitions: [{ slots: new Slots(slotsMax), due }],
    close: () => client.close(),
    current: ({ jobId }) => readDueJob(pool, network, jobId),
    async work({ jobId, attempts }) {
      const facts = await readJob(client, jobId);
      metrics.checks.inc({ network, check: 'job', state: facts.status });
      const { coin, payer } = facts.status === 'found' ? facts.value : { coin: null, payer: null };
      await recordJobCheck(pool, network, {
        jobId,
        attempts,
        coin,
        payer,
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
  const coin = parseJobCoin(objectType);
  if (!coin || payer?.length !== addressLength) {
    const reason = `The object ${objectId} is not a job of a coin whose type has up to ${textBytesMax} bytes.`;
    return { status: 'absent', reason };
  }
  return { status: 'found', value: { coin, payer: `0x${Buffer.from(payer).toString('hex')}` } };
}

/** Returns the coin of `0x…::job::Job<COIN>`. Returns `undefined` also if no index can hold the coin. */
function parseJobCoin(objectType: string): string | undefined {
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
