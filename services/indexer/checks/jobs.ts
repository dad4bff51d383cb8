import { normalizeStructTag, parseStructTag } from '@mysten/sui/utils';
import type { Database } from '../../../db/client.ts';
import { type Answer, ask } from '../../../lib/chain/answers.ts';
import { type ChainClient, callOptions, createChainClient } from '../../../lib/chain/client.ts';
import type { NetworkSettings } from '../../../lib/config/index.ts';
import type { IndexerMetrics } from '../metrics.ts';
import { publicMessage } from '../public-message.ts';
import { textBytesMax } from '../storable.ts';
import type { WorkQueue } from './queue.ts';
import { retryAfterSeconds } from './schedule.ts';

interface Job {
  jobId: string;
  attempts: number;
}

/** What a job's object says beyond the events of some packages. */
interface JobFacts {
  coin: string;
  payer: string;
}

const leaseSeconds = 60;
const timeoutMs = 10_000;
/** The object begins with its own id and the wallet's; then comes the payer. */
const payerAt = 64;
const addressLength = 32;

/** Reads the objects of jobs whose events name no coin or no payer. */
export function jobQueue(
  db: Database,
  { network, rpcUrl, rpcToken: token }: NetworkSettings,
  metrics: IndexerMetrics,
): WorkQueue<Job> & { close(): void } {
  const client = createChainClient({ url: rpcUrl, token });
  return {
    name: `${network}/jobs`,
    concurrency: 4,
    close: () => client.close(),
    async claim() {
      const { rows } = await db.pool.query<Job>({
        name: 'claim-job',
        text: `with due as (
            select network, job_id from jobs where network = $1 and next_check_at <= now()
            order by next_check_at limit 1 for update skip locked)
          update jobs j set check_attempts = j.check_attempts + 1,
            next_check_at = now() + make_interval(secs => $2)
          from due where j.network = due.network and j.job_id = due.job_id
          returning j.job_id as "jobId", j.check_attempts as attempts`,
        values: [network, leaseSeconds],
      });
      return rows[0];
    },
    async nextDueMs() {
      const { rows } = await db.pool.query<{ ms: number | null }>({
        name: 'next-job',
        text: `select (extract(epoch from min(next_check_at) - now()) * 1000)::float8 as ms
          from jobs where network = $1 and next_check_at is not null`,
        values: [network],
      });
      return rows[0]?.ms ?? undefined;
    },
    async work({ jobId, attempts }) {
      const facts = await readJob(client, jobId);
      metrics.checks.inc({ network, check: 'job', state: facts.status });
      const found = facts.status === 'found' ? facts.value : undefined;
      const again = facts.status === 'unavailable' ? retryAfterSeconds(attempts) : null;
      // What an event has told meanwhile stays.
      await db.pool.query(
        `update jobs set coin = coalesce(coin, $3), payer = coalesce(payer, $4), check_error = $5,
          next_check_at = now() + make_interval(secs => $6)
        where network = $1 and job_id = $2`,
        [
          network,
          jobId,
          found?.coin ?? null,
          found?.payer ?? null,
          facts.status === 'found' ? null : publicMessage(facts.reason, [token]),
          again,
        ],
      );
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
