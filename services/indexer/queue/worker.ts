import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import type { Database } from '../../../db/client.ts';
import type { NetworkSettings } from '../../../lib/config/networks.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { IndexerMetrics } from '../reporting/reporting.ts';
import type { Claims } from './claims.ts';
import { type Contender, type Slot, type Slots, Turns } from './slots.ts';

interface Waiting<Job> extends Contender {
  /** Key of its claim, unique among all jobs of all queues. */
  key: string;
  job: Job;
}

export interface DueJobs<Job> {
  waiting: Waiting<Job>[];
  /** Milliseconds until another job is due; undefined if none is scheduled. */
  nextMs: number | undefined;
}

/** Jobs of a queue that have slots of their own. */
interface Partition<Job> {
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
  /** Does the job and records its outcome. If it throws, the job is left alone for a minute. */
  work(job: Job, slot: Slot): Promise<void>;
}

export interface Worker {
  /** Reports that there may be due work, so that the worker looks now. */
  wake(): void;
  /** Reports that the order of the jobs may have changed. */
  reorder(): void;
  /** Resolves when the running jobs have ended. */
  stopped: Promise<void>;
}

/** Dependencies of the queues of a network. */
export interface CheckDependencies {
  db: Database;
  settings: NetworkSettings;
  metrics: IndexerMetrics;
}

interface WorkerOptions {
  claims: Claims;
  log: Logger;
  signal: AbortSignal;
  /** Maximum time without a look, in case another process left work. */
  sleepMaxMs: number;
  /** Called after each job. */
  onDone?: () => void;
}

/** Maximum number of jobs that are read at a time. */
const batchMax = 500;
const sleepMinMs = 50;
/** Time between two looks at jobs that another process has: it may end without a notification. */
const othersMs = 1_000;
/** Pause for a job that failed without recording why: it would fail again at once. */
const asideMs = 60_000;
/** Maximum share of the time that is spent on reading jobs again after notifications, however many are due. */
const readingShare = 0.1;

interface Batch<Job> {
  waiting: Waiting<Job>[];
  /** `true` if there are more jobs than were read. */
  more: boolean;
  /** `true` if a job may have become due since the read. */
  stale: boolean;
  mayReadAtMs: number;
  /** Time at which the next job becomes due that was not due yet. */
  dueAtMs: number;
}

