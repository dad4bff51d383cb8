import type { Network } from '@adaptor-marketplace/adaptor';
import type { CoinUnits, PackageVersions } from '@adaptor-marketplace/adaptor/chain';
import type { OpChain } from '@adaptor-marketplace/adaptor/transactions';
import type { SuiGrpcClient } from '@mysten/sui/grpc';
import type { Registry } from '@prometheus-io/client';
import type { Database } from '../../db/client.ts';
import type { Queryable } from '../../db/queries/queryable.ts';
import type { NetworkSettings } from '../../lib/config/networks.ts';
import type { Logger } from '../../lib/log/index.ts';

/** What the tool service needs of a network's settings. */
export type ToolsNetwork = Pick<
  NetworkSettings,
  'network' | 'rpcUrl' | 'rpcToken' | 'walletPackageId' | 'rulesPackageId' | 'allowlistPackageId' | 'slots'
>;

/** A network that drafts are made for. */
export interface NetworkDependencies extends OpChain {
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

export interface ToolsOptions {
  db: Database;
  host: string;
  /** 0 picks a free port. */
  port: number;
  networks: readonly ToolsNetwork[];
  /** By which the agent service proves itself. */
  internalSecret: string;
  log: Logger;
  metrics: Registry;
  /** Default: the system clock. */
  now?: () => Date;
}

/** The part of a node's client that drafting asks. */
export type ToolsClient = Pick<
  SuiGrpcClient,
  'ledgerService' | 'movePackageService' | 'stateService' | 'simulateTransaction'
>;

/** Of each call to a node. */
export const timeoutMs = 5_000;
