import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts';

let gateway: TestGateway;
const logged: Record<string, unknown>[] = [];

beforeEach(async () => {
  logged.length = 0;
  const log = pino({ level: 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) });
  gateway = await startTestGateway((seed) => seed.listing(), { log });
});
afterEach(() => gateway.close());

test('closing lets a request under way end, takes no new one, and leaves no connection open', async () => {
  const agent = new Agent({ keepAlive: true });
  const idle = await fetch(`${gateway.url}/healthz`);
  await idle.text();
  const body = JSON.stringify({ query: '{ adaptors { totalCount } }' });
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const late = request(`${gateway.url}/graphql`, { method: 'POST', agent, headers });
  late.write(body.slice(0, 5));
  await eventually(() => expect(late.socket?.bytesWritten).toBeGreaterThan(0));
  await fetch(`${gateway.url}/healthz`).then((answer) => answer.text());

  const stopped = gateway.stop();
  late.end(body.slice(5));
  const [answer] = await once(late, 'response');
  expect(answer.statusCode).toBe(200);
  expect(JSON.parse(Buffer.concat(await answer.toArray()).toString())).toMatchObject({
    data: { adaptors: { totalCount: 1 } },
  });
  await stopped;
  await expect(fetch(`${gateway.url}/healthz`)).rejects.toThrow();
  agent.destroy();
});

test('a read stuck in the database is given up, and says so without SQL', async () => {
  const client = await gateway.db.pool.connect();
  await client.query('begin; lock table catalog_entries in access exclusive mode');
  const [answer, whole] = await Promise.all([
    fetch(`${gateway.url}/api/adaptors?q=x`),
    fetch(`${gateway.url}/api/adaptors`),
  ]);
  await client.query('rollback');
  client.release();
  expect(await answer.json()).toMatchObject({ status: 504, code: 'timeout' });
  expect(whole.status).toBe(200);
});

test('each request leaves one line with its id, route and status, and a refused one is logged at info', async () => {
  for (const path of ['/api/adaptors', '/api/adaptors?limit=x', '/nowhere?key=secret', '/readyz']) {
    await fetch(gateway.url + path, { headers: { 'x-request-id': 'a-request-id' } });
  }
  const lines = () => logged.filter((line) => line.msg === 'request');
  await eventually(() => expect(lines()).toHaveLength(4));
  const levels = { 20: 'debug', 30: 'info' } as Record<number, string>;
  expect(lines().map(({ level, route, status }) => [levels[Number(level)], route, status])).toEqual([
    ['debug', '/api/adaptors', 200],
    ['info', '/api/adaptors', 400],
    ['info', 'unmatched', 404],
    ['debug', '/readyz', 503],
  ]);
  expect(lines().map(({ path }) => path)).toEqual([undefined, undefined, '/nowhere', undefined]);
  expect(lines()[0]).toMatchObject({ requestId: 'a-request-id', method: 'GET', aborted: false });
});

test('an aborted request ends nothing but itself', async () => {
  const broken = request(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': 100 },
  });
  broken.on('error', () => undefined);
  broken.write('{"query"');
  await eventually(() => expect(broken.socket?.bytesWritten).toBeGreaterThan(0));
  broken.destroy();
  await eventually(() =>
    expect(logged).toContainEqual(expect.objectContaining({ route: '/graphql', aborted: true })),
  );
  expect((await fetch(`${gateway.url}/api/adaptors`)).status).toBe(200);
  expect(logged.filter((line) => Number(line.level) >= 50)).toEqual([]);
});

test('a caller who leaves while the graph is being read is not an error of the service', async () => {
  const client = await gateway.db.pool.connect();
  await client.query('begin; lock table catalog_entries in access exclusive mode');
  const leaving = new AbortController();
  const asked = fetch(`${gateway.url}/graphql?query=${encodeURIComponent('{ adaptors { totalCount } }')}`, {
    signal: leaving.signal,
  });
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await eventually(async () => expect((await gateway.db.pool.query(waiting)).rowCount).toBe(1));
  leaving.abort();
  await expect(asked).rejects.toThrow();
  await eventually(() => expect(logged).toContainEqual(expect.objectContaining({ aborted: true })));
  await client.query('rollback');
  client.release();
  expect((await fetch(`${gateway.url}/api/adaptors?q=adaptor`)).status).toBe(200);
  expect(logged.filter((line) => Number(line.level) >= 50)).toEqual([]);
});
