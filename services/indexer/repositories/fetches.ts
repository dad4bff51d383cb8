import { findCommit, manifestSource, sourceHosts } from '@adaptor-marketplace/adaptor/manifest';
import { prepareSource, SourceRefusedError } from '@adaptor-marketplace/move-toolchain/verify/source';
import { encodeContent } from '../../../db/queries/package-sources/content.ts';
import {
  readDueSourceFetch,
  readDueSourceFetches,
  recordSourceFetch,
  type SourceFetch,
  type SourceFetchOutcome,
} from '../../../db/queries/package-sources/named.ts';
import { addSourceOffer } from '../../../db/queries/package-sources/offers.ts';
import { beginTurns } from '../../../db/queries/turns.ts';
import { OutboundError, type OutboundErrorKind } from '../../../lib/outbound/errors.ts';
import type { Outbound } from '../../../lib/outbound/index.ts';
import { computeRetrySeconds } from '../queue/schedule.ts';
import { createGroupLimit, Slots } from '../queue/slots.ts';
import { type CheckDependencies, type DueJobs, queueDue, type WorkQueue } from '../queue/work-queue.ts';
import { archiveLimits, readTar } from './read-tar.ts';

/** Maximum archives in memory at a time, in all and per host. */
const slotsMax = 2;
const perHostMax = 1;
const timeoutMs = 60_000;
const reasonMax = 1_000;

/**
 * Fetches the source that manifests of verified publishers name, and queues its build. A temporary failure is retried
 * on the schedule of manifests: a commit can be pushed after it is listed.
 */
export function createSourceFetchQueue(
  { db: { pool }, settings: { network }, metrics }: Omit<CheckDependencies, 'providers'>,
  { outbound, signal }: { outbound: Outbound; signal: AbortSignal },
): WorkQueue<SourceFetch> {
  const turns = beginTurns();

  async function due(limit: number): Promise<DueJobs<SourceFetch>> {
    return queueDue(await readDueSourceFetches(pool, { network, limit, turns }), (job) => ({
      key: `named source ${network} ${job.packageId} ${job.repository} ${job.commit} ${job.path}`,
      groups: [`host ${job.repository.split('/', 3)[2]}`],
    }));
  }

  /** @throws OutboundError, SourceRefusedError */
  async function offer({
    packageId,
    repository,
    commit,
    path,
    attempts,
  }: SourceFetch): Promise<SourceFetchOutcome> {
    const { data: source } = manifestSource.safeParse({ repository, commit, ...(path !== '' && { path }) });
    const url = source && findCommit(source)?.archive;
    if (url === undefined) {
      throw new SourceRefusedError(
        `Source is fetched from repositories on ${sourceHosts.join(' and ')} alone. Offer it as a zip file.`,
      );
    }
    const archive = await outbound.fetchBytes(url, { maxBytes: archiveLimits.bytes, timeoutMs, signal });
    const prepared = prepareSource(await readTar(archive), path === '' ? undefined : path);
    const stored = await encodeContent(prepared);
    const key = { network, packageId, sourceHash: prepared.hash, address: undefined };
    const result = await addSourceOffer(pool, { ...key, ...stored });
    if (result === 'queued' || result === 'verified')
      return { offer: stored.hash, reason: null, nextAfterSeconds: null };
    return postpone(attempts, 'Too much other source waits to be built.');
  }

  async function attempt(job: SourceFetch): Promise<SourceFetchOutcome> {
    try {
      return await offer(job);
    } catch (error) {
      if (!(error instanceof OutboundError || error instanceof SourceRefusedError)) throw error;
      const reason = describeFailure(error).toWellFormed().replaceAll('\0', '\ufffd').slice(0, reasonMax);
      if (error instanceof OutboundError && error.retryable) return postpone(job.attempts, reason);
      return { offer: null, reason, nextAfterSeconds: null };
    }
  }

  return {
    name: `${network}/named-sources`,
    partitions: [{ slots: new Slots(slotsMax, [createGroupLimit(perHostMax)]), due }],
    current: (job) => readDueSourceFetch(pool, network, job),
    async work(job) {
      const outcome = await attempt(job);
      metrics.checks.inc({
        network,
        check: 'named_source',
        state: outcome.offer === null ? 'failed' : 'read',
      });
      await recordSourceFetch(pool, network, job, outcome);
    },
  };
}

/** Advice for the publisher about a request that failed, by the kind of its error. */
const advice: Partial<Record<OutboundErrorKind, string>> = {
  http_status: 'Check that the commit is pushed, and that anyone can read the repository.',
  redirect: 'If the repository has moved, name its new url in the manifest.',
  too_large: 'Offer the package as a zip file.',
};

function describeFailure(error: OutboundError | SourceRefusedError): string {
  const next = error instanceof OutboundError ? advice[error.kind] : undefined;
  return next === undefined ? error.message : `${error.message} ${next}`;
}

/** Builds the outcome of an attempt that is repeated. After the last attempt, `nextAfterSeconds` is null. */
const postpone = (attempts: number, reason: string): SourceFetchOutcome => ({
  offer: null,
  reason,
  nextAfterSeconds: computeRetrySeconds(attempts),
});
