import { setImmediate } from 'node:timers/promises';
import { compareCertificates, describeChanges } from '@adaptor-marketplace/adaptor/certify';
import { listCalledFunctions } from '../../../db/queries/catalog/called-functions.ts';
import { readCertificates } from '../../../db/queries/certificates.ts';
import {
  type DueUpdate,
  type FunctionChanges,
  postponeUpdate,
  readDueUpdate,
  readDueUpdates,
  readUpdate,
  recordChanges,
} from '../../../db/queries/claim-changes.ts';
import { beginTurns } from '../../../db/queries/turns.ts';
import { computeRecheckSeconds, computeRetrySeconds } from '../queue/schedule.ts';
import { Slots } from '../queue/slots.ts';
import { type CheckDependencies, type DueJobs, queueDue, type WorkQueue } from '../queue/work-queue.ts';

/** One job at a time: the certificates of a function have up to 2 MiB. */
const slotsMax = 1;
/** Bounds of a stored comparison. */
export const changesBounds = { functions: 100, bytes: 128 * 1024 } as const;

type ClaimChangesDependencies = Pick<CheckDependencies, 'db' | 'settings' | 'metrics'>;

/** Compares the claims of updates with those of the version before, each update once. */
export function createClaimChangesQueue({
  db: { pool },
  settings: { network },
  metrics,
}: ClaimChangesDependencies): WorkQueue<DueUpdate> {
  const turns = beginTurns();

  async function due(limit: number): Promise<DueJobs<DueUpdate>> {
    return queueDue(await readDueUpdates(pool, { network, limit, turns }), (job) => ({
      key: `claim changes ${network} ${job.serviceType} ${job.publisher} ${job.version}`,
      groups: [],
    }));
  }

  /** Compares a function of an update with the one that the former version called, if it called one. */
  async function compareFunction(called: Called, former: Called | undefined): Promise<Compared> {
    const { ops, ...target } = called;
    const formerPackageId = former?.packageId ?? null;
    const named = { ...target, ops, formerPackageId };
    const keys = [called, ...(former ? [former] : [])].map(({ ops: _, ...key }) => ({ network, ...key }));
    const [after, before] = await readCertificates(pool, keys, Number.MAX_SAFE_INTEGER);
    const pending = [after, before].findIndex((one) => one?.state === 'pending');
    if (pending !== -1)
      throw new TooEarlyError('A package of the two versions is not analyzed yet.', keys[pending]!.packageId);
    const { certificate } = after!;
    if (!certificate) {
      const { reason } = after!;
      return { changes: { ...named, reason, widens: true, unread: true, ...noText }, analysis: undefined };
    }
    const earlier = before?.certificate ?? null;
    if (earlier && earlier.analysis !== certificate.analysis) {
      const behind = certificate.analysis < earlier.analysis ? keys[0]! : keys[1]!;
      throw new TooEarlyError('A package of the two versions is not analyzed again yet.', behind.packageId);
    }
    const comparison = compareCertificates(earlier, certificate);
    const text = describeChanges(comparison, { before: earlier, after: certificate });
    const { widens, unread } = comparison;
    const changes = { ...named, reason: null, widens, unread, ...text };
    return { changes: text.sentenceCount > 0 ? changes : undefined, analysis: certificate.analysis };
  }

  async function compareUpdate(key: DueUpdate): Promise<Outcome> {
    const [updated, former] = await readUpdate(pool, { network, ...key });
    if (updated?.version !== key.version || !former)
      throw new TooEarlyError('A version is not stored yet.', null);
    const calls = listCalledFunctions(
      { packageId: updated.packageId, ops: updated.ops },
      { first: changesBounds.functions, after: undefined },
    );
    const formerCalls = listCalledFunctions(
      { packageId: former.packageId, ops: former.ops },
      { first: Number.POSITIVE_INFINITY, after: undefined },
    );
    const pairs = pairCalls(calls.items, formerCalls.items, [updated.packageId, former.packageId]);
    const compared: FunctionChanges[] = [];
    let analysis = 0;
    for (const [called, before] of pairs) {
      // A package is immutable: its function has the same claims.
      if (called.packageId === before?.packageId) continue;
      const { changes, analysis: version = 0 } = await compareFunction(called, before);
      if (changes) compared.push(changes);
      analysis = Math.max(analysis, version);
      await setImmediate();
    }
    const { hasMore: hasMoreFunctions } = calls;
    const widens = hasMoreFunctions || compared.some((one) => one.widens);
    const functions = cutFunctions(compared);
    const { packageId } = updated;
    const changes = { formerVersion: former.version, widens, analysis, functions, hasMoreFunctions };
    return { state: 'computed', packageId, ...changes };
  }

  return {
    name: `${network}/claim-changes`,
    partitions: [{ slots: new Slots(slotsMax), due }],
    current: (key) => readDueUpdate(pool, { network, ...key }),
    async work(job) {
      const key = { network, ...job };
      const outcome = await compareUpdate(job).catch(toPostponed);
      metrics.checks.inc({ network, check: 'claim_changes', state: outcome.state });
      if (outcome.state === 'computed') return await recordChanges(pool, key, outcome);
      const { reason, waitsFor } = outcome;
      const { attempts } = job;
      const retryAfterSeconds = computeRetrySeconds(attempts) ?? computeRecheckSeconds();
      await postponeUpdate(pool, key, { attempts, reason, waitsFor, retryAfterSeconds });
    },
  };
}

