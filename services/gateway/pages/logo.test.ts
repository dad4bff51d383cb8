import { afterAll, beforeAll, expect, test } from 'vitest';
import * as tables from '../../../db/schema/index.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { pixel } from '../../../test/support/pixel.ts';
import { address } from '../../../test/support/read-model.ts';

const network = 'testnet';
const coin = `${address(7)}::pool::SHARE<${address(2)}::sui::SUI>`;
const plain = `${address(8)}::usd::USD`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway(async (seed) => {
    await seed.listing({ manifest: { supportedCoins: [coin, plain] } });
  });
  const { orm } = gateway.db;
  const found = { network, state: 'found', symbol: 'COIN', decimals: 6 };
  await orm.insert(tables.coins).values([coin, plain].map((coinType) => ({ ...found, coinType })));
  const url = 'https://logos.example/coin.png';
  await orm.insert(tables.coinLogos).values([
    { network, coinType: coin, url, picture: pixel, mediaType: 'image/png' },
    { network, coinType: plain, url },
  ]);
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
    'cache-control': 'public, max-age=86400',
  });
  const again = await fetch(gateway.url + path, {
    headers: { 'if-none-match': answer.headers.get('etag')! },
  });
  expect(again.status).toBe(304);
});

test.each([
  ['a coin without a picture', plain],
  ['an unknown coin', '0x2::sui::SUI'],
  ['what is not a type', '<script>'],
])('%s is not found', async (_, coinType) => {
  const answer = await fetch(`${gateway.url}/coins/testnet/${encodeURIComponent(coinType)}/logo`);
  expect(answer.status).toBe(404);
});
