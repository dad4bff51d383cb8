import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { listenOn } from '@adaptor-marketplace/process';
import { FatalError } from '../../lib/errors/index.ts';
import type { Logger } from '../../lib/log/index.ts';
import { openPort, type PortChoice, rememberPort } from '../../lib/ports/open-port.ts';
import { type Cluster, clusterUrl, isRunning, openCluster, pgCtl } from './cluster.ts';
import { endAfterThisProcess, keepRunning } from './lifetime.ts';
import { bePresent, endServerIfUnused, type Presence } from './presence.ts';

interface EmbeddedServer {
  url: string;
  /** Ends the server unless another process is connected; the last one to leave ends it. */
  stop(): Promise<void>;
}

interface EmbeddedOptions {
  /** Folder of the cluster; made when missing. */
  dir: string;
  /** Default: a free one, the same at each start. */
  port?: PortChoice;
  /** Receives what the operator must know of the port. */
  notify?: (notice: string) => void;
  /** For tests: no fsync. A power cut may then lose the data. */
  volatile?: boolean;
  log?: Logger;
}

/**
 * Starts the PostgreSQL server that comes from npm, on loopback, or joins it where it runs already: another role's
 * process started it, or a killed one left it behind. It has the port that it had before, unless another one is
 * required. Until `stop`, it is started again on the same port whenever it ends. Where this process ends without
 * `stop`, the server ends soon after it, unless something else uses it.
 * @throws FatalError `bad_settings` where others use it on another port than the required one
 */
export async function startEmbeddedServer(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const dir = resolve(options.dir);
  const cluster = await openCluster(dir);
  const startOn = (wanted: number) => startOrJoin(cluster, options.volatile ?? false, wanted);
  const file = join(dir, 'port');
  const start = () => startOnItsPort(options, file, startOn);
  const { url, port, presence } = await joinServer(cluster, start);
  if (options.port?.required && port !== options.port.port) {
    await presence.leave();
    if ((await endServerIfUnused(cluster, url)) !== 'none') throw otherPort(options.port, port);
    return startEmbeddedServer(options);
  }
  // Also a required one: people look here for it.
  await rememberPort(file, port);
  const endHelper = endAfterThisProcess(dir, port);
  const leave = keepRunning(cluster.data, () => startOn(port), options.log);
  return {
    url,
    stop: async () => {
      await leave();
      await presence.leave();
      // What still uses the server may be a program without a helper of its own: then ours waits for it.
      if ((await endServerIfUnused(cluster, url)) === 'none') endHelper();
    },
  };
}

/** Recovery after a crash is part of a start. */
const readyMsMax = 120_000;

/** Until a server is there that no other process is ending. */
async function joinServer(
  cluster: Cluster,
  start: () => Promise<number>,
): Promise<{ url: string; port: number; presence: Presence }> {
  const giveUpAt = Date.now() + readyMsMax;
  for (;;) {
    const port = (await runningPort(cluster)) ?? (await start());
    const url = clusterUrl(cluster, port);
    try {
      return { url, port, presence: await bePresent(url) };
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
      await delay(50);
    }
  }
}

/** Starts the server on the port of the settings or of earlier starts. @returns the port it has */
async function startOnItsPort(
  { port: choice = anyPort, notify }: EmbeddedOptions,
  file: string,
  startOn: (port: number) => Promise<number>,
): Promise<number> {
  let running = 0;
  await openPort({ choice, file, first: 'remembered', notify }, async (port) => {
    // Another one where another process is faster.
    running = await startOn(port);
  });
  return running;
}

const anyPort: PortChoice = { setting: 'EMBEDDED_POSTGRES_PORT', port: 0, required: false };

function otherPort({ setting, port }: PortChoice, running: number): FatalError {
  const reason = `${setting}: the server runs on port ${running} already. Stop what uses it, then start with ${port}.`;
  return new FatalError('bad_settings', reason);
}

/** The port of a live server on this folder that takes connections; waits for one that is starting. */
async function runningPort(cluster: Cluster): Promise<number | undefined> {
  const pidFile = join(cluster.data, 'postmaster.pid');
  const giveUpAt = Date.now() + readyMsMax;
  while (await isRunning(cluster)) {
    const lines = (await readFile(pidFile, 'utf8').catch(() => '')).split('\n');
    const port = Number(lines[3]);
    if (lines[7]?.trim() === 'ready') {
      if (await isOpen(port)) return port;
      // A crash left the file, and its process id is somebody else's by now.
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

/** Whether anybody listens there: a server that is ready always does. */
async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const opened = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return opened;
}

async function startOrJoin(cluster: Cluster, volatile: boolean, wanted: number): Promise<number> {
  try {
    if (await isOpen(wanted)) throw inUse(wanted);
    await start(cluster, volatile, wanted);
    return wanted;
  } catch (error) {
    // Another process may have started it between the look and the start.
    const port = await runningPort(cluster);
    if (port !== undefined) return port;
    // A port may be taken without anything that answers there.
    await listenBriefly(wanted);
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
    // What a killed process asked for ends with it, also where it waits for a lock. Windows cannot look.
    ...(process.platform === 'win32' ? {} : { client_connection_check_interval: '1s' }),
    ...(volatile ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
  };
  const flags = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
  // -l and not a pipe: the server outlives a killed parent, and must not die writing to its closed pipe.
  const log = join(cluster.data, 'server.log');
  await pgCtl(cluster, ['start', '-w', '-t', '60', '-l', log, '-o', flags.join(' ')]);
}

/** The error of a server of this process: PostgreSQL writes it to its own log only. */
const inUse = (port: number) =>
  Object.assign(new Error(`Port ${port} is in use.`), { code: 'EADDRINUSE', syscall: 'listen', port });

/** @throws the system's error where nothing can listen on the port */
async function listenBriefly(port: number): Promise<void> {
  const probe = createServer();
  await listenOn(probe, port, '127.0.0.1');
  const closed = once(probe, 'close');
  probe.close();
  await closed;
}
