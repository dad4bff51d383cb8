import { setTimeout as delay } from 'node:timers/promises';
import {
  isRuleManifest,
  type ListedManifest,
  type ParsedManifest,
  parseManifest,
  type VerifiedManifest,
} from '@adaptor-marketplace/adaptor/manifest';
import DataLoader from 'dataloader';
import type { ClientBase } from 'pg';
import { storeOpTools } from '../../../db/queries/catalog/op-tools.ts';
import { readCheckpointsByManifest } from '../../../db/queries/catalog/version-checkpoints.ts';
import {
  type Attempt,
  endOtherFetches,
  type ManifestFetch,
  type ManifestRef,
  readCurrentFetches,
  readDueFetches,
  readManifests,
  recordFetchFailures,
  storeManifests,
} from '../../../db/queries/manifests.ts';
import { beginTurns } from '../../../db/queries/turns.ts';
import { describeOps } from '../../../lib/actions/op-terms.ts';
import {
  createManifestSource,
  type ManifestSource,
  parseManifestUri,
} from '../../../lib/manifests/source.ts';
import { OutboundError, type OutboundErrorKind } from '../../../lib/outbound/errors.ts';
import type { Outbound } from '../../../lib/outbound/index.ts';
import { toEpochMs } from '../../../lib/tracing/tracing.ts';
import { computeRetrySeconds } from '../queue/schedule.ts';
import { createGroupLimit, type Slot, Slots } from '../queue/slots.ts';
import type { BatchWriter } from '../queue/together.ts';
import type { CheckDependencies, DueJobs, WorkQueue } from '../queue/work-queue.ts';
import { traceCheck } from '../reporting/trace-check.ts';
import { appliedMax } from './apply.ts';

type Outcome = ParsedManifest | { status: 'unreachable'; reason: string; retryable: boolean };

interface ManifestOptions {
  outbound: Outbound;
  /** Stores outcomes, with `storeFetched`. */
  store: BatchWriter<Fetched>;
  signal: AbortSignal;
  /** Resolves when a fetch must leave its fast slot. The signal ends the wait. Default: after a second. */
  fastFor?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** Slots for first attempts, each held for a second at most: hosts that respond slowly must not delay others. */
const fastSlots = 32;
/** Slots for fetches that take longer or have failed before. */
const slowSlots = 32;
const perHostMax = 2;
const fastMs = 1_000;
/** Maximum number of listings in whose traces a fetch is recorded: any number of them can name one manifest. */
const tracedMax = 10;

const pause = (signal: AbortSignal) => delay(fastMs, undefined, { signal }).catch(() => undefined);

/** Failures that no later attempt at the same uri changes, because the publisher caused them. */
const invalidKinds: ReadonlySet<OutboundErrorKind> = new Set(['forbidden_url', 'too_large', 'encoded_body']);

/**
 * Fetches the manifests that a network's listings and rules name, and checks them against the hashes. A first attempt
 * has a fast slot for a second. Then it continues in a slow slot, or is aborted and repeated there.
 */
export function createManifestQueue(
  { db: { pool }, settings, metrics }: CheckDependencies,
  { outbound, store, signal, fastFor = pause }: ManifestOptions,
): WorkQueue<ManifestFetch> & { close(): Promise<void> } {
  const { network, aggregatorUrl } = settings;
  const source = createManifestSource({ aggregatorUrl, outbound });
  // One publisher can use half of the slots: all its hosts may respond slowly.
  const hosts = createGroupLimit(perHostMax);
  const fast = new Slots(fastSlots, [createGroupLimit(fastSlots / 2), hosts]);
  const slow = new Slots(slowSlots, [createGroupLimit(slowSlots / 2), hosts]);
  // Fetches that start in the same turn of the event loop share these statements.
  const current = new DataLoader<ManifestFetch, ManifestFetch | undefined>(
    (fetches) => readCurrentFetches(pool, network, fetches),
    { cache: false },
  );
  /** Stored manifests, from another uri or for another network. */
  const stored = new DataLoader<string, VerifiedManifest | undefined>(
    (hashes) => readManifests(pool, hashes),
    {
      cache: false,
    },
  );

  async function fetchInTime(job: ManifestFetch, slot: Slot): Promise<Outcome> {
    const overdue = new AbortController();
    const outcome = fetchManifest(source, job, AbortSignal.any([signal, overdue.signal]));
    if (job.attempts > 0) return outcome;
    const ended = new AbortController();
    const inTime = await Promise.race([
      outcome.then(
        () => true,
        () => true,
      ),
      fastFor(ended.signal).then(() => false),
    ]);
    ended.abort();
    if (inTime || slot.moveTo(slow)) return outcome;
    outcome.catch(() => undefined);
    overdue.abort();
    const reason = `The host took longer than ${fastMs} ms; it gets more time at the next attempt.`;
    return { status: 'unreachable', reason, retryable: true };
  }

  return {
    name: `${network}/manifests`,
    partitions: [
      { slots: fast, due: createFetchReader(pool, network, 'first') },
      { slots: slow, due: createFetchReader(pool, network, 'again') },
    ],
    close: () => source.close(),
    current: (fetch) => current.load(fetch),
    async work(job, slot) {
      const startedMs = performance.now();
      const { hash } = job;
      const manifest = await stored.load(hash);
      const outcome: Outcome = manifest
        ? { status: 'verified', hash, ...manifest }
        : await fetchInTime(job, slot);
      // Another fetch may start now, unless fetched bodies pile up in memory.
      if (store.hasRoom) slot.free();
      await store.add({ fetch: job, outcome }, slot.isContended);
      if (job.attempts === 0) {
        metrics.steps.observe({ network, step: 'wait' }, job.waitedMs / 1000);
        metrics.steps.observe({ network, step: 'manifest' }, (performance.now() - startedMs) / 1000);
      }
      metrics.checks.inc({ network, check: 'manifest', state: outcome.status });
      const span = { startMs: toEpochMs(startedMs), attributes: { 'marketplace.outcome': outcome.status } };
      await traceCheck('fetch manifest', span, () =>
        readCheckpointsByManifest(pool, network, job, tracedMax),
      );
    },
  };
}

/** Returns a function that reads due fetches, in a fair order. The slots count them by publisher and by host. */
export function createFetchReader(
  pool: CheckDependencies['db']['pool'],
  network: string,
  attempt: Attempt,
): (limit: number) => Promise<DueJobs<ManifestFetch>> {
  const turns = beginTurns();
  return async (limit) => {
    const { rows, nextMs } = await readDueFetches(pool, { network, attempt, limit, turns });
    const waiting = rows.map(({ publisher, verified, host, ...job }) => ({
      key: `manifest ${network} ${job.hash} ${job.uri}`,
      precedence: verified ? 0 : 1,
      groups: [`publisher ${publisher}`, `host ${host}`],
      job,
    }));
    return { waiting, nextMs };
  };
}

async function fetchManifest(
  source: ManifestSource,
  { uri, hash }: ManifestFetch,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    return parseManifest(await source.read(uri, signal), hash);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const { message: reason, retryable, kind } = error;
    return invalidKinds.has(kind)
      ? { status: 'invalid', reason }
      : { status: 'unreachable', reason, retryable };
  }
}

