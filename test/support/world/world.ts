import { join } from 'node:path';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { Redis } from 'ioredis';
import { type Database, openDatabase } from '../../../db/client.ts';
import { startEmbeddedServer } from '../../../db/embedded/server.ts';
import { migrateDatabase } from '../../../db/migrate.ts';
import { createSqlRole } from '../../../db/sql-role.ts';
import { type DemoFile, readDemoFile } from '../../../services/demo/file.ts';
import { createDatabaseOn } from '../database-on.ts';
import { internalSecret } from '../demo-tools.ts';
import { endChild } from '../end-child.ts';
import { eventually } from '../eventually.ts';
import { freePorts } from '../free-ports.ts';
import { adminSecret } from '../keys.ts';
import { type PatroniCluster, startPatroniCluster } from '../patroni/cluster.ts';
import { standalone, startRedisServers } from '../redis-server.ts';
import { createDataDir, postgresPid, type Service, startService } from '../service.ts';
import { startTcpProxy, type TcpProxy } from '../tcp-proxy.ts';
import { createTesterClient } from '../tester-client.ts';
import { type BlobFront, startBlobFront } from './blob-front.ts';
import { buildNetworkSettings } from './network-settings.ts';
import { StoreChanges } from './store-changes.ts';

/** A process of the service that is started again after it was killed. */
interface Role {
  readonly name: string;
  /** The process that runs now. */
  service(): Service;
  /** Starts it again, if it does not run. */
  start(): void;
}

/** A single server of the database, by its process id, or a cluster. */
type WorldDatabase = { pid(): Promise<number | undefined> } | { cluster: PatroniCluster };

export type Replication = 'synchronous' | 'asynchronous';

export interface WorldOptions {
  /** Data folder of the local network, which makes the demo in it if there is none. */
  networkDir: string;
  /** Program of the roles beside the local network. Default: that of this repository. */
  program?: string | undefined;
  /** Replication of a cluster of two servers. Absent: a single server. */
  replication?: Replication | undefined;
}

/** A marketplace of several processes, with a proxy at each place where one of them can lose another. */
export interface World {
  demo: DemoFile;
  client: ChainClient;
  /** Reads a node that forgets nothing. */
  archive: ChainClient;
  /** Urls of the gateways. */
  gateways: readonly string[];
  roles: readonly Role[];
  /** Between the roles and what they need. */
  proxies: Record<'node' | 'archive' | 'database' | 'store' | 'blobs', TcpProxy>;
  blobFront: BlobFront;
  /** The database and the store, past their proxies. */
  db: Database;
  store: Redis;
  storeChanges: StoreChanges;
  database: WorldDatabase;
  /** Makes manifests and checks due that would be tried again in minutes or hours. A job that was lost stays lost. */
  shortenWaits(): Promise<void>;
  close(): Promise<void>;
}

/** Resolves when every gateway has indexed the history of the chain. */
export async function waitForGateways({ gateways }: Pick<World, 'gateways'>): Promise<void> {
  for (const gateway of gateways)
    await eventually(async () => {
      if (!(await fetch(`${gateway}/readyz`)).ok) throw new Error(`${gateway} is not ready`);
    });
}

/** Columns with the time of the next attempt. */
const waits = [
  ['manifest_fetches', 'next_attempt_at'],
  ['listings', 'next_check_at'],
  // An UpgradeCap changes hands without an event.
  ['listings', 'recheck_at'],
] as const;
/** Longer than the wait after a first failure. */
const longWaitSeconds = 10;

/** Milliseconds of distance between the roles and the node. */
const nodeDistanceMs = 50;

