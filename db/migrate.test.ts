import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase, createMigratedDatabase, databaseOfTest } from '../test/support/database.ts';
import { address, readModelBuilder, timeOf } from '../test/support/read-model.ts';
import { startReceiver } from '../test/support/receiver.ts';
import { registryEvents } from '../test/support/registry-events.ts';
import { walletRows } from '../test/support/wallet-rows.ts';
import { openDispatching } from '../test/support/webhooks.ts';
import { type Database, openDatabase } from './client.ts';
import { migrateDatabase } from './migrate.ts';
import { readCatalog } from './queries/catalog/list.ts';
import { readDueCoins } from './queries/coins.ts';
import { readDelivery, resendDelivery } from './queries/webhooks/deliveries.ts';
import { agentRunSteps } from './schema/agent-runs.ts';
import { jobs } from './schema/agents.ts';
import { events, serviceCoinDays, sources } from './schema/index.ts';
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

test('the coins of a database that was filled before are checked like those that come', async () => {
  const created = await createDatabase();
  const db = openDatabase(created.url, { max: 1 });
  await migrate(db.orm, { migrationsFolder: migrationsBefore('0027_coins') });
  const rows = walletRows(db);
  await rows.job('0xb', { coin: '0x1::a::A', state: 0 });
  const released = await rows.job('0xb', { coin: '0x2::b::B', state: 0 });
  await db.pool.query('update jobs set state = 3 where job_id = $1', [released]);
  const used = { network: 'testnet', serviceType: '0x9::s::S', actions: 1, taken: '5', brought: '0' };
  await db.orm.insert(serviceCoinDays).values([
    { ...used, day: '2026-01-02', coin: '0x2::b::B' },
    { ...used, day: '2026-01-02', coin: '0x3::c::C' },
    { ...used, day: '2026-01-03', coin: '0x3::c::C' },
    { ...used, day: '2026-01-03', coin: '0x3::c::C', network: 'mainnet' },
  ]);
  await migrateDatabase(db);
  const due = async (network: string) =>
    (await readDueCoins(db.pool, network, 10)).rows.map(({ coinType }) => coinType).toSorted();
  expect([await due('testnet'), await due('mainnet')]).toEqual([['0x2::b::B', '0x3::c::C'], ['0x3::c::C']]);
  await db.close();
  await created.drop();
});

test('the completed jobs of agents that were stored before are counted', async () => {
  const created = await createDatabase();
  const db = openDatabase(created.url, { max: 1 });
  await migrate(db.orm, { migrationsFolder: migrationsBefore('0031_graph_orders') });
  const rows = walletRows(db);
  for (const provider of ['0xa', '0xa', '0xb', '0xc']) await rows.job(provider, { state: 1 });
  await db.pool.query(`update jobs set state = 3 where provider <> '0xb'`);
  await db.pool.query(
    `insert into agents (network, agent, name, description, skills, version, listed, registered_at, updated_at)
     select 'testnet', agent, 'n', 'd', '{}', 1, true, now(), now() from unnest(array['0xa', '0xb']) agent`,
  );
  await migrateDatabase(db);
  const { rows: counted } = await db.pool.query(
    'select agent, completed_jobs from agents order by completed_jobs',
  );
  expect(counted).toEqual([
    { agent: '0xb', completed_jobs: 0 },
    { agent: '0xa', completed_jobs: 2 },
  ]);
  await db.close();
  await created.drop();
});

/** What is stored of listings, reviews and use, without what the catalog makes of it. */
const baseTables = [
  'listings',
  'manifests',
  'manifest_fetches',
  'attestations',
  'service_usage',
  'service_actors',
];

/** A database with the tables of before the catalog, filled like another one. */
async function filledBefore(filled: Database): Promise<Database> {
  const created = await createDatabase();
  const db = openDatabase(created.url, { max: 2 });
  onTestFinished(async () => {
    await db.close();
    await created.drop();
  });
  await migrate(db.orm, { migrationsFolder: migrationsBefore('0019_catalog_entries') });
  for (const table of [...baseTables, 'catalog_state']) {
    const { rows } = await filled.pool.query(`select to_jsonb(t) as row from ${table} t`);
    for (const { row } of rows)
      await db.pool.query(`insert into ${table} select * from jsonb_populate_record(null::${table}, $1)`, [
        row,
      ]);
  }
  return db;
}

