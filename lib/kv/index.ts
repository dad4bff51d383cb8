import type { KvSettings } from '../config/index.ts';
import type { Kv } from './kv.ts';
import { memoryKv } from './memory.ts';
import { redisKv } from './redis.ts';
import { restKv } from './rest.ts';
import { type WatchOptions, watchOutage } from './watch-outage.ts';

export { type Kv, KvUnavailableError, type WindowCount } from './kv.ts';

/**
 * Opens the store that the settings name. It need not be there: an outage is logged once, shown as `kv_up 0`, and
 * ends by itself. May be called once for each metrics registry.
 */
export function createKv(settings: KvSettings, options: WatchOptions): Promise<Kv> {
  return watchOutage(openDriver(settings), options);
}

function openDriver(settings: KvSettings): Kv {
  if (settings.kind === 'memory') return memoryKv();
  return settings.kind === 'rest' ? restKv(settings) : redisKv(settings.address);
}
