import type { Network } from '@adaptor-marketplace/adaptor';
import type { Registry } from '@prometheus-io/client';
import type { Database } from '../../db/client.ts';
import type { Logger } from '../../lib/log/index.ts';
import type { AgentNetwork } from './chain/node.ts';
import type { SettleTiming } from './chain/settle.ts';
import type { AgentSigner } from './key/signer.ts';

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

/** The limits of an operator for runs. */
export interface RunLimits {
  dailyLimits: DailyLimits;
  gasLimits: GasLimits;
  /** Runs of a wallet on a UTC day, those that failed included. */
  runsDaily: bigint;
}

export interface AgentOptions extends RunLimits {
  db: Database;
  networks: readonly AgentNetwork[];
  /** The network of requests that name none. */
  defaultNetwork: Network;
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** The managed key. */
  signer: AgentSigner;
  /** Address of the tool service. */
  toolsUrl: string;
  /** The secret by which the services of this deployment authenticate each other. */
  internalSecret: string;
  /** If unset, only owners issue keys, and plans and freezes are disabled. */
  adminSecret?: string | undefined;
  /** Public origin of this service; sign-in messages name it. */
  publicUrl: string;
  /** Where owners get a plan. If set, every run requires one. */
  paywallUrl?: string | undefined;
  log: Logger;
  metrics: Registry;
  /** How often a signed transaction is sent again; default: `defaultSettleTiming`. */
  settleTiming?: SettleTiming;
  /** Default: the system clock. */
  now?: () => Date;
}
