import type { z } from 'zod';

/** How often something was counted in its window, this time included. */
export interface WindowCount {
  count: number;
  /** Milliseconds until the window ends and counting begins anew. */
  endsInMs: number;
}

/**
 * What keys, limits and subscriptions need of a key-value store. Values are strings. Every driver keeps the same
 * promises, which `contract.test.ts` holds. Each call is one round trip.
 * @throws KvUnavailableError from every operation while the store cannot be used.
 */
export interface Kv {
  get(key: string): Promise<string | undefined>;
  /** In the order of the keys. */
  getMany(keys: readonly string[]): Promise<(string | undefined)[]>;
  /** Without `ttlMs` the value stays, whatever end an earlier one had. */
  set(key: string, value: string, ttlMs?: number): Promise<void>;
  /** Sets the value only where it still is `expected`, and says whether it did. */
  replace(key: string, expected: string, value: string): Promise<boolean>;
  /** Whether there was something to delete. */
  delete(key: string): Promise<boolean>;

  hashSet(key: string, field: string, value: string): Promise<void>;
  /** Whether there was something to delete. */
  hashDelete(key: string, field: string): Promise<boolean>;
  hashAll(key: string): Promise<Map<string, string>>;

  /** Counts one more; the first count begins a window of `windowMs`, by the store's clock. Atomic. */
  count(key: string, windowMs: number): Promise<WindowCount>;
  /**
   * Counts one more only where `record` has a value, which is answered beside the count; undefined where it has
   * none. Both keys must carry the same `{hash tag}`, so that a cluster keeps them on one node.
   */
  countFor(
    record: string,
    key: string,
    windowMs: number,
  ): Promise<(WindowCount & { value: string }) | undefined>;

  close(): Promise<void>;
}

/** The store did not answer, or answered that it cannot. `message` says why; it holds no url and no secret. */
export class KvUnavailableError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'KvUnavailableError';
  }
}

/**
 * A record that is kept as JSON; undefined where there is none, or something else. What another program has put
 * into the store is nobody's: one such value must not take down the work on all others.
 */
export function parseRecord<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
