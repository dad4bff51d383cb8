import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ClientBase } from 'pg';
import { FatalError } from '../lib/errors/index.ts';
import type { Database } from './client.ts';
import { drizzle, migrate, readMigrationFiles } from './orm/drizzle.ts';
import { transact } from './transaction.ts';

const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));

/** Key of the advisory lock: a number that nothing else in the database uses. */
const migrationLock = 7_264_001;

/**
 * Brings the schema and the analysts' views up to date. Roles that start together run it one after the other, and the
 * later ones find nothing to do.
 * @throws FatalError `database_outdated` if the database was not created from the baseline, the first migration;
 * `database_newer` if a newer version has migrated it
 */
export async function migrateDatabase(
  { sessions }: Pick<Database, 'sessions'>,
  folder = migrationsFolder,
): Promise<void> {
  const client = await sessions.connect();
  let isUnlocked = false;
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    try {
      await requireKnownMigrations(client, folder);
      await migrate(drizzle(withHarmlessRollback(client)), { migrationsFolder: folder });
      await applyViews(client);
    } finally {
      // A failed unlock hides no error: the connection is closed then, which releases the lock too.
      isUnlocked = await client.query('select pg_advisory_unlock($1)', [migrationLock]).then(
        () => true,
        () => false,
      );
    }
  } finally {
    client.release(!isUnlocked);
  }
}

/** Ignores errors of a rollback. On a dead connection it fails too, and drizzle would throw its error in place of the first. */
function withHarmlessRollback<Client extends ClientBase>(client: Client): Client {
  const query = async (...args: Parameters<ClientBase['query']>) => {
    const [statement] = args as unknown as [{ text?: string } | string];
    const text = typeof statement === 'string' ? statement : statement.text;
    const result = client.query(...args) as unknown as Promise<unknown>;
    return text === 'rollback' ? await result.catch(() => undefined) : await result;
  };
  return Object.create(client, { query: { value: query } });
}

/**
 * Checks that this version has every migration of the database, and that both begin with the same baseline. It compares
 * hashes, because a migration may be folded into the baseline until the first release.
 * @throws FatalError as `migrateDatabase`
 */
export async function requireKnownMigrations(
  client: Pick<ClientBase, 'query'>,
  folder = migrationsFolder,
): Promise<void> {
  const applied = await readApplied(client);
  const known = readMigrationFiles({ migrationsFolder: folder }).map(({ hash }) => hash);
  if (applied.length > 0 && applied[0] !== known[0]) {
    throw new FatalError(
      'database_outdated',
      'The database was created by a version from before the first release and cannot be upgraded. ' +
        'Start with an empty database: the indexer fills it from the chain.',
    );
  }
  if (applied.some((hash) => !known.includes(hash))) {
    throw new FatalError(
      'database_newer',
      'A newer version has migrated the database. Start that version or a newer one, or restore the backup ' +
        'that you made before the upgrade (docs/operations.md, "Upgrade and downgrade").',
    );
  }
}

/** Returns `true` if the database has a schema that `migrateDatabase` would change. An empty database has none. */
export async function hasPendingMigrations(
  client: Pick<ClientBase, 'query'>,
  folder = migrationsFolder,
): Promise<boolean> {
  const applied = await readApplied(client);
  return applied.length > 0 && applied.length < readMigrationFiles({ migrationsFolder: folder }).length;
}

/** Reads the hashes of the migrations that the database has, in order. */
async function readApplied(client: Pick<ClientBase, 'query'>): Promise<string[]> {
  const migrated = await client.query(
    "select to_regclass('drizzle.__drizzle_migrations') is not null as has",
  );
  if (!migrated.rows[0].has) return [];
  const { rows } = await client.query<{ hash: string }>(
    'select hash from drizzle.__drizzle_migrations order by created_at',
  );
  return rows.map(({ hash }) => hash);
}

/** The files are applied in this order. */
const viewFiles = ['analytics.sql', 'analytics-host.sql', 'grants.sql'];

/** Creates the analysts' views again when one of their files has changed since they were created. */
async function applyViews(client: ClientBase): Promise<void> {
  const files = viewFiles.map((name) => readFile(new URL(`./views/${name}`, import.meta.url), 'utf8'));
  const sql = (await Promise.all(files)).join('\n');
  const mark = `Made from ${createHash('sha256').update(sql).digest('hex')}`;
  const { rows } = await client.query(
    `select where obj_description(to_regnamespace('analytics'), 'pg_namespace') like '%' || $1`,
    [mark],
  );
  if (rows.length > 0) return;
  await transact(client, async () => {
    await client.query(sql);
    await client.query(
      `do $$ begin execute format('comment on schema analytics is %L',
        obj_description('analytics'::regnamespace, 'pg_namespace') || ' ${mark}'); end $$`,
    );
  });
}
