import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../db/client.ts';
import { startEmbeddedServer } from '../db/embedded/server.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { readModelBuilder } from '../test/support/read-model.ts';
import { measureCosts } from './list-costs.ts';
import { costsPart, round } from './list-table.ts';
import { fillCatalog } from './listings/listings.ts';
import type { Options, Result } from './measure.ts';
import { replaceWrittenPart } from './written-part.ts';

const listings = 100_000;
const limitMs = 50;
const page = new URL('../docs/performance.md', import.meta.url);

/**
 * Processor time of each list and search of a large catalog, of PostgreSQL and of the gateway together. The limit is what
 * one may take. A full run writes the table in docs/performance.md.
 */
export async function run({ scale }: Options): Promise<Result> {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'bench-listings-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const server = await startEmbeddedServer({ dir, volatile: true });
  stack.defer(() => server.stop());
  const db = openDatabase(server.url, { max: 1 });
  stack.defer(() => db.close());
  await migrateDatabase(db);
  // The processor time of parallel workers, which end with their statement, would be missed.
  await db.pool.query('alter database postgres set max_parallel_workers_per_gather = 0');
  await readModelBuilder(db).source();
  await fillCatalog(db, Math.round(listings * scale));
  const costs = await measureCosts(db.pool, server.url, stack);
  if (scale === 1) {
    const text = await readFile(page, 'utf8');
    await writeFile(page, replaceWrittenPart(text, 'lists', costsPart(costs, limitMs, new Date())));
  }
  const dearest = costs.toSorted((a, b) => a.postgresMs + a.gatewayMs - b.postgresMs - b.gatewayMs).at(-1)!;
  const value = round(dearest.postgresMs + dearest.gatewayMs);
  return {
    name: 'listings',
    unit: 'ms',
    value,
    limit: limitMs,
    limitName: `what a list or search may take; ${dearest.name} takes most`,
    ratio: limitMs / value,
    aim: 1,
    details: Object.fromEntries(
      costs.map(({ name, postgresMs, gatewayMs }) => [`${name}, ms`, round(postgresMs + gatewayMs)]),
    ),
  };
}
