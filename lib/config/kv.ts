import { parseRedisUrl, type RedisAddress } from '../kv/redis-url.ts';

/** The key-value store that the settings name. */
export type KvSettings =
  | { kind: 'memory' }
  | { kind: 'redis'; address: RedisAddress }
  | { kind: 'rest'; url: string; token: string };

type StoreSetting = 'REDIS_URL' | `${(typeof restPrefixes)[number]}_${'URL' | 'TOKEN'}`;

const restPrefixes = ['KV_REST_API', 'UPSTASH_REDIS_REST'] as const;

/** The store that is taken, and what the operator should know of the others that are named. */
export interface KvChoice {
  settings: KvSettings | undefined;
  warnings: string[];
}

/**
 * The one store of the host, if any. Platforms that attach a store set several names for it, so REDIS_URL is taken
 * before the REST pairs, and pairs that name the same store are one.
 * @throws Error naming the settings that are half set or contradict each other
 */
export function kvSettings(given: Partial<Record<StoreSetting, string | undefined>>): KvChoice {
  const stores: { names: string; settings: KvSettings }[] = [];
  if (given.REDIS_URL) stores.push({ names: 'REDIS_URL', settings: redisSettings(given.REDIS_URL) });
  for (const prefix of restPrefixes) {
    const url = given[`${prefix}_URL`];
    const token = given[`${prefix}_TOKEN`];
    const names = `${prefix}_URL and ${prefix}_TOKEN`;
    if (url && token) stores.push({ names, settings: { kind: 'rest', url, token } });
    else if (url || token) throw new Error(`${names} are only of use together.`);
  }
  const [taken, ...others] = stores;
  if (taken?.settings.kind === 'rest' && others.some(({ settings }) => !isSame(taken.settings, settings))) {
    const names = stores.map((store) => store.names).join('; ');
    throw new Error(`There can be one key-value store, but these name several: ${names}.`);
  }
  const warnings = others.map(
    ({ names }) => `${taken?.names} names the key-value store: ${names} are ignored.`,
  );
  return { settings: taken?.settings, warnings };
}

const isSame = (one: KvSettings, other: KvSettings) => JSON.stringify(one) === JSON.stringify(other);

function redisSettings(url: string): KvSettings {
  if (url === memoryUrl) return { kind: 'memory' };
  return { kind: 'redis', address: parseRedisUrl(url)! };
}

const memoryUrl = 'memory:';

/** Whether `REDIS_URL` may have this value. */
export function isRedisUrl(url: string): boolean {
  return url === memoryUrl || parseRedisUrl(url) !== undefined;
}
