import { afterAll, beforeAll, expect, test } from 'vitest';
import * as tables from '../../../db/schema/index.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { address, type SeededListing } from '../../../test/support/read-model.ts';

const publisher = address(0xa1);
const pool = address(0xb001);
const inner = address(0xb002);
const wallet = address(0xc001);
const granter = address(0xc002);

let gateway: TestGateway;
let named: SeededListing;
let other: SeededListing;
let used: SeededListing;
let granted: SeededListing;
const op = (args: object[]) => ({
  kind: 'swap',
  module: 'pool',
  entry: 'swap',
  label: 'Swap',
  call: { args },
});

beforeAll(async () => {
  gateway = await startTestGateway(async (seed) => {
    const object = (objectId: unknown) => ({ role: 'object', objectId, mutable: true });
    const hostile = [object(7), object('x'.repeat(10_000)), object('0x'), { objectId: { objectId: '0xzz' } }];
    const before = [{ target: '0x1::pool::begin', args: [object(inner)] }];
    named = await seed.listing({
      publisher,
      manifest: {
        ops: [op([object('0xB001'), object('0x6'), ...hostile]), { ...op([]), call: { args: [], before } }],
      },
    });
    other = await seed.listing();
    used = await seed.listing();
    granted = await seed.listing();
    await seed.listing();
  });
  const { network, serviceType } = used;
  await gateway.db.orm
    .insert(tables.serviceVaults)
    .values({ network, serviceType, walletId: wallet, actions: 1, lastActionAt: new Date() });
  const at = { grantedAt: new Date(), firstGrantedAt: new Date() };
  const grant = { network, serviceType: granted.serviceType, walletId: granter, ...at };
  await gateway.db.orm.insert(tables.serviceGrants).values([
    { ...grant, coin: '0x2::sui::SUI', allowance: '5' },
    { ...grant, coin: '0x3::coin::COIN', allowance: null },
  ]);
});
afterAll(() => gateway.close());

/** Service types that each surface finds. */
async function searchAll(q: string): Promise<string[][]> {
  const rest = await (await fetch(`${gateway.url}/api/adaptors?q=${q}`)).json();
  const graph = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      query: 'query ($q: String) { adaptors(filter: { q: $q }) { edges { node { serviceType } } } }',
      variables: { q },
    }),
  });
  const { data } = await graph.json();
  const page = await (await fetch(`${gateway.url}/?q=${q}`, { headers: { accept: 'text/html' } })).text();
  const linked = [...page.matchAll(/href="\/a\/testnet\/([^"?/]+)"/g)].map(([, type]) =>
    decodeURIComponent(type!),
  );
  return [
    rest.adaptors.map(({ serviceType }: SeededListing) => serviceType),
    data.adaptors.edges.map(({ node }: { node: SeededListing }) => node.serviceType),
    [...new Set(linked)],
  ];
}

const short = (id: string) => id.replace(/^0x0+/, '0x');

test.each([
  ['a publisher', () => publisher, () => named],
  ['a package', () => other.serviceType.split('::')[0]!, () => other],
  ['an object that an operation names', () => pool, () => named],
  ['an object that an earlier step of an operation names', () => inner, () => named],
  ['a wallet that used the service', () => wallet, () => used],
  ['a wallet that granted to the service and never used it', () => granter, () => granted],
])(
  'the id of %s finds the listing on every surface, however it is written',
  async (_, readId, readListing) => {
    const id = readId();
    const { serviceType } = readListing();
    for (const q of [id, id.toUpperCase().replace('0X', '0x'), `0x0${short(id).slice(2)}`]) {
      expect(await searchAll(q)).toEqual([[serviceType], [serviceType], [serviceType]]);
    }
  },
);

test('an id that nothing in the catalog has finds nothing', async () => {
  expect(await searchAll(address(0xdead))).toEqual([[], [], []]);
});

test('an id narrows other words, and is narrowed by them', async () => {
  expect((await searchAll(`swaps+${pool}`))[0]).toEqual([named.serviceType]);
  expect((await searchAll(`absent+${pool}`))[0]).toEqual([]);
});

test('a search for a wallet that is repeated with its ETag finds what the wallet granted to meanwhile', async () => {
  const later = address(0xc003);
  const url = `${gateway.url}/api/adaptors?q=${later}`;
  const before = await fetch(url);
  expect(await before.json()).toMatchObject({ total: 0 });
  const headers = { 'if-none-match': before.headers.get('etag')! };
  expect((await fetch(url, { headers })).status).toBe(304);
  const { network, serviceType } = granted;
  await gateway.db.orm.insert(tables.serviceGrants).values({
    network,
    serviceType,
    walletId: later,
    coin: '0x2::sui::SUI',
    allowance: '5',
    grantedAt: new Date(),
    firstGrantedAt: new Date(),
  });
  const after = await fetch(url, { headers });
  expect(after.status).toBe(200);
  expect(await after.json()).toMatchObject({ adaptors: [{ serviceType }] });
});
