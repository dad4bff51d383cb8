import type { Config } from '../../lib/config/index.ts';
import { listenBriefly } from '../../lib/ports/listen-briefly.ts';
import { readPort } from '../../lib/ports/open-port.ts';
import type { Role } from './roles.ts';

interface Address {
  host: string;
  port: number;
}

/**
 * Checks the ports that the operator set before anything starts: some servers open theirs only after a minute.
 * @throws the system's error for a port that is in use
 */
export async function checkRequiredPorts(chosen: readonly Role[], config: Config): Promise<void> {
  for (const { host, port } of await findRequiredPorts(chosen, config)) await listenBriefly(host, port);
}

async function findRequiredPorts(chosen: readonly Role[], config: Config): Promise<Address[]> {
  const { host, ports } = config;
  const required = (role: Role, ...names: (keyof Config['ports'])[]): Address[] =>
    names.flatMap((name) =>
      chosen.includes(role) && ports[name].required ? { host, port: ports[name].port } : [],
    );
  const fixed = (role: Role, address: Address) =>
    chosen.includes(role) && address.port !== 0 ? [address] : [];
  return [
    ...required('gateway', 'http'),
    ...required('localnet', 'localnet', 'faucet', 'blobs'),
    ...fixed('tools', { host: config.toolsHost, port: config.toolsPort }),
    ...fixed('agent', { host: config.agentHost, port: config.agentPort }),
    ...(await findRequiredPostgres(chosen, config)),
  ];
}

async function findRequiredPostgres(
  chosen: readonly Role[],
  { database, dataDir, ports: { postgres } }: Config,
): Promise<Address[]> {
  if (database !== undefined || !postgres.required || chosen.every((role) => role === 'localnet')) return [];
  // Another process of the data folder may run the server on that port.
  if ((await readPort(`${dataDir}/postgres/port`)) === postgres.port) return [];
  return [{ host: '127.0.0.1', port: postgres.port }];
}
