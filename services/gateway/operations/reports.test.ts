import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { reportsMax } from '../../../db/queries/catalog/reports.ts';
import { createMemoryKv } from '../../../lib/kv/memory.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { adminSecret, asAdmin } from '../../../test/support/keys.ts';
import { address, type SeededListing } from '../../../test/support/read-model.ts';

let gateway: TestGateway;
let listing: SeededListing;
beforeAll(async () => {
  // One proxy is trusted, so that the tests come from any number of addresses.
  const access = { kv: createMemoryKv(), adminSecret, anonymousPerMinute: 10_000, trustProxy: 1 };
  gateway = await startTestGateway(undefined, { access });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  await gateway.db.pool.query('truncate reports');
  listing = await gateway.seed.listing();
});

async function ask(path: string, init: RequestInit = {}) {
  const answer = await fetch(gateway.url + path, init);
  return { status: answer.status, body: answer.status === 204 ? undefined : await answer.json() };
}
const post = (path: string, body: unknown, headers: Record<string, string>) =>
  ask(path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const report = (more: object = {}, from = '203.0.113.7') => {
  const body = { serviceType: listing.serviceType, category: 'malicious', words: 'It drains.', ...more };
  return post('/api/adaptors/reports', body, { 'x-forwarded-for': from });
};
const read = async (query = '') => (await ask(`/api/admin/reports?${query}`, { headers: asAdmin })).body;

test('the operator reads what readers report, the newest first, and no address', async () => {
  expect((await report()).status).toBe(204);
  expect((await report({ words: 'It lies.', category: 'misleading' }, '203.0.113.8')).status).toBe(204);
  const { reports, count } = await read();
  const own = { network: 'testnet', serviceType: listing.serviceType, publisher: listing.publisher };
  expect(count).toBe(2);
  expect(reports).toEqual([
    {
      ...own,
      id: expect.any(Number),
      category: 'misleading',
      words: 'It lies.',
      sentAtMs: expect.any(Number),
    },
    {
      ...own,
      id: expect.any(Number),
      category: 'malicious',
      words: 'It drains.',
      sentAtMs: expect.any(Number),
    },
  ]);
  const { rows } = await gateway.db.pool.query('select * from reports');
  expect(JSON.stringify(rows)).not.toContain('203.0.113');
});

test('only the operator reads and dismisses reports', async () => {
  expect((await ask('/api/admin/reports')).status).toBe(401);
  expect((await post('/api/admin/reports/dismiss', { ids: [1] }, {})).status).toBe(401);
});

test('a second report of an address about a listing replaces the first', async () => {
  await report();
  await report({ words: 'It drains all.' });
  const { reports } = await read();
  expect(reports.map(({ words }: { words: string }) => words)).toEqual(['It drains all.']);
});

test('reports of one listing and of one subnet are bounded, also if they come at once', async () => {
  const addresses = Array.from({ length: reportsMax.listing + 5 }, (_, at) => `198.51.100.${at}`);
  const answers = await Promise.all(addresses.map((from) => report({}, from)));
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(reportsMax.listing).fill(204), ...Array(5).fill(409)]);
  expect(answers.find(({ status }) => status === 409)!.body.code).toBe('too_many_reports');
  const [from] = addresses;
  for (let at = 1; at < reportsMax.subnet; at++) {
    const { serviceType } = await gateway.seed.listing();
    expect((await report({ serviceType }, from)).status).toBe(204);
  }
  const { serviceType } = await gateway.seed.listing();
  expect((await report({ serviceType }, from)).status).toBe(409);
  // The address can still correct what it has sent.
  expect((await report({ words: 'It is worse.' }, from)).status).toBe(204);
});

const dismiss = (reports: readonly { id: number }[]) =>
  post('/api/admin/reports/dismiss', { ids: reports.map(({ id }) => id) }, asAdmin);
const listWords = async () => (await read()).reports.map(({ words }: { words: string }) => words);

