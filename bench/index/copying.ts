import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Pool, PoolClient } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { type Cost, measureCost } from './server.ts';

/** The tables of each source; both write events. */
const tablesBySource = {
  registry: [
    'listings',
    'listing_versions',
    'attestations',
    'reviews',
    'service_reviews',
    'review_texts',
    'manifest_fetches',
    'catalog_entries',
    'catalog_removals',
  ],
  wallet: [
    'wallets',
    'service_grants',
    'delegates',
    'delegate_allowances',
    'policies',
    'policy_rules',
    'caps',
    'cap_wallets',
    'service_actions',
    'service_vaults',
    'service_usage',
    'service_actors',
    'service_days',
    'service_coin_days',
  ],
};
const sources = Object.entries(tablesBySource);
export const tableCount = 1 + sources.flatMap(([, tables]) => tables).length;

/**
 * Measures a bare COPY of all rows from files into the same tables, which are emptied first. Each source has one
 * connection, and copies what it wrote in one transaction.
 */
export async function copyAgain(pool: Pool): Promise<Cost> {
  const dir = await mkdtemp(join(tmpdir(), 'bench-copy-'));
  const buildFilePath = (source: string, table: string) => join(dir, `${source}.${table}`);
  try {
    for (const [source, tables] of sources) {
      const own = [['events', `(select * from events where source = '${source}')`]];
      for (const [table, rows] of [...own, ...tables.map((table) => [table, table])]) {
        await onClient(pool, (client) =>
          pipeline(
            client.query(copyTo(`copy ${rows} to stdout`)),
            createWriteStream(buildFilePath(source, table!)),
          ),
        );
      }
    }
    await pool.query(`truncate events, ${sources.flatMap(([, tables]) => tables).join(', ')}`);
    return await measureCost(pool, () =>
      Promise.all(
        sources.map(([source, tables]) =>
          onClient(pool, async (client) => {
            await client.query('begin');
            for (const table of ['events', ...tables]) {
              await pipeline(
                createReadStream(buildFilePath(source, table)),
                client.query(copyFrom(`copy ${table} from stdin`)),
              );
            }
            await client.query('commit');
          }),
        ),
      ),
    );
  } finally {
    await rm(dir, { recursive: true });
  }
}

async function onClient<T>(pool: Pool, work: (client: PoolClient) => Promise<T>) {
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}
