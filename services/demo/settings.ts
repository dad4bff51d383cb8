import type { NetworkSettings } from '../../lib/config/index.ts';
import type { DemoFile } from './file.ts';

/** The local network as settings name a network. */
export function settingsOf({
  network,
  rpcUrl,
  packages,
  objects,
  blobStoreUrl,
  venues,
}: DemoFile): NetworkSettings {
  return {
    network,
    rpcUrl,
    registryPackageId: packages.registry,
    registryObjectId: objects.registry,
    walletPackageId: packages.wallet,
    rulesPackageId: packages.rules,
    rulesObjectId: objects.rules,
    agentsPackageId: packages.agents,
    agentsObjectId: objects.agents,
    escrowPackageId: packages.escrow,
    slots: Object.fromEntries(
      Object.entries(venues).map(([slot, { serviceType }]) => [slot, { serviceType }]),
    ),
    aggregatorUrl: blobStoreUrl,
    publisherUrl: blobStoreUrl,
  };
}
