import { connect } from 'node:net';
import { Registry } from '@prometheus-io/client';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { createSqlRole } from '../../../db/sql-role.ts';
import { beginExchange, sendError } from '../../../lib/http/exchange.ts';
import { listen } from '../../../lib/http/serve.ts';
import { silentLogger } from '../../../lib/log/index.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { rowFunctions } from './allow-list.ts';
import type { SqlBounds } from './bounds.ts';
import { openSqlReader } from './reader.ts';
import { csv, json } from './values.ts';

let roleUrl: string;
const db = useTestDatabase();
beforeAll(async () => {
  roleUrl = await createSqlRole(db.directUrl);
});

/** A server that runs each body as a statement, whatever it is. */
async function serveReader(send: ReturnType<typeof openSqlReader>['send']) {
  return await listen('127.0.0.1', 0, async (req, res) => {
    const exchange = beginExchange(req, res);
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk);
      const caller = String(req.headers['x-caller'] ?? '');
      const sql = Buffer.concat(chunks).toString();
      const buffers = Number(req.headers['x-buffers'] ?? 4);
      await send(res, { sql, buffers, caller, format: req.url === '/csv' ? csv : json });
    } catch (error) {
      sendError(exchange, error, silentLogger);
    }
  });
}

async function openBounded(bounds: Partial<SqlBounds>, log = silentLogger) {
  const metrics = new Registry();
  const reader = openSqlReader({ url: roleUrl, bounds, log, metrics });
  const server = await serveReader(reader.send);
  const run = async (sql: string, caller = '') => {
    const answer = await fetch(server.url, { method: 'POST', body: sql, headers: { 'x-caller': caller } });
    return { status: answer.status, body: await answer.json() };
  };
  const close = async () => {
    await server.close();
    await reader.close();
  };
  return { url: server.url, run, close, metrics: () => metrics.metrics() };
}

/** Returns the statements that the role runs now in this database. */
async function running(): Promise<string[]> {
  const { rows } = await db.pool.query<{ query: string }>(
    `select query from pg_stat_activity
      where usename = 'analytics_http' and datname = current_database() and state <> 'idle'`,
  );
  return rows.map(({ query }) => query);
}
const idle = () =>
  eventually(async () => {
    const left = await running();
    if (left.length > 0) throw new Error(`still runs: ${left.join('; ')}`);
  });
const busy = (count: number) =>
  eventually(async () => {
    if ((await running()).length < count) throw new Error('not yet');
  });

/** Would run for ever. */
const forever = `select count(*) from
  ${Array.from({ length: 12 }, (_, n) => `(values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) v${n}(n)`).join(', ')}`;

test('every function that takes a whole row is known, since `a.name` calls it as `name(a)` does', async () => {
  const { rows } = await db.pool.query<{ proname: string }>(`
    select distinct p.proname from pg_proc p, unnest(p.proargtypes[0:0]) as t(type) join pg_type on pg_type.oid = t.type
    where p.pronamespace = 'pg_catalog'::regnamespace and p.pronargs - p.pronargdefaults <= 1 and p.prorettype <> 'trigger'::regtype
      and typname in ('any', 'record', 'anyelement', 'anynonarray', 'anycompatible', 'anycompatiblenonarray')
    order by 1`);
  const others = rows.map(({ proname }) => proname).filter((name) => !rowFunctions.has(name));
  // They return a number, or PostgreSQL refuses them without `over` or `within group`.
  const harmless =
    'count cume_dist dense_rank first_value lag last_value lead mode num_nonnulls num_nulls percent_rank rank';
  expect(others).toEqual(harmless.split(' '));
});

