import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../../lib/errors/index.ts';
import type { Logger } from '../../../lib/log/index.ts';

/** Work that waits in a table until its time. */
export interface WorkQueue<Job> {
  name: string;
  concurrency: number;
  /** Takes one due job for the time of a lease, or none. */
  claim(): Promise<Job | undefined>;
  /** Milliseconds until the next job is due; undefined when none is waiting. */
  nextDueMs(): Promise<number | undefined>;
  /** Must record its outcome; what it throws leaves the job to the end of its lease. */
  work(job: Job): Promise<void>;
}

export interface Worker {
  /** There may be due work: look now. */
  wake(): void;
  /** Resolves when the jobs in hand are done. */
  stopped: Promise<void>;
}

const sleepMinMs = 50;

export interface WorkerOptions {
  log: Logger;
  signal: AbortSignal;
  /** Longest sleep without looking, in case another process left work. */
  sleepMaxMs: number;
}

/** Works on a queue, several jobs at a time, until the signal aborts. */
export function startWorker<Job>(queue: WorkQueue<Job>, { log, signal, sleepMaxMs }: WorkerOptions): Worker {
  let woken = Promise.withResolvers<void>();
  const wake = () => woken.resolve();
  signal.addEventListener('abort', wake, { once: true });
  const running = new Set<Promise<void>>();

  const start = (job: Job) => {
    const done = queue
      .work(job)
      .catch((error) => {
        if (!signal.aborted) log.warn({ queue: queue.name, job }, `a check failed: ${messageOf(error)}`);
      })
      .finally(() => {
        running.delete(done);
        wake();
      });
    running.add(done);
  };

  const run = async () => {
    let failing = false;
    while (!signal.aborted) {
      // Made before looking: what arrives while looking must not be slept over.
      woken = Promise.withResolvers();
      try {
        const job = running.size < queue.concurrency ? await queue.claim() : undefined;
        if (job !== undefined) {
          start(job);
          continue;
        }
        const dueMs = (await queue.nextDueMs()) ?? sleepMaxMs;
        failing = false;
        // What is due and yet was not claimed waits for a job in hand, whose end wakes this.
        const held = dueMs <= 0 && running.size > 0;
        await sleep(held ? sleepMaxMs : Math.max(sleepMinMs, Math.min(dueMs, sleepMaxMs)), woken.promise);
      } catch (error) {
        // Said once an outage, not once a look.
        if (!failing) log.warn({ queue: queue.name }, `could not look for work: ${messageOf(error)}`);
        failing = true;
        await sleep(1_000, new Promise((resolve) => signal.addEventListener('abort', () => resolve())));
      }
    }
    await Promise.all(running);
  };
  return { wake, stopped: run() };
}

async function sleep(ms: number, woken: Promise<void>): Promise<void> {
  const stop = new AbortController();
  const slept = delay(ms, undefined, { signal: stop.signal }).catch(() => undefined);
  await Promise.race([slept, woken]);
  stop.abort();
}
