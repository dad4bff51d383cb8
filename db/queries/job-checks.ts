import type { ClientBase } from 'pg';
import { type Row, readColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import { buildInsertCoinsSql } from './coins.ts';
import { type DueItems, readDue } from './due.ts';
import { buildEarnedSql, changesEarnings, hireColumns, isHire, type JobResult } from './jobs.ts';
import type { Queryable } from './queryable.ts';

const jobKey = readColumns(tables.jobs, ['jobId']);

/** A job whose object on chain must be read. */
export interface JobCheck extends Row<typeof jobKey> {
  /** Attempts, including this one. */
  attempts: number;
}

const checkColumns = `${jobKey.select('j')}, j.check_attempts + 1 as attempts`;

/** Reads the jobs whose check is due, the longest due first. */
export async function readDueJobs(
  db: Queryable,
  network: string,
  limit: number,
): Promise<DueItems<JobCheck>> {
  return await readDue<JobCheck>(db, {
    name: 'due-jobs',
    rows: `select ${checkColumns}, row_number() over (order by next_check_at) as nth from (
        select * from jobs where network = $1 and next_check_at <= now() order by next_check_at limit $2) j`,
    moments: { column: 'next_check_at', from: 'jobs where network = $1' },
    values: [network, limit],
  });
}

/** Reads the check of a job in its current state; undefined if it is no longer due. */
export async function readDueJob(
  db: Queryable,
  network: string,
  jobId: string,
): Promise<JobCheck | undefined> {
  const { rows } = await db.query<JobCheck>({
    name: 'due-job',
    text: `select ${checkColumns} from jobs j where network = $1 and job_id = $2 and next_check_at <= now()`,
    values: [network, jobId],
  });
  return rows[0];
}

interface JobCheckOutcome extends JobCheck {
  coin: string | null;
  payer: string | null;
  error: string | null;
  /** Seconds until the next attempt. Null: no retry. */
  retryAfterSeconds: number | null;
}

/**
 * Stores the result of a check. A coin and a payer that an event has stored meanwhile stay. The former state is read under
 * the lock of the row: an event that is stored at the same time counts what it changes itself.
 * @returns the job if its part in the earnings or the rank of its provider changes
 */
export async function recordJobCheck(
  client: ClientBase,
  network: string,
  { jobId, attempts, coin, payer, error, retryAfterSeconds }: JobCheckOutcome,
): Promise<JobResult[]> {
  const { rows } = await client.query<JobResult>({
    name: 'record-job-check',
    text: `with former as (
        select * from jobs where network = $1 and job_id = $2 for update),
      checked as (
        update jobs j set coin = coalesce(former.coin, $3), payer = coalesce(former.payer, $4), check_error = $5,
          check_attempts = $7, next_check_at = now() + make_interval(secs => $6)
        from former where j.network = $1 and j.job_id = former.job_id
        returning j.*),
      seen_coins as (${buildInsertCoinsSql('checked')}),
      changed as (
        select c.*, ${buildEarnedSql('c', 'former')} as earned, ${changesEarnings('c', 'former')} as has_earned,
          ${isHire('c')} and not ${isHire('former')} as is_hire
        from checked c cross join former)
      select ${hireColumns.select('c')}, c.earned, c.is_hire as "isHire"
      from changed c where c.has_earned or c.is_hire`,
    values: [network, jobId, coin, payer, error, retryAfterSeconds, attempts],
  });
  return rows;
}
