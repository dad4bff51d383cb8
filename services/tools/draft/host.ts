import type { CoinUnits } from '@adaptor-marketplace/adaptor/chain/coin-units';
import type { PackageVersions } from '@adaptor-marketplace/adaptor/chain/package-versions';
import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { OpChain } from '@adaptor-marketplace/adaptor/transactions/resolve-ops';
import type { Queryable } from '../../../db/queries/queryable.ts';
import type { NetworkSettings } from '../../../lib/config/networks.ts';
import type { ToolsClient } from '../chain/client.ts';

/** What the tool service needs of a network's settings. */
export type ToolsNetwork = Pick<
  NetworkSettings,
  'network' | 'rpcUrl' | 'rpcToken' | 'walletPackageId' | 'rulesPackageId' | 'allowlistPackageId' | 'slots'
>;

/** A network that drafts are made for. */
export interface DraftNetwork extends OpChain {
  network: Network;
  /** As first published: the id that the wallet's types have. Calls go to the newest of its `versions`. */
  walletPackageId: string;
  /** The package of recipient allowlists, as first published, and its caveat; undefined where none is known. */
  allowlist: { packageId: string; rule: string } | undefined;
  slots: NonNullable<ToolsNetwork['slots']>;
  db: Queryable;
  client: ToolsClient;
  versions: PackageVersions;
  units: CoinUnits;
}
