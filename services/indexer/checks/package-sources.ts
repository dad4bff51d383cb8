import { nodePackages, PackageUnreadableError } from '@adaptor-marketplace/adaptor/introspect';
import type { SourceVerdict } from '../../../db/queries/catalog/source-verdict.ts';
import {
  type DueBuild,
  postponeBuild,
  readDueBuild,
  readDueBuilds,
  recordVerification,
} from '../../../db/queries/package-sources/builds.ts';
import { decodeContent } from '../../../db/queries/package-sources/content.ts';
import { type SourceReport, toReport } from '../../../db/queries/package-sources/report.ts';
import { beginTurns } from '../../../db/queries/turns.ts';
import { computeRecheckSeconds, computeRetrySeconds } from '../queue/schedule.ts';
import { Slots } from '../queue/slots.ts';
import type { CheckDependencies, DueJobs, WorkQueue } from '../queue/work-queue.ts';
import { comparisonBounds, type VerifySource, verifyApart } from './verify-source.ts';

/** One at a time: a build uses a whole processor. */
const slotsMax = 1;
/** Times that a missing package is read again: another replica behind the url may not have it yet. */
const doubtedAttempts = 2;

/** A due build with the offered content. */
type SourceBuild = DueBuild & { content?: Buffer };

interface Verified {
  verdict: SourceVerdict;
  report: SourceReport;
}

interface Postponed {
  verdict: undefined;
  reason: string;
}

/** Builds the source that was offered for packages, and compares it with their code on chain. */
export function createSourceQueue(
  { db: { pool }, settings: { network }, metrics, providers }: CheckDependencies,
  signal: AbortSignal,
  verify: VerifySource = verifyApart,
): WorkQueue<SourceBuild> & { close(): void } {
  const client = providers.client('check');
  const packages = nodePackages(client);
  const turns = beginTurns();

  async function due(limit: number): Promise<DueJobs<SourceBuild>> {
    const { rows, nextMs } = await readDueBuilds(pool, { network, limit, turns });
    const waiting = rows.map((job) => ({
      key: `package source ${network} ${job.packageId} ${job.hash}`,
      precedence: job.named ? 2 : job.attempts > 1 ? 1 : 0,
      groups: [],
      job,
    }));
    return { waiting, nextMs };
  }

  async function judge({
    packageId,
    attempts,
    content,
    sourceHash,
  }: SourceBuild): Promise<Verified | Postponed> {
    try {
      const { modules } = await packages.read(packageId, signal);
      const source = { ...(await decodeContent(content!)), hash: sourceHash };
      const verified = await verify([...modules.values()], source, signal);
      const verification = verified ?? notBuilt(sourceHash, describeFailure());
      return { verdict: verification.verdict, report: toReport(verification) };
    } catch (error) {
      if (!(error instanceof PackageUnreadableError)) throw error;
      const { message: reason } = error;
      const isFinal =
        error.reason === 'too_large' || (error.reason === 'absent' && attempts > doubtedAttempts);
      if (!isFinal) return { verdict: undefined, reason };
      return { verdict: 'not_built', report: toReport(notBuilt(sourceHash, reason)) };
    }
  }

  return {
    name: `${network}/package-sources`,
    partitions: [{ slots: new Slots(slotsMax), due }],
    close: () => client.close(),
    current: ({ packageId, hash }) => readDueBuild(pool, { network, packageId, hash }),
    async work(job) {
      const key = { network, packageId: job.packageId, hash: job.hash };
      const outcome = await judge(job);
      metrics.checks.inc({ network, check: 'source', state: outcome.verdict ?? 'postponed' });
      if (outcome.verdict !== undefined) return await recordVerification(pool, key, outcome);
      await postponeBuild(pool, key, {
        attempts: job.attempts,
        reason: outcome.reason,
        retryAfterSeconds: computeRetrySeconds(job.attempts) ?? computeRecheckSeconds(),
      });
    },
  };
}

const notBuilt = (sourceHash: string, reason: string) =>
  ({ verdict: 'not_built', sourceHash, reason, dependencies: {} }) as const;

/** Returns the reason for a process that ended early. The system does not say which bound ended it. */
const describeFailure = () =>
  `The comparison failed, or took more than ${comparisonBounds.processorMs / 1_000} s of processor time or ${comparisonBounds.memoryMb} MB of memory.`;
