import { analysisVersion, readProgram, wordingVersion } from '@adaptor-marketplace/adaptor/certify';
import {
  cachedPackages,
  nodePackages,
  PackageUnreadableError,
} from '@adaptor-marketplace/adaptor/introspect';
import {
  type CertifyOutcome,
  type DuePackage,
  postponeCertificates,
  readDuePackage,
  readDuePackages,
  recordCertificates,
} from '../../../db/queries/certificates.ts';
import { beginTurns } from '../../../db/queries/turns.ts';
import { AnalysisProcess } from '../../../lib/certificates/analysis-process.ts';
import { computeRecheckSeconds, computeRetrySeconds } from '../queue/schedule.ts';
import { Slots } from '../queue/slots.ts';
import { type CheckDependencies, type DueJobs, queueDue, type WorkQueue } from '../queue/work-queue.ts';
import { batchReads } from './batched-reads.ts';

/** One thread: an analysis uses a whole processor. */
const slotsMax = 1;
/** Bound on the bytecode of the packages that others call, which stay in memory. */
const cachedBytesMax = 32 * 1024 * 1024;
/** Times that a missing package is read again: another replica behind the url may not have it yet. */
const doubtedAttempts = 2;

const versions = { analysis: analysisVersion, wording: wordingVersion };

/** Certifies the functions of listed packages from their bytecode, each package once for each version of the analysis and its words. */
export function createCertificateQueue(
  { db: { pool }, settings: { network }, metrics, providers }: CheckDependencies,
  signal: AbortSignal,
  analysis: Pick<AnalysisProcess, 'certify' | 'end'> = new AnalysisProcess(),
): WorkQueue<DuePackage> & { close(): void } {
  const client = providers.client('check');
  const packages = cachedPackages(
    nodePackages({ ledgerService: batchReads(client.ledgerService) }),
    cachedBytesMax,
  );
  const turns = beginTurns();

  async function due(limit: number): Promise<DueJobs<DuePackage>> {
    return queueDue(await readDuePackages(pool, { network, limit, turns }, versions), (job) => ({
      key: `certificates ${network} ${job.packageId}`,
      groups: [],
    }));
  }

  async function read({ packageId, attempts }: DuePackage): Promise<CertifyOutcome | Postponed> {
    try {
      return await analysis.certify(await readProgram(packages, packageId, signal), signal);
    } catch (error) {
      if (!(error instanceof PackageUnreadableError)) throw error;
      const { message: reason } = error;
      const isFinal =
        error.reason === 'too_large' || (error.reason === 'absent' && attempts > doubtedAttempts);
      if (isFinal) return { state: 'unread', reason, ...versions, certificates: [] };
      return { state: 'postponed', reason };
    }
  }

  return {
    name: `${network}/certificates`,
    partitions: [{ slots: new Slots(slotsMax), due }],
    close() {
      analysis.end();
      client.close();
    },
    current: ({ packageId }) => readDuePackage(pool, network, packageId),
    async work(job) {
      const outcome = await read(job);
      metrics.checks.inc({ network, check: 'certificate', state: outcome.state });
      if (outcome.state !== 'postponed') {
        return await recordCertificates(pool, network, job.packageId, outcome);
      }
      await postponeCertificates(pool, network, job, {
        reason: outcome.reason,
        retryAfterSeconds: computeRetrySeconds(job.attempts) ?? computeRecheckSeconds(),
      });
    },
  };
}

interface Postponed {
  state: 'postponed';
  reason: string;
}
