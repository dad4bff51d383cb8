import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { Registry } from '@prometheus-io/client';
import type { Database } from '../../db/client.ts';
import type { NetworkSettings } from '../../lib/config/networks.ts';
import type { Logger } from '../../lib/log/index.ts';
import type { AgentSigner } from './key/signer.ts';

/** What the agent service needs of a network. */
export type AgentNetwork = Pick<
  NetworkSettings,
  | 'network'
  | 'rpcUrl'
  | 'archiveUrl'
  | 'rpcToken'
  | 'registryPackageId'
  | 'walletPackageId'
  | 'rulesPackageId'
  | 'allowlistPackageId'
  | 'agentsPackageId'
  | 'escrowPackageId'
  | 'slots'
>;

/**
 * The most that the runs of a wallet may take of a coin on a UTC day, in base units, by coin type; `*` is for coins
 * that are not named. No entry: no limit.
 */
export type DailyLimits = Readonly<Record<string, bigint>>;

/** The most gas, in MIST: that one run may use, and that runs may be charged for on a UTC day. */
export interface GasLimits {
  perRun: bigint;
  /** For each wallet. */
  wallet: bigint;
  /** For all wallets of one owner together. */
  owner: bigint;
  /** For all callers together that no operator vouches for. */
  unplanned: bigint;
}

/** What a host bounds its runs by. */
export interface RunLimits {
  dailyLimits: DailyLimits;
  gasLimits: GasLimits;
  /** Runs of a wallet on a UTC day, those that failed included. */
  runsDaily: bigint;
}

export interface AgentOptions extends RunLimits {
  db: Database;
  networks: readonly AgentNetwork[];
  /** Of requests that name none. */
  defaultNetwork: Network;
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** The managed key. */
  signer: AgentSigner;
  /** Where the tool service is. */
  toolsUrl: string;
  /** By which the services of this host know each other. */
  internalSecret: string;
  /** Absent: only owners issue keys, and plans and freezes are off. */
  adminSecret?: string | undefined;
  /** Origin by which callers reach this host; sign-in messages name it. */
  publicUrl: string;
  /** Where owners get a plan; set, each run needs one. */
  paywallUrl?: string | undefined;
  log: Logger;
  metrics: Registry;
  /** Absent: the machine's clock. */
  now?: () => Date;
}