export interface Fetched {
  fetch: ManifestFetch;
  outcome: Outcome;
}

/**
 * Stores outcomes, under the lock of `lockManifests`. `applyFetches` applies them to the listings and rules that name the
 * manifests.
 * @returns the fetches whose status may have changed
 */
export async function storeFetched(
  client: ClientBase,
  network: string,
  fetched: readonly Fetched[],
): Promise<ManifestRef[]> {
  const verified = fetched.flatMap(({ fetch: { hash, uri }, outcome }) =>
    outcome.status === 'verified' ? [{ hash, uri, body: outcome.body, adjusted: outcome.adjusted }] : [],
  );
  if (verified.length > 0) {
    await storeManifests(client, network, verified);
    await storeOpTools(client, verified.map(describeTools));
  }
  const failed = fetched.flatMap(({ fetch, outcome }) => {
    if (outcome.status === 'verified') return [];
    const { hash, uri, attempts } = fetch;
    const retry = mayChange(fetch, outcome) ? computeRetrySeconds(attempts + 1) : null;
    const reason = outcome.reason.slice(0, 1_000);
    return [{ hash, uri, attempts, status: outcome.status, reason, retryAfterSeconds: retry }];
  });
  await recordFetchFailures(client, network, failed);
  const hashes = verified.map(({ hash }) => hash);
  const others = await endOtherFetches(client, network, hashes, appliedMax);
  return [...fetched.map(({ fetch }) => fetch), ...others];
}

function describeTools({ hash, body, adjusted }: { hash: string } & VerifiedManifest) {
  return { hash, ops: isRuleManifest(body) ? [] : describeOps((adjusted?.shown ?? body) as ListedManifest) };
}

/**
 * Maximum number of attempts at a blob with wrong bytes, within seven hours. The id of a blob determines its bytes, so another
 * attempt helps only if the aggregator was wrong.
 */
const blobAttemptsMax = 6;

/** `true` if a later attempt may differ: behind a url a publisher may correct the bytes. */
function mayChange(
  { uri, attempts }: ManifestFetch,
  outcome: Exclude<Outcome, { status: 'verified' }>,
): boolean {
  if (outcome.status === 'unreachable') return outcome.retryable;
  const parsed = parseManifestUri(uri);
  return 'kind' in parsed && (parsed.kind === 'url' || attempts + 1 < blobAttemptsMax);
}
