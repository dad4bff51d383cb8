import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from '@prometheus-io/client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../../db/client.ts';
import { recordCoins } from '../../../db/queries/catalog/coins.ts';
import { readCoins } from '../../../db/queries/coins.ts';
import { readPicture, recordPicture } from '../../../db/queries/pictures.ts';
import * as tables from '../../../db/schema/index.ts';
import { createOutbound, type Outbound } from '../../../lib/outbound/index.ts';
import { openTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { settingsFor } from '../../../test/support/frames/packages.ts';
import { pixel } from '../../../test/support/pixel.ts';
import { address, readModelBuilder } from '../../../test/support/read-model.ts';
import { workOn } from '../queue/testing/work-on.ts';
import { createIndexerMetrics } from '../reporting/metrics.ts';
import { createPictureQueue } from './pictures.ts';

const network = 'testnet';
const coin = `${address(1)}::coin::COIN`;
const publisher = address(0xa1);
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

let db: Database;
let seed: ReturnType<typeof readModelBuilder>;
let outbound: Outbound;
let respond: () => { status?: number; type?: string; body: Buffer | string };
const server = createServer((_, response) => {
  const { status = 200, type = 'image/png', body } = respond();
  response.writeHead(status, { 'content-type': type }).end(body);
});

beforeAll(async () => {
  db = await openTestDatabase();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const loopback = createOutbound({ allowCidrs: ['127.0.0.0/8'] });
  // The host of the test has no certificate.
  outbound = {
    ...loopback,
    fetchBytes: (url, options) =>
      loopback.fetchBytes(url.replace('https://logos.example', `http://127.0.0.1:${port}`), options),
  };
});
afterAll(async () => {
  await outbound.close();
  server.close();
  await db.close();
});
beforeEach(async () => {
  respond = () => ({ body: pixel });
  await db.pool.query(`truncate coins, pictures, listings, listing_versions, manifests, manifest_fetches, events,
    catalog_entries, catalog_removals, catalog_state, op_tools, publisher_proofs`);
  seed = readModelBuilder(db);
});

/** Stores the metadata of the coin, as its check does. */
async function find(iconUrl: string | null): Promise<void> {
  await db.orm.insert(tables.coins).values({ network, coinType: coin }).onConflictDoNothing();
  const metadata = { state: 'found' as const, symbol: 'COIN', decimals: 6, name: 'Coin', iconUrl };
  await recordCoins(db.pool, network, [
    { coinType: coin, attempts: 1, ...metadata, retryAfterSeconds: null },
  ]);
}

const openQueue = () => {
  const metrics = createIndexerMetrics(new Registry());
  const settings = settingsFor('http://127.0.0.1:1');
  return createPictureQueue({ db, settings, metrics }, { outbound, signal: new AbortController().signal });
};

/** Fetches the logo, whenever it is due, and returns what is stored. */
async function check(subject = coin) {
  await db.pool.query('update pictures set next_check_at = now()');
  const queue = openQueue();
  const slot = { isContended: false, free: () => undefined, moveTo: () => false };
  const current = await queue.current({ subject, url: '', host: '', attempts: 0 });
  await queue.work(current!, slot);
  const [row] = await db.orm.select().from(tables.pictures);
  return row!;
}

test('the logo that the metadata names is fetched and stored', async () => {
  await find('https://logos.example/coin.png');
  expect(await readCoins(db.pool, [{ network, coinType: coin }])).toMatchObject([{ hasLogo: false }]);
  workOn(db, openQueue());
  await eventually(async () => {
    expect(await readPicture(db.pool, network, coin)).toEqual({ picture: pixel, mediaType: 'image/png' });
  });
  expect(await readCoins(db.pool, [{ network, coinType: coin }])).toMatchObject([{ hasLogo: true }]);
});

test('a data url is stored without a request', async () => {
  respond = () => {
    throw new Error('No request is expected.');
  };
  await find(`data:image/svg+xml;base64,${pixel.toString('base64')}`);
  expect(await check()).toMatchObject({ picture: pixel, mediaType: 'image/png', lastError: null });
});

/** Ideographs, which take three bytes each, and which an index cannot compress. */
const ideographs = Array.from({ length: 2_000 }, (_, at) =>
  String.fromCodePoint(0x4e00 + ((at * 7_919) % 20_000)),
).join('');

test.each([
  ['a port', 'https://logos.example:8443/a/b.png', 'logos.example:8443'],
  ['a host that is longer than an index allows', `https://${ideographs}/coin.png`, ideographs.slice(0, 260)],
  ['base64, with slashes', `data:image/png;base64,${ideographs.slice(0, 9)}/${ideographs}`, ''],
])('a url with %s is stored, under its host', async (_, url, host) => {
  await find(url);
  expect(await db.orm.select().from(tables.pictures)).toMatchObject([{ url, host }]);
});

test('a coin without a url has no logo', async () => {
  await find(null);
  expect(await db.orm.select().from(tables.pictures)).toEqual([]);
});

test.each([
  ['an SVG that calls itself a PNG', () => ({ body: svg }), 'not a PNG, JPEG or WebP'],
  ['a page', () => ({ body: '<!doctype html><script>alert(1)</script>' }), 'not a PNG, JPEG or WebP'],
  ['a file that is too large', () => ({ body: Buffer.alloc(64 * 1024 + 1) }), 'larger than 65536 bytes'],
])('%s is refused as a logo', async (_, answer, reason) => {
  respond = answer;
  await find('https://logos.example/coin.png');
  const { picture, mediaType, lastError } = await check();
  expect({ picture, mediaType }).toEqual({ picture: null, mediaType: null });
  expect(lastError).toContain(reason);
});

test('a logo stays while its host is away, and goes when it is another file', async () => {
  await find('https://logos.example/coin.png');
  await check();
  respond = () => ({ status: 503, body: '' });
  expect(await check()).toMatchObject({
    picture: pixel,
    checkAttempts: 1,
    lastError: 'The host answered 503.',
  });
  respond = () => ({ body: svg });
  expect(await check()).toMatchObject({ picture: null, mediaType: null });
});

const icon = (name: string) => `https://logos.example/${name}.png`;
const readRows = () => db.orm.select().from(tables.pictures);

async function unlist({ serviceType }: { serviceType: string }): Promise<void> {
  await db.pool.query('update listings set listed = false where service_type = $1', [serviceType]);
  await seed.refresh();
}

test('the icon of a verified publisher is fetched, and that of another one is not', async () => {
  const profile = { icon: icon('reef') };
  await seed.listing({ publisher, manifest: { profile } });
  await seed.listing({
    publisher: address(0xa2),
    manifest: { profile },
    row: { publisherCheck: 'unverified' },
  });
  expect(await readRows()).toMatchObject([{ subject: publisher, url: icon('reef') }]);
  expect(await check(publisher)).toMatchObject({ picture: pixel, mediaType: 'image/png' });
});

test('an icon is that of the latest profile, and goes with the last one', async () => {
  const first = await seed.listing({ publisher, manifest: { profile: { icon: icon('old') } } });
  await check(publisher);
  const latest = await seed.listing({ publisher, manifest: { profile: { icon: icon('new') } } });
  const fresh = { url: icon('new'), picture: null, mediaType: null, checkAttempts: 0, checkReady: true };
  expect(await readRows()).toMatchObject([fresh]);
  await unlist(latest);
  expect(await readRows()).toMatchObject([{ url: icon('old'), picture: null }]);
  await unlist(first);
  expect(await readRows()).toEqual([]);
});

test('a change that keeps the icon keeps its picture', async () => {
  const list = () => seed.listing({ publisher, manifest: { profile: { icon: icon('reef') } } });
  await list();
  await check(publisher);
  await list();
  expect(await readRows()).toMatchObject([{ picture: pixel }]);
});

test('a fetch of the former url does not become the new icon', async () => {
  await seed.listing({ publisher, manifest: { profile: { icon: icon('old') } } });
  const former = { subject: publisher, url: icon('old'), attempts: 1 };
  await seed.listing({ publisher, manifest: { profile: { icon: icon('new') } } });
  const picture = { bytes: pixel, mediaType: 'image/png' };
  await recordPicture(db.pool, network, { ...former, picture, error: null, nextAfterSeconds: 60 });
  expect(await readRows()).toMatchObject([{ url: icon('new'), picture: null, checkReady: true }]);
});
