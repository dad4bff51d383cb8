import { resolve } from 'node:path';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { FatalError } from '../errors/index.ts';
import type { Config } from './index.ts';

type StartSettings = Pick<Config, 'host' | 'ports' | 'dataDir'> &
  Partial<Pick<Config, 'metricsPort' | 'toolsHost' | 'toolsPort' | 'agentHost' | 'agentPort'>>;

/** Describes a failed start by the setting that can fix it. Returns other errors as they are. */
export function startFailure(error: unknown, settings: StartSettings): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const reason = listenFailure(error, settings) ?? describeFolderFailure(error, settings);
  return reason ? new FatalError('bad_settings', reason, { cause: error }) : error;
}

interface SystemError extends Error {
  code?: unknown;
  syscall?: unknown;
  port?: unknown;
  address?: unknown;
  hostname?: unknown;
  path?: unknown;
}

function listenFailure(error: SystemError, settings: StartSettings): string | undefined {
  const named = (values: Record<string, unknown>, given: unknown) =>
    Object.entries(values).flatMap(([name, value]) => (value === given ? name : []));
  const { host, toolsHost, agentHost } = settings;
  const hosts = { HOST: host, TOOLS_HOST: toolsHost, AGENT_HOST: agentHost };
  const foreign = (given: unknown) => {
    const names = named(hosts, given);
    return names.length > 0
      ? `${names.join(' and ')}: ${given} is not an address of this machine.`
      : undefined;
  };
  if (error.code === 'ENOTFOUND') return foreign(error.hostname);
  if (error.syscall !== 'listen') return undefined;
  if (error.code === 'EADDRNOTAVAIL') return foreign(error.address);
  const { metricsPort, toolsPort, agentPort } = settings;
  const ports = {
    ...Object.fromEntries(Object.values(settings.ports).map(({ setting, port }) => [setting, port])),
    METRICS_PORT: metricsPort,
    TOOLS_PORT: toolsPort,
    AGENT_PORT: agentPort,
  };
  const name = named(ports, error.port).join(' and ');
  if (name === '') return undefined;
  const remedy = `set ${name} to another port; 0 picks a free one.`;
  if (error.code === 'EADDRINUSE')
    return `${name}: port ${error.port} is in use. Stop what uses it, or ${remedy}`;
  if (error.code === 'EACCES')
    return `${name}: this user may not listen on port ${error.port}. Use one that it may, or ${remedy}`;
  return undefined;
}

const folderErrors = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
  'EEXIST',
  'ENOENT',
  'ENOSPC',
  'ENAMETOOLONG',
]);

function describeFolderFailure(error: SystemError, { dataDir }: StartSettings): string | undefined {
  if (typeof error.code !== 'string' || !folderErrors.has(error.code)) return undefined;
  if (typeof error.path !== 'string') return undefined;
  // The error for a directory that cannot be created names its first missing parent.
  const [folder, path] = [resolve(dataDir), resolve(error.path)];
  if (!path.startsWith(folder) && !folder.startsWith(path)) return undefined;
  return `DATA_DIR: ${dataDir} cannot be used as a folder to write in (${getErrorMessage(error)}).`;
}
