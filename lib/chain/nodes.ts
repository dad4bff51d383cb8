import type { Network } from '@adaptor-marketplace/adaptor';
import { type PackageVersions, packageVersions } from '@adaptor-marketplace/adaptor/chain';
import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import type { NetworkSettings } from '../config/networks.ts';
import type { Logger } from '../log/index.ts';
import { type NetworkProviders, openProviders, type Priority } from './providers/providers.ts';

export type NodeSettings = Pick<NetworkSettings, 'rpcUrl' | 'rpcToken' | 'otherProviders' | 'rpcBudget'>;

export interface NetworkNode<Settings> {
  settings: Settings;
  /** Calls the healthiest provider. */
  client: ChainClient;
  /** The node that still has what the full node has pruned. */
  archive: ChainClient | undefined;
  versions: PackageVersions;
}

interface NodeOptions {
  priority: Priority;
  /** Providers that the roles of the process share. Absent: opened here. */
  providers: NetworkProviders | undefined;
  log: Logger;
}

/** Clients of each network's nodes. None connects before its first call; `closing` closes them. */
export function openNodes<
  Settings extends NodeSettings &
    Pick<NetworkSettings, 'network'> &
    Partial<Pick<NetworkSettings, 'archiveUrl'>>,
>(
  networks: readonly Settings[],
  closing: AsyncDisposableStack,
  { priority, providers: shared, log }: NodeOptions,
): ReadonlyMap<Network, NetworkNode<Settings>> {
  const providers = shared ?? openProviders(networks, closing, { log });
  return new Map(
    networks.map((settings) => {
      const { network, archiveUrl, rpcToken } = settings;
      const client = providers.get(network)!.client(priority);
      const archive =
        archiveUrl === undefined ? undefined : createChainClient({ url: archiveUrl, token: rpcToken });
      closing.defer(() => archive?.close());
      return [network, { settings, client, archive, versions: packageVersions(client) }];
    }),
  );
}
