import { relative, resolve } from 'node:path';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { FatalError } from '../errors/index.ts';
import type { Config } from './index.ts';

type StartSettings = Pick<Config, 'host' | 'ports' | 'dataDir'> &
  Partial<Pick<Config, 'metricsPort' | 'toolsHost' | 'toolsPort' | 'agentHost' | 'agentPort'>>;

/** Returns an error that names the setting by which the operator can fix a failed start, or the same error. */
export function startFailure(error: unknown, settings: StartSettings): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const reason = describeListenFailure(error, settings) ?? describeFolderFailure(error, settings);
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

function describeListenFailure(error: SystemError, settings: StartSettings): string | undefined {
  const findNames = (values: Record<string, unknown>, value: unknown) =>
    Object.keys(values).filter((name) => values[name] === value);
  const { host, toolsHost, agentHost } = settings;
  const hosts = { HOST: host, TOOLS_HOST: toolsHost, AGENT_HOST: agentHost };
  const describeForeignHost = (host: unknown) => {
    const names = findNames(hosts, host);
    return names.length > 0
      ? `${names.join(' and ')}: ${host} is not an address of this machine.`
      : undefined;
  };
  if (error.code === 'ENOTFOUND') return describeForeignHost(error.hostname);
  if (error.syscall !== 'listen') return undefined;
  if (error.code === 'EADDRNOTAVAIL') return describeForeignHost(error.address);
  const { metricsPort, toolsPort, agentPort } = settings;
  const ports = {
    ...Object.fromEntries(Object.values(settings.ports).map(({ setting, port }) => [setting, port])),
    METRICS_PORT: metricsPort,
    TOOLS_PORT: toolsPort,
    AGENT_PORT: agentPort,
  };
  const name = findNames(ports, error.port).join(' and ');
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
  // The error names the data directory, a path in it, or one of its parents.
  const [folder, path] = [resolve(dataDir), resolve(error.path)];
  if (!isWithin(folder, path) && !isWithin(path, folder)) return undefined;
  return `DATA_DIR: ${dataDir} cannot be used as a folder to write in (${getErrorMessage(error)}).`;
}

/** `true` if a path is the folder, or below it. Both are absolute. */
const isWithin = (folder: string, path: string): boolean => !/^\.\.(?:$|[\\/])/.test(relative(folder, path));
