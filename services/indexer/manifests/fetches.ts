import { setTimeout as delay } from 'node:timers/promises';
import {
  type ListedManifest,
  type ParsedManifest,
  parseManifest,
} from '@adaptor-marketplace/adaptor/manifest';
import type { Network } from '@adaptor-marketplace/adaptor/networks';
import { isRuleManifest, type RuleManifest } from '@adaptor-marketplace/adaptor/rule-manifest';
import type { Pool } from 'pg';
import type { Database } from '../../../db/client.ts';
import { bumpCatalog } from '../../../db/queries/catalog/bump.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { NetworkSettings } from '../../../lib/config/index.ts';
import {
  createManifestSource,
  type ManifestSource,
  parseManifestUri,
} from '../../../lib/manifests/source.ts';
import { type Outbound, OutboundError, type OutboundErrorKind } from '../../../lib/outbound/index.ts';
import type { IndexerMetrics } from '../metrics.ts';
import { retryAfterSeconds } from '../queue/schedule.ts';
import { bound, type Slot, Slots } from '../queue/slots.ts';
import type { WorkQueue } from '../queue/worker.ts';
import { lockManifests } from './announce.ts';
import { judgeManifests } from './fit.ts';
import { dueManifests, type Fetch } from './manifest-order.ts';
import { recheckOps } from './op-fit.ts';

type Outcome = ParsedManifest | { status: 'unreachable'; reason: string; retryable: boolean };

export interface ManifestQueue extends WorkQueue<Fetch> {
  close(): Promise<void>;
}

export interface ManifestOptions {
  settings: NetworkSettings;
  outbound: Outbound;
  metrics: IndexerMetrics;
  signal: AbortSignal;
  /** Resolves when a fetch has had its time in the fast lane; the signal ends the wait. Default: after a second. */
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
 * has a fast slot for a second; then it goes on in a slow one, or is broken off and made again there.
 */
export function manifestQueue(
  { pool }: Pick<Database, 'pool'>,
  { settings, outbound, metrics, signal, fastFor = aSecond }: ManifestOptions,
): ManifestQueue {
  const { network, aggregatorUrl } = settings;
  const source = createManifestSource({ aggregatorUrl, outbound });
  // Of one publisher, half: its hosts may all be dripping.
  const hosts = bound(perHostMax);
  const fast = new Slots(fastSlots, [bound(fastSlots / 2), hosts]);
  const slow = new Slots(slowSlots, [bound(slowSlots / 2), hosts]);

  async function fetch(job: Fetch, slot: Slot): Promise<Outcome> {
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
    lanes: [
      { slots: fast, due: (limit) => dueManifests(pool, network, 'first', limit) },
      { slots: slow, due: (limit) => dueManifests(pool, network, 'again', limit) },
    ],
    close: () => source.close(),
    async current({ hash, uri }) {
      const { rows } = await pool.query<Fetch>({
        name: 'current-manifest',
        text: `select hash, uri, attempts from manifest_fetches
          where network = $1 and hash = $2 and uri = $3 and next_attempt_at <= now()`,
        values: [network, hash, uri],
      });
      return rows[0];
    },
    async nextDueMs() {
      const { rows } = await pool.query<{ ms: number | null }>({
        name: 'next-manifest',
        text: `select (extract(epoch from min(next_attempt_at) - now()) * 1000)::float8 as ms
          from manifest_fetches where network = $1 and next_attempt_at > now()`,
        values: [network],
      });
      return rows[0]?.ms ?? undefined;
    },
    async work(job, slot) {
      const outcome = (await stored(pool, job)) ?? (await fetch(job, slot));
      await record(pool, network, job, outcome);
      metrics.checks.inc({ network, check: 'manifest', state: outcome.status });
    },
  };
}

/** The manifest, when another uri or another network has brought it already. */
async function stored(pool: Pool, { hash }: Fetch): Promise<Outcome | undefined> {
  const { rows } = await pool.query<{ body: ListedManifest | RuleManifest }>(
    'select body from manifests where hash = $1',
    [hash],
  );
  return rows[0] && { status: 'verified', hash, body: rows[0].body };
}

async function judge(source: ManifestSource, { uri, hash }: Fetch, signal: AbortSignal): Promise<Outcome> {
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

async function record(pool: Pool, network: Network, fetch: Fetch, outcome: Outcome): Promise<void> {
  await inTransaction(pool, async (client) => {
    if (outcome.status === 'verified') {
      await lockManifests(client, network);
      await client.query('insert into manifests (hash, body) values ($1, $2) on conflict do nothing', [
        fetch.hash,
        JSON.stringify(outcome.body),
      ]);
      // Whatever else is said to have this hash is the same manifest.
      await client.query(
        `update manifest_fetches set status = 'verified', last_error = null, next_attempt_at = null,
          attempts = attempts + case when uri = $3 then 1 else 0 end, updated_at = now() where network = $1 and hash = $2`,
        [network, fetch.hash, fetch.uri],
      );
      await judgeManifests(client, network, 'listings', [fetch.hash]);
      await judgeManifests(client, network, 'rules', [fetch.hash]);
      if (!isRuleManifest(outcome.body)) {
        await recheckOps(client, network, fetch.hash);
        await bumpCatalog(client, network);
      }
      return;
    }
    const after = mayChange(fetch, outcome) ? retryAfterSeconds(fetch.attempts + 1) : null;
    await client.query(
      `update manifest_fetches set status = $4, last_error = $5, attempts = attempts + 1, updated_at = now(),
        next_attempt_at = now() + make_interval(secs => $6)
      where network = $1 and hash = $2 and uri = $3 and status <> 'verified'`,
      [network, fetch.hash, fetch.uri, outcome.status, outcome.reason.slice(0, 1_000), after],
    );
  });
}

/** A blob's bytes are given by its id; behind a url, a publisher may mend what is wrong. */
function mayChange({ uri }: Fetch, outcome: Exclude<Outcome, { status: 'verified' }>): boolean {
  if (outcome.status === 'unreachable') return outcome.retryable;
  const parsed = parseManifestUri(uri);
  return 'kind' in parsed && parsed.kind === 'url';
}
