import { Registry } from '@prometheus-io/client';
import { silentLogger } from '../../lib/log/index.ts';
import { type AgentOptions, startAgent } from '../../services/agent/index.ts';
import { localSigner } from '../../services/agent/key/signer.ts';
import { startGateway } from '../../services/gateway/start.ts';
import type { TestAgent } from './agent-world.ts';
import { type DemoTools, internalSecret } from './demo-tools.ts';
import { hostLimits, publicUrl } from './host-limits.ts';
import { adminSecret } from './keys.ts';

/**
 * An agent service of the demo's network, or of another one, with its host's key, behind a gateway.
 * @param toolsUrl where its tool service is, if not the demo's own
 * @param more what else is otherwise than by default
 */
export async function startDemoAgent(
  { db, settings, host, url }: Pick<DemoTools, 'db' | 'settings' | 'host' | 'url'>,
  toolsUrl = url,
  more: Partial<AgentOptions> = {},
): Promise<Pick<TestAgent, 'ask' | 'close'>> {
  await using starting = new AsyncDisposableStack();
  const common = {
    db,
    networks: [settings],
    host: '127.0.0.1',
    port: 0,
    log: silentLogger,
    defaultNetwork: 'testnet' as const,
  };
  const signer = await localSigner({ secretKey: host.keypair.getSecretKey() });
  const service = await startAgent({
    ...{ ...common, signer, toolsUrl, internalSecret, adminSecret, ...hostLimits, publicUrl },
    ...{ metrics: new Registry(), ...more },
  });
  starting.defer(() => service.close());
  const gateway = await startGateway({
    ...{ ...common, maxLagSeconds: 3_600, agentUrl: service.url },
    metrics: new Registry(),
  });
  starting.defer(() => gateway.close());
  const running = starting.move();
  return {
    ask: (path, init = {}) => fetch(gateway.url + path, init),
    close: () => running.disposeAsync(),
  };
}
