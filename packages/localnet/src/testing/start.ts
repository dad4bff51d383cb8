import { silentLogger } from '../internal/log.ts';
import { type Localnet, type LocalnetOptions, startLocalnet } from '../start.ts';

/** A local network in memory, on free ports; it makes checkpoints only when told to, unless `options` say otherwise. */
export function startTestLocalnet(options: Partial<LocalnetOptions> = {}): Promise<Localnet> {
  return startLocalnet({
    dataDir: ':memory:',
    port: 0,
    checkpointIntervalMs: 0,
    log: silentLogger,
    ...options,
  });
}
