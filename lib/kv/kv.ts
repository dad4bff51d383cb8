import type { z } from 'zod';
import { parseJson } from '../json.ts';

/** Count of the current window, this call included. */
export interface WindowCount {
  count: number;
  /** Milliseconds until the window ends and counting starts again. */
  endsInMs: number;
}

/**
 * Key-value store for keys, limits and subscriptions. Values are strings. `contract.test.ts` holds every driver to the
 * same behaviour. Each call is one round trip.
 * @throws KvUnavailableError from every operation while the store cannot be used.
 */
export interface Kv {
  get(key: string): Promise<string | undefined>;
  /** In the order of the keys. */
  getMany(keys: readonly string[]): Promise<(string | undefined)[]>;
  /** Without `ttlMs` the value does not expire, even if an earlier value would have. */
  set(key: string, value: string, ttlMs?: number): Promise<void>;
  /** Sets the value only if it is still `expected`. @returns whether it did */
  replace(key: string, expected: string, value: string): Promise<boolean>;
  /** Resolves to `true` if the key had a value. */
  delete(key: string): Promise<boolean>;

  hashSet(key: string, field: string, value: string): Promise<void>;
  hashDelete(key: string, field: string): Promise<boolean>;
  hashAll(key: string): Promise<Map<string, string>>;

  /** Increments the count. The first count begins a window of `windowMs`, by the store's clock. Atomic. */
  count(key: string, windowMs: number): Promise<WindowCount>;
  /**
   * Increments the count only if `record` has a value, and resolves to that value and the count. Otherwise it resolves
   * to undefined. Both keys must have the same `{hash tag}`, so that a cluster stores them on one node.
   */
  countFor(
    record: string,
    key: string,
    windowMs: number,
  ): Promise<(WindowCount & { value: string }) | undefined>;

  /**
   * Takes a token from a bucket if more than `floor` are there, by the store's clock. A bucket that is not stored is
   * full. Atomic.
   */
  takeToken(key: string, bucket: TokenRequest): Promise<TokenGrant>;

  close(): Promise<void>;
}

/** A token bucket, and the number of tokens that must stay in it. */
interface TokenRequest {
  capacity: number;
  /** Tokens that are added each second. */
  perSecond: number;
  floor: number;
}

export interface TokenGrant {
  taken: boolean;
  /** Whole tokens in the bucket afterwards. */
  left: number;
  /** Milliseconds until the token can be taken, if it was not. */
  waitMs: number;
}

/** The store did not respond, or responded with an error. `message` is the reason, without urls and secrets. */
export class KvUnavailableError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'KvUnavailableError';
  }
}

/** Parses a JSON record; undefined if it is missing or invalid, so that a value of another program fails no other work. */
export function parseRecord<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  return text === undefined ? undefined : schema.safeParse(parseJson(text)).data;
}
