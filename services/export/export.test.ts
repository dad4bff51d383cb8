import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { glob, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import pg from 'pg';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { appendDatasets, dayDatasets, stateDatasets } from '../../db/queries/exports.ts';
import { transact } from '../../db/transaction.ts';
import { analyticsViews } from '../../db/views/names.ts';
import { fillForQuestions, questions } from '../../test/support/analytics-questions.ts';
import { useTestDatabase } from '../../test/support/database.ts';
import { eventually } from '../../test/support/eventually.ts';
import { parseDecimal } from './columns.ts';
import { exportReadModel } from './export.ts';
import { readRows } from './rows.ts';
import { openFolder } from './storage/folder.ts';

const db = useTestDatabase();
beforeAll(async () => {
  await fillForQuestions(db);
  await db.pool.query(
    `insert into sources (network, name, chain_id, filter) values ('testnet', 'wallet', 'a chain', '')`,
  );
});

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'marketplace-export-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

async function exportTo(folder: string, pool = db.pool, onDataset?: () => void): Promise<void> {
  await using storage = openFolder(folder);
  await exportReadModel({ pool, storage, onDataset });
}

type Value = string | number | boolean | null;

/** Opens the views of an export, as `duckdb.sql` defines them. */
async function openViews(folder: string) {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  onTestFinished(() => {
    connection.closeSync();
    instance.closeSync();
  });
  await connection.run(`set file_search_path = '${folder}'`);
  await connection.run(await readFile(join(folder, 'duckdb.sql'), 'utf8'));
  return async (sql: string): Promise<Value[][]> => {
    const rows = (await connection.runAndReadAll(sql)).getRowsJson() as Value[][];
    return rows.map((row) => row.map(normalize));
  };
}

/** A number has one form, whichever type and scale it has in each engine. */
function normalize(value: unknown): Value {
  if (value instanceof Date)
    return value
      .toISOString()
      .replace('T', ' ')
      .replace(/\.000Z$/, '+00');
  if (value !== null && typeof value === 'object') return toSeconds(value as Record<string, number>);
  if (typeof value === 'boolean' || value === null) return value;
  const text = String(value);
  return /^-?\d+(\.\d+)?(e-?\d+)?$/.test(text) && text.length < 16 ? Number(text) : text;
}

const toSeconds = ({ days = 0, hours = 0, minutes = 0, seconds = 0 }: Record<string, number>) =>
  ((days * 24 + hours) * 60 + minutes) * 60 + seconds;

async function askPostgres(sql: string): Promise<Value[][]> {
  const { rows } = await db.pool.query<unknown[]>({ text: sql, rowMode: 'array' });
  return rows.map((row) => row.map(normalize));
}

test('each view is in one dataset, or comes from others', () => {
  const datasets = [...appendDatasets, ...dayDatasets, ...stateDatasets].map(({ name }) => name);
  expect([...datasets, 'registry_events'].sort()).toEqual([...analyticsViews, 'events'].sort());
});

describe('in DuckDB', () => {
  test.each(questions.filter(([, sql]) => !sql.includes('analytics_host.')))(
    '%s has the answer of PostgreSQL',
    async (_, sql) => {
      const folder = await makeFolder();
      await exportTo(folder);
      const ask = await openViews(folder);
      const expected = await askPostgres(sql);
      expect(expected).not.toEqual([]);
      expect(await ask(sql)).toEqual(expected);
    },
  );

  test('each view has the columns and the number of rows that PostgreSQL has', async () => {
    const folder = await makeFolder();
    await exportTo(folder);
    const ask = await openViews(folder);
    for (const view of analyticsViews) {
      const columns = await askPostgres(
        `select column_name from information_schema.columns where table_schema = 'analytics' and table_name = '${view}' order by 1`,
      );
      const described = await ask(`select column_name from (describe analytics.${view}) order by 1`);
      // The position orders the rows of what grows.
      const position = new Set<Value>(['checkpoint', 'tx_index', 'event_index']);
      const known = new Set(columns.flat());
      expect([view, described.flat().filter((name) => known.has(name) || !position.has(name))]).toEqual([
        view,
        columns.flat(),
      ]);
      const count = `select count(*) from analytics.${view}`;
      expect([view, await ask(count)]).toEqual([view, await askPostgres(count)]);
    }
  });
});

describe('an export that runs again', () => {
  const addEvents = (from: number, to: number) =>
    db.pool.query(
      `insert into events (network, checkpoint, tx_index, event_index, source, tx_digest, sender, timestamp, type, name, data, contents)
      select 'testnet', 10000 + n, 0, 0, 'wallet', 'x' || n, 's', timestamptz '2026-01-01T00:00Z' + n * interval '1 minute', 't', 'Other',
        jsonb_build_object('text', repeat('x', 200)), ''
      from generate_series($1::int, $2::int) n`,
      [from, to],
    );
  const ids = `select event_id from analytics.events order by checkpoint, tx_index, event_index`;
  const expectedIds = `select tx_digest || ':' || event_index from events order by checkpoint, tx_index, event_index`;
  const listFiles = async (folder: string) => {
    const files = await Array.fromAsync(glob(`${folder}/events/**/*.parquet`));
    return new Map(await Promise.all(files.map(async (file) => [file, (await stat(file)).mtimeMs] as const)));
  };

  test('adds what is new, and leaves the files that it has', async () => {
    const folder = await makeFolder();
    await addEvents(1, 3_000);
    await exportTo(folder);
    const before = await listFiles(folder);
    expect(before.size).toBeGreaterThan(2);
    await addEvents(3_001, 5_000);
    await exportTo(folder);
    const later = await listFiles(folder);
    for (const [file, changedMs] of before) expect(later.get(file)).toBe(changedMs);
    expect(later.size).toBeGreaterThan(before.size);
    const ask = await openViews(folder);
    expect(await ask(ids)).toEqual(await askPostgres(expectedIds));
  });

  test('from a server with another time zone and form of dates, has the same files', async () => {
    const [expected, folder] = [await makeFolder(), await makeFolder()];
    await exportTo(expected);
    const options = '-c TimeZone=Pacific/Kiritimati -c DateStyle=German';
    const pool = new pg.Pool({ connectionString: db.directUrl, max: 1, options });
    try {
      await exportTo(folder, pool);
    } finally {
      await pool.end();
    }
    const list = async (cwd: string) => (await Array.fromAsync(glob('**/*.parquet', { cwd }))).sort();
    expect(await list(folder)).toEqual(await list(expected));
  });

  test('says why a statement failed', async () => {
    const fail = (client: pg.PoolClient) =>
      Array.fromAsync(readRows(client, 'select 1 / (2 - one) as it from generate_series(1, 3) as one', []));
    const client = await db.pool.connect();
    try {
      await expect(transact(client, () => fail(client))).rejects.toThrow('division by zero');
    } finally {
      client.release();
    }
  });

  test('after a kill at any moment has each row once', async () => {
    const folder = await makeFolder();
    await addEvents(5_001, 60_000);
    for (const files of [0, 2, 5, 10]) {
      const child = spawn(process.execPath, ['services/export/command.ts', folder], {
        env: { ...process.env, DATABASE_URL: db.directUrl },
        stdio: 'ignore',
      });
      const ended = once(child, 'exit');
      await eventually(async () => expect((await listFiles(folder)).size).toBeGreaterThanOrEqual(files));
      child.kill('SIGKILL');
      await ended;
    }
    await exportTo(folder);
    const ask = await openViews(folder);
    expect(await ask(ids)).toEqual(await askPostgres(expectedIds));
  });

  test('while another writes to the folder, is refused', async () => {
    const folder = await makeFolder();
    let second: Promise<void> | undefined;
    const onDataset = () => {
      second ??= exportTo(folder);
      second.catch(() => undefined);
    };
    await exportTo(folder, db.pool, onDataset);
    await expect(second).rejects.toThrow(/Another process exports to/);
  });

  test('with the rows of another chain, is refused', async () => {
    const folder = await makeFolder();
    await exportTo(folder);
    const path = join(folder, 'export.json');
    await writeFile(path, (await readFile(path, 'utf8')).replace('"a chain"', '"another chain"'));
    await expect(exportTo(folder)).rejects.toThrow(/from the chain another chain/);
  });

  test('in a folder with a file of that name that no export wrote, is refused', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'export.json'), '{ "format": 7 }');
    await expect(exportTo(folder)).rejects.toThrow(/not the record of an export/);
  });
});

test('before the first network is indexed, the views of the present state are there', async () => {
  const folder = await makeFolder();
  await db.pool.query(`update sources set chain_id = ''`);
  try {
    await exportTo(folder);
  } finally {
    await db.pool.query(`update sources set chain_id = 'a chain'`);
  }
  const ask = await openViews(folder);
  expect(await ask('select count(*) from analytics.adaptors')).toEqual([[2]]);
});

test('a decimal is stored with all its digits, or refused', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n - 10n ** 36n, max: 10n ** 36n - 1n }), (number) => {
      expect(parseDecimal(String(number), 0)).toBe(number);
      expect(parseDecimal(`${number}.50`, 2)).toBe(number < 0n ? number * 100n - 50n : number * 100n + 50n);
    }),
  );
  for (const text of ['1.5', 'NaN', '', '1e3', '9'.repeat(39)]) expect(() => parseDecimal(text, 0)).toThrow();
});