describe('with the parser bypassed, the reader holds', () => {
  test('a statement to its time', async () => {
    const bounded = await openBounded({ statementMs: 500 });
    for (const sql of [
      'select pg_sleep(1e9)',
      forever,
      'select * from generate_series(1, 1e12) order by 1 desc',
    ]) {
      expect(await bounded.run(sql)).toMatchObject({ status: 504, body: { code: 'timeout' } });
      await idle();
    }
    await bounded.close();
  });

  test('the slot of a statement until PostgreSQL has ended it, however late that is', async () => {
    const bounded = await openBounded({ running: 1, perCaller: 1, statementMs: 1_000, waitMs: 60_000 });
    // The time of a statement includes that of its connection, which is made here.
    await eventually(async () => expect(await bounded.run('select 1', 'a')).toMatchObject({ status: 200 }));
    // The server looks for a cancel request between rows, and this is one row.
    const operations = Array.from({ length: 60 }, () => 'mod(v, w)').join(' + ');
    const sql = `select ${operations} from
      (select trunc(n * (1e131000 - 1) / 7) as v, trunc(n * (1e65000 - 1) / 13) as w from (values (1)) t(n) offset 0) s`;
    expect(await bounded.run(sql, 'a')).toMatchObject({ status: 504, body: { code: 'timeout' } });
    expect(await running()).toHaveLength(1);
    expect(await bounded.run('select 1', 'a')).toMatchObject({ status: 429, body: { code: 'sql_busy' } });
    expect(await bounded.metrics()).toContain('sql_load{state="running"} 1');
    expect(await bounded.run('select 1', 'b')).toMatchObject({ status: 200 });
    expect(await running()).toEqual([]);
    await bounded.close();
  });

  test('a regular expression that needs too much memory to a documented error, which alarms no operator', async () => {
    const lines: string[] = [];
    const bounded = await openBounded(
      {},
      pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
    );
    const answer = await bounded.run("select 'a' ~ '(a{1,180}){1,200}'");
    expect(answer).toMatchObject({ status: 422, body: { code: 'sql_too_large' } });
    expect(lines).toEqual([]);
    await bounded.close();
  });

  test('a collision with a lock of others to an error that says to try again', async () => {
    const bounded = await openBounded({});
    const client = await db.pool.connect();
    await client.query('begin; lock table listings in access exclusive mode');
    const answer = await bounded.run('select count(*) from analytics.adaptors');
    await client.query('rollback');
    client.release();
    expect(answer).toMatchObject({ status: 503, body: { code: 'sql_busy' } });
    await bounded.close();
  });

  test('a result to its rows and bytes, also when one value has all of them', async () => {
    const bounded = await openBounded({ rows: 1_000, bytes: 60_000, fetchBytes: 1_000_000 });
    for (const sql of [
      'select * from generate_series(1, 1001)',
      "select repeat('x', 1000) from generate_series(1, 200)",
      "select repeat('x', 100000000)",
      "select repeat('x', 10000000) from generate_series(1, 1000)",
    ]) {
      expect(await bounded.run(sql)).toMatchObject({ status: 422, body: { code: 'sql_too_large' } });
      await idle();
    }
    expect(await bounded.run('select * from generate_series(1, 1000)')).toMatchObject({
      status: 200,
      body: { rowCount: 1000 },
    });
    await bounded.close();
  });

  test('the memory of a statement to what its sorts and hashes share', async () => {
    const bounded = await openBounded({});
    const fetchWorkMemory = async (buffers: number) => {
      const headers = { 'x-buffers': String(buffers) };
      const body = "select current_setting('work_mem')";
      const answer = await fetch(bounded.url, { method: 'POST', body, headers });
      return ((await answer.json()) as { rows: string[][] }).rows[0]![0];
    };
    expect(await fetchWorkMemory(1)).toBe('16MB');
    expect(await fetchWorkMemory(32)).toBe('2MB');
    expect(await fetchWorkMemory(1_000)).toBe('1MB');
    await bounded.close();
  });

  test('a server process to some statements: it keeps what it has read of time zones and patterns', async () => {
    const bounded = await openBounded({ running: 1 });
    const processes = new Set<string>();
    for (let count = 0; count < 60; count += 1) {
      const { body } = await bounded.run('select pg_backend_pid()');
      processes.add((body as { rows: string[][] }).rows[0]!.join());
    }
    expect(processes.size).toBe(2);
    await bounded.close();
  });

  test('temporary files to the limit of the role', async () => {
    const bounded = await openBounded({});
    const sql = `select count(*) from (select n, repeat('x', 1000) as t from generate_series(1, 1000000) n order by 2, 1) s`;
    expect(await bounded.run(sql)).toMatchObject({ status: 422, body: { code: 'sql_too_large' } });
    await bounded.close();
  });

  test('callers to as many statements as run and wait', async () => {
    const bounded = await openBounded({ running: 2, waiting: 1, perCaller: 2, statementMs: 3_000 });
    const sleep = 'select pg_sleep(1e9)';
    const slow = [bounded.run(sleep, 'a'), bounded.run(sleep, 'a')];
    await busy(2);
    expect(await bounded.run('select 1', 'a')).toMatchObject({ status: 429, body: { code: 'sql_busy' } });
    const waits = bounded.run('select 1', 'b');
    await eventually(async () => {
      const third = await bounded.run('select 1', 'c');
      if (third.status !== 503) throw new Error('the queue is not full yet');
      expect(third.body.code).toBe('sql_busy');
    });
    expect(await Promise.all(slow)).toMatchObject([{ status: 504 }, { status: 504 }]);
    expect(await waits).toMatchObject({ status: 200, body: { rows: [[1]] } });
    expect(await bounded.run('select 1', 'a')).toMatchObject({ status: 200 });
    await bounded.close();
  });

  test('nothing for a caller that has gone', async () => {
    const bounded = await openBounded({ running: 1 });
    const leaving = new AbortController();
    const left = fetch(bounded.url, { method: 'POST', body: 'select pg_sleep(1e9)', signal: leaving.signal });
    await busy(1);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await idle();
    expect(await bounded.run('select 1')).toMatchObject({ status: 200 });
    expect(await bounded.metrics()).toContain('sql_statements_total{outcome="left"} 1');
    await bounded.close();
  });

  test('no more than a piece of a result for a caller that does not read', async () => {
    const bounded = await openBounded({ drainMs: 300, bytes: 1e12, rows: 1e9 });
    const { port, hostname } = new URL(bounded.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.pause();
    const sql = "select repeat('x', 10000) from generate_series(1, 1000000)";
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${sql.length}\r\n\r\n${sql}`);
    await busy(1);
    const before = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
    await idle();
    const grown = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed - before;
    // Of 10 GB: what the sockets hold, and the rows that are fetched together.
    expect(grown).toBeLessThan(100_000_000);
    socket.destroy();
    await bounded.close();
  });

  test('one statement at a time, in a transaction that reads', async () => {
    const bounded = await openBounded({});
    for (const sql of [
      'select 1; select 2',
      'select 1; commit; drop schema analytics cascade',
      'select 1 into t',
      'with w as (delete from analytics.adaptors returning *) select * from w',
      'delete from analytics.adaptors',
      'select * from adaptors for update',
      'set role postgres',
      'copy (select 1) to stdout',
      "notify a, 'b'",
      'create temporary table t (a int)',
      'select lo_create(0)',
      'select pg_advisory_lock(1)',
      "select pg_notify('a', 'b')",
      'select * from public.events',
      'select * from analytics_host.key_usage',
    ]) {
      expect(await bounded.run(sql), sql).toMatchObject({ status: 422, body: { code: 'sql_failed' } });
    }
    expect(await bounded.run("select set_config('statement_timeout', '0', false)")).toMatchObject({
      status: 200,
    });
    // The connection is as new for the next statement.
    expect(await bounded.run("select current_setting('statement_timeout')")).toMatchObject({
      body: { rows: [['30s']] },
    });
    await bounded.close();
  });

  test('its word, when the backend is killed: the error says so, and the next statement runs', async () => {
    const bounded = await openBounded({ running: 1 });
    const killed = bounded.run('select pg_sleep(1e9)');
    await busy(1);
    await db.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where usename = 'analytics_http' and datname = current_database()`,
    );
    expect(await killed).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
    expect(await bounded.run('select 1')).toMatchObject({ status: 200 });
    await bounded.close();
  });
});

