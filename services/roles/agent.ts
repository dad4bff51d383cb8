import { openDatabase } from '../../db/client.ts';
import { addKey, operator } from '../../db/queries/agent/access.ts';
import { executorKeysMax } from '../../lib/agent/shapes.ts';
import type { Config, NetworkSettings } from '../../lib/config/index.ts';
import { tokenDigest } from '../../lib/credentials/token.ts';
import { FatalError } from '../../lib/errors/index.ts';
import { startAgent } from '../agent/index.ts';
import { type KeySource, localSigner } from '../agent/key/signer.ts';
import type { DemoFile } from '../demo/file.ts';
import { startTools } from '../tools/start.ts';
import type { Process } from './process.ts';

export interface AgentParts {
  databaseUrl: string;
  networks: NetworkSettings[];
  demo: DemoFile | undefined;
  /** By which the services of this host know each other. */
  internalSecret: string;
}

/** Where the managed key is; undefined where this host runs no actions. The local network brings one of its own. */
export function agentKey({ agentKey }: Config, demo: DemoFile | undefined): KeySource | undefined {
  return agentKey ?? (demo && { secretKey: demo.host.secretKey });
}

/** Starts the tool service and answers its url. */
export async function tools(
  { databaseUrl, networks, internalSecret }: AgentParts,
  { config, log, metrics, closing }: Process,
): Promise<string> {
  const db = openDatabase(databaseUrl, { max: 8, name: 'tools', statementTimeoutMs: 10_000, log });
  closing.defer(() => db.close());
  const { toolsHost: host, toolsPort: port } = config;
  const server = await startTools({ db, host, port, networks, internalSecret, log, metrics });
  closing.defer(() => server.close());
  log.info({ url: server.url }, 'drafts actions');
  return server.url;
}

/**
 * Starts the agent service and answers its url.
 * @throws FatalError `bad_settings` without a managed key
 */
export async function agent(
  { databaseUrl, networks, demo, internalSecret }: AgentParts,
  toolsUrl: string,
  { config, log, metrics, closing }: Process,
): Promise<string> {
  const source = agentKey(config, demo);
  if (!source) {
    throw new FatalError('bad_settings', 'The agent role needs AGENT_SECRET_KEY or AGENT_SECRET_KEY_FILE.');
  }
  const signer = await localSigner(source);
  const db = openDatabase(databaseUrl, { max: 10, name: 'agent', log });
  closing.defer(() => db.close());
  if (demo) await addKey(db.pool, demoKey(demo), executorKeysMax);
  const { agentHost: host, agentPort: port, adminSecret, paywallUrl, defaultNetwork } = config;
  const { dailyLimits, gasLimits, runsDaily, publicUrl } = config;
  const server = await startAgent({
    ...{ db, networks, defaultNetwork, host, port, signer, toolsUrl, internalSecret, adminSecret },
    ...{ dailyLimits, gasLimits, runsDaily, paywallUrl, publicUrl },
    log,
    metrics,
  });
  closing.defer(() => server.close());
  log.info({ url: server.url, address: signer.address }, 'runs actions');
  return server.url;
}

/** The executor key in `demo.json`, for the owner's wallet. */
function demoKey({ network, owner, agent }: DemoFile) {
  const digest = tokenDigest(agent.executorKey);
  const id = `exec_${digest.slice(0, 17)}`;
  const issued = { issuedBy: operator, scope: {}, createdAt: new Date(), expiresAt: null };
  return { id, digest, network, walletId: owner.walletId, label: 'demo', ...issued };
}
