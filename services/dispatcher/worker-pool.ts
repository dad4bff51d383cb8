import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import type { Gauge } from '@prometheus-io/client';
import { trimLog } from '../../db/queries/webhooks/attempts.ts';
import type { Logger } from '../../lib/log/index.ts';
import type { StreamQueue } from './stream-queue.ts';
import { type AttemptCounts, createReleaser, runWorker, type Slot, type WorkerOptions } from './worker.ts';

/** Maximum workers of one process, with at most two exchanges each: many, since most receivers may hang. */
const workersMax = 1_024;
/** Maximum number of a subscription's deliveries that stay in the log. More may stay until `logSlack` were added. */
const logMax = 10_000;
const logSlack = 1_000;

/** The workers of this process, by the subscription that each sends to. */
export class WorkerPool {
  readonly #options: WorkerOptions;
  readonly #log: Logger;
  readonly #gauge: Gauge;
  /** Releases the lease of a subscription without a worker. Never rejects. */
  readonly release: (subscription: string) => Promise<void>;
  readonly #working = new Map<string, Promise<unknown>>();
  /** Number of entries that each subscription may have added to the log since it was trimmed. */
  readonly #logged = new Map<string, number>();

  constructor(options: WorkerOptions, log: Logger, gauge: Gauge) {
    this.#options = options;
    this.#log = log;
    this.#gauge = gauge;
    this.release = createReleaser(options, log);
  }

  get room(): number {
    return workersMax - this.#working.size;
  }

  get subscriptions(): Iterable<string> {
    return this.#working.keys();
  }

  has(subscription: string): boolean {
    return this.#working.has(subscription);
  }

  /**
   * Starts a worker for a leased subscription. If it leaves something to send, it adds the subscription to `queues`
   * again. Resolves when the lease is released: to undefined if the worker failed.
   */
  start(slot: Slot, queues: readonly StreamQueue[]): Promise<AttemptCounts | undefined> {
    const { id } = slot.receiver;
    const work = this.#run(slot, queues).then(async (counts) => {
      await this.release(id);
      this.#working.delete(id);
      this.#gauge.set(this.#working.size);
      return counts;
    });
    this.#working.set(id, work);
    this.#gauge.set(this.#working.size);
    return work;
  }

  async #run(slot: Slot, queues: readonly StreamQueue[]): Promise<AttemptCounts | undefined> {
    const { id } = slot.receiver;
    const addAgain = () => {
      for (const queue of queues) queue.addAgain(id);
    };
    try {
      const counts = await runWorker(this.#options, slot);
      this.#logged.set(id, (this.#logged.get(id) ?? 0) + counts.delivered + counts.failed);
      if (counts.rest) addAgain();
      if (counts.undecided) for (const queue of queues) queue.addLater(id);
      return counts;
    } catch (error) {
      this.#log.warn(
        { subscription: id, reason: getErrorMessage(error) },
        'sending to a webhook subscription failed',
      );
      addAgain();
      return undefined;
    }
  }

  /** Removes the oldest log entries of subscriptions that have added many. */
  async trimLogs(): Promise<void> {
    const grown = [...this.#logged].flatMap(([id, count]) => (count >= logSlack ? [id] : []));
    if (grown.length > 0) await trimLog(this.#options.db, grown, logMax);
    for (const id of grown) this.#logged.delete(id);
  }

  /** Resolves when the workers have ended and their leases are released: another dispatcher can go on at once. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#working.values());
  }
}
