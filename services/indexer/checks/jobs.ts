import { type Answer, ask, callOptions } from '@adaptor-marketplace/adaptor/chain';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { normalizeStructTag, parseStructTag } from '@mysten/sui/utils';
import { addEarnings } from '../../../db/queries/agents.ts';
import { addHires } from '../../../db/queries/catalog/hires.ts';
import { refreshRanks } from '../../../db/queries/catalog/ranks.ts';
import { type JobCheck, readDueJob, readDueJobs, recordJobCheck } from '../../../db/queries/job-checks.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { redactMessage } from '../../../lib/outbound/errors.ts';
import { computeRetrySeconds } from '../queue/schedule.ts';
import { Slots } from '../queue/slots.ts';
import type { CheckDependencies, DueJobs, WorkQueue } from '../queue/work-queue.ts';
import { textBytesMax } from '../sources/source.ts';

const slotsMax = 4;
const timeoutMs = 10_000;
/** Attempts after which an absent object counts as such: a node that is behind does not have a new job yet. */
const doubtedAttempts = 2;
/** Byte offset of the payer: the object begins with its own id and the wallet's. */
const payerAt = 64;
const addressLength = 32;

/** Reads the objects of jobs whose events name no coin or no payer. */
export function createJobQueue({
  db: { pool },
  settings,
  metrics,
  providers,
}: CheckDependencies): WorkQueue<JobCheck> & {
  close(): void;
} {
  const { network, rpcToken: token } = settings;
  const client = providers.client('check');

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
      const mustRetry =
        facts.status === 'unavailable' || (facts.status === 'absent' && attempts <= doubtedAttempts);
      const { coin, payer } = facts.status === 'found' ? facts.value : { coin: null, payer: null };
      await inTransaction(pool, async (db) => {
        const results = await recordJobCheck(db, network, {
          jobId,
          attempts,
          coin,
          payer,
          error: facts.status === 'found' ? null : redactMessage(facts.reason, [token]),
          retryAfterSeconds: mustRetry ? computeRetrySeconds(attempts) : null,
        });
        if (results.length === 0) return;
        const catalog = await addHires(db, network, results);
        await addEarnings(db, network, results);
        await refreshRanks(db, catalog);
      });
    },
  };
}

async function readJob(
  { ledgerService }: ChainClient,
  objectId: string,
): Promise<Answer<{ coin: string; payer: string }>> {
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
