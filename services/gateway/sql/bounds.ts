import { createSemaphore } from '../../../lib/concurrency/semaphore.ts';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';

/** Bounds of one statement, and of all together. Times in milliseconds. */
export interface SqlBounds {
  /** Statements that run at once, and statements that wait for one of them to end. */
  running: number;
  waiting: number;
  waitMs: number;
  /** Statements of one API key that run or wait. */
  perCaller: number;
  /** Time from the start of a statement to the last byte of its result. */
  statementMs: number;
  /** Time for which a caller may read nothing. */
  drainMs: number;
  rows: number;
  bytes: number;
  /** Bytes that the database may send for rows that are fetched together. */
  fetchBytes: number;
}

export const usualBounds: SqlBounds = {
  running: 4,
  waiting: 16,
  waitMs: 10_000,
  perCaller: 2,
  statementMs: 30_000,
  drainMs: 10_000,
  rows: 100_000,
  bytes: 64 * 1024 * 1024,
  fetchBytes: 32 * 1024 * 1024,
};

export function tooLarge({ rows, bytes }: SqlBounds): ProblemError {
  const detail = `A result may have ${rows} rows and ${bytes} bytes. Select fewer columns, filter, or use \`limit\`.`;
  return problem('sql_too_large', detail);
}

export function tooSlow({ statementMs }: SqlBounds): ProblemError {
  const detail = `A statement may take ${statementMs / 1_000} s until its result is read. Filter by time, or aggregate less.`;
  return problem('timeout', detail);
}

/** Limits the statements that run at once. Others wait in order, or are refused beyond the limits. */
export function createCallerQueue({
  running: runningMax,
  waiting: waitingMax,
  waitMs,
  perCaller,
}: SqlBounds) {
  const slots = createSemaphore(runningMax);
  const countByCaller = new Map<string, number>();

  function leave(caller: string): void {
    const count = (countByCaller.get(caller) ?? 1) - 1;
    if (count > 0) countByCaller.set(caller, count);
    else countByCaller.delete(caller);
  }

  return {
    load: slots.load,
    /** Waits for a slot. Resolves to its release. @throws ProblemError 429, 503 `sql_busy`; the signal's reason */
    async enter(caller: string, signal: AbortSignal): Promise<() => void> {
      signal.throwIfAborted();
      const count = countByCaller.get(caller) ?? 0;
      const { running, waiting } = slots.load();
      if (count >= perCaller) throw busy(429);
      if (running >= runningMax && waiting >= waitingMax) throw busy(503);
      countByCaller.set(caller, count + 1);
      const entered = Promise.withResolvers<() => void>();
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(busy(503)), waitMs);
      const slot = slots.run(
        () => {
          const { promise, resolve } = Promise.withResolvers<void>();
          entered.resolve(resolve);
          return promise;
        },
        AbortSignal.any([signal, late.signal]),
      );
      slot.catch(entered.reject).finally(() => leave(caller));
      return await entered.promise.finally(() => clearTimeout(timer));
    },
  };
}

function busy(status: 429 | 503): ProblemError {
  const detail =
    status === 429
      ? 'Your API key has the maximum number of statements that run or wait.'
      : 'Too many statements run or wait on this service.';
  return problem('sql_busy', `${detail} Try again shortly.`, { status });
}
