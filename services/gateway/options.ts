import type { Registry } from 'prom-client';
import type { Database } from '../../db/client.ts';
import type { Network, NetworkSettings } from '../../lib/config/index.ts';
import type { Logger } from '../../lib/log/index.ts';

/** What callers need to know of a network to sign for its registry themselves. */
export type GatewayNetwork = Pick<
  NetworkSettings,
  'network' | 'registryPackageId' | 'registryObjectId' | 'walletPackageId'
>;

export interface GatewayOptions {
  db: Database;
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** The network of requests that name none. */
  defaultNetwork: Network;
  /** The networks that are indexed; at least the default one. */
  networks: readonly GatewayNetwork[];
  /** `/readyz` is 503 when a source is further behind. */
  maxLagSeconds: number;
  log: Logger;
  /** Gets the gateway's metrics; `/metrics` shows all that it holds. */
  metrics: Registry;
}
