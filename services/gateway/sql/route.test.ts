import { Registry } from '@prometheus-io/client';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSqlRole } from '../../../db/sql-role.ts';
import { analyticsViews } from '../../../db/views/names.ts';
import { createMemoryKv } from '../../../lib/kv/memory.ts';
import { buildRequest } from '../../../test/support/build-request.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { adminSecret, issueTestKey } from '../../../test/support/keys.ts';
import { problem } from '../openapi/parts.ts';
import { sqlResult, sqlSchema } from './route.ts';

let gateway: TestGateway;
let roleUrl: string;
let key: string;
let pool: Pool;
const metrics = new Registry();

beforeAll(async () => {
  const kv = createMemoryKv();
  const access = { kv, adminSecret, anonymousPerMinute: 10_000, trustProxy: 1 };
  gateway = await startTestGateway(
    async (seed) => {
      await seed.source();
      await seed.listing({ manifest: { name: 'Fox, "quick"' } });
    },
    async (db) => {
      pool = db.pool;
      roleUrl = await createSqlRole(db.directUrl);
      return { access, metrics, sqlDatabaseUrl: roleUrl };
    },
  );
  ({ key } = await issueTestKey(gateway.url, { ratePerMin: 100_000 }));
});
afterAll(() => gateway.close());

const post = (body: unknown, headers: Record<string, string> = { 'x-api-key': key }) =>
  fetch(`${gateway.url}/api/sql`, buildRequest(body, headers));

async function fetchRows(sql: string): Promise<unknown[][]> {
  const answer = await post({ sql });
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return sqlResult.parse(JSON.parse(text)).rows;
}

async function refused(body: unknown, headers?: Record<string, string>) {
  const answer = await post(body, headers);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  const found = problem.parse(await answer.json());
  expect(answer.status).toBe(found.status);
  return found;
}

/** The digits 0 to 9, as a relation of ten rows. */
const digits = '(values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9))';

const values = `select true as b, 7::int2 as small, 9007199254740993 as large, 1.50::numeric as amount,
  'NaN'::float8 as nan, 0.1::float8 as float, 'a"b,c' as text, '' as empty, null::text as nothing,
  '2026-01-02'::date as day, '2026-01-02 03:04:05.678+00'::timestamptz as at, interval '1 day 2 hours' as for,
  '{"a": [1, null]}'::jsonb as doc, array['x', 'y"z', null]::text[] as texts, array[1, 2]::numeric[] as amounts,
  array['2026-01-02 03:04:05Z']::timestamptz[] as instants, array[]::int4[] as none`;

