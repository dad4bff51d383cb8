import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FatalError } from '../../lib/errors/index.ts';
import type { Logger } from '../../lib/log/index.ts';
import { listenBriefly } from '../../lib/ports/listen-briefly.ts';
import { openPort, type PortChoice, rememberPort } from '../../lib/ports/open-port.ts';
import { buildClusterUrl, type Cluster, isRunning, openCluster, pgCtl } from './cluster.ts';
import { endAfterThisProcess, keepRunning } from './lifetime.ts';
import { endServerIfUnused, type Presence, takePresence } from './presence.ts';

interface EmbeddedServer {
  url: string;
  /** Ends the server unless another process is connected. The last process to disconnect ends it. */
  stop(): Promise<void>;
}

interface EmbeddedOptions {
  /** Folder of the cluster. It is created if it is missing. */
  dir: string;
  /** Default: a free port, the same at each start. */
  port?: PortChoice;
  /** Receives notices about the port for the operator. */
  notify?: (notice: string) => void;
  /** Turns fsync off, for tests. A power cut may then lose data. */
  volatile?: boolean;
  log?: Logger;
}

/**
 * Starts the PostgreSQL server from npm on loopback, or joins it if it already runs: another role's process started it,
 * or a killed one left it running. It uses the port of its last start, unless another one is required. Until `stop`, it is
 * restarted on the same port whenever it ends. If this process ends without `stop`, the server ends soon after it,
 * unless something else uses it.
 * @throws FatalError `bad_settings` if others use it on a port other than the required one
 */
export async function startEmbeddedServer(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const dir = resolve(options.dir);
  const cluster = await openCluster(dir);
  const startOn = (port: number) => startOrJoin(cluster, options.volatile ?? false, port);
  const file = join(dir, 'port');
  const start = () => startOnChosenPort(options, file, startOn);
  const { url, port, presence } = await joinServer(cluster, start);
  if (options.port?.required && port !== options.port.port) {
    await presence.leave();
    if ((await endServerIfUnused(cluster, url)) !== 'none') throw createOtherPortError(options.port, port);
    return startEmbeddedServer(options);
  }
  // A required port is written too: people look for it in this file.
  await rememberPort(file, port);
  const endHelper = endAfterThisProcess(dir, port);
  const leave = keepRunning(cluster.data, () => startOn(port), options.log);
  return {
    url,
    stop: async () => {
      await leave();
      await presence.leave();
      // The remaining user of the server may be a program without a helper of its own. Then our helper waits for it.
      if ((await endServerIfUnused(cluster, url)) === 'none') endHelper();
    },
  };
}

/** Maximum duration of a start, in milliseconds. It can include recovery after a crash. */
const readyMsMax = 120_000;

/** Joins or starts the server. Retries while another process is stopping it. */
async function joinServer(
  cluster: Cluster,
  start: () => Promise<number>,
): Promise<{ url: string; port: number; presence: Presence }> {
  const giveUpAt = Date.now() + readyMsMax;
  for (;;) {
    const port = (await findRunningPort(cluster)) ?? (await start());
    const url = buildClusterUrl(cluster, port);
    try {
      return { url, port, presence: await takePresence(url) };
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
      await delay(50);
    }
  }
}

/** Starts the server on the port of the settings or of earlier starts. @returns the port it has */
async function startOnChosenPort(
  { port: choice = anyPort, notify }: EmbeddedOptions,
  file: string,
  startOn: (port: number) => Promise<number>,
): Promise<number> {
  let running = 0;
  await openPort({ choice, file, first: 'remembered', notify }, async (port) => {
    // If another process was faster, its port can be a different one.
    running = await startOn(port);
  });
  return running;
}

const anyPort: PortChoice = { setting: 'EMBEDDED_POSTGRES_PORT', port: 0, required: false };

function createOtherPortError({ setting, port }: PortChoice, running: number): FatalError {
  const reason = `${setting}: the server runs on port ${running} already. Stop what uses it, then start with ${port}.`;
  return new FatalError('bad_settings', reason);
}

/** Finds the port of the server that runs on the cluster. Waits for one that is starting; undefined if none runs. */
async function findRunningPort(cluster: Cluster): Promise<number | undefined> {
  const pidFile = join(cluster.data, 'postmaster.pid');
  const giveUpAt = Date.now() + readyMsMax;
  while (await isRunning(cluster)) {
    const lines = (await readFile(pidFile, 'utf8').catch(() => '')).split('\n');
    const port = Number(lines[3]);
    if (lines[7]?.trim() === 'ready') {
      if (await isOpen(port)) return port;
      // A crash left the file behind, and another process has its process id now.
      await rm(pidFile, { force: true });
      return undefined;
    }
    if (Date.now() > giveUpAt) {
      const reason = `The server on ${cluster.data} does not become ready; server.log there says why.`;
      throw new FatalError('embedded_postgres', reason);
    }
    await delay(50);
  }
  return undefined;
}

/** Returns `true` if the port accepts connections. A server that is ready always does. */
async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const opened = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return opened;
}

async function startOrJoin(cluster: Cluster, volatile: boolean, port: number): Promise<number> {
  try {
    if (await isOpen(port)) throw createInUseError(port);
    await start(cluster, volatile, port);
    return port;
  } catch (error) {
    // Another process may have started the server after the check above.
    const otherPort = await findRunningPort(cluster);
    if (otherPort !== undefined) return otherPort;
    // A port may be taken although nothing answers on it.
    await listenBriefly('127.0.0.1', port);
    throw error;
  }
}

async function start(cluster: Cluster, volatile: boolean, port: number): Promise<void> {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '128MB',
    max_connections: 100,
    // A query of a killed process ends with it, even while it waits for a lock. Windows does not support this check.
    ...(process.platform === 'win32' ? {} : { client_connection_check_interval: '1s' }),
    ...(volatile ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
  };
  const flags = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
  // `-l` instead of a pipe: the server outlives a killed parent, and must not crash when it writes to its closed pipe.
  const log = join(cluster.data, 'server.log');
  await pgCtl(cluster, ['start', '-w', '-t', '60', '-l', log, '-o', flags.join(' ')]);
}

/** The error that a server of this process would raise: PostgreSQL writes its own only to its log. */
const createInUseError = (port: number) =>
  Object.assign(new Error(`Port ${port} is in use.`), { code: 'EADDRINUSE', syscall: 'listen', port });
