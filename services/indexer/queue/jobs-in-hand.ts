import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { isDatabaseAway } from '../../../lib/errors/database-away.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { Claims } from './claims.ts';
import type { Slot, Slots } from './slots.ts';
import type { QueuedJob, WorkQueue } from './work-queue.ts';

/** Pause for a job that failed without recording why: it would fail again at once. */
const asideMs = 60_000;
/** Pause for a job whose outcome the database did not store. */
const awayMs = 5_000;

export interface RunOptions {
  claims: Claims;
  log: Logger;
  signal: AbortSignal;
  onDone?: () => void;
}

/** The jobs of a queue that this process runs, or leaves alone because they failed. */
export class JobsInHand<Job> {
  readonly #queue: WorkQueue<Job>;
  readonly #options: RunOptions;
  /** Called when a job may have become due again. */
  readonly #onDue: () => void;
  readonly #running = new Set<Promise<void>>();
  /** Keys of running jobs, and of jobs that failed recently. */
  readonly #keys = new Set<string>();
  /** Keys in `#keys` that were read as due in the meantime. */
  readonly #passed = new Set<string>();
  readonly #aside = new Set<NodeJS.Timeout>();
  /** Keys of jobs that other processes had when this one last looked. */
  readonly #others = new Set<string>();

  constructor(queue: WorkQueue<Job>, options: RunOptions, onDue: () => void) {
    this.#queue = queue;
    this.#options = options;
    this.#onDue = onDue;
  }

  /** Number of jobs that cannot start here, although they may be due. */
  get blocked(): number {
    return this.#keys.size + this.#others.size;
  }

  /** `true` if other processes had some of the due jobs. */
  get hasOthers(): boolean {
    return this.#others.size > 0;
  }

  /** Tries again to claim the jobs that other processes had. */
  forgetOthers(): void {
    this.#others.clear();
  }

  /** Returns those of the due jobs that can start here. */
  takeFree(due: readonly QueuedJob<Job>[]): QueuedJob<Job>[] {
    for (const { key } of due) if (this.#keys.has(key)) this.#passed.add(key);
    return due.filter(({ key }) => !this.#keys.has(key) && !this.#others.has(key));
  }

  /**
   * Claims a job and starts it in a slot, unless another process has it or has done it, or another partition of the queue
   * has started it since it was read.
   */
  async start(slots: Slots, { key, job, groups }: QueuedJob<Job>, onFree: () => void): Promise<void> {
    if (this.#keys.has(key)) {
      this.#passed.add(key);
      return;
    }
    const { claims } = this.#options;
    const slot = slots.take(groups, onFree);
    let isClaimed = false;
    let isStarted = false;
    try {
      isClaimed = await claims.take(key);
      if (!isClaimed) this.#others.add(key);
      // Another process may have done it since it was read.
      const current = isClaimed ? await this.#queue.current(job) : undefined;
      if (current === undefined) return;
      isStarted = true;
      this.#keys.add(key);
      const done = this.#run(current, key, slot).finally(() => this.#running.delete(done));
      this.#running.add(done);
    } finally {
      if (!isStarted) {
        slot.free();
        if (isClaimed) await claims.release(key);
      }
    }
  }

  async #run(job: Job, key: string, slot: Slot): Promise<void> {
    const { log, signal, onDone } = this.#options;
    try {
      await this.#queue.work(job, slot);
      await this.#release(key);
      onDone?.();
    } catch (error) {
      if (signal.aborted) return;
      // The key names the job. The job itself may hold megabytes of source.
      log.warn({ queue: this.#queue.name, key }, `a check failed: ${getErrorMessage(error)}`);
      this.#putAside(key, isDatabaseAway(error) ? awayMs : asideMs);
    } finally {
      slot.free();
    }
  }

  #putAside(key: string, forMs: number): void {
    const timer = setTimeout(() => {
      this.#aside.delete(timer);
      void this.#release(key).then(this.#onDue);
    }, forMs).unref();
    this.#aside.add(timer);
  }

  async #release(key: string): Promise<void> {
    await this.#options.claims.release(key);
    this.#keys.delete(key);
    // The job may have become due again in the meantime.
    if (this.#passed.delete(key)) this.#onDue();
  }

  async ended(): Promise<void> {
    await Promise.all(this.#running);
    for (const timer of this.#aside) clearTimeout(timer);
  }
}
