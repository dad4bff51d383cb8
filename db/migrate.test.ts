import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createDatabase, createMigratedDatabase } from '../test/support/database.ts';
import { timeOf } from '../test/support/read-model.ts';
import { walletRows } from '../test/support/wallet-rows.ts';
import { openDatabase } from './client.ts';
import { migrateDatabase } from './migrate.ts';
import { jobs } from './schema/agents.ts';
import { events, sources } from './schema/index.ts';

test('roles that start together on an empty database all find the schema in place', async () => {
  const created = await createDatabase();
  const roles = [1, 2, 3].map(() => openDatabase(created.url, { max: 1 }));
  await Promise.all(roles.map(migrateDatabase));
  for (const { orm } of roles) expect(await orm.select().from(sources)).toEqual([]);
  await Promise.all(roles.map((role) => role.close()));
  await created.drop();
});

test('jobs that were indexed before take their review period from the event that made them', async () => {
  const created = await createMigratedDatabase();
  const db = openDatabase(created.url, { max: 1 });
  const rows = walletRows(db);
  const made = [await rows.job('0xb'), await rows.job('0xb')];
  for (const [nth, jobId] of made.entries()) {
    const data = { jobId, ...(nth === 0 && { reviewMs: 3_600_000 }) };
    await db.orm.insert(events).values({
      ...{ network: 'testnet', checkpoint: nth + 1, txIndex: 0, eventIndex: 0, source: 'escrow' },
      ...{ txDigest: String(nth), sender: '0xa', timestamp: timeOf(nth + 1), contents: Buffer.alloc(0) },
      ...{ type: '0xe::job::JobCreated', name: 'JobCreated', data },
    });
  }
  const file = readFileSync(new URL('./migrations/0016_job_review.sql', import.meta.url), 'utf8');
  await db.pool.query(file.split('--> statement-breakpoint')[1]!);
  const stored = await db.orm.select({ reviewMs: jobs.reviewMs }).from(jobs).orderBy(jobs.jobId);
  expect(stored).toEqual([{ reviewMs: 3_600_000 }, { reviewMs: null }]);
  await db.close();
  await created.drop();
});
