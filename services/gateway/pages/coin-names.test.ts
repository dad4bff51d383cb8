import { afterAll, beforeAll, expect, test } from 'vitest';
import * as tables from '../../../db/schema/index.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { address, type SeededListing } from '../../../test/support/read-model.ts';

const network = 'testnet';
const coinType = `${address(8)}::dollar::DOLLAR`;
const ops = [
  {
    kind: 'pay',
    module: 'jar',
    entry: 'tip',
    label: 'Tip',
    call: { typeArgs: ['coinIn'], args: [{ role: 'wallet' }, { role: 'amount' }] },
  },
];

let gateway: TestGateway;
let listings: [long: SeededListing, short: SeededListing, any: SeededListing];
beforeAll(async () => {
  gateway = await startTestGateway(async (seed) => {
    listings = [
      await seed.listing({ manifest: { supportedCoins: [coinType], ops } }),
      await seed.listing({ manifest: { supportedCoins: ['0x8::dollar::DOLLAR'], ops } }),
      await seed.listing({ manifest: { supportedCoins: ['*'], ops } }),
    ];
  });
  const coin = { network, coinType, state: 'found', symbol: 'HUSD', decimals: 6 };
  await gateway.db.orm.insert(tables.coins).values(coin);
});
afterAll(() => gateway.close());

const readPage = async (path: string) =>
  (await fetch(gateway.url + path, { headers: { accept: 'text/html' } })).text();

/** The texts of a page: what is between its tags. */
const readTexts = async (path: string) => (await readPage(path)).match(/(?<=>)[^<]+/g)!.join(' ');

test.each([
  ['the card and the filters', () => '/'],
  ['the page of an adaptor', () => `/a/testnet/${listings[0].serviceType}`],
  [
    'the page of an adaptor that spells the type in the short form',
    () => `/a/testnet/${listings[1].serviceType}`,
  ],
  ['the page of a grant', () => `/wallet/grant?service=${listings[0].serviceType}`],
  ['a comparison', () => `/compare?a=${listings[0].serviceType}&b=${listings[1].serviceType}`],
])('%s has the symbol of a coin, not the name of its struct', async (_, path) => {
  const texts = await readTexts(path());
  expect(texts).toContain('HUSD');
  expect(texts).not.toContain('DOLLAR');
});

test('an operation of a manifest that takes any coin says so', async () => {
  expect(await readTexts(`/a/testnet/${listings[2].serviceType}`)).toContain(
    'the amount you name of any coin',
  );
});
