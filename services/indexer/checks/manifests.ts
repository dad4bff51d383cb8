import type { Database } from '../../../db/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { type Manifest, type ParsedManifest, parseManifest } from '../../../lib/adaptor/manifest.ts';
import {
  createManifestSource,
  type ManifestSource,
  parseManifestUri,
} from '../../../lib/adaptor/manifest-source.ts';
import { isRuleManifest, type RuleManifest } from '../../../lib/adaptor/rule-manifest.ts';
import type { Network, NetworkSettings } from '../../../lib/config/index.ts';
import { type Outbound, OutboundError, type OutboundErrorKind } from '../../../lib/outbound/index.ts';
import type { IndexerMetrics } from '../metrics.ts';
import { bumpCatalog } from '../store/catalog.ts';
import { lockManifests } from './announce-manifests.ts';
import { judgeManifests } from './manifest-fit.ts';
import type { WorkQueue } from './queue.ts';
import { retryAfterSeconds } from './schedule.ts';

interface Fetch {
  hash: string;
  uri: string;
  attempts: number;
}

type Outcome = ParsedManifest | { status: 'unreachable'; reason: string; retryable: boolean };

export interface ManifestQueue extends WorkQueue<Fetch> {
  close(): Promise<void>;
}

/** Longer than any fetch takes: a process that died lets go of its jobs after it. */
const leaseSeconds = 60;
const perHostMax = 2;

/** A failure that no later attempt at the same uri changes, because it is what the publisher wrote. */
const invalidKinds: ReadonlySet<OutboundErrorKind> = new Set(['forbidden_url', 'too_large', 'encoded_body']);

/** Fetches the manifests that a network's listings and rules name, and judges them against the hashes. */
export function manifestQueue(
  db: Database,
  { network, aggregatorUrl }: NetworkSettings,
  outbound: Outbound,
  metrics: IndexerMetrics,
  signal: AbortSignal,
): ManifestQueue {
  const source = createManifestSource({ aggregatorUrl, outbound });
  /** Fetches in progress by the part of the uri that names the host. */
  const hosts = new Map<string, number>();

  return {
    name: `${network}/manifests`,
    concurrency: 8,
    close: () => source.close(),
    async claim() {
      const busy = [...hosts].filter(([, count]) => count >= perHostMax).map(([host]) => host);
      const { rows } = await db.pool.query<Fetch>({
        name: 'claim-manifest',
        text: `with due as (
            select network, hash, uri from manifest_fetches
            where network = $1 and next_attempt_at <= now() and not (split_part(uri, '/', 3) = any ($2::text[]))
            order by next_attempt_at limit 1 for update skip locked)
          update manifest_fetches f set attempts = f.attempts + 1, updated_at = now(),
            next_attempt_at = now() + make_interval(secs => $3)
          from due where f.network = due.network and f.hash = due.hash and f.uri = due.uri
          returning f.hash, f.uri, f.attempts`,
        values: [network, busy, leaseSeconds],
      });
      return rows[0];
    },
    async nextDueMs() {
      const { rows } = await db.pool.query<{ ms: number | null }>({
        name: 'next-manifest',
        text: `select (extract(epoch from min(next_attempt_at) - now()) * 1000)::float8 as ms
          from manifest_fetches where network = $1 and next_attempt_at is not null`,
        values: [network],
      });
      return rows[0]?.ms ?? undefined;
    },
    async work(fetch) {
      const host = fetch.uri.split('/')[2] ?? '';
      hosts.set(host, (hosts.get(host) ?? 0) + 1);
      try {
        const outcome = (await stored(db, fetch)) ?? (await judge(source, fetch, signal));
        await record(db, network, fetch, outcome);
        metrics.checks.inc({ network, check: 'manifest', state: outcome.status });
      } finally {
        const left = (hosts.get(host) ?? 1) - 1;
        if (left > 0) hosts.set(host, left);
        else hosts.delete(host);
      }
    },
  };
}

/** The manifest, when another uri or another network has brought it already. */
async function stored(db: Database, { hash }: Fetch): Promise<Outcome | undefined> {
  const { rows } = await db.pool.query<{ body: Manifest | RuleManifest }>(
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

async function record(db: Database, network: Network, fetch: Fetch, outcome: Outcome): Promise<void> {
  await inTransaction(db.pool, async (client) => {
    if (outcome.status === 'verified') {
      await lockManifests(client, network);
      await client.query('insert into manifests (hash, body) values ($1, $2) on conflict do nothing', [
        fetch.hash,
        JSON.stringify(outcome.body),
      ]);
      // Whatever else is said to have this hash is the same manifest.
      await client.query(
        `update manifest_fetches set status = 'verified', last_error = null, next_attempt_at = null,
          updated_at = now() where network = $1 and hash = $2`,
        [network, fetch.hash],
      );
      await judgeManifests(client, network, 'listings', [fetch.hash]);
      await judgeManifests(client, network, 'rules', [fetch.hash]);
      if (!isRuleManifest(outcome.body)) await bumpCatalog(client, network);
      return;
    }
    const after = mayChange(fetch, outcome) ? retryAfterSeconds(fetch.attempts) : null;
    await client.query(
      `update manifest_fetches set status = $4, last_error = $5, updated_at = now(),
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
