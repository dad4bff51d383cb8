import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { eq } from '../../../db/orm/drizzle.ts';
import * as tables from '../../../db/schema/index.ts';
import { createMemoryKv } from '../../../lib/kv/memory.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { adminSecret, asAdmin } from '../../../test/support/keys.ts';
import { pixel } from '../../../test/support/pixel.ts';
import { address } from '../../../test/support/read-model.ts';

const network = 'testnet';
const coin = `${address(7)}::usd::USD`;
const publisher = address(0xa1);
const paths = {
  [coin]: `/coins/testnet/${encodeURIComponent(coin)}/logo`,
  [publisher]: `/publishers/testnet/${publisher}/icon`,
};
let serviceType: string;

let gateway: TestGateway;
beforeAll(async () => {
  const access = { kv: createMemoryKv(), adminSecret, anonymousPerMinute: 10_000, trustProxy: 0 };
  gateway = await startTestGateway(
    async (seed) => {
      const manifest = { supportedCoins: [coin], profile: { icon: 'https://reef.example/icon.png' } };
      ({ serviceType } = await seed.listing({ publisher, manifest }));
    },
    { access },
  );
  const { orm } = gateway.db;
  await orm
    .insert(tables.coins)
    .values({ network, coinType: coin, state: 'found', symbol: 'USD', decimals: 6 });
  await orm.insert(tables.pictures).values({ network, subject: coin, url: 'https://logos.example/usd.png' });
  await orm.update(tables.pictures).set({ picture: pixel, mediaType: 'image/png' });
});
afterAll(() => gateway.close());
beforeEach(() => gateway.db.pool.query('truncate hidden_pictures'));

async function admin(path: string, body?: object) {
  const init = body && { method: 'POST', body: JSON.stringify(body) };
  const headers = { ...asAdmin, 'content-type': 'application/json' };
  const answer = await fetch(`${gateway.url}/api/admin/hidden-pictures${path}`, { ...init, headers });
  return { status: answer.status, body: await answer.json() };
}
const hide = (subject: string, more: object = {}) =>
  admin('', { subject, reason: 'It shows the mark of a bank.', operator: 'Ada', ...more });

/** Looks at the picture, the pages and the graph. Returns the number of them that show the picture. */
async function countShown(subject: string): Promise<number> {
  const path = paths[subject]!;
  const query = `{ catalogFilters { coins { coinInfo { logo } } } publisher(address: "${publisher}") { icon } }`;
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  };
  const graph = await (await fetch(`${gateway.url}/graphql`, init)).text();
  const pages = await Promise.all(
    [`/p/${publisher}`, `/a/testnet/${serviceType}`].map(async (page) =>
      (await fetch(gateway.url + page, { headers: { accept: 'text/html' } })).text(),
    ),
  );
  const picture = await fetch(gateway.url + path);
  return [graph, ...pages].filter((text) => text.includes(path)).length + (picture.ok ? 1 : 0);
}

test.each([
  ['the logo of a coin', coin, publisher],
  ['the icon of a publisher', publisher, coin],
])('%s is hidden everywhere and alone, and shown again', async (_, subject, other) => {
  const before = [await countShown(subject), await countShown(other)];
  expect(Math.min(...before)).toBeGreaterThanOrEqual(2);
  // The data of a page is at most a second old.
  const expectShown = (counts: number[]) =>
    eventually(async () => expect([await countShown(subject), await countShown(other)]).toEqual(counts));
  expect((await hide(subject)).status).toBe(200);
  await expectShown([0, before[1]!]);
  expect((await admin('/show', { subject })).status).toBe(200);
  await expectShown(before);
});

test('another file of the publisher stays hidden', async () => {
  await hide(publisher);
  const { orm } = gateway.db;
  const set = (url: string) =>
    orm.update(tables.pictures).set({ url }).where(eq(tables.pictures.subject, publisher));
  await set('https://reef.example/other.png');
  await eventually(async () => expect(await countShown(publisher)).toBe(0));
  await set('https://reef.example/icon.png');
});

test('the list has who hid what and why, the newest first, and a second decision replaces the first', async () => {
  await hide('0x7::usd::USD', { reason: 'First.' });
  await hide(publisher, { operator: 'Ben' });
  expect((await admin('')).body).toMatchObject({
    count: 2,
    pictures: [
      { subject: publisher, operator: 'Ben', url: 'https://reef.example/icon.png' },
      { subject: coin, reason: 'First.', url: 'https://logos.example/usd.png' },
    ],
  });
  await hide(coin, { reason: 'Second.' });
  const first = await admin('?limit=1');
  expect(first.body.pictures).toMatchObject([{ subject: coin, reason: 'Second.' }]);
  const next = await admin(`?limit=1&cursor=${first.body.nextCursor}`);
  expect(next.body.pictures).toMatchObject([{ subject: publisher }]);
});

test.each([
  ['a coin without a picture', '', address(2)],
  ['a picture that is not hidden', '/show', coin],
])('%s is not found', async (_, path, subject) => {
  const decision = path === '' ? { reason: 'r', operator: 'Ada' } : {};
  const { status, body } = await admin(path, { subject, ...decision });
  expect([status, body.code]).toEqual([404, 'picture_not_found']);
});

test('only an operator decides, and only about a coin or a publisher', async () => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  expect((await fetch(`${gateway.url}/api/admin/hidden-pictures`, init)).status).toBe(401);
  expect((await hide('usd')).status).toBe(400);
});
