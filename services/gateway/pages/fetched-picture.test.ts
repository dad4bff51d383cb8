import { afterAll, beforeAll, expect, test } from 'vitest';
import { eq } from '../../../db/orm/drizzle.ts';
import * as tables from '../../../db/schema/index.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { pixel } from '../../../test/support/pixel.ts';
import { address, type SeededListing } from '../../../test/support/read-model.ts';

const network = 'testnet';
const coin = `${address(7)}::pool::SHARE<${address(2)}::sui::SUI,${address(8)}::usd::USD>`;
const plain = `${address(8)}::usd::USD`;
const publisher = address(0xa1);
const iconPath = `/publishers/testnet/${publisher}/icon`;
let own: SeededListing;
let others: SeededListing;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway(async (seed) => {
    await seed.listing({ manifest: { supportedCoins: [coin, plain] } });
    own = await seed.listing({ publisher, manifest: { profile: { icon: 'https://reef.example/icon.png' } } });
    others = await seed.listing({ publisher, row: { publisherCheck: 'unverified' } });
  });
  const { orm } = gateway.db;
  const found = { network, state: 'found', symbol: 'COIN', decimals: 6 };
  await orm.insert(tables.coins).values([coin, plain].map((coinType) => ({ ...found, coinType })));
  const url = 'https://logos.example/coin.png';
  await orm.insert(tables.pictures).values([
    { network, subject: coin, url, picture: pixel, mediaType: 'image/png' },
    { network, subject: plain, url },
  ]);
  await orm
    .update(tables.pictures)
    .set({ picture: pixel, mediaType: 'image/png' })
    .where(eq(tables.pictures.subject, publisher));
});
afterAll(() => gateway.close());

async function readLogos(): Promise<Record<string, string | null>> {
  const query = '{ catalogFilters { coins { coinType coinInfo { logo } } } }';
  const answer = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data } = await answer.json();
  const coins: { coinType: string; coinInfo: { logo: string | null } }[] = data.catalogFilters.coins;
  return Object.fromEntries(coins.map(({ coinType, coinInfo }) => [coinType, coinInfo.logo]));
}

test('the graph has the path of a logo, and none for a coin without one', async () => {
  const logos = await readLogos();
  expect(logos[plain]).toBeNull();
  expect(logos[coin]).toBe(`/coins/testnet/${encodeURIComponent(coin)}/logo`);
});

test('a logo is served as the picture that it is, and can run nothing', async () => {
  const { [coin]: path } = await readLogos();
  const answer = await fetch(gateway.url + path);
  expect(answer.status).toBe(200);
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(pixel);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=300',
  });
  const again = await fetch(gateway.url + path, {
    headers: { 'if-none-match': answer.headers.get('etag')! },
  });
  expect(again.status).toBe(304);
});

test('the icon of a verified publisher is on its page, and on those of its own listings alone', async () => {
  const readPage = async (path: string) =>
    (await fetch(gateway.url + path, { headers: { accept: 'text/html' } })).text();
  expect(await readPage(`/p/${publisher}`)).toContain(`src="${iconPath}"`);
  const listingPath = ({ serviceType }: SeededListing) => `/a/testnet/${serviceType}?publisher=${publisher}`;
  expect(await readPage(listingPath(own))).toContain(`src="${iconPath}"`);
  expect(await readPage(listingPath(others))).not.toContain(iconPath);
});

test.each([publisher, '0xA1'])('the icon of the publisher %s is served as a picture', async (id) => {
  const answer = await fetch(`${gateway.url}/publishers/testnet/${id}/icon`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(pixel);
});

test.each([
  ['a publisher without an icon', address(2)],
  ['what is not an address', 'reef'],
])('the icon of %s is not found', async (_, id) => {
  expect((await fetch(`${gateway.url}/publishers/testnet/${id}/icon`)).status).toBe(404);
});

test.each([
  ['a coin without a picture', plain],
  ['an unknown coin', '0x2::sui::SUI'],
  ['what is not a type', '<script>'],
])('%s is not found', async (_, coinType) => {
  const answer = await fetch(`${gateway.url}/coins/testnet/${encodeURIComponent(coinType)}/logo`);
  expect(answer.status).toBe(404);
});
