import type { Kv, WindowCount } from './kv.ts';

interface Entry {
  value: string;
  /** `now()` at which it expires. */
  endsAtMs: number;
}

const sweepEveryMs = 10_000;

/** A store in this process's memory: lost when it ends, and not shared. */
export function createMemoryKv(now: () => number = () => performance.now()): Kv {
  const entries = new Map<string, Entry>();
  const hashes = new Map<string, Map<string, string>>();
  let sweepAtMs = now() + sweepEveryMs;

  function find(key: string): Entry | undefined {
    const entry = entries.get(key);
    if (!entry || entry.endsAtMs > now()) return entry;
    entries.delete(key);
    return undefined;
  }

  /** Removes the counters of callers that never come back. */
  function sweep(): void {
    const atMs = now();
    if (atMs < sweepAtMs) return;
    sweepAtMs = atMs + sweepEveryMs;
    for (const [key, { endsAtMs }] of entries) if (endsAtMs <= atMs) entries.delete(key);
  }

  function count(key: string, windowMs: number): WindowCount {
    sweep();
    const { value = '0', endsAtMs = Number.POSITIVE_INFINITY } = find(key) ?? {};
    const count = Number(value) + 1;
    const counted = { value: `${count}`, endsAtMs: Number.isFinite(endsAtMs) ? endsAtMs : now() + windowMs };
    entries.set(key, counted);
    return { count, endsInMs: counted.endsAtMs - now() };
  }

  return {
    get: async (key) => find(key)?.value,
    getMany: async (keys) => keys.map((key) => find(key)?.value),
    set: async (key, value, ttlMs = Number.POSITIVE_INFINITY) => {
      entries.set(key, { value, endsAtMs: now() + ttlMs });
    },
    replace: async (key, expected, value) => {
      if (find(key)?.value !== expected) return false;
      entries.set(key, { value, endsAtMs: Number.POSITIVE_INFINITY });
      return true;
    },
    delete: async (key) => find(key) !== undefined && entries.delete(key),
    hashSet: async (key, field, value) => {
      const hash = hashes.get(key) ?? new Map();
      hashes.set(key, hash.set(field, value));
    },
    hashDelete: async (key, field) => hashes.get(key)?.delete(field) ?? false,
    hashAll: async (key) => new Map(hashes.get(key)),
    count: async (key, windowMs) => count(key, windowMs),
    countFor: async (record, key, windowMs) => {
      const value = find(record)?.value;
      return value === undefined ? undefined : { value, ...count(key, windowMs) };
    },
    async takeToken(key, { capacity, perSecond, floor }) {
      sweep();
      const [tokensStored = capacity, atMs = 0] = find(key)?.value.split(' ').map(Number) ?? [];
      const filled = tokensStored + (Math.max(0, now() - atMs) / 1_000) * perSecond;
      const before = Math.min(capacity, filled);
      const taken = before >= floor + 1;
      const tokens = taken ? before - 1 : before;
      const endsAtMs = now() + (capacity / perSecond) * 1_000;
      entries.set(key, { value: `${tokens} ${now()}`, endsAtMs });
      const waitMs = taken ? 0 : Math.ceil(((floor + 1 - tokens) / perSecond) * 1_000);
      return { taken, left: Math.floor(tokens), waitMs };
    },
    close: async () => undefined,
  };
}