/** Starts a local network with the demo, and two processes of each role on a PostgreSQL and a Redis of their own. */
export async function startWorld({ networkDir, program, replication }: WorldOptions): Promise<World> {
  await using starting = new AsyncDisposableStack();
  const [port, faucetPort, blobsPort, archivePort] = await freePorts(4);
  const network = openRole(
    'localnet',
    networkDir,
    {
      LOCALNET_PORT: String(port),
      LOCALNET_FAUCET_PORT: String(faucetPort),
      LOCALNET_BLOBS_PORT: String(blobsPort),
      LOCALNET_ARCHIVE_PORT: String(archivePort),
    },
    networkProgram,
  );
  network.start();
  starting.defer(() => endChild(network.service().process, 'SIGKILL'));
  const demo = await eventually(async () => {
    if (!network.service().output().includes('the local network runs'))
      throw new Error(network.service().output());
    return (await readDemoFile(networkDir))!;
  });
  const client = createTesterClient(demo.rpcUrl);
  starting.defer(() => client.close());
  const archiveUrl = `http://127.0.0.1:${archivePort}`;
  const archive = createTesterClient(archiveUrl);
  starting.defer(() => archive.close());

  const { database, url } = await (replication ? startCluster(replication, starting) : startServer(starting));
  const created = await createDatabaseOn(url);
  const db = openDatabase(created.url, { max: 4 });
  starting.defer(() => db.close());
  await migrateDatabase(db);
  const redis = await startRedisServers(standalone);
  starting.defer(() => redis.stop());
  const store = new Redis(redis.urls[0]!);
  starting.defer(() => store.disconnect());

  const blobFront = await startBlobFront(demo.blobStoreUrl);
  starting.defer(() => blobFront.close());
  const proxies = {
    node: await startTcpProxy(demo.rpcUrl, nodeDistanceMs),
    archive: await startTcpProxy(archiveUrl, nodeDistanceMs),
    database: await startTcpProxy(created.url),
    store: await startTcpProxy(redis.urls[0]!),
    blobs: await startTcpProxy(blobFront.url),
  };
  for (const proxy of Object.values(proxies)) starting.defer(() => proxy.cut());
  const sqlUrl = new URL(await createSqlRole(created.url));
  sqlUrl.host = new URL(proxies.database.url).host;
  const settings = {
    ...buildNetworkSettings(demo, {
      node: proxies.node.url,
      archive: proxies.archive.url,
      blobs: proxies.blobs.url,
    }),
    DATABASE_URL: proxies.database.url,
    REDIS_URL: proxies.store.url,
    SQL_DATABASE_URL: sqlUrl.href,
  };
  const roles = await openRoles(settings, program, starting);
  for (const { start } of roles.all) start();
  const running = starting.move();
  return {
    demo,
    client,
    archive,
    gateways: roles.gateways,
    roles: [network, ...roles.all],
    proxies,
    blobFront,
    db,
    store,
    storeChanges: new StoreChanges(),
    database,
    async shortenWaits() {
      for (const [table, column] of waits)
        await db.pool.query(
          `update ${table} set ${column} = now() where ${column} > now() + interval '${longWaitSeconds} s'`,
        );
    },
    close: () => running.disposeAsync(),
  };
}

async function startServer(starting: AsyncDisposableStack) {
  const folder = await createDataDir();
  starting.defer(() => folder.remove());
  const postgres = await startEmbeddedServer({ dir: join(folder.dir, 'postgres') });
  starting.defer(() => postgres.stop());
  return { database: { pid: () => postgresPid(folder.dir) }, url: postgres.url };
}

async function startCluster(replication: Replication, starting: AsyncDisposableStack) {
  const cluster = await startPatroniCluster({ members: 2, isSynchronous: replication === 'synchronous' });
  starting.defer(() => cluster.close());
  return { database: { cluster }, url: cluster.url };
}

async function openRoles(
  parts: Record<string, string>,
  program: string | undefined,
  starting: AsyncDisposableStack,
) {
  const data = await createDataDir();
  starting.defer(() => data.remove());
  const settings = {
    ...parts,
    MARKETPLACE_ADMIN_SECRET: adminSecret,
    INTERNAL_AGENT_SECRET: internalSecret,
    MARKETPLACE_ANON_RPM: '1000000',
    TRUST_PROXY: '1',
    // One wallet pays without pause: by default it would reach its limit of gas after a hundred payments.
    AGENT_RUNS_DAILY: '1000000',
    AGENT_GAS_DAILY: 'wallet=1000000000000,owner=1000000000000',
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
  };
  const [toolsPort, ...ports] = await freePorts(5);
  const gatewayPorts = ports.slice(0, 2);
  const agentPorts = ports.slice(2);
  const open = (role: string, more: Record<string, string> = {}) =>
    openRole(role, data.dir, { ...settings, ...more }, program);
  const all = [
    ...gatewayPorts.map((port, at) =>
      open('gateway', { PORT: String(port), AGENT_URL: `http://127.0.0.1:${agentPorts[at]}` }),
    ),
    ...['indexer', 'indexer', 'dispatcher', 'dispatcher'].map((role) => open(role)),
    open('tools', { TOOLS_PORT: String(toolsPort) }),
    ...agentPorts.map((port) =>
      open('agent', { AGENT_PORT: String(port), TOOLS_URL: `http://127.0.0.1:${toolsPort}` }),
    ),
  ];
  starting.defer(async () => {
    await Promise.all(all.map((role) => endChild(role.service().process, 'SIGKILL')));
  });
  return { all, gateways: gatewayPorts.map((port) => `http://127.0.0.1:${port}`) };
}

const clock = join(import.meta.dirname, 'shifting-clock.ts');
const networkProgram = join(import.meta.dirname, 'network.ts');

function openRole(name: string, dataDir: string, env: Record<string, string>, program?: string): Role {
  let running: Service | undefined;
  return {
    name,
    service: () => running!,
    start() {
      const isRunning = running?.process.exitCode === null && running.process.signalCode === null;
      if (!isRunning) running = startService(dataDir, [name], env, ['--import', clock], program);
    },
  };
}