describe('a result', () => {
  test('has the types and values of its columns in JSON', async () => {
    const answer = await post({ sql: values });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const body = sqlResult.parse(await answer.json());
    expect(body.columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'b bool',
      'small int2',
      'large int8',
      'amount numeric',
      'nan float8',
      'float float8',
      'text text',
      'empty text',
      'nothing text',
      'day date',
      'at timestamptz',
      'for interval',
      'doc jsonb',
      'texts text[]',
      'amounts numeric[]',
      'instants timestamptz[]',
      'none int4[]',
    ]);
    expect(body.rows).toEqual([
      [
        true,
        7,
        '9007199254740993',
        '1.50',
        'NaN',
        0.1,
        'a"b,c',
        '',
        null,
        ...['2026-01-02', '2026-01-02T03:04:05.678Z', 'P1DT2H', { a: [1, null] }],
        ...[['x', 'y"z', null], ['1', '2'], ['2026-01-02T03:04:05Z'], []],
      ],
    ]);
    expect(body.rowCount).toBe(1);
  });

  test('is quoted in CSV, where null and an empty text differ', async () => {
    const answer = await post({ sql: values, format: 'csv' });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    const [head, row, end] = (await answer.text()).split('\r\n');
    expect(head).toBe(
      'b,small,large,amount,nan,float,text,empty,nothing,day,at,for,doc,texts,amounts,instants,none',
    );
    expect(row).toBe(
      'true,7,9007199254740993,1.50,NaN,0.1,"a""b,c","",,2026-01-02,2026-01-02T03:04:05.678Z,P1DT2H,' +
        '"{""a"": [1, null]}","[""x"",""y\\""z"",null]","[""1"",""2""]","[""2026-01-02T03:04:05Z""]",[]',
    );
    expect(end).toBe('');
  });

  test('comes in the form that accept prefers, unless the body names one', async () => {
    const of = async (accept: string, format?: string) => {
      const answer = await post({ sql: 'select 1 as n', format }, { 'x-api-key': key, accept });
      return answer.headers.get('content-type')?.split(';')[0];
    };
    expect(await of('text/csv')).toBe('text/csv');
    expect(await of('application/json;q=0.5, text/csv')).toBe('text/csv');
    expect(await of('*/*')).toBe('application/json');
    expect(await of('text/csv', 'json')).toBe('application/json');
    expect((await post({ sql: 'select 1' }, { 'x-api-key': key, accept: 'image/png' })).status).toBe(406);
  });

  test('of no rows has its columns', async () => {
    const answer = await post({ sql: 'select name, actions from adaptors where false' });
    expect(await answer.json()).toEqual({
      columns: [
        { name: 'name', type: 'text' },
        { name: 'actions', type: 'int8' },
      ],
      rows: [],
      rowCount: 0,
    });
  });

  test('reads the views, with and without their schema', async () => {
    expect(await fetchRows('select name from adaptors')).toEqual([['Fox, "quick"']]);
    expect(await fetchRows('select a.name from analytics.adaptors a where shown')).toEqual([
      ['Fox, "quick"'],
    ]);
    for (const view of analyticsViews) await fetchRows(`select * from analytics.${view} limit 1`);
  });

  test('of many rows is whole, and in their order', async () => {
    const rows = await fetchRows(
      `select a.n * 1000 + b.n * 100 + c.n * 10 + d.n as n
        from ${digits} a(n), ${digits} b(n), ${digits} c(n), ${digits} d(n) order by 1`,
    );
    expect(rows.map(([n]) => n)).toEqual(Array.from({ length: 10_000 }, (_, n) => n));
  });
});

describe('is refused', () => {
  test('without a key, and with a wrong one', async () => {
    expect(await refused({ sql: 'select 1' }, {})).toMatchObject({ status: 401, code: 'unauthorized' });
    const wrong = await refused({ sql: 'select 1' }, { 'x-api-key': `mk_${'x'.repeat(43)}` });
    expect(wrong).toMatchObject({ status: 401, code: 'invalid_key' });
  });

  test('a regular expression that PostgreSQL has no memory for', async () => {
    const sql = "select count(*) from adaptors where name ~ '(a{1,180}){1,200}'";
    expect(await refused({ sql })).toMatchObject({ status: 422, code: 'sql_too_large' });
  });

  test('a body that is not a statement', async () => {
    expect(await refused({})).toMatchObject({ code: 'invalid_body' });
    expect(await refused({ sql: 'select 1', params: [] })).toMatchObject({ code: 'invalid_body' });
    expect(await refused({ sql: `select '${'x'.repeat(10_000)}'` })).toMatchObject({ code: 'invalid_body' });
    expect(await refused({ sql: "select '\u0000'" })).toMatchObject({ code: 'invalid_body' });
  });

  test('what PostgreSQL finds wrong, with its words, its hint and the position', async () => {
    expect(await refused({ sql: 'select nam from adaptors' })).toMatchObject({
      status: 422,
      code: 'sql_failed',
      errors: [
        {
          path: 'body.sql',
          position: 8,
          message: expect.stringMatching(/^Column "nam" does not exist\. Perhaps you meant .*name/),
        },
      ],
    });
    expect(await refused({ sql: 'select 1 / 0' })).toMatchObject({ code: 'sql_failed' });
    expect(await refused({ sql: "select 'x'::int4" })).toMatchObject({
      code: 'sql_failed',
      errors: [{ position: 8 }],
    });
    expect(await refused({ sql: 'select from where' })).toMatchObject({ status: 400, code: 'sql_invalid' });
    expect(await refused({ sql: 'select pg_sleep(1e9)' })).toMatchObject({
      status: 422,
      code: 'sql_refused',
    });
  });

  test('a failure late in a result closes the connection, so that a part is not taken for the whole', async () => {
    const sql = `select 'padding of the row', 1 / (99999 - n) from (
      select a.n * 10000 + b.n * 1000 + c.n * 100 + d.n * 10 + e.n as n
      from ${digits} a(n), ${digits} b(n), ${digits} c(n), ${digits} d(n), ${digits} e(n)) numbers`;
    const answer = await post({ sql });
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
    expect(await fetchRows('select 1')).toEqual([[1]]);
  });
});