/** Works on a queue, several jobs at a time, until the signal aborts. */
export function startWorker<Job>(queue: WorkQueue<Job>, options: WorkerOptions): Worker {
  const { claims, log, signal, sleepMaxMs } = options;
  const turns = new Turns();
  const batches = new Map<Partition<Job>, Batch<Job>>(
    queue.partitions.map((partition) => [
      partition,
      { waiting: [], more: true, stale: true, mayReadAtMs: 0, dueAtMs: Number.POSITIVE_INFINITY },
    ]),
  );
  const running = new Set<Promise<void>>();
  /** Keys of running jobs, and of jobs that failed recently. */
  const inHand = new Set<string>();
  /** Keys in `inHand` that were read as due in the meantime. */
  const passed = new Set<string>();
  const aside = new Set<NodeJS.Timeout>();
  /** Keys of jobs that other processes had at this look. */
  const others = new Set<string>();

  let woken = Promise.withResolvers<void>();
  const ring = () => woken.resolve();
  const readAgain = (which: (batch: Batch<Job>) => boolean) => {
    for (const batch of batches.values()) batch.stale ||= which(batch);
  };
  const wake = () => {
    readAgain(() => true);
    ring();
  };
  const reorder = () => readAgain(({ waiting, more }) => waiting.length > 0 || more);
  signal.addEventListener('abort', ring, { once: true });

  async function release(key: string): Promise<void> {
    await claims.release(key);
    inHand.delete(key);
    // The job may have become due again in the meantime.
    if (passed.delete(key)) wake();
  }

  async function run(job: Job, key: string, slot: Slot): Promise<void> {
    try {
      await queue.work(job, slot);
      await release(key);
      options.onDone?.();
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ queue: queue.name, job }, `a check failed: ${getErrorMessage(error)}`);
      const timer = setTimeout(() => {
        aside.delete(timer);
        void release(key).then(wake);
      }, asideMs).unref();
      aside.add(timer);
    } finally {
      slot.free();
    }
  }

  async function start(partition: Partition<Job>, { key, job, groups }: Waiting<Job>): Promise<void> {
    const slot = partition.slots.take(groups, ring);
    let mine = false;
    try {
      mine = await claims.take(key);
      // Another process may have done it since it was read.
      const current = mine ? await queue.current(job) : undefined;
      if (!mine) others.add(key);
      if (current === undefined) return;
      inHand.add(key);
      const done = run(current, key, slot).finally(() => running.delete(done));
      running.add(done);
    } finally {
      if (!inHand.has(key)) {
        slot.free();
        if (mine) await claims.release(key);
      }
    }
  }

  async function read(partition: Partition<Job>, batch: Batch<Job>): Promise<void> {
    const before = performance.now();
    batch.stale = false;
    const limit = batchMax + inHand.size + others.size;
    const { waiting, nextMs = Number.POSITIVE_INFINITY } = await partition.due(limit);
    for (const { key } of waiting) if (inHand.has(key)) passed.add(key);
    batch.waiting = waiting.filter(({ key }) => !inHand.has(key) && !others.has(key));
    batch.more = waiting.length === limit;
    const after = performance.now();
    batch.mayReadAtMs = after + (after - before) / readingShare;
    batch.dueAtMs = after + nextMs;
  }

  /** Starts one job of `partition`, if any fits. */
  async function startOne(partition: Partition<Job>, batch: Batch<Job>): Promise<boolean> {
    if (partition.slots.full) return false;
    const isUsedUp = batch.waiting.length === 0 && (batch.more || batch.stale);
    if (isUsedUp || (batch.stale && performance.now() >= batch.mayReadAtMs)) await read(partition, batch);
    const next = turns.take(batch.waiting, ({ groups }) => partition.slots.fits(groups));
    if (!next) return false;
    await start(partition, next);
    return true;
  }

  async function startAny(): Promise<boolean> {
    let started = false;
    for (const [partition, batch] of batches) started = (await startOne(partition, batch)) || started;
    return started;
  }

  /** Returns the time, in milliseconds, for which no job can start unless the worker is woken. */
  function idleMs(): number {
    const now = performance.now();
    const [stale, fresh] = [true, false].map((is) =>
      [...batches.values()].filter((batch) => batch.stale === is),
    );
    const untilRead = stale!
      .filter(({ waiting }) => waiting.length > 0)
      .map(({ mayReadAtMs }) => mayReadAtMs - now);
    const untilDue = fresh!.map(({ dueAtMs }) => dueAtMs - now);
    const ms = Math.min(others.size > 0 ? othersMs : sleepMaxMs, sleepMaxMs, ...untilDue, ...untilRead);
    return Math.max(sleepMinMs, ms);
  }

  async function runAll(): Promise<void> {
    let failing = false;
    let lookedMs = 0;
    while (!signal.aborted) {
      // Created before the look, so that a notification during the look is not missed.
      woken = Promise.withResolvers();
      try {
        readAgain(({ dueAtMs }) => dueAtMs <= performance.now());
        while (!signal.aborted && (await startAny()));
        failing = false;
        // A slot that became free brings no work, and a notification has made the batches stale.
        const isNews = await isWoken(woken.promise, idleMs());
        if (isNews && performance.now() < lookedMs + othersMs) continue;
        lookedMs = performance.now();
        others.clear();
        readAgain(({ waiting }) => waiting.length === 0);
      } catch (error) {
        // Logged once for each outage, not for each look.
        if (!failing) log.warn({ queue: queue.name }, `could not look for work: ${getErrorMessage(error)}`);
        failing = true;
        readAgain(() => true);
        await isWoken(new Promise((resolve) => signal.addEventListener('abort', () => resolve())), 1_000);
      }
    }
    await Promise.all(running);
    for (const timer of aside) clearTimeout(timer);
  }
  return { wake, reorder, stopped: runAll() };
}

/** Resolves to `true` when `woken` resolves, or to `false` after `ms` milliseconds. */
async function isWoken(woken: Promise<void>, ms: number): Promise<boolean> {
  const slept = Promise.withResolvers<boolean>();
  // An aborted timer creates an error with its stack. This one is cleared some hundred times a second.
  const timer = setTimeout(() => slept.resolve(false), ms);
  const first = await Promise.race([slept.promise, woken.then(() => true)]);
  clearTimeout(timer);
  return first;
}

const [second, minute, hour, day] = [1, 60, 3_600, 86_400];

/** Seconds between the first, second, ... attempt and the next: about a fortnight in all. */
const delays = [5 * second, minute, 10 * minute, hour, 6 * hour, ...Array<number>(12).fill(day)];

/**
 * Returns the seconds until the next attempt after this many, give or take a tenth; `null` if there is none. A new
 * announcement on the chain starts the attempts again.
 */
export function retryAfterSeconds(attempts: number, random = Math.random): number | null {
  const delay = delays[attempts - 1];
  return delay === undefined ? null : delay * (0.9 + 0.2 * random());
}

/**
 * Returns the seconds until a known answer is checked again: a day, and up to a quarter more or less, so that the
 * listings of one history spread out.
 */
export function recheckAfterSeconds(random = Math.random): number {
  return day * (0.75 + 0.5 * random());
}
