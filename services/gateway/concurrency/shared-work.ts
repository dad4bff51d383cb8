import { LRUCache } from 'lru-cache';
import { type ConcurrencyLimit, limitConcurrency } from '../../../lib/chain/concurrency-limit.ts';
import { coalesce } from '../../../lib/concurrency/single-flight.ts';
import { nodeProblem } from '../../../lib/errors/index.ts';

/**
 * Shares reads among the callers of a key. Each caller gets a read that began at or after its call. The number of keys
 * that are read at once is limited.
 * @throws ProblemError 503 `node_busy` beyond the bounds
 */
export function shareReads<T>(
  bounds: ConcurrencyLimit,
  read: (key: string) => Promise<T>,
): (key: string) => Promise<T> {
  const shared = new Map<string, { callers: number; run: () => Promise<T> }>();
  const withSlot = limitConcurrency(bounds);

  return async (key) => {
    const call = shared.get(key) ?? { callers: 0, run: coalesce(() => withSlot(() => read(key))) };
    shared.set(key, call);
    call.callers++;
    try {
      return await call.run();
    } finally {
      if (--call.callers === 0) shared.delete(key);
    }
  };
}

interface CachedWorkOptions<T> extends ConcurrencyLimit {
  /** Maximum milliseconds of the work, from its start. After that, callers get 504. */
  deadlineMs: number;
  /** Milliseconds for which a result is cached. Default: no expiry, for keys whose result never changes. */
  ttlMs?: number;
  bytesMax: number;
  estimateBytes(result: T): number;
}

interface SharedCall<T> {
  callers: number;
  abort: AbortController;
  result: Promise<T>;
}

export type CachedWork<T> = (
  key: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
) => Promise<T>;

/**
 * Does work of untrusted callers once for all callers of a key, and caches its result. The signal aborts when the time
 * is up, or when the last caller has left. Failures are not cached.
 * @throws ProblemError 503 `node_busy` beyond the bounds, 504 when the time is up
 */
export function createCachedWork<T extends object>(options: CachedWorkOptions<T>): CachedWork<T> {
  const cached = new LRUCache<string, T>({
    maxSize: options.bytesMax,
    sizeCalculation: (result) => Math.max(1, options.estimateBytes(result)),
    ttl: options.ttlMs ?? 0,
  });
  const shared = new Map<string, SharedCall<T>>();
  const withSlot = limitConcurrency(options);

  function begin(key: string, work: (signal: AbortSignal) => Promise<T>): SharedCall<T> {
    const abort = new AbortController();
    const result = withSlot(async () => {
      abort.signal.throwIfAborted();
      const timer = setTimeout(() => abort.abort(nodeProblem(true)), options.deadlineMs);
      try {
        const value = await work(abort.signal);
        cached.set(key, value);
        return value;
      } finally {
        clearTimeout(timer);
      }
    });
    const call = { callers: 0, abort, result };
    shared.set(key, call);
    const end = () => {
      if (shared.get(key) === call) shared.delete(key);
    };
    result.then(end, end);
    return call;
  }

  return async (key, signal, work) => {
    const known = cached.get(key);
    if (known) return known;
    signal.throwIfAborted();
    const call = shared.get(key) ?? begin(key, work);
    call.callers++;
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([call.result, left]);
    } finally {
      signal.removeEventListener('abort', leave);
      if (--call.callers === 0) {
        // No later caller joins abandoned work.
        if (shared.get(key) === call) shared.delete(key);
        call.abort.abort();
      }
    }
  };
}
