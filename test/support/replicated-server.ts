import { chmod, chown, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { buildClusterUrl, type Cluster, openCluster, pgCtl } from '../../db/embedded/cluster.ts';
import { freePorts } from './free-ports.ts';

interface TestServer {
  url: string;
  start(): Promise<void>;
  /** Ends the server at once, with its connections. */
  stop(): Promise<void>;
  query(sql: string): Promise<pg.QueryResult>;
}

interface ReplicatedServer {
  primary: TestServer;
  /** Streaming replicas of the primary. */
  replicas: TestServer[];
  close(): Promise<void>;
}

/**
 * Starts real PostgreSQL servers: a primary and its streaming replicas. The embedded server has no `pg_basebackup`, so
 * each replica begins as a copy of the cluster that was never started.
 */
export async function startReplicatedServer(count: number): Promise<ReplicatedServer> {
  const dir = await mkdtemp(join(tmpdir(), 'marketplace-replicas-'));
  const cluster = await openCluster(join(dir, 'primary'));
  const [port, ...replicaPorts] = await freePorts(count + 1);
  const primary = openServer(cluster, port!);
  const replicas: TestServer[] = [];
  for (const [at, replicaPort] of replicaPorts.entries()) {
    const data = join(cluster.home, `replica-${at}`);
    await cp(cluster.data, data, { recursive: true, preserveTimestamps: true });
    await writeFile(join(data, 'standby.signal'), '');
    if (cluster.runAs) await chownAll(data, cluster.runAs);
    const from = `host=127.0.0.1 port=${port} user=postgres password=${cluster.password}`;
    replicas.push(openServer({ ...cluster, data }, replicaPort, { primary_conninfo: from }));
  }
  for (const server of [primary, ...replicas]) await server.start();
  return {
    primary,
    replicas,
    async close() {
      for (const server of [...replicas, primary]) await server.stop();
      await rm(cluster.home, { recursive: true, force: true });
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function chownAll(folder: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  await chmod(folder, 0o700);
  await chown(folder, uid, gid);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await chown(join(entry.parentPath, entry.name), uid, gid);
}

function openServer(cluster: Cluster, port: number, more: Record<string, string> = {}): TestServer {
  const url = buildClusterUrl(cluster, port);
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '16MB',
    fsync: 'off',
    wal_retrieve_retry_interval: '100ms',
    ...more,
  };
  const flags = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
  return {
    url,
    async start() {
      const log = join(cluster.data, 'server.log');
      await pgCtl(cluster, ['start', '-w', '-t', '60', '-l', log, '-o', flags.join(' ')]);
    },
    stop: () => pgCtl(cluster, ['stop', '-w', '-m', 'immediate']).catch(() => undefined),
    async query(sql) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        return await client.query(sql);
      } finally {
        await client.end();
      }
    },
  };
}
