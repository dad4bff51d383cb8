import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { getContainerRuntimeClient } from 'testcontainers';

export interface RedisServers {
  /** `redis://127.0.0.1:<port>`, in the order asked for. */
  urls: string[];
  stop(): Promise<void>;
}

/** Arguments of one server beyond its port; `ports` are those of all that start with it. */
export type RedisArguments = (port: number, ports: readonly number[]) => string[];

/**
 * Starts real Redis servers on free ports: in Docker, else with a `redis-server` or `valkey-server` on the PATH,
 * else, as root on Debian, after installing it. Nothing is kept on disk.
 * @throws Error saying what to install
 */
export async function startRedisServers(...servers: RedisArguments[]): Promise<RedisServers> {
  const ports = await freePorts(servers.length);
  const commands = servers.map((args, at) => [
    configFile(ports[at]!),
    ...always,
    '--port',
    `${ports[at]}`,
    ...args(ports[at]!, ports),
  ]);
  const stop = (await inDocker(ports, commands)) ?? (await asProcesses(commands));
  const urls = ports.map((port) => `redis://127.0.0.1:${port}`);
  await Promise.all(urls.map(untilItAnswers)).catch(async (error) => {
    await stop();
    throw error;
  });
  return { urls, stop };
}

/** A server by itself. */
export const standalone: RedisArguments = () => [];

const always = ['--save', '', '--appendonly', 'no'];

/** Empty, in the servers' folder; a sentinel does not start without one that it may write. */
const configFile = (port: number) => `${port}.conf`;

async function inDocker(ports: number[], commands: string[][]): Promise<(() => Promise<void>) | undefined> {
  if (!(await getContainerRuntimeClient().catch(() => undefined))) return undefined;
  const { GenericContainer } = await import('testcontainers');
  // One container, so that the servers find each other where their clients find them.
  const lines = commands.map((args) => {
    const quoted = args.map((arg) => `'${arg}'`).join(' ');
    return `touch ${args[0]}; redis-server ${quoted} --bind 0.0.0.0 --protected-mode no &`;
  });
  const container = await new GenericContainer('redis:7')
    .withExposedPorts(...ports.map((port) => ({ container: port, host: port })))
    .withEntrypoint(['sh', '-c'])
    .withCommand([`cd /tmp; ${lines.join(' ')} wait`])
    .start();
  return async () => void (await container.stop());
}

async function asProcesses(commands: string[][]): Promise<() => Promise<void>> {
  const program = await findProgram();
  const dir = await mkdtemp(join(tmpdir(), 'marketplace-redis-'));
  await Promise.all(commands.map(([file]) => writeFile(join(dir, file!), '')));
  const children = commands.map((args) =>
    spawn('sh', ['-c', untilInputEnds, 'sh', program, ...args, '--bind', '127.0.0.1'], {
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: dir,
    }),
  );
  return async () => {
    const exits = children.map((child) => once(child, 'exit'));
    for (const child of children) child.stdin!.end();
    await Promise.all(exits);
    await rm(dir, { recursive: true, force: true });
  };
}

/** Ends the server with whoever started it, in whatever way that ends. */
const untilInputEnds = 'trap \'\' INT; "$@" & cat > /dev/null; kill -9 $!';

const run = promisify(execFile);
const programs = ['redis-server', 'valkey-server'];

async function findProgram(): Promise<string> {
  const found = (await installed()) ?? (await install());
  if (found) return found;
  throw new Error(
    'The tests need a Redis: install redis-server or valkey-server, start Docker, or set TEST_REDIS_URL.',
  );
}

async function installed(): Promise<string | undefined> {
  for (const program of programs) {
    const works = await run(program, ['--version']).then(
      () => true,
      () => false,
    );
    if (works) return program;
  }
  return undefined;
}

let installing: Promise<unknown> | undefined;
/** For how long it waits for another installation on this machine. */
const lockSeconds = 300;

async function install(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  // RUNLEVEL keeps the package from starting a server of its own.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const aptGet = (...args: string[]) =>
    run('apt-get', ['-qq', '-o', `DPkg::Lock::Timeout=${lockSeconds}`, ...args], { env });
  installing ??= aptGet('update').then(() =>
    aptGet('install', '-y', '--no-install-recommends', 'redis-server'),
  );
  await installing.catch(() => undefined);
  return await installed();
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

async function untilItAnswers(url: string): Promise<void> {
  const client = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: 150 });
  client.on('error', () => undefined);
  await client.ping();
  client.disconnect();
}