test('a dismissal deletes what the operator has read, and neither later reports nor those on other pages', async () => {
  await report({ words: 'Earlier.' }, '198.51.100.1');
  await report({}, '198.51.100.2');
  await report({}, '198.51.100.3');
  const { reports } = await read('limit=2');
  await report({ words: 'Later.' }, '198.51.100.4');
  expect(await dismiss(reports)).toEqual({ status: 200, body: { dismissed: 2 } });
  expect(await listWords()).toEqual(['Later.', 'Earlier.']);
  expect((await dismiss([])).status).toBe(400);
});

test('a dismissal does not delete words that replace what the operator has read', async () => {
  await report({ words: 'I am not sure.' });
  const { reports } = await read();
  await report({ words: 'It drained me: see this transaction.' });
  expect((await dismiss(reports)).body).toEqual({ dismissed: 0 });
  expect(await listWords()).toEqual(['It drained me: see this transaction.']);
});

test('one customer of a provider, with any number of IPv6 addresses, silences no other reader', async () => {
  for (let at = 0; at < reportsMax.subnetOfListing; at++)
    expect((await report({ words: 'Fine.' }, `2001:db8:1:${at}::1`)).status).toBe(204);
  expect((await report({ words: 'Fine.' }, '2001:db8:1:ffff::1')).status).toBe(409);
  expect((await report({}, '2001:db8:2::1')).status).toBe(204);
});

test('a flood of reports in all makes room for a report about another listing', async () => {
  const flooded = await gateway.seed.listing();
  await gateway.db.pool.query(
    `insert into reports (network, service_type, publisher, category, words, sender, subnet)
      select 'testnet', case when n <= 50 then $1 else '0x' || n % 400 || '::a::A' end, $2, 'other', 'No. ' || n, n, n
      from generate_series(1, $3::int) n`,
    [flooded.serviceType, flooded.publisher, reportsMax.all],
  );
  expect((await report()).status).toBe(204);
  const { rows } = await gateway.db.pool.query(
    `select count(*)::int as all, count(*) filter (where words = 'No. 1')::int as oldest,
      count(*) filter (where service_type = $1)::int as own from reports`,
    [listing.serviceType],
  );
  expect(rows).toEqual([{ all: reportsMax.all, oldest: 0, own: 1 }]);
});

test('pages of reports continue after their cursor', async () => {
  for (const at of [1, 2, 3]) await report({ words: `No. ${at}` }, `198.51.100.${at}`);
  const { reports, nextCursor } = await read('limit=2');
  const rest = await read(`limit=2&cursor=${nextCursor}`);
  const words = [...reports, ...rest.reports].map((one: { words: string }) => one.words);
  expect(words).toEqual(['No. 3', 'No. 2', 'No. 1']);
  expect(rest).not.toHaveProperty('nextCursor');
});

test.each([
  ['no words', { words: ' ' }, 400],
  ['too many words', { words: 'x'.repeat(1_001) }, 400],
  ['U+0000', { words: 'a\0' }, 400],
  ['an unknown category', { category: 'ugly' }, 400],
  ['another field', { more: 1 }, 400],
  ['a listing that there never was', { serviceType: `${address(0x999)}::a::A` }, 404],
  ['a publisher who does not list it', { publisher: address(0x999) }, 404],
])('a report with %s is refused', async (_, more, status) => {
  expect((await report(more)).status).toBe(status);
  expect((await read()).count).toBe(0);
});

test('the page of a listing leads to the form, which names the listing that is shown', async () => {
  const getPage = async (path: string) =>
    (await fetch(gateway.url + path, { headers: { accept: 'text/html' } })).text();
  const { serviceType, publisher } = listing;
  const path = `/report?${new URLSearchParams({ network: 'testnet', service: serviceType, publisher })}`;
  expect(await getPage(`/a/testnet/${serviceType}`)).toContain(`href="${path.replaceAll('&', '&amp;')}"`);
  const form = await getPage(path);
  expect(form).toContain(`data-service="${serviceType}" data-publisher="${publisher}"`);
});
