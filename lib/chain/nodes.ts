import type { Network } from '@adaptor-marketplace/adaptor';
import { type PackageVersions, packageVersions } from '@adaptor-marketplace/adaptor/chain';
import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import type { NetworkSettings } from '../config/networks.ts';

type NodeSettings = Pick<NetworkSettings, 'network' | 'rpcUrl' | 'rpcToken'> &
  Partial<Pick<NetworkSettings, 'archiveUrl'>>;

export interface NetworkNode<Settings> {
  settings: Settings;
  client: ChainClient;
  /** The node that still has what the full node has pruned. */
  archive: ChainClient | undefined;
  versions: PackageVersions;
}

/** Clients of each network's nodes. None connects before its first call; `closing` closes them. */
export function openNodes<Settings extends NodeSettings>(
  networks: readonly Settings[],
  closing: AsyncDisposableStack,
): ReadonlyMap<Network, NetworkNode<Settings>> {
  return new Map(
    networks.map((settings) => {
      const { network, rpcUrl, archiveUrl, rpcToken } = settings;
      const open = (url: string) => {
        const client = createChainClient({ url, token: rpcToken });
        closing.defer(() => client.close());
        return client;
      };
      const client = open(rpcUrl);
      const archive = archiveUrl === undefined ? undefined : open(archiveUrl);
      return [network, { settings, client, archive, versions: packageVersions(client) }];
    }),
  );
}
