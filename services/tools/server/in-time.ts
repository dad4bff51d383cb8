import { nodeProblem } from '../../../lib/chain/node/problem.ts';

/**
 * What `work` comes to, where it does before the signal aborts. Late work is left to end by its own bounds.
 * @throws ProblemError 504: what takes long is the node
 */
export function inTime<T>(work: Promise<T>, late: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  late.addEventListener('abort', () => reject(nodeProblem(true)), { once: true });
  work.then(resolve, reject);
  return promise;
}
