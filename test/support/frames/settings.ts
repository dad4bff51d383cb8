import type { NetworkSettings } from '../../../lib/config/networks.ts';
import { registryPackageId } from './chain.ts';

/** Settings that follow the generated registry on a node. */
export function settingsFor(rpcUrl: string, more: Partial<NetworkSettings> = {}): NetworkSettings {
  return {
    network: 'testnet',
    rpcUrl,
    registryPackageId,
    registryObjectId: `0x${'0'.repeat(64)}`,
    aggregatorUrl: 'http://127.0.0.1:9',
    ...more,
  };
}
