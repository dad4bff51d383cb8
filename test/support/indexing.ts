import { vi } from 'vitest';
import { type Database, openDatabase } from '../../db/client.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import type { NetworkSettings } from '../../lib/config/index.ts';
import { createDatabase } from './database.ts';
import { registryPackageId } from './frames/chain.ts';

/** An empty, migrated database of its own for a test. */
export async function openTestDatabase(): Promise<Database & { drop(): Promise<void> }> {
  const created = await createDatabase();
  const db = openDatabase(created.url, { max: 8 });
  await migrateDatabase(db);
  const drop = async () => {
    await db.close();
    await created.drop();
  };
  return Object.assign(db, { drop });
}

/** Settings that follow the generated registry on a node. */
export function settingsFor(rpcUrl: string, more: Partial<NetworkSettings> = {}): NetworkSettings {
  return {
    network: 'testnet',
    rpcUrl,
    registryPackageId,
    registryObjectId: `0x${'0'.repeat(64)}`,
    aggregatorUrl: 'http://127.0.0.1:9',
    ...more,
  };
}

export interface SourceRow {
  checkpoint: number;
  event_count: number;
  undecoded_count: number;
  last_error: string | null;
  chain_id: string;
  cursor_provider: string | null;
}

export async function sourceRow({ pool }: Database): Promise<SourceRow | undefined> {
  return (await pool.query<SourceRow>('select * from sources')).rows[0];
}

/** Resolves when the registry's source has covered the checkpoint. */
export async function indexedTo(db: Database, checkpoint: number, timeout = 30_000): Promise<void> {
  await until(async () => {
    const row = await sourceRow(db);
    if ((row?.checkpoint ?? -1) < checkpoint) throw new Error(`not at ${checkpoint}: ${JSON.stringify(row)}`);
  }, timeout);
}

/** Resolves when `check` no longer throws. */
export async function until(check: () => Promise<void>, timeout = 30_000): Promise<void> {
  await vi.waitFor(check, { timeout, interval: 20 });
}
