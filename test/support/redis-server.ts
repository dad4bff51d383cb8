import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { getContainerRuntimeClient } from 'testcontainers';
import type { TestProject } from 'vitest/node';
import { type Unpacked, unpackedPackage, untilInputEnds } from './debian-package.ts';
import { freePorts } from './free-ports.ts';

export interface RedisServers {
  /** `redis://127.0.0.1:<port>` of each server, in the order of the arguments. */
  urls: string[];
  stop(): Promise<void>;
}

/** Arguments of one server besides its port. `ports` are those of all servers that start with it. */
export type RedisArguments = (port: number, ports: readonly number[]) => string[];

/**
 * Starts real Redis servers on free ports: in Docker, else with a `redis-server` or `valkey-server` on the PATH. On
 * Debian and Ubuntu, the distribution's server is otherwise downloaded to `node_modules/.cache`. The servers store
 * nothing on disk.
 * @throws Error that says what to install
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

export const standalone: RedisArguments = () => [];

const always = ['--save', '', '--appendonly', 'no'];

/**
 * Name of an empty file in the servers' folder. A sentinel does not start without a configuration file that it can
 * write.
 */
const configFile = (port: number) => `${port}.conf`;

async function inDocker(ports: number[], commands: string[][]): Promise<(() => Promise<void>) | undefined> {
  if (!(await getContainerRuntimeClient().catch(() => undefined))) return undefined;
  const { GenericContainer } = await import('testcontainers');
  // All servers run in one container, so that they reach each other at the addresses that their clients use.
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
  const { program, env } = await findServer();
  const dir = await mkdtemp(join(tmpdir(), 'marketplace-redis-'));
  await Promise.all(commands.map(([file]) => writeFile(join(dir, file!), '')));
  const children = commands.map((args) =>
    spawn('sh', ['-c', untilInputEnds, 'sh', program, ...args, '--bind', '127.0.0.1'], {
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: dir,
      env,
    }),
  );
  return async () => {
    const exits = children.map((child) => once(child, 'exit'));
    for (const child of children) child.stdin!.end();
    await Promise.all(exits);
    await rm(dir, { recursive: true, force: true });
  };
}

/** A server program, and the environment that it needs. */
interface Server {
  program: string;
  env: NodeJS.ProcessEnv;
}

const run = promisify(execFile);
const programs = ['redis-server', 'valkey-server'];

async function findServer(): Promise<Server> {
  for (const program of programs) {
    const server = { program, env: process.env };
    if (await runs(server)) return server;
  }
  downloading ??= downloaded();
  return await downloading;
}

const runs = ({ program, env }: Server): Promise<boolean> =>
  run(program, ['--version'], { env }).then(
    () => true,
    () => false,
  );

let downloading: Promise<Server> | undefined;

/** The distribution's server, downloaded. */
async function downloaded(): Promise<Server> {
  const serverIn = async ({ folder, env }: Unpacked) => {
    const servers = programs.map((name) => ({ program: join(folder, 'usr/bin', name), env }));
    for (const server of servers) if (await runs(server)) return server;
    return undefined;
  };
  return await unpackedPackage('redis', programs, serverIn).catch((cause) => {
    const message =
      'No Redis to test with: install redis-server or valkey-server, start Docker, or set TEST_REDIS_URL.';
    throw new Error(message, { cause });
  });
}

async function untilItAnswers(url: string): Promise<void> {
  const client = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: 150 });
  client.on('error', () => undefined);
  await client.ping();
  client.disconnect();
}

declare module 'vitest' {
  interface ProvidedContext {
    /** One real Redis for the whole test run. `redisDatabase` gives each test file a database of its own. */
    redisUrl: string;
  }
}

/** One real Redis for the whole test run: TEST_REDIS_URL, else one that starts and stops with the run. */
export default async function setup(project: TestProject) {
  const given = process.env.TEST_REDIS_URL;
  const servers = given ? undefined : await startRedisServers(standalone);
  project.provide('redisUrl', given ?? servers!.urls[0]!);
  return () => servers?.stop();
}
