import type { Queryable } from './queryable.ts';

/** A job whose object on chain must be read. */
export interface JobCheck {
  jobId: string;
  /** This one included. */
  attempts: number;
}

const columns = 'job_id as "jobId", check_attempts + 1 as attempts';

/** The jobs whose check is due, the longest due first. */
export async function readDueJobs(db: Queryable, network: string, limit: number): Promise<JobCheck[]> {
  const { rows } = await db.query<JobCheck>({
    name: 'due-jobs',
    text: `select ${columns} from jobs where network = $1 and next_check_at <= now()
      order by next_check_at limit $2`,
    values: [network, limit],
  });
  return rows;
}

/** The check of a job as it is now; undefined where it is no longer due. */
export async function readDueJob(
  db: Queryable,
  network: string,
  jobId: string,
): Promise<JobCheck | undefined> {
  const { rows } = await db.query<JobCheck>({
    name: 'due-job',
    text: `select ${columns} from jobs where network = $1 and job_id = $2 and next_check_at <= now()`,
    values: [network, jobId],
  });
  return rows[0];
}

/** Milliseconds until the next check of a job is due; undefined where none is scheduled. */
export async function msUntilNextJob(db: Queryable, network: string): Promise<number | undefined> {
  const { rows } = await db.query<{ ms: number | null }>({
    name: 'next-job',
    text: `select (extract(epoch from min(next_check_at) - now()) * 1000)::float8 as ms
      from jobs where network = $1 and next_check_at > now()`,
    values: [network],
  });
  return rows[0]?.ms ?? undefined;
}

export interface JobCheckOutcome extends JobCheck {
  coin: string | null;
  payer: string | null;
  error: string | null;
  /** Null: never. */
  retryAfterSeconds: number | null;
}

/** Stores what a check found. Coin and payer that an event has brought meanwhile stay. */
export async function recordJobCheck(
  db: Queryable,
  network: string,
  { jobId, attempts, coin, payer, error, retryAfterSeconds }: JobCheckOutcome,
): Promise<void> {
  await db.query({
    name: 'record-job-check',
    text: `update jobs set coin = coalesce(coin, $3), payer = coalesce(payer, $4), check_error = $5,
        check_attempts = $7, next_check_at = now() + make_interval(secs => $6)
      where network = $1 and job_id = $2`,
    values: [network, jobId, coin, payer, error, retryAfterSeconds, attempts],
  });
}
