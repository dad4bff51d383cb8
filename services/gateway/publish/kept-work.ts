import { LRUCache } from 'lru-cache';
import { nodeProblem } from '../../../lib/chain/node/problem.ts';
import { type TurnBounds, turns } from '../../../lib/chain/node/turns.ts';

export interface KeptWorkOptions<T> extends TurnBounds {
  /** The work may take this long from its beginning, in milliseconds; then it is 504. */
  deadlineMs: number;
  /** How long a result is kept, in milliseconds. Absent: for ever, where the key names what never changes. */
  ttlMs?: number;
  /** Of all kept results. */
  bytesMax: number;
  bytesOf(result: T): number;
}

interface Shared<T> {
  callers: number;
  abort: AbortController;
  result: Promise<T>;
}

/** Work on a key: does it once for all who ask meanwhile, and keeps what it gave. */
export type KeptWork<T> = (
  key: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
) => Promise<T>;

/**
 * Bounds the work that strangers ask for: callers of one key share it, results are kept, and of different keys only
 * so much is done at once. The work's signal aborts when its time is up, or when the last of its callers is gone;
 * failures are not kept.
 * @throws ProblemError 503 `node_busy` beyond the bounds, 504 when the time is up
 */
export function keptWork<T extends object>(options: KeptWorkOptions<T>): KeptWork<T> {
  const kept = new LRUCache<string, T>({
    maxSize: options.bytesMax,
    sizeCalculation: (result) => Math.max(1, options.bytesOf(result)),
    ttl: options.ttlMs ?? 0,
  });
  const shared = new Map<string, Shared<T>>();
  const inTurn = turns(options);

  function begin(key: string, work: (signal: AbortSignal) => Promise<T>): Shared<T> {
    const abort = new AbortController();
    const result = inTurn(async () => {
      abort.signal.throwIfAborted();
      const timer = setTimeout(() => abort.abort(nodeProblem(true)), options.deadlineMs);
      try {
        const value = await work(abort.signal);
        kept.set(key, value);
        return value;
      } finally {
        clearTimeout(timer);
      }
    });
    const begun = { callers: 0, abort, result };
    shared.set(key, begun);
    const end = () => {
      if (shared.get(key) === begun) shared.delete(key);
    };
    result.then(end, end);
    return begun;
  }

  return async (key, signal, work) => {
    const known = kept.get(key);
    if (known) return known;
    signal.throwIfAborted();
    const found = shared.get(key) ?? begin(key, work);
    found.callers++;
    const { promise: gone, reject } = Promise.withResolvers<never>();
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([found.result, gone]);
    } finally {
      signal.removeEventListener('abort', leave);
      if (--found.callers === 0) {
        // Nobody joins what is being abandoned.
        if (shared.get(key) === found) shared.delete(key);
        found.abort.abort();
      }
    }
  };
}