type Called = ReturnType<typeof listCalledFunctions>['items'][number];

interface Compared {
  /** Undefined if nothing differs. */
  changes: FunctionChanges | undefined;
  /** Version of the analysis. Undefined if the function could not be analyzed. */
  analysis: number | undefined;
}

type Outcome =
  | ({ state: 'computed' } & Parameters<typeof recordChanges>[2])
  | { state: 'postponed'; reason: string; waitsFor: string | null };

const noText = { sentences: [], sentenceCount: 0, packages: [] };

/** Something that the comparison needs is not known yet. */
class TooEarlyError extends Error {
  /** Package whose analysis is needed. Null if another thing is missing. */
  readonly waitsFor: string | null;

  constructor(message: string, waitsFor: string | null) {
    super(message);
    this.waitsFor = waitsFor;
  }
}

function toPostponed(error: unknown): Outcome {
  if (!(error instanceof TooEarlyError)) throw error;
  return { state: 'postponed', reason: error.message, waitsFor: error.waitsFor };
}

/**
 * Pairs the functions of two versions by module and name. If several former functions match, one of the same package is
 * taken. For a function of the listing's own package, the next choice is one of the former version's own package.
 */
function pairCalls(
  calls: readonly Called[],
  formerCalls: readonly Called[],
  [ownId, formerOwnId]: readonly [string, string],
): (readonly [Called, Called | undefined])[] {
  const toName = (one: Called) => `${one.module}::${one.function}`;
  const byName = Map.groupBy(formerCalls, toName);
  return calls.map((called) => {
    const former = byName.get(toName(called)) ?? [];
    const ids = called.packageId === ownId ? [ownId, formerOwnId] : [called.packageId];
    const match = ids.flatMap((id) => former.filter(({ packageId }) => packageId === id))[0];
    return [called, match ?? former[0]] as const;
  });
}

/** Orders functions so that what may do more is first, and keeps the sentences that fit. `sentenceCount` counts all. */
function cutFunctions(functions: readonly FunctionChanges[]): FunctionChanges[] {
  let bytes = 0;
  return functions
    .toSorted((a, b) => Number(b.widens) - Number(a.widens))
    .map((one) => {
      const empty = { ...one, sentences: [], packages: [] };
      const size = Buffer.byteLength(JSON.stringify(one));
      const fits = bytes + size <= changesBounds.bytes;
      bytes += fits ? size : Buffer.byteLength(JSON.stringify(empty));
      return fits ? one : empty;
    });
}
