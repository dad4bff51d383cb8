import type { Network } from '@adaptor-marketplace/adaptor';
import type { Port } from '@adaptor-marketplace/localnet/internal/listen-on';
import type { Registry } from '@prometheus-io/client';
import type { Database } from '../../db/client.ts';
import type { NetworkSettings } from '../../lib/config/networks.ts';
import type { Logger } from '../../lib/log/index.ts';
import type { AccessSettings } from './access/admit.ts';
import type { WebhookSettings } from './webhooks/deliveries.ts';

/** What the gateway needs of a network: the packages that callers sign for, a node to ask, and where drafts go. */
export type GatewayNetwork = Pick<NetworkSettings, 'network' | 'rpcUrl' | 'rpcToken' | PackageSetting> &
  Partial<Pick<NetworkSettings, 'aggregatorUrl' | 'publisherUrl'>>;

type PackageSetting = Extract<keyof NetworkSettings, `${string}PackageId` | `${string}ObjectId`>;

export interface GatewayOptions {
  db: Database;
  host: string;
  port: Port;
  /** The network of requests that name none. */
  defaultNetwork: Network;
  /** The networks that are indexed; at least the default one. */
  networks: readonly GatewayNetwork[];
  /** `/readyz` is 503 when a source is further behind. */
  maxLagSeconds: number;
  /** Proxies whose entries in `X-Forwarded-For` are believed, where `access` is absent. */
  trustProxy?: number | undefined;
  /** Addresses from which the host's own services may prove themselves to the agent service. Absent: from none. */
  internalAgentCidrs?: readonly string[] | undefined;
  /** Limits and keys; absent where the host has no key-value store. */
  access?: AccessSettings | undefined;
  /** Absent where `access` is. */
  webhooks?: WebhookSettings | undefined;
  /** Where the agent service is; absent where this host has none. */
  agentUrl?: string | undefined;
  log: Logger;
  /** Gets the gateway's metrics; `/metrics` shows all that it holds. */
  metrics: Registry;
}
