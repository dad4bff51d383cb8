import type { Database } from '../../../db/client.ts';
import type { DueItems } from '../../../db/queries/due.ts';
import type { Providers } from '../../../lib/chain/providers/providers.ts';
import type { NetworkSettings } from '../../../lib/config/networks.ts';
import type { IndexerMetrics } from '../reporting/metrics.ts';
import type { QueueCandidate, Slot, Slots } from './slots.ts';

/** A due job that waits for a slot. */
export interface QueuedJob<Job> extends QueueCandidate {
  /** Key of its claim, unique among all jobs of all queues. */
  key: string;
  job: Job;
}

export interface DueJobs<Job> {
  waiting: QueuedJob<Job>[];
  /** Milliseconds until another job is due; undefined if none is scheduled. */
  nextMs: number | undefined;
}

/** Queues due jobs so that those without an attempt go before those that are tried again. */
export const queueDue = <Job extends { attempts: number }>(
  { rows, nextMs }: DueItems<Job>,
  describe: (job: Job) => Pick<QueuedJob<Job>, 'key' | 'groups'>,
): DueJobs<Job> => ({
  waiting: rows.map((job) => ({ ...describe(job), precedence: job.attempts > 1 ? 1 : 0, job })),
  nextMs,
});

/** Jobs of a queue that have slots of their own. */
export interface Partition<Job> {
  slots: Slots;
  /** Reads up to `limit` of the due jobs, those that should go first. */
  due(limit: number): Promise<DueJobs<Job>>;
}

/** Work that waits in a table until its time. */
export interface WorkQueue<Job> {
  name: string;
  partitions: readonly Partition<Job>[];
  /** Reads the job as it is now; `undefined` if it is no longer due. */
  current(job: Job): Promise<Job | undefined>;
  /** Does the job and records its outcome. If it throws, the job waits a minute; 5 s if the database was away. */
  work(job: Job, slot: Slot): Promise<void>;
}

export interface CheckDependencies {
  db: Database;
  settings: NetworkSettings;
  metrics: IndexerMetrics;
  providers: Providers;
}
