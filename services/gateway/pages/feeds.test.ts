import { afterAll, beforeAll, expect, test } from 'vitest';
import { quarantine } from '../../../db/queries/catalog/quarantines.ts';
import { appendServiceEvents } from '../../../db/queries/service-events.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { startTestGateway, type TestGateway, testPackages } from '../../../test/support/gateway.ts';
import { address, type SeededListing } from '../../../test/support/read-model.ts';

const reason = 'It drains <b>grants</b> & more \u202e\u0001';
const user = address(0x701);

let gateway: TestGateway;
let listing: SeededListing;
let stranger: SeededListing;
let second: SeededListing;
beforeAll(async () => {
  gateway = await startTestGateway(
    async (seed) => {
      listing = await seed.listing({ manifest: { name: 'Jar & <jars>' } });
      const { serviceType, publisher } = listing;
      stranger = await seed.listing({
        serviceType,
        publisher: address(0xbad),
        row: { publisherCheck: 'unverified' },
      });
      await seed.listing({ manifest: { name: 'Other' } });
      second = await seed.listing({ manifest: { name: 'Second & <more>' }, publisher });
      await seed.listing({
        serviceType: second.serviceType,
        publisher: stranger.publisher,
        manifest: { name: 'Better' },
        row: { publisherCheck: 'unverified' },
      });
      await seed.update(listing, 2);
      await seed.update(stranger, 2);
      await seed.actor(serviceType, user);
      await seed.attestation(serviceType, user, 4);
      await seed.attestation(serviceType, address(0x702), 1);
    },
    { network: testPackages },
  );
  const decision = { network: 'testnet', operator: 'Ada', reason };
  await quarantine(gateway.db.pool, { ...decision, subject: listing.serviceType });
});
afterAll(() => gateway.close());

const read = (path: string, headers: Record<string, string> = {}) => fetch(gateway.url + path, { headers });

const titles = (text: string) =>
  [...text.matchAll(/<entry>[\s\S]*?<title>(.*?)<\/title>[\s\S]*?<summary>(.*?)<\/summary>/g)].map(
    ([, title, summary]) => [title!.split(':')[0], summary],
  );

