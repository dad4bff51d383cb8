import type { Kv } from './kv.ts';
import { createMemoryKv } from './memory.ts';
import { createRedisKv } from './redis.ts';
import { createRestKv } from './rest.ts';
import type { KvSettings } from './settings.ts';
import { type WatchOptions, watchOutage } from './watch-outage.ts';

export interface KvOptions extends WatchOptions {
  /** Milliseconds after which a connection that owes a response is closed. Default: that of the driver. */
  silenceMs?: number;
}

/** Opens the store that the settings name, reachable or not. Call it at most once for each metrics registry. */
export function createKv(settings: KvSettings, options: KvOptions): Promise<Kv> {
  return watchOutage(openDriver(settings, options.silenceMs), options);
}

function openDriver(settings: KvSettings, silenceMs: number | undefined): Kv {
  if (settings.kind === 'memory') return createMemoryKv();
  return settings.kind === 'rest'
    ? createRestKv(settings, silenceMs)
    : createRedisKv(settings.address, silenceMs);
}
