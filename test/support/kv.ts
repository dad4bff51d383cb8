import { Registry } from '@prometheus-io/client';
import { createKv } from '../../lib/kv/index.ts';
import type { Kv } from '../../lib/kv/kv.ts';
import { parseRedisUrl } from '../../lib/kv/settings.ts';
import { silentLogger } from '../../lib/log/index.ts';

/** Time limits that even the slowest machine does not reach. */
export const unhurried = { timeLimit: () => () => undefined, silenceMs: 600_000 };

/** Opens a store in a Redis, without a limit on the time of its answers. */
export function openTestKv(redisUrl: string): Promise<Kv> {
  const settings = { kind: 'redis', address: parseRedisUrl(redisUrl)! } as const;
  return createKv(settings, { log: silentLogger, metrics: new Registry(), ...unhurried });
}
