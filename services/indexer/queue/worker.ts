import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { JobsInHand, type RunOptions } from './jobs-in-hand.ts';
import { FairPicker } from './slots.ts';
import type { Partition, QueuedJob, WorkQueue } from './work-queue.ts';

export interface Worker {
  /** Reports that there may be due work, so that the worker looks now. */
  wake(): void;
  /** Reports that the order of the jobs may have changed. */
  reorder(): void;
  /** Resolves when the running jobs have ended. */
  stopped: Promise<void>;
}

interface WorkerOptions extends RunOptions {
  /** Maximum time without a look, in case another process left work. */
  sleepMaxMs: number;
}

/** Maximum number of jobs that are read at a time. */
const batchMax = 200;
const sleepMinMs = 50;
/** Time between two looks at jobs that another process has: it may end without a notification. */
const othersMs = 1_000;
/** Maximum share of the time that is spent on reading jobs again after notifications, however many are due. */
const readingShare = 0.03;

interface Batch<Job> {
  waiting: QueuedJob<Job>[];
  /** `true` if there are more jobs than were read. */
  hasMore: boolean;
  /** `true` if a job may have become due since the read. */
  isStale: boolean;
  mayReadAtMs: number;
  /** Time at which the next job becomes due that was not due yet. */
  dueAtMs: number;
}

/** Works on a queue, several jobs at a time, until the signal aborts. */
export function startWorker<Job>(queue: WorkQueue<Job>, options: WorkerOptions): Worker {
  const loop = new WorkLoop(queue, options);
  return { wake: () => loop.wake(), reorder: () => loop.reorder(), stopped: loop.run() };
}

class WorkLoop<Job> {
  readonly #queue: WorkQueue<Job>;
  readonly #options: WorkerOptions;
  readonly #jobs: JobsInHand<Job>;
  readonly #picker = new FairPicker();
  readonly #batches: ReadonlyMap<Partition<Job>, Batch<Job>>;
  #wakeUp = Promise.withResolvers<void>();

  constructor(queue: WorkQueue<Job>, options: WorkerOptions) {
    this.#queue = queue;
    this.#options = options;
    this.#jobs = new JobsInHand(queue, options, () => this.wake());
    this.#batches = new Map(
      queue.partitions.map((partition) => [
        partition,
        { waiting: [], hasMore: true, isStale: true, mayReadAtMs: 0, dueAtMs: Number.POSITIVE_INFINITY },
      ]),
    );
    options.signal.addEventListener('abort', this.#endWait, { once: true });
  }

  readonly #endWait = () => this.#wakeUp.resolve();

  wake(): void {
    this.#markStale(() => true);
    this.#endWait();
  }

  reorder(): void {
    this.#markStale(({ waiting, hasMore }) => waiting.length > 0 || hasMore);
  }

  #markStale(mustRead: (batch: Batch<Job>) => boolean): void {
    for (const batch of this.#batches.values()) batch.isStale ||= mustRead(batch);
  }

  async run(): Promise<void> {
    const { log, signal } = this.#options;
    let isFailing = false;
    let lookedMs = 0;
    while (!signal.aborted) {
      // Created before the look, so that a notification during the look is not missed.
      this.#wakeUp = Promise.withResolvers();
      try {
        this.#markStale(({ dueAtMs }) => dueAtMs <= performance.now());
        while (!signal.aborted && (await this.#startAny()));
        isFailing = false;
        // A slot that became free brings no work, and a notification has made the batches stale.
        const isNews = await isWoken(this.#wakeUp.promise, this.#idleMs());
        if (isNews && performance.now() < lookedMs + othersMs) continue;
        lookedMs = performance.now();
        this.#jobs.forgetOthers();
        this.#markStale(({ waiting }) => waiting.length === 0);
      } catch (error) {
        // Logged once for each outage, not for each look.
        if (!isFailing)
          log.warn({ queue: this.#queue.name }, `could not look for work: ${getErrorMessage(error)}`);
        isFailing = true;
        this.#markStale(() => true);
        await delay(1_000, undefined, { signal }).catch(() => undefined);
      }
    }
    await this.#jobs.ended();
  }

  async #startAny(): Promise<boolean> {
    let hasStarted = false;
    for (const [partition, batch] of this.#batches) {
      hasStarted = (await this.#startGroup(partition, batch)) || hasStarted;
    }
    return hasStarted;
  }

  /** Starts all jobs of `partition` that fit, at the same time, so that they share statements and requests. */
  async #startGroup(partition: Partition<Job>, batch: Batch<Job>): Promise<boolean> {
    const { slots } = partition;
    if (slots.isFull) return false;
    const isUsedUp = batch.waiting.length === 0 && (batch.hasMore || batch.isStale);
    if (isUsedUp || (batch.isStale && performance.now() >= batch.mayReadAtMs)) {
      await this.#read(partition, batch);
    }
    const starting: Promise<void>[] = [];
    while (!slots.isFull) {
      const next = this.#picker.take(batch.waiting, ({ groups }) => slots.fits(groups));
      if (!next) break;
      starting.push(this.#jobs.start(slots, next, this.#endWait));
    }
    slots.isContended = slots.isFull && batch.waiting.length > 0;
    // All of them end before a failure is reported, so that none starts unseen.
    const failed = (await Promise.allSettled(starting)).find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return starting.length > 0;
  }

  async #read(partition: Partition<Job>, batch: Batch<Job>): Promise<void> {
    const before = performance.now();
    batch.isStale = false;
    const limit = batchMax + this.#jobs.blocked;
    const { waiting, nextMs = Number.POSITIVE_INFINITY } = await partition.due(limit);
    batch.waiting = this.#jobs.takeFree(waiting);
    batch.hasMore = waiting.length === limit;
    const after = performance.now();
    batch.mayReadAtMs = after + (after - before) / readingShare;
    batch.dueAtMs = after + nextMs;
  }

  /** Returns the time, in milliseconds, for which no job can start unless the worker is woken. */
  #idleMs(): number {
    const now = performance.now();
    const batches = [...this.#batches.values()];
    const untilRead = batches
      .filter(({ isStale, waiting }) => isStale && waiting.length > 0)
      .map(({ mayReadAtMs }) => mayReadAtMs - now);
    const untilDue = batches.filter(({ isStale }) => !isStale).map(({ dueAtMs }) => dueAtMs - now);
    const { sleepMaxMs } = this.#options;
    const ms = Math.min(this.#jobs.hasOthers ? othersMs : sleepMaxMs, sleepMaxMs, ...untilDue, ...untilRead);
    return Math.max(sleepMinMs, ms);
  }
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