test('the feed of an adaptor has its versions, verified reviews and quarantines, and nothing of strangers', async () => {
  const answer = await read(`/a/testnet/${listing.serviceType}/feed.xml`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
  const text = await answer.text();
  expect(titles(text)).toEqual([
    ['Quarantined', expect.stringContaining('Reason: It drains &lt;b&gt;grants&lt;/b&gt; &amp; more')],
    ['Attested', expect.stringContaining('Score: 4 of 5.')],
    ['Updated', expect.any(String)],
    ['Registered', expect.any(String)],
  ]);
  for (const hidden of ['\u202e', '\u0001', '<b>']) expect(text).not.toContain(hidden);
  const again = await read(`/a/testnet/${listing.serviceType}/feed.xml`, {
    'if-none-match': answer.headers.get('etag')!,
  });
  expect(again.status).toBe(304);
});

test('a reader that stores no tag receives the feed: an event may have the second of the one before it', async () => {
  const path = `/a/testnet/${listing.serviceType}/feed.xml`;
  const updated = /<updated>(.*?)<\/updated>/.exec(await (await read(path)).text())![1]!;
  const since = new Date(updated).toUTCString();
  const answer = await read(path, { 'if-modified-since': since });
  expect([answer.status, answer.headers.get('last-modified')]).toEqual([200, null]);
});

test('the feed of a stranger’s listing has its own versions, and no reviews of the service', async () => {
  const answer = await read(`/a/testnet/${listing.serviceType}/feed.xml?publisher=${stranger.publisher}`);
  expect(titles(await answer.text()).map(([name]) => name)).toEqual(['Quarantined', 'Updated', 'Registered']);
});

test('the feed of a publisher has all of its listings', async () => {
  const answer = await read(`/p/${listing.publisher}/feed.xml?network=testnet`);
  const text = await answer.text();
  expect(titles(text).map(([name]) => name)).toEqual([
    'Quarantined',
    'Attested',
    'Updated',
    'Registered',
    'Registered',
  ]);
  expect(text).toContain(
    `<link rel="alternate" type="text/html" href="${gateway.url}/p/${listing.publisher}?network=testnet"/>`,
  );
});

test('an entry names the adaptor that the catalog shows, and a listing of a stranger by its service type alone', async () => {
  const named = await read(`/p/${second.publisher}/feed.xml?network=testnet`);
  expect(await named.text()).toContain(
    `<title>Registered: Second &amp; &lt;more&gt; (${second.serviceType})</title>`,
  );
  const strange = await read(`/p/${stranger.publisher}/feed.xml?network=testnet`);
  expect(await strange.text()).toContain(`<title>Registered: ${second.serviceType}</title>`);
});

test('an entry leads to the listing that it is about, also where the catalog shows another one', async () => {
  const page = `${gateway.url}/a/testnet/${second.serviceType}`;
  const own = await read(`/p/${second.publisher}/feed.xml?network=testnet`);
  expect(await own.text()).toContain(`<link href="${page}"/>`);
  const strange = await read(`/p/${stranger.publisher}/feed.xml?network=testnet`);
  const text = await strange.text();
  expect(text).toContain(`<link href="${page}?publisher=${stranger.publisher}"/>`);
  expect(text).not.toContain(`<link href="${page}"/>`);
});

test.each([
  ['an adaptor that was never listed', () => `/a/testnet/${address(9)}::a::A/feed.xml`],
  ['no service type', () => '/a/testnet/jar/feed.xml'],
  ['no address', () => `/a/testnet/${listing.serviceType}/feed.xml?publisher=me`],
  ['a publisher without listings', () => `/p/${address(9)}/feed.xml`],
  ['no publisher', () => '/p/me/feed.xml'],
])('%s has no feed', async (_, path) => {
  expect((await read(path())).status).toBe(404);
});

test('a feed has at most 20 entries, the latest ones', async () => {
  const busy = await gateway.seed.listing();
  for (let version = 2; version <= 30; version++) await gateway.seed.update(busy, version);
  for (const path of [`/a/testnet/${busy.serviceType}/feed.xml`, `/p/${busy.publisher}/feed.xml`]) {
    const text = await (await read(path)).text();
    const versions = [...text.matchAll(/Version (\d+)\./g)].map(([, version]) => Number(version));
    expect(versions).toEqual(Array.from({ length: 20 }, (_, at) => 30 - at));
  }
});

test('pages of adaptors and publishers name their feeds, and offer them', async () => {
  const readPage = async (path: string) => (await read(path, { accept: 'text/html' })).text();
  for (const [page, feed] of [
    [`/a/testnet/${listing.serviceType}`, `/a/testnet/${listing.serviceType}/feed.xml`],
    [
      `/a/testnet/${listing.serviceType}?publisher=${stranger.publisher}`,
      `/a/testnet/${listing.serviceType}/feed.xml?publisher=${stranger.publisher}`,
    ],
    [`/p/${listing.publisher}`, `/p/${listing.publisher}/feed.xml?network=testnet`],
  ] as const) {
    const html = await readPage(page);
    expect(html).toContain(`<link rel="alternate" type="application/atom+xml" href="${feed}"`);
    expect(html).toContain(`<a href="${feed}" type="application/atom+xml">Atom feed</a>`);
  }
});

test('the first verification of a publisher is in the feeds of its own listing and of no other', async () => {
  await inTransaction(gateway.db.pool, (client) =>
    appendServiceEvents(
      client,
      [listing, stranger].map(({ network, serviceType, publisher }) => ({
        network,
        name: 'PublisherVerified',
        data: { serviceType, publisher },
      })),
    ),
  );
  const countVerified = async (path: string) =>
    titles(await (await read(path)).text()).filter(([name]) => name === 'PublisherVerified').length;
  const path = `/a/testnet/${listing.serviceType}/feed.xml`;
  const feeds = [
    path,
    `${path}?publisher=${stranger.publisher}`,
    `/p/${listing.publisher}/feed.xml?network=testnet`,
  ];
  expect(await Promise.all(feeds.map(countVerified))).toEqual([1, 1, 1]);
});
