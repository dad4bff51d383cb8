import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@adaptor-marketplace/adaptor';
import type { Database } from '../../../db/client.ts';
import type { NetworkSettings } from '../../../lib/config/networks.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { IndexerMetrics } from '../reporting/reporting.ts';
import type { Claims } from './claims.ts';
import { type Contender, type Slot, type Slots, Turns } from './slots.ts';

/** A job that is due. */
export interface Waiting<Job> extends Contender {
  /** By which it is claimed, among all jobs of all queues. */
  key: string;
  job: Job;
}

/** Jobs of a queue that have slots of their own. */
interface Partition<Job> {
  slots: Slots;
  /** Up to so many of the jobs that are due, those that should go first. */
  due(limit: number): Promise<Waiting<Job>[]>;
}

/** Work that waits in a table until its time. */
export interface WorkQueue<Job> {
  name: string;
  partitions: readonly Partition<Job>[];
  /** The job as it is now; undefined where it is not due any more. */
  current(job: Job): Promise<Job | undefined>;
  /** Milliseconds until the next job that is not due yet; undefined when none is waiting. */
  nextDueMs(): Promise<number | undefined>;
  /** Must record its outcome; where it throws the job is left alone for a minute. */
  work(job: Job, slot: Slot): Promise<void>;
}

export interface Worker {
  /** There may be due work: look now. */
  wake(): void;
  /** Resolves when the jobs in hand are done. */
  stopped: Promise<void>;
}

/** What the queues of a network work with. */
export interface CheckDependencies {
  db: Database;
  settings: NetworkSettings;
  metrics: IndexerMetrics;
}

interface WorkerOptions {
  claims: Claims;
  log: Logger;
  signal: AbortSignal;
  /** Longest sleep without looking, in case another process left work. */
  sleepMaxMs: number;
  /** After each job. */
  onDone?: () => void;
}

/** Jobs that are read at a time. */
const batchMax = 500;
const sleepMinMs = 50;
/** Between two looks at jobs that another process has: it may end without a word. */
const othersMs = 1_000;
/** What fails without recording why would fail again at once. */
const asideMs = 60_000;
/** Jobs that were read are read again on news at the price of a tenth of the time, however many are due. */
const readingShare = 0.1;

interface Batch<Job> {
  waiting: Waiting<Job>[];
  /** There are more than were read. */
  more: boolean;
  /** Something may have become due since. */
  stale: boolean;
  mayReadAtMs: number;
}

/** Works on a queue, several jobs at a time, until the signal aborts. */
export function startWorker<Job>(queue: WorkQueue<Job>, options: WorkerOptions): Worker {
  const { claims, log, signal, sleepMaxMs } = options;
  const turns = new Turns();
  const batches = new Map<Partition<Job>, Batch<Job>>(
    queue.partitions.map((partition) => [
      partition,
      { waiting: [], more: true, stale: true, mayReadAtMs: 0 },
    ]),
  );
  const running = new Set<Promise<void>>();
  /** Keys of jobs under way, and of those that failed lately. */
  const inHand = new Set<string>();
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
  signal.addEventListener('abort', ring, { once: true });

  async function release(key: string): Promise<void> {
    await claims.release(key);
    inHand.delete(key);
  }

  async function run(job: Job, key: string, slot: Slot): Promise<void> {
    try {
      await queue.work(job, slot);
      await release(key);
      options.onDone?.();
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ queue: queue.name, job }, `a check failed: ${messageOf(error)}`);
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
    const due = await partition.due(limit);
    batch.waiting = due.filter(({ key }) => !inHand.has(key) && !others.has(key));
    batch.more = due.length === limit;
    const after = performance.now();
    batch.mayReadAtMs = after + (after - before) / readingShare;
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

  /** How long nothing can be begun, unless this is woken. */
  async function idleMs(): Promise<number> {
    const left = [...batches.values()].filter(({ waiting }) => waiting.length > 0);
    const unread = left.filter(({ stale }) => stale).map((batch) => batch.mayReadAtMs - performance.now());
    const dueMs = (await queue.nextDueMs()) ?? sleepMaxMs;
    return Math.max(
      sleepMinMs,
      Math.min(dueMs, sleepMaxMs, others.size > 0 ? othersMs : sleepMaxMs, ...unread),
    );
  }

  async function runAll(): Promise<void> {
    let failing = false;
    while (!signal.aborted) {
      // Made before looking: what arrives while looking must not be slept over.
      woken = Promise.withResolvers();
      try {
        while (!signal.aborted && (await startAny()));
        const ms = await idleMs();
        // What became due between the two looks is in neither.
        readAgain(({ waiting }) => waiting.length === 0);
        if (await startAny()) continue;
        failing = false;
        await sleep(ms, woken.promise);
        others.clear();
        readAgain(({ waiting }) => waiting.length === 0);
      } catch (error) {
        // Said once an outage, not once a look.
        if (!failing) log.warn({ queue: queue.name }, `could not look for work: ${messageOf(error)}`);
        failing = true;
        readAgain(() => true);
        await sleep(1_000, new Promise((resolve) => signal.addEventListener('abort', () => resolve())));
      }
    }
    await Promise.all(running);
    for (const timer of aside) clearTimeout(timer);
  }
  return { wake, stopped: runAll() };
}

async function sleep(ms: number, woken: Promise<void>): Promise<void> {
  const stop = new AbortController();
  const slept = delay(ms, undefined, { signal: stop.signal }).catch(() => undefined);
  await Promise.race([slept, woken]);
  stop.abort();
}

const [second, minute, hour, day] = [1, 60, 3_600, 86_400];

/** Seconds after the first, second, ... attempt until the next: about a fortnight in all. */
const delays = [5 * second, minute, 10 * minute, hour, 6 * hour, ...Array<number>(12).fill(day)];

/**
 * Seconds until the attempt after this many, give or take a tenth; null when enough was tried. A new
 * announcement on the chain starts again.
 */
export function retryAfterSeconds(attempts: number, random = Math.random): number | null {
  const delay = delays[attempts - 1];
  return delay === undefined ? null : delay * (0.9 + 0.2 * random());
}

/** Seconds until a known answer is asked for again: a day, and up to a quarter more or less, so that one history's listings spread out. */
export function recheckAfterSeconds(random = Math.random): number {
  return day * (0.75 + 0.5 * random());
}
