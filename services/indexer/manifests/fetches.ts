import { setTimeout as delay } from 'node:timers/promises';
import { isRuleManifest, type ParsedManifest, parseManifest } from '@adaptor-marketplace/adaptor/manifest';
import { readListingsOf } from '../../../db/queries/catalog/listings.ts';
import { lockCatalog, refreshEntries } from '../../../db/queries/catalog/maintain.ts';
import { recheckOps } from '../../../db/queries/checks.ts';
import {
  type Attempt,
  lockManifests,
  type ManifestFetch,
  msUntilNextFetch,
  readDueFetch,
  readDueFetches,
  readManifestBody,
  recordFetchFailure,
  storeManifest,
} from '../../../db/queries/manifests.ts';
import { inTransaction } from '../../../db/transaction.ts';
import {
  createManifestSource,
  type ManifestSource,
  parseManifestUri,
} from '../../../lib/manifests/source.ts';
import { OutboundError, type OutboundErrorKind } from '../../../lib/outbound/errors.ts';
import type { Outbound } from '../../../lib/outbound/index.ts';
import { bound, type Slot, Slots } from '../queue/slots.ts';
import { type CheckDependencies, retryAfterSeconds, type Waiting, type WorkQueue } from '../queue/worker.ts';
import { judgeManifests } from './fit.ts';

type Outcome = ParsedManifest | { status: 'unreachable'; reason: string; retryable: boolean };

interface ManifestQueue extends WorkQueue<ManifestFetch> {
  close(): Promise<void>;
}

interface ManifestOptions {
  outbound: Outbound;
  signal: AbortSignal;
  /** Resolves when a fetch has had its time in the fast slots; the signal ends the wait. Default: after a second. */
  fastFor?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** Slots for first attempts, each held for a second at most: hosts that drip must not keep others waiting. */
const fastSlots = 16;
/** Slots for what takes longer, and for what has failed before. */
const slowSlots = 32;
const perHostMax = 2;
const fastMs = 1_000;

const aSecond = (signal: AbortSignal) => delay(fastMs, undefined, { signal }).catch(() => undefined);

/** A failure that no later attempt at the same uri changes, because it is what the publisher wrote. */
const invalidKinds: ReadonlySet<OutboundErrorKind> = new Set(['forbidden_url', 'too_large', 'encoded_body']);

/**
 * Fetches the manifests that a network's listings and rules name, and judges them against the hashes. A first attempt
 * has a fast slot for a second; then it goes on in a slow one, or is aborted and made again there.
 */
export function manifestQueue(
  { db: { pool }, settings, metrics }: CheckDependencies,
  { outbound, signal, fastFor = aSecond }: ManifestOptions,
): ManifestQueue {
  const { network, aggregatorUrl } = settings;
  const source = createManifestSource({ aggregatorUrl, outbound });
  // Of one publisher, half: its hosts may all be dripping.
  const hosts = bound(perHostMax);
  const fast = new Slots(fastSlots, [bound(fastSlots / 2), hosts]);
  const slow = new Slots(slowSlots, [bound(slowSlots / 2), hosts]);

  async function fetch(job: ManifestFetch, slot: Slot): Promise<Outcome> {
    const cut = new AbortController();
    const outcome = judge(source, job, AbortSignal.any([signal, cut.signal]));
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
    cut.abort();
    const reason = `The host took longer than ${fastMs} ms; it gets more time at the next attempt.`;
    return { status: 'unreachable', reason, retryable: true };
  }

  return {
    name: `${network}/manifests`,
    partitions: [
      { slots: fast, due: (limit) => dueFetches(pool, network, 'first', limit) },
      { slots: slow, due: (limit) => dueFetches(pool, network, 'again', limit) },
    ],
    close: () => source.close(),
    current: (fetch) => readDueFetch(pool, network, fetch),
    nextDueMs: () => msUntilNextFetch(pool, network),
    async work(job, slot) {
      const outcome = (await stored(pool, job)) ?? (await fetch(job, slot));
      await record(pool, network, job, outcome);
      metrics.checks.inc({ network, check: 'manifest', state: outcome.status });
    },
  };
}

/** The fetches that are due, in a fair order; the slots count them by publisher and by host. */
export async function dueFetches(
  pool: CheckDependencies['db']['pool'],
  network: string,
  attempt: Attempt,
  limit: number,
): Promise<Waiting<ManifestFetch>[]> {
  const rows = await readDueFetches(pool, network, attempt, limit);
  return rows.map(({ publisher, verified, ...job }) => ({
    key: `manifest ${network} ${job.hash} ${job.uri}`,
    precedence: verified ? 0 : 1,
    groups: [`publisher ${publisher}`, `host ${job.uri.split('/')[2]?.toLowerCase() ?? ''}`],
    job,
  }));
}

/** The manifest, when another uri or another network has brought it already. */
async function stored(
  pool: CheckDependencies['db']['pool'],
  { hash }: ManifestFetch,
): Promise<Outcome | undefined> {
  const body = await readManifestBody(pool, hash);
  return body && { status: 'verified', hash, body };
}

async function judge(
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

async function record(
  pool: CheckDependencies['db']['pool'],
  network: string,
  fetch: ManifestFetch,
  outcome: Outcome,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    if (outcome.status === 'verified') {
      await lockManifests(client, network);
      await storeManifest(client, network, fetch, outcome.body);
      await judgeManifests(client, network, 'listings', [fetch.hash]);
      await judgeManifests(client, network, 'rules', [fetch.hash]);
      if (isRuleManifest(outcome.body)) return;
      await recheckOps(client, network, fetch.hash);
      const listings = await readListingsOf(client, network, { hash: fetch.hash });
      await refreshEntries(client, await lockCatalog(client, network), listings);
      return;
    }
    await recordFetchFailure(client, network, fetch, {
      status: outcome.status,
      reason: outcome.reason.slice(0, 1_000),
      retryAfterSeconds: mayChange(fetch, outcome) ? retryAfterSeconds(fetch.attempts + 1) : null,
    });
    // Behind the lock of the fetch's row, a listing that has just begun to name the manifest is found.
    const listings = await readListingsOf(client, network, fetch);
    await refreshEntries(client, await lockCatalog(client, network), listings);
  });
}

/** A blob's bytes are given by its id; behind a url, a publisher may fix what is wrong. */
function mayChange({ uri }: ManifestFetch, outcome: Exclude<Outcome, { status: 'verified' }>): boolean {
  if (outcome.status === 'unreachable') return outcome.retryable;
  const parsed = parseManifestUri(uri);
  return 'kind' in parsed && parsed.kind === 'url';
}