test('a statement of the page ends when the reader leaves it', async () => {
  const running = (count: number) =>
    eventually(async () => expect(await metrics.metrics()).toContain(`sql_load{state="running"} ${count}`));
  const leaving = new AbortController();
  const sql = `select count(*) from ${Array.from({ length: 12 }, (_, nth) => `${digits} d${nth}(n)`).join(', ')}`;
  const body = new URLSearchParams({ sql, key });
  const left = fetch(`${gateway.url}/sql`, { method: 'POST', body, signal: leaving.signal });
  await running(1);
  leaving.abort();
  await expect(left).rejects.toThrow();
  await running(0);
  expect(await metrics.metrics()).toContain('sql_statements_total{outcome="left"} 1');
});

describe('the schema', () => {
  const fetchSchema = async (headers: Record<string, string> = {}) =>
    await fetch(`${gateway.url}/api/sql/schema`, { headers });

  test('needs no key, and has the columns and types that a statement returns', async () => {
    const { views } = sqlSchema.parse(await (await fetchSchema()).json());
    expect(views.map(({ name }) => name)).toEqual([...analyticsViews].toSorted());
    for (const { name, description, columns } of views) {
      expect(description).not.toBe('');
      expect(columns.filter((column) => column.description === '')).toEqual([]);
      const answer = await post({ sql: `select * from ${name} limit 0` });
      const result = sqlResult.parse(await answer.json());
      expect([name, columns.map(({ name, type }) => ({ name, type }))]).toEqual([name, result.columns]);
    }
  });

  test('is sent again only after the views were created again', async () => {
    const etag = (await fetchSchema()).headers.get('etag')!;
    expect((await fetchSchema({ 'if-none-match': etag })).status).toBe(304);
    await pool.query(
      "create view analytics.added as select 1::int8 as n; comment on schema analytics is 'Another version.'",
    );
    const changed = await fetchSchema({ 'if-none-match': etag });
    const { views } = sqlSchema.parse(await changed.json());
    expect(views.find(({ name }) => name === 'added')).toEqual({
      name: 'added',
      description: '',
      columns: [{ name: 'n', type: 'int8', description: '' }],
    });
    await pool.query('drop view analytics.added');
  });
});

test('without SQL_DATABASE_URL it is off, and says so', async () => {
  const kv = createMemoryKv();
  const access = { kv, adminSecret, anonymousPerMinute: 10_000, trustProxy: 1 };
  const off = await startTestGateway(undefined, { access });
  const { key: own } = await issueTestKey(off.url);
  const answer = await fetch(`${off.url}/api/sql`, buildRequest({ sql: 'select 1' }, { 'x-api-key': own }));
  expect(problem.parse(await answer.json())).toMatchObject({ status: 503, code: 'sql_not_configured' });
  expect((await fetch(`${off.url}/api/sql/schema`)).status).toBe(200);
  await off.close();
});
