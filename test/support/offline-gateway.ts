import { Registry } from '@prometheus-io/client';
import { silentLogger } from '../../lib/log/index.ts';
import type { GatewayNetwork, GatewayOptions } from '../../services/gateway/start.ts';
import { address } from './read-model.ts';

/** Network of a gateway whose tests need no node. */
export const offlineNetwork: GatewayNetwork = {
  network: 'testnet',
  // No node listens there.
  rpcUrl: 'http://127.0.0.1:1',
  registryPackageId: address(0xeee),
  registryObjectId: address(0xfff),
};

/** Options of a gateway at a free port, whose network has no node. */
export const offlineGateway = () =>
  ({
    host: '127.0.0.1',
    port: 0,
    defaultNetwork: 'testnet',
    networks: [offlineNetwork],
    maxLagSeconds: 60,
    log: silentLogger,
    metrics: new Registry(),
  }) satisfies Partial<GatewayOptions>;
