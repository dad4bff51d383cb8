import { createServer, type ServerResponse } from 'node:http';
import { manifestHash } from '@adaptor-marketplace/adaptor/manifest';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../db/client.ts';
import { readCatalog } from '../../db/queries/catalog/list.ts';
import { registryEvents } from '../../lib/chain/events/registry.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { buildChain, id, manifest } from '../support/frames/chain.ts';
import { settingsFor } from '../support/frames/packages.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { runFrameNode, runIndexer } from '../support/run-indexer.ts';

let db: Database;
beforeEach(async () => {
  db = await createTestDatabase();
});

const publisher = id(0xd4);
const first = { ...manifest(id(1)), name: 'First' };

/**
 * Starts an indexer, and waits until the first version of a listing is in the catalog and its publisher is checked. `update`
 * registers a second version. The fetch of its manifest waits until the test ends the response `secondFetch`.
 */
async function startListed(second: { packageId?: string; body?: object } = {}) {
  const body = second.body ?? { ...first, name: 'Second' };
  const packageId = second.packageId ?? id(1);
  const waiting = Promise.withResolvers<ServerResponse>();
  const host = createServer((request, response) => {
    if (request.url === '/1') response.end(JSON.stringify(first));
    else waiting.resolve(response);
  });
  const { url, close } = await listenLocally(host);
  const at = (path: string, document: object) => ({ uri: url + path, hash: manifestHash(document) });
  const chain = buildChain([
    { packageId: id(1), publisher, ...at('/1', first) },
    { packageId: id(1), publisher, ...at('/1', first) },
    { packageId: id(1), publisher, ...at('/1', first) },
  ]);
  const serviceType = `${id(1)}::adaptor::Adaptor`;
  const newer = at('/2', body);
  const type = (name: string) => `${chain.registryPackageId}::registry::${name}`;
  chain.transactions[1]!.events = [
    {
      type: type('Updated'),
      contents: registryEvents.encode('Updated', {
        serviceType,
        packageId,
        publisher,
        version: 2,
        timestampMs: 1,
        manifestUri: newer.uri,
        manifestHash: newer.hash,
      }),
    },
  ];
  chain.transactions[2]!.events = [
    {
      type: type('Unlisted'),
      contents: registryEvents.encode('Unlisted', { serviceType, publisher, version: 2, timestampMs: 1 }),
    },
  ];
  const packages = { [id(1)]: { sender: publisher } };
  const node = await runFrameNode({ chain, tip: chain.transactions[0]!.checkpoint, packages });
  const outbound = createOutbound({ allowCidrs: ['127.0.0.0/8'] });
  onTestFinished(() => outbound.close());
  runIndexer({ db, networks: [settingsFor(node.url)], outbound, lookAgainMs: 50 });
  onTestFinished(close);
  await eventually(async () => {
    expect(await readShown()).toEqual([['First', 1, null]]);
    const { entries } = await readCatalog(db.pool, { network: 'testnet' });
    expect(entries).toMatchObject([{ publisherVerified: true }]);
  });
  return {
    update: () => node.advance(chain.transactions[1]!.checkpoint),
    unlist: () => node.advance(chain.transactions[2]!.checkpoint),
    /** The response to the fetch of the second manifest, once it is requested. */
    secondFetch: waiting.promise,
    body: JSON.stringify(body),
    newerUri: newer.uri,
  };
}

/** Reads name, version and pending version of each entry. */
async function readShown() {
  const { entries } = await readCatalog(db.pool, { network: 'testnet' });
  return entries.map(({ manifest: { name }, version, pending }) => [name, version, pending]);
}

test('a listing stays in the catalog while its newer version is judged, and then shows that one', async () => {
  const { update, secondFetch, body, newerUri } = await startListed();
  update();
  const response = await secondFetch;
  const pending = { version: 2, packageId: id(1), manifestUri: newerUri, state: 'pending' };
  expect(await readShown()).toEqual([['First', 1, pending]]);
  response.end(body);
  await eventually(async () => expect(await readShown()).toEqual([['Second', 2, null]]));
});

test('a listing leaves the catalog once the manifest of its newer version is known to be wrong', async () => {
  const { update, secondFetch } = await startListed();
  update();
  (await secondFetch).end(JSON.stringify({ ...first, name: 'Third' }));
  await eventually(async () => expect(await readShown()).toEqual([]));
  const { rows } = await db.pool.query('select service_type from catalog_removals');
  expect(rows).toHaveLength(1);
});

test('a listing leaves the catalog when it is unlisted while its newer version is judged', async () => {
  const { update, unlist, secondFetch } = await startListed();
  update();
  await secondFetch;
  unlist();
  await eventually(async () => expect(await readShown()).toEqual([]));
});

test('a listing whose newer manifest is unreachable keeps its last verified version for a day', async () => {
  const { update, secondFetch, newerUri } = await startListed();
  update();
  (await secondFetch).writeHead(404).end();
  const pending = { version: 2, packageId: id(1), manifestUri: newerUri, state: 'unreachable' };
  await eventually(async () => expect(await readShown()).toEqual([['First', 1, pending]]));
  const { rows } = await db.pool.query(
    'select extract(epoch from leaves_at - now()) / 3600 as hours from catalog_entries',
  );
  expect(Math.round(Number(rows[0].hours))).toBe(24);

  await db.pool.query(`update catalog_entries set leaves_at = now() - interval '1 second'`);
  await eventually(async () => expect(await readShown()).toEqual([]));
});

test('a listing that moves to another package is shown with its former one, which the entry says', async () => {
  const { update, secondFetch, newerUri } = await startListed({
    packageId: id(2),
    body: { ...first, packageId: id(2) },
  });
  update();
  await secondFetch;
  const { entries } = await readCatalog(db.pool, { network: 'testnet' });
  expect(entries).toMatchObject([
    { packageId: id(1), publisherVerified: true, pending: { packageId: id(2), manifestUri: newerUri } },
  ]);
});
