import type { QueryConfig } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordReads } from '../../../graphql/execution/reads.ts';
import { openTestDatabase } from '../../../test/support/database.ts';
import { runTogether } from './batch.ts';

let db: Awaited<ReturnType<typeof openTestDatabase>>;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.drop());

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

test('statements that are sent together are answered as each by itself', async () => {
  const several: QueryConfig<unknown[]>[] = [
    named,
    unnamed,
    typed,
    { ...named, values: [3, 4] },
    { text: 'select 1 where false' },
  ];
  for (let turn = 0; turn < 3; turn += 1) {
    const { asked, bytes } = await runTogether(db.pool, several, 1_000);
    const alone = await Promise.all(
      several.map((statement) => db.pool.query(statement.text, statement.values)),
    );
    expect(asked.map(({ rows }) => rows)).toEqual(alone.map(({ rows }) => rows));
    expect(bytes).toBeGreaterThan(0);
  }
});

test('an error is that of its own statement, and those behind it are answered', async () => {
  const { asked } = await runTogether(db.pool, [named, failing, unnamed, failing, named], 1_000);
  expect(asked.map(({ error, rows }) => (error as { code?: string } | undefined)?.code ?? rows)).toEqual([
    [{ sum: 3 }],
    '22012',
    [{ list: ['a', 'b"\\c,{}', '', 'null'], nothing: null }],
    '22012',
    [{ sum: 3 }],
  ]);
});

test('rows beyond the bytes that a query may read are counted, and not kept', async () => {
  const long = { text: "select repeat('x', 1000) from generate_series(1, 50)" };
  const { asked, bytes } = await runTogether(db.pool, [long, named], 10_000);
  expect(asked.map(({ rows }) => rows.length)).toEqual([9, 0]);
  expect(bytes).toBeGreaterThan(50_000);
});

test('a statement that loses the connection is not sent again, and those behind it go over another', async () => {
  const dying = { text: 'select pg_terminate_backend(pg_backend_pid())' };
  const { asked } = await runTogether(db.pool, [named, dying, named], 1_000);
  expect(asked[1]!.error).toBeInstanceOf(Error);
  expect([asked[0], asked[2]]).toMatchObject([{ rows: [{ sum: 3 }] }, { rows: [{ sum: 3 }] }]);
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
