import type { Queryable } from '../../../db/queries/queryable.ts';
import type { OpChain } from '../../../lib/actions/ops/resolve.ts';
import type { CoinUnits } from '../../../lib/chain/coin-units.ts';
import type { Network, NetworkSettings } from '../../../lib/config/index.ts';
import type { ToolsClient } from '../chain/client.ts';

/** What the tool service needs of a network's settings. */
export type ToolsNetwork = Pick<
  NetworkSettings,
  'network' | 'rpcUrl' | 'rpcToken' | 'walletPackageId' | 'rulesPackageId' | 'allowlistPackageId' | 'slots'
>;

/** A network that drafts are made for. */
export interface DraftNetwork extends OpChain {
  network: Network;
  walletPackageId: string;
  /** The caveat of recipient allowlists; undefined where no such package is known. */
  allowlist: { packageId: string; rule: string } | undefined;
  slots: NonNullable<ToolsNetwork['slots']>;
  db: Queryable;
  client: ToolsClient;
  units: CoinUnits;
}
