import { type Database, openDatabase } from '../../db/client.ts';
import type { SourceName } from '../../lib/config/sources.ts';
import { createMigratedDatabase } from './database.ts';
import { eventually } from './eventually.ts';

/** An empty, migrated database of its own for a test. */
export async function openTestDatabase(): Promise<Database & { drop(): Promise<void> }> {
  const created = await createMigratedDatabase();
  const db = openDatabase(created.url, { max: 16 });
  const drop = async () => {
    await db.close();
    await created.drop();
  };
  return Object.assign(db, { drop });
}

export interface SourceRow {
  checkpoint: number;
  event_count: number;
  undecoded_count: number;
  last_error: string | null;
  unsettled_from: number | null;
  stopped_at: Date | null;
  removed_at: Date | null;
  chain_id: string;
  cursor_provider: string | null;
}

export async function sourceRow(
  { pool }: Database,
  name: SourceName = 'registry',
): Promise<SourceRow | undefined> {
  return (await pool.query<SourceRow>('select * from sources where name = $1', [name])).rows[0];
}

/** Resolves when these sources have covered the checkpoint, and left nothing to settle. */
export async function indexedTo(
  db: Database,
  checkpoint: number,
  names: readonly SourceName[] = ['registry'],
): Promise<void> {
  await eventually(async () => {
    for (const name of names) {
      const row = await sourceRow(db, name);
      const settled = row?.unsettled_from === null;
      if (!settled || row.checkpoint < checkpoint)
        throw new Error(`${name} is not at ${checkpoint}: ${JSON.stringify(row)}`);
    }
  });
}
