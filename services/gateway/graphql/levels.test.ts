import type { QueryConfig } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../../db/client.ts';
import { isServerFault, type Read, readFrom } from '../../../db/replicas/read-pools.ts';
import { recordReads } from '../../../graphql/plans/reads.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { type LevelReader, openLevelReader } from './levels.ts';

let pipelined: Database;
const db = useTestDatabase();
beforeAll(() => {
  pipelined = openDatabase(db.directUrl, { max: 2, pipeline: true });
});
afterAll(async () => {
  await pipelined.close();
});

const named = { name: 'sum', text: 'select $1::int + $2::int as sum', values: [1, 2] };
const unnamed = {
  text: 'select $1::text[] as list, null::int as nothing',
  values: [['a', 'b"\\c,{}', '', 'null']],
};
const typed = {
  text: 'select $1::timestamptz as time, $2::bigint[] as numbers, $3::text as nothing, $4::bool as yes, $5::jsonb as json',
  values: [new Date(1), [1, null, 3], null, true, { a: ['b'] }],
};
const failing = { text: 'select 1 / $1::int', values: [0] };

/** Rows of a level's statements, or the codes of their errors. */
const readRows = async (reader: LevelReader, statements: QueryConfig[]) =>
  (await reader.read(statements)).map((result) =>
    result.status === 'fulfilled' ? result.value.rows : (result.reason as { code?: string }).code,
  );

test('the statements of a level are answered as each by itself', async () => {
  const several: QueryConfig<unknown[]>[] = [
    named,
    unnamed,
    typed,
    { ...named, values: [3, 4] },
    { text: 'select 1 where false' },
  ];
  for (let turn = 0; turn < 3; turn += 1) {
    const alone = await Promise.all(
      several.map((statement) => db.pool.query(statement.text, statement.values)),
    );
    expect(await readRows(openLevelReader(readFrom(pipelined.pool)), several)).toEqual(
      alone.map(({ rows }) => rows),
    );
  }
});

test('the statements of a level use one connection', async () => {
  const own = { text: 'select pg_backend_pid() as pid' };
  const [first, second] = await readRows(openLevelReader(readFrom(pipelined.pool)), [own, own]);
  expect(first).toEqual(second);
});

test('a level runs again on the next server if the first does not answer', async () => {
  const closed = openDatabase('postgres://postgres@127.0.0.1:1/postgres', { max: 1, pipeline: true });
  onTestFinished(() => closed.close());
  const faults: unknown[] = [];
  const run: Read['run'] = (work) =>
    work(closed.pool).catch((fault) => {
      faults.push(fault);
      return work(pipelined.pool);
    });
  expect(await readRows(openLevelReader({ run }), [named, failing])).toEqual([[{ sum: 3 }], '22012']);
  expect(faults.map(isServerFault)).toEqual([true]);
});

test('an error is that of its own statement, and those behind it are answered', async () => {
  const reader = openLevelReader(readFrom(pipelined.pool));
  expect(await readRows(reader, [named, failing, unnamed, failing, named])).toEqual([
    [{ sum: 3 }],
    '22012',
    [{ list: ['a', 'b"\\c,{}', '', 'null'], nothing: null }],
    '22012',
    [{ sum: 3 }],
  ]);
});

test('a statement beyond the bytes that a query may read fails, and so do all that follow', async () => {
  const reader = openLevelReader(readFrom(pipelined.pool), 10_000);
  const long = { text: "select repeat('x', 1000) from generate_series(1, 50)" };
  expect(await readRows(reader, [named, long, named])).toEqual([
    [{ sum: 3 }],
    'answer_too_large',
    'answer_too_large',
  ]);
  expect(await readRows(reader, [named])).toEqual(['answer_too_large']);
  expect(await readRows(openLevelReader(readFrom(pipelined.pool)), [named])).toEqual([[{ sum: 3 }]]);
});

test('a level that loses its connection fails, and the next one uses another', async () => {
  const dying = { text: 'select pg_terminate_backend(pg_backend_pid())' };
  const reader = openLevelReader(readFrom(pipelined.pool));
  const [first, ...lost] = await readRows(reader, [named, dying, named]);
  expect(first).toEqual([{ sum: 3 }]);
  for (const code of lost) expect(code).not.toBeInstanceOf(Array);
  expect(await readRows(reader, [named, named])).toEqual([[{ sum: 3 }], [{ sum: 3 }]]);
});

test('a query that is executed again reads again only what it had not read', async () => {
  const sent: unknown[] = [];
  const counting = {
    query: (statement: { values?: unknown[] }) => {
      sent.push(statement.values);
      return db.pool.query(statement as never);
    },
  } as unknown as typeof db.pool;
  const reads = recordReads(counting);
  const once = await reads.db.query({ ...named });
  await expect(reads.db.query({ ...failing })).rejects.toThrow('division');
  const again = reads.repeat();
  expect(await again.query({ ...named, values: [1, 2] })).toBe(once);
  await expect(again.query({ ...failing })).rejects.toThrow('division');
  expect((await again.query({ ...named, values: [5, 6] })).rows).toEqual([{ sum: 11 }]);
  expect(sent).toEqual([[1, 2], [0], [5, 6]]);
});
