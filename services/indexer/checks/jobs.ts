import { type Answer, ask } from '@adaptor-marketplace/adaptor/chain/answers';
import { callOptions } from '@adaptor-marketplace/adaptor/chain/call-options';
import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { normalizeStructTag, parseStructTag } from '@mysten/sui/utils';
import type { Database } from '../../../db/client.ts';
import {
  type JobCheck,
  msUntilNextJob,
  readDueJob,
  readDueJobs,
  recordJobCheck,
} from '../../../db/queries/job-checks.ts';
import type { NetworkSettings } from '../../../lib/config/index.ts';
import { Slots } from '../queue/slots.ts';
import { retryAfterSeconds, type Waiting, type WorkQueue } from '../queue/worker.ts';
import type { IndexerMetrics } from '../reporting.ts';
import { publicMessage } from '../reporting.ts';
import { textBytesMax } from '../sources/source.ts';

/** What a job's object says beyond the events of some packages. */
interface JobFacts {
  coin: string;
  payer: string;
}

const slotsMax = 4;
const timeoutMs = 10_000;
/** The object begins with its own id and the wallet's; then comes the payer. */
const payerAt = 64;
const addressLength = 32;

/** Reads the objects of jobs whose events name no coin or no payer. */
export function jobQueue(
  { pool }: Pick<Database, 'pool'>,
  { network, rpcUrl, rpcToken: token }: NetworkSettings,
  metrics: IndexerMetrics,
): WorkQueue<JobCheck> & { close(): void } {
  const client = createChainClient({ url: rpcUrl, token });

  async function due(limit: number): Promise<Waiting<JobCheck>[]> {
    const jobs = await readDueJobs(pool, network, limit);
    return jobs.map((job) => ({ key: `job ${network} ${job.jobId}`, precedence: 0, groups: [], job }));
  }

  return {
    name: `${network}/jobs`,
    lanes: [{ slots: new Slots(slotsMax), due }],
    close: () => client.close(),
    current: ({ jobId }) => readDueJob(pool, network, jobId),
    nextDueMs: () => msUntilNextJob(pool, network),
    async work({ jobId, attempts }) {
      const facts = await readJob(client, jobId);
      metrics.checks.inc({ network, check: 'job', state: facts.status });
      const { coin, payer } = facts.status === 'found' ? facts.value : { coin: null, payer: null };
      await recordJobCheck(pool, network, {
        ...{ jobId, attempts, coin, payer },
        error: facts.status === 'found' ? null : publicMessage(facts.reason, [token]),
        retryAfterSeconds: facts.status === 'unavailable' ? retryAfterSeconds(attempts) : null,
      });
    },
  };
}

async function readJob({ ledgerService }: ChainClient, objectId: string): Promise<Answer<JobFacts>> {
  const readMask = { paths: ['object_type', 'contents'] };
  const answer = await ask(ledgerService.getObject({ objectId, readMask }, callOptions(timeoutMs)));
  if (answer.status !== 'found') return answer;
  const { objectType = '', contents } = answer.value.object ?? {};
  const payer = contents?.value?.subarray(payerAt, payerAt + addressLength);
  const coin = coinOf(objectType);
  if (!coin || payer?.length !== addressLength) {
    const reason = `The object ${objectId} is not a job of a coin whose type has up to ${textBytesMax} bytes.`;
    return { status: 'absent', reason };
  }
  return { status: 'found', value: { coin, payer: `0x${Buffer.from(payer).toString('hex')}` } };
}

/** `0x…::job::Job<COIN>` names the coin. Undefined also where no index can hold it. */
function coinOf(objectType: string): string | undefined {
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
