import {
  readDueStatementRead,
  readDueStatementReads,
  recordStatements,
  type StatementRead,
  type StatementReadOutcome,
  storeAttesters,
} from '../../../db/queries/statements.ts';
import { beginTurns } from '../../../db/queries/turns.ts';
import { redactMessage } from '../../../lib/outbound/errors.ts';
import { computeRecheckSeconds, computeRetrySeconds } from '../queue/schedule.ts';
import { Slots } from '../queue/slots.ts';
import { type CheckDependencies, type DueJobs, queueDue, type WorkQueue } from '../queue/work-queue.ts';
import { readStatementObjects } from './read-statements.ts';

const slotsMax = 4;
const reasonMax = 1_000;

/**
 * Reads the statements of attesters about packages: after each event, and once a day, as an upgrade of their package may end one
 * without an event. The list of attesters is stored first, also without any: the statements of former ones are deleted then.
 */
export function createStatementQueue({
  db: { pool },
  settings: { network, attesters, rpcToken },
  metrics,
  providers,
}: CheckDependencies): WorkQueue<StatementRead> & { close(): void } {
  const client = providers.client('check');
  const turns = beginTurns();
  let hasStoredAttesters = false;

  async function due(limit: number): Promise<DueJobs<StatementRead>> {
    if (!hasStoredAttesters) await storeAttesters(pool, network, attesters?.list ?? []);
    hasStoredAttesters = true;
    return queueDue(await readDueStatementReads(pool, { network, limit, turns }), (job) => ({
      key: `statements ${network} ${job.packageId} ${job.type}`,
      groups: [],
    }));
  }

  async function read(job: StatementRead): Promise<StatementReadOutcome> {
    if (!attesters || job.fields === null) return { found: [], reason: null, nextAfterSeconds: null };
    const answer = await readStatementObjects(client, attesters, job);
    if (answer.status === 'found') {
      const nextAfterSeconds = answer.value.length === 0 ? null : computeRecheckSeconds();
      return { found: answer.value, reason: null, nextAfterSeconds };
    }
    return {
      found: undefined,
      reason: redactMessage(answer.reason, [rpcToken]).slice(0, reasonMax),
      nextAfterSeconds: computeRetrySeconds(job.attempts) ?? computeRecheckSeconds(),
    };
  }

  return {
    name: `${network}/statements`,
    partitions: [{ slots: new Slots(slotsMax), due }],
    close: () => client.close(),
    current: (job) => readDueStatementRead(pool, network, job),
    async work(job) {
      const outcome = await read(job);
      await recordStatements(pool, network, job, outcome);
      metrics.checks.inc({ network, check: 'statements', state: outcome.found ? 'found' : 'unavailable' });
    },
  };
}