test('a role that could do more than read the views runs nothing', async () => {
  const metrics = new Registry();
  const superuser = openSqlReader({ url: db.directUrl, log: silentLogger, metrics });
  const server = await serveReader(superuser.send);
  const answer = await fetch(server.url, { method: 'POST', body: 'select 1' });
  expect(await answer.json()).toMatchObject({ code: 'sql_not_configured' });
  await server.close();
  await superuser.close();
});

test('a role without a limit of connections runs nothing, since the server would then hold any number of statements', async () => {
  const name = 'sql_without_limit';
  await db.pool.query(`create role ${name} login password 'x'; alter role ${name} set temp_file_limit = '1MB';
    grant usage on schema analytics to ${name}`);
  const url = new URL(roleUrl);
  url.username = name;
  url.password = 'x';
  const reader = openSqlReader({ url: url.href, log: silentLogger, metrics: new Registry() });
  const server = await serveReader(reader.send);
  const ask = async () => (await fetch(server.url, { method: 'POST', body: 'select 1' })).json();
  expect(await ask()).toMatchObject({ code: 'sql_not_configured' });
  await db.pool.query(`alter role ${name} connection limit 4`);
  expect(await ask()).toMatchObject({ rowCount: 1 });
  await server.close();
  await reader.close();
  await db.pool.query(`revoke usage on schema analytics from ${name}; drop role ${name}`);
});
