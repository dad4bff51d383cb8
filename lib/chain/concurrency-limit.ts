import { createSemaphore } from '../concurrency/semaphore.ts';
import { type ProblemError, problem } from '../errors/index.ts';

export interface ConcurrencyLimit {
  /** Maximum number of calls that run at once. */
  running: number;
  /** Maximum number of calls that wait for a slot. */
  waiting: number;
  /** Maximum wait. A call that gets its slot later fails. */
  waitMs: number;
}

/**
 * Bounds concurrent requests to a network's node, over all callers.
 * @returns a function that runs work in a slot. @throws ProblemError 503 `node_busy`
 */
export function limitConcurrency({ running: runningMax, waiting: waitingMax, waitMs }: ConcurrencyLimit) {
  const semaphore = createSemaphore(runningMax);
  return async <T>(work: () => Promise<T>): Promise<T> => {
    const calledAtMs = performance.now();
    const { running, waiting } = semaphore.load();
    if (running >= runningMax && waiting >= waitingMax) throw busy();
    return semaphore.run(async () => {
      if (performance.now() - calledAtMs > waitMs) throw busy();
      return work();
    });
  };
}

function busy(): ProblemError {
  return problem('node_busy', "Too many requests to the network's node are in progress. Try again shortly.");
}
