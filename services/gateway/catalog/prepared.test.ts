import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Registry } from '@prometheus-io/client';
import { expect, test, vi } from 'vitest';
import { openReadPools } from '../../../db/replicas/read-pools.ts';
import { silentLogger } from '../../../lib/log/index.ts';
import { createTestDatabase } from '../../../test/support/database.ts';
import { address, readModelBuilder } from '../../../test/support/read-model.ts';
import { prepareCatalogs } from './prepared.ts';
import { renderCatalog, renderChanges } from './render.ts';

const network = 'testnet';

/** Catalogs over a database of the test. */
async function openCatalogs() {
  const db = await createTestDatabase();
  const metrics = new Registry();
  const catalogs = prepareCatalogs({
    reads: openReadPools({ primary: db.pool, urls: [], lagMsMax: 0, log: silentLogger }),
    networks: [network],
    log: silentLogger,
    metrics,
  });
  const metric = async (name: string) =>
    Number(new RegExp(`^${name}\\{.*\\} (\\d+)`, 'm').exec(await metrics.metrics())?.[1] ?? 0);
  const bodyIn = async (encoding: 'br' | 'gzip' | 'identity') =>
    Buffer.concat((await catalogs.get(network)!.getRepresentation(encoding)).parts);
  return { db, seed: readModelBuilder(db), catalogs, metric, bodyIn };
}

test('a stream of changes shares rebuilds, and the last of them is shown', async () => {
  const { seed, catalogs, metric, bodyIn } = await openCatalogs();
  const changes = 60;
  const begun = performance.now();
  let last = Promise.resolve();
  for (let i = 0; i < changes; i++) {
    await seed.listing({ manifest: { name: `Change ${i}` } });
    last = catalogs.rebuild(network);
  }
  await last;
  const seconds = (performance.now() - begun) / 1000;
  const rebuilds = await metric('catalog_rebuild_seconds_count');
  expect(rebuilds).toBeGreaterThan(0);
  expect(rebuilds).toBeLessThanOrEqual(1 + seconds / 0.045);
  expect(JSON.parse(String(await bodyIn('identity'))).count).toBe(changes);
  // However often the catalog was rebuilt, each entry was rendered once.
  expect(await metric('catalog_entries_rendered_total')).toBe(changes);
});

test('the bytes of a large page are those of a full read after each change, in every encoding', async () => {
  const { db, seed, catalogs, bodyIn } = await openCatalogs();
  const add = (name: string) => seed.listing({ manifest: { name, extra: name.padEnd(40_000, '.') } });
  const expectWhole = async () => {
    await catalogs.rebuild(network);
    const whole = String((await renderCatalog(db.pool, { network })).body);
    const made = await catalogs.get(network)!.getRepresentation('identity');
    expect(made.parts.length).toBeGreaterThan(3);
    expect(made.headers[made.headers.indexOf('content-length') + 1]).toBe(String(Buffer.byteLength(whole)));
    expect(String(await bodyIn('identity'))).toBe(whole);
    expect(String(gunzipSync(await bodyIn('gzip')))).toBe(whole);
    expect(String(brotliDecompressSync(await bodyIn('br')))).toBe(whole);
  };
  const listed = [];
  for (let n = 0; n < 40; n++) listed.push(await add(`Adaptor ${n}`));
  await expectWhole();
  await seed.attestation(listed[20]!.serviceType, address(1), 4);
  await expectWhole();
  // All entries after it move by one.
  await db.pool.query('update listings set listed = false where service_type = $1', [listed[3]!.serviceType]);
  await seed.refresh();
  await expectWhole();
  for (let n = 0; n < 9; n++) await add(`Newcomer ${n}`);
  await expectWhole();
});

