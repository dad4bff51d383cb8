import type { Config } from '../../lib/config/index.ts';
import { FatalError } from '../../lib/errors/index.ts';

export const roles = ['localnet', 'indexer', 'dispatcher', 'tools', 'agent', 'gateway'] as const;
export type Role = (typeof roles)[number];

/** Returns `true` if a local network stands in for testnet. */
export const hasLocalNetwork = ({ networks }: Config) => networks.length === 0;

/**
 * Returns the roles that this process starts: the requested ones, else those that have their settings.
 * @throws FatalError `bad_settings` before anything starts, if a role lacks a setting
 */
export function chooseRoles(requested: readonly Role[] | undefined, config: Config): readonly Role[] {
  const chosen = requested ?? roles.filter((role) => isConfigured(role, config));
  if (chosen.includes('localnet') && !hasLocalNetwork(config)) {
    throw new FatalError(
      'bad_settings',
      'The localnet role stands in for testnet: unset the SUI_..._RPC_URL and RPC_URLS settings.',
    );
  }
  if (requested?.includes('dispatcher') && !config.kv) {
    const reason =
      'The dispatcher role needs a key-value store, which holds the subscriptions: set REDIS_URL or another of its settings.';
    throw new FatalError('bad_settings', reason);
  }
  requireAgentSettings(chosen, config);
  return chosen;
}

/** Returns `true` if the agent can sign. The local network has a managed key of its own. */
const hasManagedKey = (config: Config) => hasLocalNetwork(config) || config.agentKey !== undefined;

function isConfigured(role: Role, config: Config): boolean {
  if (role === 'localnet') return hasLocalNetwork(config);
  if (role === 'tools') return hasManagedKey(config) && config.toolsUrl === undefined;
  if (role === 'agent') return hasManagedKey(config);
  return true;
}

function requireAgentSettings(chosen: readonly Role[], config: Config): void {
  const [hasTools, hasAgent] = [chosen.includes('tools'), chosen.includes('agent')];
  if (hasTools !== hasAgent && config.internalAgentSecret === undefined) {
    const reason = 'Set INTERNAL_AGENT_SECRET: the agent and the tool service run in different processes.';
    throw new FatalError('bad_settings', reason);
  }
  if (hasAgent && !hasTools && config.toolsUrl === undefined) {
    throw new FatalError('bad_settings', 'The agent role needs TOOLS_URL, or the tools role beside it.');
  }
  if (hasAgent && !hasManagedKey(config)) {
    throw new FatalError('bad_settings', 'The agent role needs AGENT_SECRET_KEY or AGENT_SECRET_KEY_FILE.');
  }
}
