import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase, createMigratedDatabase } from '../test/support/database.ts';
import { timeOf } from '../test/support/read-model.ts';
import { walletRows } from '../test/support/wallet-rows.ts';
import { openDatabase } from './client.ts';
import { migrateDatabase } from './migrate.ts';
import { agentRunSteps } from './schema/agent-runs.ts';
import { jobs } from './schema/agents.ts';
import { events, sources } from './schema/index.ts';
import { webhookSubscriptions } from './schema/webhooks.ts';

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

/** The migrations before `tag`, as a folder of their own. */
function migrationsBefore(tag: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'migrations-before-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(import.meta.dirname, 'migrations'), folder, { recursive: true });
  const file = join(folder, 'meta/_journal.json');
  const journal: { entries: { tag: string }[] } = JSON.parse(readFileSync(file, 'utf8'));
  const at = journal.entries.findIndex((entry) => entry.tag === tag);
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, at) }));
  return folder;
}

test('what was stored under a former name of a table or column is there under the new one', async () => {
  const created = await createDatabase();
  const db = openDatabase(created.url, { max: 1 });
  await migrate(db.orm, { migrationsFolder: migrationsBefore('0018_plain_names') });
  const lost = new Date('2026-01-02T03:04:05Z');
  await db.pool.query(
    "insert into webhook_lanes (subscription, lease, removed_at) values ('wh_1', 'host/1', $1)",
    [lost],
  );
  await db.pool.query(
    "insert into agent_run_steps (run, place, step, status, at) values (1, 3, 'draft', 'done', now())",
  );
  await migrateDatabase(db);
  expect(await db.orm.select().from(webhookSubscriptions)).toMatchObject([
    { subscription: 'wh_1', lease: 'host/1', removedAt: lost },
  ]);
  expect(await db.orm.select().from(agentRunSteps)).toMatchObject([{ run: 1, position: 3, step: 'draft' }]);
  await db.close();
  await created.drop();
});
