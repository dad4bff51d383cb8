import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { FatalError, messageOf } from '../../lib/errors/index.ts';
import { type PostgresBinaries, postgresBinaries, reachableBinaries } from './binaries.ts';
import { canReach, type RunAs, serverUser } from './user.ts';

const run = promisify(execFile);

export interface EmbeddedServer {
  /** Connection url of the database `adaptors`. */
  url: string;
  /** Stops the server, unless it belongs to another process that still lives. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Folder of the cluster; made when missing. */
  dir: string;
  /** For tests: no fsync. A power cut may then lose the data. */
  volatile?: boolean;
}

/**
 * Starts the PostgreSQL server that comes from npm, on loopback and a free port, or joins it where it runs
 * already: another role's process, or what a killed one left behind.
 */
export async function startEmbeddedServer(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const runAs = serverUser();
  const home = await clusterHome(resolve(options.dir), runAs);
  const binaries = await reachableBinaries(
    await postgresBinaries(),
    runAs,
    join(home, '..', 'postgresql-bin'),
  );
  const cluster: Cluster = { binaries, runAs, data: join(home, 'data'), home };
  const password = await passwordOf(cluster);
  if (!(await stat(join(cluster.data, 'PG_VERSION')).catch(() => undefined))) await initialise(cluster);

  const port = (await runningPort(cluster)) ?? (await start(cluster, options.volatile ?? false));
  const owned = await takeOwnership(cluster);
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    stop: async () => {
      if (owned) await pgCtl(cluster, ['stop', '-m', 'fast', '-w']);
    },
  };
}

interface Cluster {
  binaries: PostgresBinaries;
  runAs: RunAs | undefined;
  home: string;
  data: string;
}

/** `dir` itself, or for root below /var/lib where the server's own user cannot get at `dir`. */
async function clusterHome(dir: string, runAs: RunAs | undefined): Promise<string> {
  await mkdir(dir, { recursive: true, mode: 0o755 });
  if (!runAs) return dir;
  await chmod(dir, 0o755);
  if (canReach(dir, runAs)) return dir;
  const name = createHash('sha256').update(dir).digest('hex').slice(0, 16);
  const elsewhere = join('/var/lib/adaptor-marketplace', name, 'postgres');
  await mkdir(elsewhere, { recursive: true, mode: 0o755 });
  return elsewhere;
}

async function passwordOf(cluster: Cluster): Promise<string> {
  const file = join(cluster.home, 'password');
  const known = await readFile(file, 'utf8').catch(() => undefined);
  if (known) return known.trim();
  const password = randomBytes(24).toString('hex');
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  if (cluster.runAs) await chown(file, cluster.runAs.uid, cluster.runAs.gid);
  return password;
}

async function initialise(cluster: Cluster): Promise<void> {
  // What an interrupted initdb left has no PG_VERSION, and initdb refuses a folder that is not empty.
  await rm(cluster.data, { recursive: true, force: true });
  await mkdir(cluster.data, { recursive: true, mode: 0o700 });
  if (cluster.runAs) await chown(cluster.data, cluster.runAs.uid, cluster.runAs.gid);
  const flags = ['--username=postgres', '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync'];
  const pwfile = `--pwfile=${join(cluster.home, 'password')}`;
  await execute(cluster, cluster.binaries.initdb, [`--pgdata=${cluster.data}`, pwfile, ...flags]);
}

/** One process stops the server in the end: the one that started it, or the next that finds that one dead. */
async function takeOwnership(cluster: Cluster): Promise<boolean> {
  const file = join(cluster.home, 'owner');
  const owner = Number(await readFile(file, 'utf8').catch(() => '0'));
  if (owner > 0 && owner !== process.pid && isAlive(owner)) return false;
  await writeFile(file, String(process.pid));
  return true;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The port in `postmaster.pid` of a live server on this folder. */
async function runningPort(cluster: Cluster): Promise<number | undefined> {
  const running = await pgCtl(cluster, ['status']).then(
    () => true,
    () => false,
  );
  if (!running) return undefined;
  const lines = (await readFile(join(cluster.data, 'postmaster.pid'), 'utf8')).split('\n');
  return Number(lines[3]);
}

async function start(cluster: Cluster, volatile: boolean): Promise<number> {
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '128MB',
    max_connections: 100,
    ...(volatile ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
  };
  const flags = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
  // -l and not a pipe: the server outlives a killed parent, and must not die writing to its closed pipe.
  const log = join(cluster.data, 'server.log');
  await pgCtl(cluster, ['start', '-w', '-t', '60', '-l', log, '-o', flags.join(' ')]);
  return port;
}

const pgCtl = (cluster: Cluster, args: string[]) =>
  execute(cluster, cluster.binaries.pg_ctl, ['-D', cluster.data, ...args]);

async function execute(cluster: Cluster, program: string, args: string[]): Promise<void> {
  try {
    await run(program, args, { ...cluster.runAs, cwd: cluster.home, env: { ...process.env, LC_ALL: 'C' } });
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    throw new FatalError('embedded_postgres', `${program} failed: ${output.trim() || messageOf(error)}`);
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done));
  const address = probe.address();
  await new Promise((done) => probe.close(done));
  if (!address || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