test('only the entries that a change concerns are rendered, and the bytes are those of a full read', async () => {
  const { db, seed, catalogs, metric, bodyIn } = await openCatalogs();
  let renderedBefore = 0;
  /** Rebuilds after a change, and returns the number of entries that it rendered. */
  async function rebuilt(): Promise<number> {
    await catalogs.rebuild(network);
    const whole = await renderCatalog(db.pool, { network });
    expect(String(await bodyIn('identity'))).toBe(String(whole.body));
    const total = await metric('catalog_entries_rendered_total');
    const rendered = total - renderedBefore;
    renderedBefore = total;
    return rendered;
  }
  const unlist = async (serviceType: string) => {
    await db.pool.query('update listings set listed = false where service_type = $1', [serviceType]);
    await seed.refresh();
  };

  expect(await rebuilt()).toBe(0);
  const listed = [];
  for (let n = 0; n < 100; n++) listed.push(await seed.listing());
  expect(await rebuilt()).toBe(100);

  await seed.attestation(listed[40]!.serviceType, address(1), 4);
  expect(await rebuilt()).toBe(1);
  await seed.changedSilently();
  expect(await rebuilt()).toBe(0);
  await unlist(listed[7]!.serviceType);
  expect(await rebuilt()).toBe(0);

  // An entry shows others whose names look like its own. These change without a revision of the entry.
  const tips = [await seed.listing({ manifest: { name: 'Tip Jar' } })];
  expect(await rebuilt()).toBe(1);
  for (let n = 0; n < 8; n++) tips.push(await seed.listing({ manifest: { name: 'Tip-jar' } }));
  expect(await rebuilt()).toBe(9);
  await seed.listing({ manifest: { name: 'TIP JAR' } });
  expect(await rebuilt()).toBe(1);
  await seed.attestation(tips[8]!.serviceType, address(1), 4);
  expect(await rebuilt()).toBe(1);
  await seed.attestation(tips[1]!.serviceType, address(1), 4);
  expect(await rebuilt()).toBe(10);
  // All entries that stay are older than the last of them.
  await unlist(tips[0]!.serviceType);
  expect(await rebuilt()).toBe(9);
});

test('an encoding is made once, at its first request, and made again only if the page changed', async () => {
  const { seed, catalogs, bodyIn } = await openCatalogs();
  for (let n = 0; n < 20; n++) await seed.listing();
  await catalogs.rebuild(network);
  const first = catalogs.get(network)!;
  const making = first.getRepresentation('br');
  expect(making).toBeInstanceOf(Promise);
  expect(first.getRepresentation('br')).toBe(making);
  const made = await making;
  expect(first.getRepresentation('br')).toBe(made);
  expect(brotliDecompressSync(await bodyIn('br'))).toEqual(await bodyIn('identity'));
  expect(gunzipSync(await bodyIn('gzip'))).toEqual(await bodyIn('identity'));

  await seed.changedSilently();
  await catalogs.rebuild(network);
  expect(catalogs.get(network)!.getRepresentation('br')).toBe(made);

  await seed.listing();
  await catalogs.rebuild(network);
  expect(catalogs.get(network)!.getRepresentation('br')).toBeInstanceOf(Promise);
  expect((await catalogs.get(network)!.getRepresentation('br')).etag).not.toBe(made.etag);
});

test('however many entries are rendered, other requests get a turn after each few of them', async () => {
  const { db, seed, catalogs } = await openCatalogs();
  for (let n = 0; n < 100; n++) await seed.listing();
  let [sinceTurn, most, all, ended] = [0, 0, 0, false];
  const stringify = JSON.stringify;
  const spy = vi.spyOn(JSON, 'stringify').mockImplementation((value: { manifestHash?: string }) => {
    if (value?.manifestHash !== undefined) {
      all++;
      most = Math.max(most, ++sinceTurn);
    }
    return stringify(value);
  });
  const turn = () => {
    sinceTurn = 0;
    if (!ended) setImmediate(turn);
  };
  turn();
  try {
    await catalogs.rebuild(network);
    await renderCatalog(db.pool, { network, sort: 'name' });
    await renderChanges(db.pool, { network, since: 0, includeUnverified: false });
  } finally {
    ended = true;
    spy.mockRestore();
  }
  expect(all).toBe(300);
  expect(most).toBeLessThanOrEqual(8);
});
