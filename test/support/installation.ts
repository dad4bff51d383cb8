import { expect } from 'vitest';
import { type DemoFile, readDemoFile } from '../../services/demo/file.ts';
import { createDemoDir } from './demo-dir.ts';
import { eventually } from './eventually.ts';
import { freePorts } from './free-ports.ts';
import { standalone, startRedisServers } from './redis-server.ts';
import { startService, stopService } from './service.ts';

/** A process with the given roles, a gateway among them. Several may run at a time, on one database or on several. */
export interface RoleSet {
  baseUrl: string;
  agentUrl: string;
  env: Record<string, string>;
  output(): string;
  stop(): Promise<void>;
}

interface SetOptions {
  /** Default: all, except `localnet`. */
  roles?: string[];
  /** Program of the service. Default: that of this repository. */
  program?: string;
}

/** The demo's network in a process of its own and a key-value store, for processes beside each other. */
interface Installation {
  demo: DemoFile;
  dir: string;
  /** Url of the key-value store, without a password. */
  redisUrl: string;
  /** Starts a process, and waits until it is ready. */
  start(env: Record<string, string>, options?: SetOptions): Promise<RoleSet>;
  close(): Promise<void>;
}

export async function openInstallation(): Promise<Installation> {
  await using starting = new AsyncDisposableStack();
  const data = await createDemoDir();
  starting.defer(() => data.remove());
  const localnet = startService(data.dir, ['localnet']);
  starting.defer(async () => void (await stopService(localnet)));
  const redis = await startRedisServers(standalone);
  starting.defer(() => redis.stop());
  const demo = await eventually(async () => {
    expect(localnet.output()).toContain('the local network runs');
    return (await readDemoFile(data.dir))!;
  });
  const sets: RoleSet[] = [];
  starting.defer(async () => void (await Promise.all(sets.map((set) => set.stop()))));
  const running = starting.move();
  return {
    demo,
    dir: data.dir,
    redisUrl: redis.urls[0]!,
    async start(env, options = {}) {
      const set = await openSet(data.dir, env, options);
      sets.push(set);
      await eventually(() => requireReady(set));
      return set;
    },
    close: () => running.disposeAsync(),
  };
}

const allRoles = ['indexer', 'dispatcher', 'tools', 'agent', 'gateway'];

async function openSet(
  dir: string,
  given: Record<string, string>,
  { roles = allRoles, program }: SetOptions,
): Promise<RoleSet> {
  const env = { OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', MARKETPLACE_ANON_RPM: '100000', ...given };
  const [port, agentPort] = await freePorts(2);
  const ports = { PORT: String(port), AGENT_PORT: String(agentPort) };
  const service = startService(dir, roles, { ...env, ...ports }, [], program);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    agentUrl: `http://127.0.0.1:${agentPort}`,
    env,
    output: service.output,
    stop: async () => void (await stopService(service)),
  };
}

async function requireReady({ baseUrl, output }: RoleSet): Promise<void> {
  const answer = await fetch(`${baseUrl}/readyz`);
  if (!answer.ok) throw new Error(`not ready: ${await answer.text()}\n${output()}`);
}
