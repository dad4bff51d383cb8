import { openProviders, type Providers } from '../../lib/chain/providers/providers.ts';
import type { NetworkSettings } from '../../lib/config/networks.ts';
import { silentLogger } from '../../lib/log/index.ts';

/** Opens the providers of one network. Connections that are left open do not keep a process alive. */
export function providersFor(settings: NetworkSettings): Providers {
  const closing = new AsyncDisposableStack();
  return openProviders([settings], closing, { log: silentLogger }).get(settings.network)!;
}
