import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { Database } from '../../db/client.ts';

/**
 * Seconds that a bare COPY takes for the rows of the tables: one transaction, out of a file, into empty
 * tables with the same columns, constraints and indexes.
 */
export async function rawCopySeconds({ pool }: Database, tables: string[]): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), 'bench-copy-'));
  const client = await pool.connect();
  try {
    for (const table of tables) {
      await pipeline(client.query(copyTo(`copy ${table} to stdout`)), createWriteStream(join(dir, table)));
      await client.query(`create table raw_${table} (like ${table} including all)`);
    }
    await client.query('checkpoint');
    const begun = performance.now();
    await client.query('begin');
    for (const table of tables) {
      await pipeline(
        createReadStream(join(dir, table)),
        client.query(copyFrom(`copy raw_${table} from stdin`)),
      );
    }
    await client.query('commit');
    return (performance.now() - begun) / 1000;
  } finally {
    for (const table of tables) await client.query(`drop table if exists raw_${table}`);
    client.release();
    await rm(dir, { recursive: true });
  }
}
