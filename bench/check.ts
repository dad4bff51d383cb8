import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../db/client.ts';
import { startEmbeddedServer } from '../db/embedded/server.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { readCatalog } from '../db/queries/catalog/list.ts';
import type { CatalogQuery } from '../db/queries/catalog/query.ts';
import { createDatabaseOn } from '../test/support/database-on.ts';
import { load, type Server, serve } from './catalog.ts';
import { change } from './growth/catalog.ts';
import { fillCatalog, network } from './listings/listings.ts';
import { holdsRatio, type RatioCheck } from './ratio.ts';

// The benchmarks that are quick enough for each change: how many times its limit a path costs.
const [small, large] = [12, 10_000];

await using stack = new AsyncDisposableStack();
const dir = await mkdtemp(join(tmpdir(), 'bench-check-'));
stack.defer(() => rm(dir, { recursive: true, force: true }));
const server = await startEmbeddedServer({ dir, volatile: true });
stack.defer(() => server.stop());
const [few, some, many] = [
  await createCatalogDatabase(small),
  await createCatalogDatabase(100),
  await createCatalogDatabase(large),
];

const page = (db: Database, query: Omit<CatalogQuery, 'network'>) =>
  fastest(10, () => readCatalog(db.pool, { network, limit: 50, ...query }));
const ofMany = (query: Omit<CatalogQuery, 'network'>) => () => page(many, query);

const gateway = await serve('gateway-process.ts', [some.directUrl], stack);
gateway.url += '/api/adaptors?network=testnet';
const bare = await serve('bare-process.ts', [gateway.url, 'br'], stack);

const checks: RatioCheck[] = [
  {
    name: 'the catalog, in processor time, against bare node:http with the same bytes',
    path: () => cpuPerRequest(gateway),
    limit: () => cpuPerRequest(bare),
    most: 2,
  },
  {
    name: `a change of one of ${large} listings against one of ${small}`,
    path: () => fastest(20, () => change(many, large)),
    limit: () => fastest(20, () => change(few, small)),
    most: 2.5,
  },
  {
    name: `a page by use of ${large} listings against one of ${small}`,
    path: ofMany({}),
    limit: () => page(few, {}),
    most: 6,
  },
  {
    name: 'a search for two words against a page by use',
    path: ofMany({ q: 'lagoon vault' }),
    limit: ofMany({}),
    most: 5,
  },
  {
    name: 'a search for a word of every entry against a page by use',
    path: ofMany({ q: 'adaptor' }),
    limit: ofMany({}),
    most: 15,
  },
  {
    name: 'a search for a word with a typo against a page by use',
    path: ofMany({ q: 'colateral' }),
    limit: ofMany({}),
    most: 15,
  },
];

for (const check of checks) if (!(await holdsRatio(check, console.log))) process.exitCode = 1;

async function createCatalogDatabase(size: number): Promise<Database> {
  const created = await createDatabaseOn(server.url);
  const db = openDatabase(created.url, { max: 2 });
  stack.defer(() => db.close());
  await migrateDatabase(db);
  await fillCatalog(db, size);
  return db;
}

async function cpuPerRequest(of: Server): Promise<number> {
  const headers = { 'accept-encoding': 'br' };
  return 1 / (await load(of, { connections: 20, duration: 1, headers })).perCpuSecond;
}

/** The shortest time of some work, in milliseconds: other processes of the machine can only add to it. */
async function fastest(times: number, work: () => Promise<unknown>): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let n = 0; n < times; n++) {
    const before = performance.now();
    await work();
    shortest = Math.min(shortest, performance.now() - before);
  }
  return shortest;
}
