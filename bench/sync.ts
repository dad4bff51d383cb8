import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { openDatabase } from '../db/client.ts';
import { startEmbeddedServer } from '../db/embedded/server.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { silentLogger } from '../lib/log/index.ts';
import { createOutbound } from '../lib/outbound/index.ts';
import { startIndexer } from '../services/indexer/index.ts';
import { copyAgain } from './index/copying.ts';
import { measureCost } from './index/server.ts';
import { cpuSeconds, type Options, type Result, startChild } from './measure.ts';

const fullSize = 10_000;

interface SyncNode {
  nodeUrl: string;
  storeUrl: string;
  registryPackageId: string;
  registryObjectId: string;
  packageIds: string[];
  blobIds: string[];
}

/**
 * Listings per second of processor time (indexer and PostgreSQL) of a first synchronisation: from an empty database to a
 * catalog that shows all listings, each with a package and a manifest of its own. The node and the store of manifests
 * have a process of their own.
 */
export async function run({ scale, delay: delayMs = 0 }: Options): Promise<Result> {
  const listings = Math.round(fullSize * scale);
  await using stack = new AsyncDisposableStack();
  console.log(`starting a node with ${listings} listings ...`);
  const node = await startChild('sync/node-process.ts', [listings, delayMs], stack);
  const said = node.said as SyncNode;
  const dir = await mkdtemp(join(tmpdir(), 'bench-sync-'));
  stack.defer(() => rm(dir, { recursive: true }));
  const server = await startEmbeddedServer({ dir });
  stack.defer(() => server.stop());
  const db = openDatabase(server.url, { max: 10 });
  stack.defer(() => db.close());
  await migrateDatabase(db);
  const outbound = createOutbound({ allowCidrs: [] });
  stack.defer(() => outbound.close());
  const { nodeUrl: rpcUrl, storeUrl: aggregatorUrl, registryPackageId, registryObjectId } = said;
  const settings = {
    network: 'testnet' as const,
    rpcUrl,
    aggregatorUrl,
    registryPackageId,
    registryObjectId,
  };

  const synchronise = async () => {
    const indexer = startIndexer({ db, networks: [settings], log: silentLogger, outbound });
    for (;;) {
      const { rows } = await db.pool.query<{ done: number; failed: string | null }>(
        `select (select count(*)::int from catalog_entries e join listings l using (network, service_type, publisher)
            where e.shown and l.op_misfits is not null and l.next_check_at is null and l.recheck_at > now()) as done,
          (select min(last_error) from sources) as failed`,
      );
      const { done, failed } = rows[0]!;
      if (failed) throw new Error(failed);
      if (done >= listings) break;
      await delay(500);
    }
    await indexer.close();
  };
  console.log('synchronising ...');
  const before = { commits: await countCommits(), node: await cpuSeconds(node.process) };
  const syncing = await measureCost(db.pool, synchronise);
  const commits = (await countCommits()) - before.commits;
  const nodeSeconds = (await cpuSeconds(node.process)) - before.node;
  const residentMax = process.resourceUsage().maxRSS / 1024;
  const { rows: catalog } = await db.pool.query<{ version: number }>('select version from catalog_state');

  console.log('reading the same packages and manifests, and copying the same rows ...');
  const reading = await measureCost(db.pool, () => readAll(said));
  const copying = await copyAgain(db.pool);
  const bareSeconds = reading.cpuSeconds + copying.cpuSeconds;
  return {
    name: 'sync',
    unit: 'listings per second of processor time',
    value: Math.round(listings / syncing.cpuSeconds),
    limit: Math.round(listings / bareSeconds),
    limitName:
      'the same packages by BatchGetObjects, the same manifests from the store, and COPY of the same rows',
    ratio: bareSeconds / syncing.cpuSeconds,
    aim: 0.1,
    details: {
      listings,
      seconds: round(syncing.seconds),
      listingsPerSecond: Math.round(listings / syncing.seconds),
      indexerCpuMsPerListing: round((syncing.clientCpuSeconds * 1000) / listings),
      databaseCpuMsPerListing: round(((syncing.cpuSeconds - syncing.clientCpuSeconds) * 1000) / listings),
      nodeCpuMsPerListing: round((nodeSeconds * 1000) / listings),
      commitsPerListing: round(commits / listings),
      catalogRevisions: catalog[0]!.version,
      bareReadSeconds: round(reading.seconds),
      bareCopySeconds: round(copying.seconds),
      indexerResidentMegabytesMax: Math.round(residentMax),
    },
  };

  async function countCommits(): Promise<number> {
    const { rows } = await db.pool.query<{ commits: number }>(
      `select xact_commit::int as commits from pg_stat_database where datname = current_database()`,
    );
    return rows[0]!.commits;
  }
}

const batch = 50;

/** Reads what a first synchronisation reads at least: every package and every manifest. */
async function readAll({ nodeUrl, storeUrl, packageIds, blobIds }: SyncNode): Promise<void> {
  const client = createChainClient({ url: nodeUrl });
  for (let at = 0; at < packageIds.length; at += batch) {
    const requests = packageIds.slice(at, at + batch).map((objectId) => ({ objectId }));
    const readMask = { paths: ['object_id', 'package.modules.contents'] };
    await Promise.all([
      client.ledgerService.batchGetObjects({ requests, readMask }),
      ...blobIds.slice(at, at + batch).map(async (id) => (await fetch(`${storeUrl}/v1/blobs/${id}`)).bytes()),
    ]);
  }
  client.close();
}

const round = (value: number) => Math.round(value * 100) / 100;
