import { type Answer, ask } from '@adaptor-marketplace/adaptor/chain/answers';
import { callOptions } from '@adaptor-marketplace/adaptor/chain/call-options';
import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { normalizeStructTag, parseStructTag } from '@mysten/sui/utils';
import type { Database } from '../../../db/client.ts';
import type { NetworkSettings } from '../../../lib/config/index.ts';
import type { IndexerMetrics } from '../metrics.ts';
import { publicMessage } from '../public-message.ts';
import { retryAfterSeconds } from '../queue/schedule.ts';
import { Slots } from '../queue/slots.ts';
import type { Waiting, WorkQueue } from '../queue/worker.ts';
import { textBytesMax } from '../sources/storable.ts';

interface Job {
  jobId: string;
  /** This one included. */
  attempts: number;
}

/** What a job's object says beyond the events of some packages. */
interface JobFacts {
  coin: string;
  payer: string;
}

const columns = 'job_id as "jobId", check_attempts + 1 as attempts';
const slotsMax = 4;
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

  async function due(limit: number): Promise<Waiting<Job>[]> {
    const { rows } = await db.pool.query<Job>({
      name: 'due-jobs',
      text: `select ${columns} from jobs where network = $1 and next_check_at <= now()
        order by next_check_at limit $2`,
      values: [network, limit],
    });
    return rows.map((job) => ({ key: `job ${network} ${job.jobId}`, precedence: 0, groups: [], job }));
  }

  return {
    name: `${network}/jobs`,
    lanes: [{ slots: new Slots(slotsMax), due: (limit) => due(limit) }],
    close: () => client.close(),
    async current({ jobId }) {
      const { rows } = await db.pool.query<Job>({
        name: 'current-job',
        text: `select ${columns} from jobs where network = $1 and job_id = $2 and next_check_at <= now()`,
        values: [network, jobId],
      });
      return rows[0];
    },
    async nextDueMs() {
      const { rows } = await db.pool.query<{ ms: number | null }>({
        name: 'next-job',
        text: `select (extract(epoch from min(next_check_at) - now()) * 1000)::float8 as ms
          from jobs where network = $1 and next_check_at > now()`,
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
          check_attempts = $7, next_check_at = now() + make_interval(secs => $6)
        where network = $1 and job_id = $2`,
        [
          network,
          jobId,
          found?.coin ?? null,
          found?.payer ?? null,
          facts.status === 'found' ? null : publicMessage(facts.reason, [token]),
          again,
          attempts,
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
