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
  more: boolean;
  /** `true` if a job may have become due since the read. */
  stale: boolean;
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
  readonly #turns = new FairPicker();
  readonly #batches: ReadonlyMap<Partition<Job>, Batch<Job>>;
  #woken = Promise.withResolvers<void>();

  constructor(queue: WorkQueue<Job>, options: WorkerOptions) {
    this.#queue = queue;
    this.#options = options;
    this.#jobs = new JobsInHand(queue, options, () => this.wake());
    this.#batches = new Map(
      queue.partitions.map((partition) => [
        partition,
        { waiting: [], more: true, stale: true, mayReadAtMs: 0, dueAtMs: Number.POSITIVE_INFINITY },
      ]),
    );
    options.signal.addEventListener('abort', this.#ring, { once: true });
  }

  readonly #ring = () => this.#woken.resolve();

  wake(): void {
    this.#readAgain(() => true);
    this.#ring();
  }

  reorder(): void {
    this.#readAgain(({ waiting, more }) => waiting.length > 0 || more);
  }

  #readAgain(which: (batch: Batch<Job>) => boolean): void {
    for (const batch of this.#batches.values()) batch.stale ||= which(batch);
  }

  async run(): Promise<void> {
    const { log, signal } = this.#options;
    let failing = false;
    let lookedMs = 0;
    while (!signal.aborted) {
      // Created before the look, so that a notification during the look is not missed.
      this.#woken = Promise.withResolvers();
      try {
        this.#readAgain(({ dueAtMs }) => dueAtMs <= performance.now());
        while (!signal.aborted && (await this.#startAny()));
        failing = false;
        // A slot that became free brings no work, and a notification has made the batches stale.
        const isNews = await isWoken(this.#woken.promise, this.#idleMs());
        if (isNews && performance.now() < lookedMs + othersMs) continue;
        lookedMs = performance.now();
        this.#jobs.forgetOthers();
        this.#readAgain(({ waiting }) => waiting.length === 0);
      } catch (error) {
        // Logged once for each outage, not for each look.
        if (!failing)
          log.warn({ queue: this.#queue.name }, `could not look for work: ${getErrorMessage(error)}`);
        failing = true;
        this.#readAgain(() => true);
        await delay(1_000, undefined, { signal }).catch(() => undefined);
      }
    }
    await this.#jobs.ended();
  }

  async #startAny(): Promise<boolean> {
    let started = false;
    for (const [partition, batch] of this.#batches) {
      started = (await this.#startGroup(partition, batch)) || started;
    }
    return started;
  }

  /** Starts all jobs of `partition` that fit, at the same time, so that they share statements and requests. */
  async #startGroup(partition: Partition<Job>, batch: Batch<Job>): Promise<boolean> {
    const { slots } = partition;
    if (slots.full) return false;
    const isUsedUp = batch.waiting.length === 0 && (batch.more || batch.stale);
    if (isUsedUp || (batch.stale && performance.now() >= batch.mayReadAtMs)) {
      await this.#read(partition, batch);
    }
    const starting: Promise<void>[] = [];
    while (!slots.full) {
      const next = this.#turns.take(batch.waiting, ({ groups }) => slots.fits(groups));
      if (!next) break;
      starting.push(this.#jobs.start(slots, next, this.#ring));
    }
    slots.contended = slots.full && batch.waiting.length > 0;
    // All of them end before a failure is reported, so that none starts unseen.
    const failed = (await Promise.allSettled(starting)).find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return starting.length > 0;
  }

  async #read(partition: Partition<Job>, batch: Batch<Job>): Promise<void> {
    const before = performance.now();
    batch.stale = false;
    const limit = batchMax + this.#jobs.blocked;
    const { waiting, nextMs = Number.POSITIVE_INFINITY } = await partition.due(limit);
    batch.waiting = this.#jobs.takeFree(waiting);
    batch.more = waiting.length === limit;
    const after = performance.now();
    batch.mayReadAtMs = after + (after - before) / readingShare;
    batch.dueAtMs = after + nextMs;
  }

  /** Returns the time, in milliseconds, for which no job can start unless the worker is woken. */
  #idleMs(): number {
    const now = performance.now();
    const [stale, fresh] = [true, false].map((is) =>
      [...this.#batches.values()].filter((batch) => batch.stale === is),
    );
    const untilRead = stale!
      .filter(({ waiting }) => waiting.length > 0)
      .map(({ mayReadAtMs }) => mayReadAtMs - now);
    const untilDue = fresh!.map(({ dueAtMs }) => dueAtMs - now);
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
