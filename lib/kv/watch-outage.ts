import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import type { Logger } from '../log/index.ts';
import { type Kv, KvUnavailableError } from './kv.ts';

// Not `cockatiel`: its circuit breaker ends an outage with the call of a request, which would wait for it. A probe does here.

/** Runs a function after a delay. @returns a function that cancels it */
export type DelayScheduler = (afterMs: number, run: () => void) => () => void;

const later: DelayScheduler = (afterMs, run) => {
  const timer = setTimeout(run, afterMs);
  return () => clearTimeout(timer);
};

/** Rejects if the response takes longer. */
function rejectAfter<T>(ms: number, answer: Promise<T>, timeLimit: DelayScheduler): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  // After a pause of this process, timers run before responses that have already arrived: those are handled first.
  const cancel = timeLimit(ms, () => void setImmediate(() => reject(tooLate(ms))));
  answer.then(resolve, reject).finally(cancel);
  return promise;
}

const tooLate = (ms: number) => new Error(`The store did not answer within ${ms} ms.`);

/** Timeout of counts, which requests wait for. Operations that may list thousands of records have more time. */
const countTimeoutMs = 100;
const otherTimeoutMs = 2_000;
/** Failures in a row that are an outage. A single lost response is not. */
const failuresOfOutage = 3;
const probeDelaysMs = [100, 250, 500, 1_000];

export interface WatchOptions {
  log: Logger;
  metrics: Registry;
  /** Timer of the time limits. Default: `setTimeout`. */
  timeLimit?: DelayScheduler;
}

/**
 * Limits the time of each operation, and detects an outage: operations then fail at once, until a probe succeeds, which
 * is a count like those of requests. Resolves when the store has first responded, or has not in time.
 */
export async function watchOutage(
  driver: Kv,
  { log, metrics, timeLimit = later }: WatchOptions,
): Promise<Kv> {
  const up = new Gauge({
    name: 'kv_up',
    help: '1 while the key-value store answers, 0 during an outage.',
    registers: [metrics],
  });
  const failures = new Counter({
    name: 'kv_failures_total',
    help: 'Operations of the key-value store that failed, those refused during an outage included.',
    registers: [metrics],
  });
  up.set(1);

  let failuresInARow = 0;
  let outageSinceMs: number | undefined;
  let outageReason = '';
  let cancelProbe = (): void => undefined;
  let closed = false;

  function failed(reason: string): void {
    failuresInARow += 1;
    if (outageSinceMs === undefined && !closed && failuresInARow >= failuresOfOutage) beginOutage(reason);
  }

  function beginOutage(reason: string): void {
    outageSinceMs = performance.now();
    outageReason = reason;
    up.set(0);
    log.error(
      { reason },
      'the key-value store is unavailable: limits are not counted and keys not recognized until it responds',
    );
    probeLater(0);
  }

  function probeLater(attempt: number): void {
    const delayMs = probeDelaysMs[Math.min(attempt, probeDelaysMs.length - 1)]!;
    cancelProbe = later(delayMs, async () => {
      const answered = await rejectAfter(countTimeoutMs, countProbe(), timeLimit).then(
        () => true,
        () => false,
      );
      if (closed) return;
      if (answered) endOutage();
      else probeLater(attempt + 1);
    });
  }

  function endOutage(): void {
    const seconds = Math.round((performance.now() - outageSinceMs!) / 100) / 10;
    outageSinceMs = undefined;
    failuresInARow = 0;
    up.set(1);
    log.info({ seconds }, 'the key-value store is available again');
  }

  const countProbe = () => driver.count('probe', 1_000);

  async function run<T>(waitMs: number, operation: () => Promise<T>): Promise<T> {
    if (outageSinceMs !== undefined) {
      failures.inc();
      throw new KvUnavailableError('The key-value store is unavailable.', { cause: outageReason });
    }
    try {
      const result = await rejectAfter(waitMs, operation(), timeLimit);
      failuresInARow = 0;
      return result;
    } catch (error) {
      failures.inc();
      failed(getErrorMessage(error));
      throw new KvUnavailableError(getErrorMessage(error), { cause: error });
    }
  }

  await waitForFirstAnswer(countProbe, timeLimit).catch((error: unknown) =>
    beginOutage(getErrorMessage(error)),
  );

  return {
    get: (key) => run(otherTimeoutMs, () => driver.get(key)),
    getMany: (keys) => run(otherTimeoutMs, () => driver.getMany(keys)),
    set: (key, value, ttlMs) => run(otherTimeoutMs, () => driver.set(key, value, ttlMs)),
    replace: (key, expected, value) => run(otherTimeoutMs, () => driver.replace(key, expected, value)),
    delete: (key) => run(otherTimeoutMs, () => driver.delete(key)),
    hashSet: (key, field, value) => run(otherTimeoutMs, () => driver.hashSet(key, field, value)),
    hashDelete: (key, field) => run(otherTimeoutMs, () => driver.hashDelete(key, field)),
    hashAll: (key) => run(otherTimeoutMs, () => driver.hashAll(key)),
    count: (key, windowMs) => run(countTimeoutMs, () => driver.count(key, windowMs)),
    countFor: (record, key, windowMs) => run(countTimeoutMs, () => driver.countFor(record, key, windowMs)),
    takeToken: (key, bucket) => run(countTimeoutMs, () => driver.takeToken(key, bucket)),
    close: () => {
      closed = true;
      cancelProbe();
      return driver.close();
    },
  };
}

const firstAnswerEveryMs = 20;

/**
 * Waits for the first response of the store. A client that is still connecting fails at once, so the call is retried
 * until the time limit. Rejects with the client's last error, not with the timeout of the attempt after it.
 */
async function waitForFirstAnswer(ask: () => Promise<unknown>, timeLimit: DelayScheduler): Promise<void> {
  let over = false;
  let refusal: unknown = tooLate(otherTimeoutMs);
  const { promise: timeIsUp, reject } = Promise.withResolvers<never>();
  const cancel = timeLimit(otherTimeoutMs, () => void setImmediate(() => reject(refusal)));
  const askUntilOver = async () => {
    while (!over) {
      try {
        return await ask();
      } catch (error) {
        refusal = error;
        await delay(firstAnswerEveryMs);
      }
    }
  };
  try {
    await Promise.race([askUntilOver(), timeIsUp]);
  } finally {
    over = true;
    cancel();
  }
}
