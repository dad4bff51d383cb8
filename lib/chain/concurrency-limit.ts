import { createSemaphore } from '../concurrency/semaphore.ts';
import { type ProblemError, problem } from '../errors/index.ts';

export interface ConcurrencyLimit {
  /** Pieces of work under way at once. */
  running: number;
  /** Pieces that wait for one of those to end. */
  waiting: number;
  /** Maximum time that a piece may wait and still start, in milliseconds. */
  waitMs: number;
}

/** Bounds concurrent requests to a network's node, over all callers. @throws ProblemError 503 `node_busy` */
export function limitConcurrency({ running: runningMax, waiting: waitingMax, waitMs }: ConcurrencyLimit) {
  const semaphore = createSemaphore(runningMax);
  return async <T>(work: () => Promise<T>): Promise<T> => {
    const calledAt = performance.now();
    const { running, waiting } = semaphore.load();
    if (running >= runningMax && waiting >= waitingMax) throw busy();
    return semaphore.run(async () => {
      if (performance.now() - calledAt > waitMs) throw busy();
      return work();
    });
  };
}

function busy(): ProblemError {
  return problem('node_busy', "Too many requests to the network's node are in progress. Try again shortly.");
}
