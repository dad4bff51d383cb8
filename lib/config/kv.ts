import { parseRedisUrl, type RedisAddress } from '../kv/redis-url.ts';

/** The key-value store that the settings name. */
export type KvSettings =
  | { kind: 'memory' }
  | { kind: 'redis'; address: RedisAddress }
  | { kind: 'rest'; url: string; token: string };

type StoreSetting = 'REDIS_URL' | `${(typeof restPrefixes)[number]}_${'URL' | 'TOKEN'}`;

const restPrefixes = ['KV_REST_API', 'UPSTASH_REDIS_REST'] as const;

/**
 * The one store of the host, if any.
 * @throws Error naming the settings that are half set or contradict each other
 */
export function kvSettings(given: Partial<Record<StoreSetting, string | undefined>>): KvSettings | undefined {
  const stores: { names: string; settings: KvSettings }[] = [];
  if (given.REDIS_URL) stores.push({ names: 'REDIS_URL', settings: redisSettings(given.REDIS_URL) });
  for (const prefix of restPrefixes) {
    const url = given[`${prefix}_URL`];
    const token = given[`${prefix}_TOKEN`];
    const names = `${prefix}_URL and ${prefix}_TOKEN`;
    if (url && token) stores.push({ names, settings: { kind: 'rest', url, token } });
    else if (url || token) throw new Error(`${names} are only of use together.`);
  }
  if (stores.length > 1) {
    const names = stores.map((store) => store.names).join('; ');
    throw new Error(`There can be one key-value store, but these name several: ${names}.`);
  }
  return stores[0]?.settings;
}

function redisSettings(url: string): KvSettings {
  if (url === memoryUrl) return { kind: 'memory' };
  return { kind: 'redis', address: parseRedisUrl(url)! };
}

const memoryUrl = 'memory:';

/** Whether `REDIS_URL` may have this value. */
export function isRedisUrl(url: string): boolean {
  return url === memoryUrl || parseRedisUrl(url) !== undefined;
}