test('a database that was filled before has the catalog that one filled afterwards has', async () => {
  const filled = await databaseOfTest();
  const seed = readModelBuilder(filled);
  const serviceType = `${address(9)}::a::A`;
  await seed.attestation(serviceType, address(1), 1);
  await seed.listing({ serviceType, publisher: address(1), row: { publisherCheck: 'unverified' } });
  await seed.listing({ serviceType, publisher: address(2), usage: { actions: 7, uniqueVaults: 3 } });
  await seed.listing({
    serviceType,
    publisher: address(3),
    manifest: { integrator: 'acme', supportedCoins: ['*'] },
  });
  await seed.listing({ manifest: { name: 'Reef Vault' }, network: 'mainnet' });
  await seed.listing({ manifest: { name: 'REEF-VAULT' } });
  await seed.listing({ fetched: false });
  await seed.listing({ row: { listed: false } });
  await seed.listing({ row: { witnessCheck: 'pending' } });
  await seed.listing({ row: { manifestError: 'names another service type' } });
  await seed.actor(serviceType, address(5));
  await seed.attestation(serviceType, address(4), 2);
  await seed.attestation(serviceType, address(5), 3);
  await seed.attestation(serviceType, address(5), 5);
  await seed.actor(serviceType, address(4));

  const db = await filledBefore(filled);
  await migrateDatabase(db);
  const rows = async ({ pool }: Database, table: string) =>
    (await pool.query(`select to_jsonb(t) - 'revision' as row from ${table} t order by 1`)).rows;
  expect(await rows(db, 'catalog_entries')).toEqual(await rows(filled, 'catalog_entries'));
  expect(await rows(db, 'reviews')).toEqual(await rows(filled, 'reviews'));
  const stored = await rows(db, 'catalog_entries');
  expect(stored).toHaveLength(5);
  expect(stored.filter(({ row }) => row.verified_sum === 5)).toHaveLength(1);
  const shown = async ({ pool }: Database) =>
    (await pool.query('select network, shown from catalog_state order by 1')).rows;
  expect([await shown(db), await shown(filled)]).toEqual(
    Array(2).fill([
      { network: 'mainnet', shown: 1 },
      { network: 'testnet', shown: 2 },
    ]),
  );

  // Copies that follow the revisions see all of it as new.
  const { version } = await readCatalog(filled.pool, { network: 'testnet' });
  const after = await readCatalog(db.pool, { network: 'testnet' });
  expect(after.version).toBe(version + 1);
  const revisions = await db.pool.query(
    "select distinct revision from catalog_entries where network = 'testnet'",
  );
  expect(revisions.rows).toEqual([{ revision: version + 1 }]);
});

/** As on a server that refuses the extension to this user. */
const refuseExtensions = `
  create function refuse_extension() returns event_trigger language plpgsql as $$
    begin raise 'permission denied to create extension' using errcode = 'insufficient_privilege'; end $$;
  create event trigger refuse_extension on ddl_command_start when tag in ('CREATE EXTENSION')
    execute function refuse_extension()`;

test('where pg_trgm may not be created, the database migrates with a warning and without its index', async () => {
  const created = await createDatabase();
  const db = openDatabase(created.url, { max: 1 });
  const notices: string[] = [];
  db.pool.on('connect', (client) => client.on('notice', ({ message }) => notices.push(message ?? '')));
  await db.pool.query(refuseExtensions);
  await migrateDatabase(db);
  expect(notices).toContainEqual(
    expect.stringMatching(/^pg_trgm cannot be created: permission denied.*prefix/),
  );
  const { rows } = await db.pool.query(
    `select to_regclass('catalog_entries_by_name') as by_name, to_regclass('catalog_entries_search') as search`,
  );
  expect(rows).toEqual([{ by_name: 'catalog_entries_by_name', search: null }]);
  await migrateDatabase(db);
  await db.close();
  await created.drop();
});

test('a database with webhook deliveries goes on where it was: what waited is sent first, and settled ones keep their numbers', async () => {
  const world = await openDispatching();
  const created = await createDatabase();
  const db = openDatabase(created.url, { max: 8 });
  await migrate(db.orm, { migrationsFolder: migrationsBefore('0024_webhook_positions') });
  const { addEvents, follow } = registryEvents(db);
  await follow();
  const events = await addEvents(6);
  const receiver = await startReceiver();
  const record = { url: receiver.url, owner: 'key_1', events: ['Registered' as const], createdMs: 0 };
  await world.subscriptions.add({ ...record, id: 'wh_old', state: 'active', after: {} });
  // Deliveries of the first four events were written: one delivered, one to be tried again, two not tried.
  await db.pool.query(`
    insert into webhook_subscriptions (subscription) values ('wh_old');
    insert into webhook_cursors (network, checkpoint, tx_index, event_index) values ('testnet', 10, 1, 1);
    insert into webhook_deliveries (subscription, network, checkpoint, tx_index, event_index, event, state, attempts, failures, due_at, ended_at)
      select 'wh_old', 'testnet', checkpoint, tx_index, event_index, name, case nth when 1 then 'delivered' else 'pending' end,
        case when nth <= 2 then 1 else 0 end, case nth when 2 then 1 else 0 end,
        case nth when 1 then null when 2 then now() + interval '1 hour' else now() end,
        case when nth <= 2 then now() - interval '2 days' end
      from (select *, row_number() over (order by checkpoint, tx_index, event_index) as nth from events) e where nth <= 4;
    insert into webhook_attempts (subscription, delivery, number, started_at, duration_ms, outcome, status)
      values ('wh_old', 1, 1, now() - interval '2 days', 7, 'delivered', 204),
        ('wh_old', 2, 1, now() - interval '2 days', 8, 'http_status', 500)`);
  await migrateDatabase(db);

  const dispatcher = world.dispatcher({ db });
  expect(await dispatcher.dispatch('testnet')).toMatchObject({ delivered: 4, pending: 1 });
  expect(receiver.ids()).toEqual(events.slice(2));
  expect(await readDelivery(db.pool, 'wh_old', '1')).toMatchObject({
    id: 'testnet.10.0.0',
    state: 'delivered',
    attempts: [{ number: 1, status: 204, durationMs: 7 }],
  });
  expect(await resendDelivery(db.pool, 'wh_old', '2')).toBe(true);
  expect(await dispatcher.dispatch('testnet')).toMatchObject({ delivered: 1, pending: 0 });
  expect(await readDelivery(db.pool, 'wh_old', '2')).toMatchObject({
    eventId: events[1],
    state: 'delivered',
    attempts: [{ number: 1, status: 500 }, { number: 2 }],
  });
  await dispatcher.close();
  await receiver.close();
  await world.close();
  await db.close();
  await created.drop();
});
