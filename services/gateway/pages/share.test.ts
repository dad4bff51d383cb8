import { afterAll, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../../db/client.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { testPackages, useTestGateway } from '../../../test/support/gateway.ts';
import { createPageShare } from './share.ts';

let wide: Database;
const gateway = useTestGateway(undefined, async ({ directUrl: url }) => {
  // Each page can have several statements at once.
  wide = openDatabase(url, { max: 40, statementTimeoutMs: 60_000 });
  return { db: wide, network: testPackages, trustProxy: 1 };
});
afterAll(async () => {
  await gateway?.stop();
  await wide?.close();
});

const get = (path: string, address: string) =>
  fetch(gateway.url + path, { headers: { accept: 'text/html', 'x-forwarded-for': address } });

test('one address with 130 connections takes a part of the slots, and others are served meanwhile', async () => {
  const blocking = await gateway.db.pool.connect();
  onTestFinished(async () => {
    await blocking.query('rollback');
    blocking.release();
  });
  await blocking.query('begin; lock table jobs in access exclusive mode');
  const statuses: number[] = [];
  const held = Array.from({ length: 130 }, async (_, count) => {
    const answer = await get(`/jobs?q=${count}&client=0x${count + 1}`, '192.0.2.1');
    statuses.push(answer.status);
    return answer;
  });
  // Requests within the share wait for the table.
  await eventually(() => expect(statuses).toEqual(Array(98).fill(503)));
  const refused = await get('/jobs?client=0xfff', '192.0.2.1');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect((await get('/', '192.0.2.2')).status).toBe(200);
  await blocking.query('rollback');
  await Promise.all(held);
  expect(statuses.slice(98)).toEqual(Array(32).fill(200));
  expect((await get('/jobs', '192.0.2.1')).status).toBe(200);
});

test('a share ends with its last page, also if the page fails', async () => {
  const share = createPageShare(4);
  const fails = Array.from({ length: 32 }, () => share('a', () => Promise.reject(new Error('failed'))));
  expect((await Promise.allSettled(fails)).map(({ status }) => status)).toEqual(Array(32).fill('rejected'));
  expect(await Promise.all(Array.from({ length: 32 }, () => share('a', async () => 1)))).toHaveLength(32);
});
