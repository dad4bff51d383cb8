import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { domainProofPath } from '@adaptor-marketplace/adaptor/manifest';
import { NodeRefusedError, startNodeDouble } from '@adaptor-marketplace/adaptor/testing/node-double';
import * as grpc from '@grpc/grpc-js';
import { Registry } from '@prometheus-io/client';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../db/client.ts';
import { recordProof } from '../../../db/queries/catalog/proofs.ts';
import * as tables from '../../../db/schema/index.ts';
import { createOutbound, type Outbound } from '../../../lib/outbound/index.ts';
import { openTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { settingsFor } from '../../../test/support/frames/packages.ts';
import { providersFor } from '../../../test/support/providers.ts';
import { address, readModelBuilder } from '../../../test/support/read-model.ts';
import { workOn } from '../queue/testing/work-on.ts';
import { createIndexerMetrics } from '../reporting/metrics.ts';
import { createDomainQueue, createNameQueue, createPackageNameQueue } from './proofs.ts';

const network = 'testnet';
const publisher = address(0xa1);
const domain = 'reef.example';

let db: Database;
let seed: ReturnType<typeof readModelBuilder>;
let outbound: Outbound;
/** Files of domains by domain, and other responses by host and path. Others are 404. */
let files: Record<string, string>;
let urls: string[];
/** Server of the names of packages. */
let mvrUrl: string | undefined;
let node: Awaited<ReturnType<typeof startNodeDouble>>;
/** Default names by address, and addresses by name, as the node has them. */
let defaults: Record<string, string>;
let targets: Record<string, string>;
let refusal: NodeRefusedError | undefined;
const server = createServer((request, response) => {
  const [, host = '', path = ''] = /^\/([^/]+)(\/.*)$/.exec(request.url!) ?? [];
  const file = files[path === domainProofPath ? host : `${host}${path}`];
  response.writeHead(file === undefined ? 404 : 200).end(file);
});

beforeAll(async () => {
  db = await openTestDatabase();
  node = await startNodeDouble({
    reverseLookupName({ address: asked }: { address: string }) {
      if (refusal) throw refusal;
      const name = defaults[asked];
      if (!name) throw new NodeRefusedError(grpc.status.NOT_FOUND, 'not found');
      return { record: { name, targetAddress: asked, data: {} } };
    },
    lookupName({ name }: { name: string }) {
      if (refusal) throw refusal;
      return { record: { name, targetAddress: targets[name], data: {} } };
    },
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const loopback = createOutbound({ allowCidrs: ['127.0.0.0/8'] });
  // The hosts of the test have no certificates: their files are at http, below the name of the host.
  outbound = {
    ...loopback,
    fetchBytes(url, options) {
      urls.push(url);
      return loopback.fetchBytes(url.replace('https://', `http://127.0.0.1:${port}/`), options);
    },
  };
});
afterAll(async () => {
  await outbound.close();
  server.close();
  node.close();
  await db.close();
});
beforeEach(async () => {
  files = {};
  urls = [];
  defaults = {};
  targets = {};
  refusal = undefined;
  mvrUrl = 'https://mvr.example';
  await db.pool.query(`truncate listings, listing_versions, manifests, manifest_fetches, events, catalog_entries,
    catalog_removals, catalog_state, op_tools, publisher_proofs`);
  seed = readModelBuilder(db);
});

function openQueue(kind: tables.ProofKind = 'domain') {
  const metrics = createIndexerMetrics(new Registry());
  const settings = settingsFor(node.url, { mvrUrl });
  const options = { db, settings, metrics, providers: providersFor(settings) };
  const { signal } = new AbortController();
  if (kind === 'domain') return createDomainQueue(options, { outbound, signal });
  if (kind === 'mvr') return createPackageNameQueue(options, { outbound, signal });
  const queue = createNameQueue(options);
  onTestFinished(() => queue.close());
  return queue;
}

const list = (profile: object, more: object = {}) =>
  seed.listing({ publisher, manifest: { profile }, ...more });
const naming = (...publishers: string[]) => JSON.stringify({ publishers });
const readRows = async (kind: tables.ProofKind = 'domain') =>
  (await db.orm.select().from(tables.publisherProofs)).filter((row) => row.kind === kind);
const readCatalog = () => db.orm.select().from(tables.catalogEntries);
const readEntries = async () =>
  (await readCatalog()).map(({ domain, domainSeenAt }) => ({ domain, domainSeenAt }));
const readNames = async () => (await readCatalog()).map(({ publisherName }) => publisherName);
const readRevision = async () => (await db.orm.select().from(tables.catalogState))[0]!.version;

/** Checks the names of a kind that the publisher claims, whenever they are due. */
async function check(kind: tables.ProofKind = 'domain'): Promise<void> {
  await db.pool.query('update publisher_proofs set next_check_at = now()');
  const queue = openQueue(kind);
  const slot = { isContended: false, free: () => undefined, moveTo: () => false };
  const { rows } = await db.pool.query<{ claim: string }>(
    'select claim from publisher_proofs where kind = $1 and publisher = $2 order by claim',
    [kind, publisher],
  );
  for (const { claim } of rows) {
    const current = await queue.current({ publisher, kind, claim, attempts: 0, needed: true });
    await queue.work(current!, slot);
  }
}

test('a domain whose file names the publisher is shown with the time at which it was seen', async () => {
  await list({ name: 'Reef Labs', domain });
  expect(await readEntries()).toEqual([{ domain, domainSeenAt: null }]);
  files[domain] = naming(address(7), publisher);
  workOn(db, openQueue());
  await eventually(async () => {
    const [row] = await readRows();
    expect(row!.nextCheckAt.getTime()).toBeGreaterThan(Date.now() + 3_600_000);
  });
  const [row] = await readRows();
  expect(row).toMatchObject({ publisher, name: domain, seenAt: expect.any(Date), checkAttempts: 0 });
  expect(await readEntries()).toEqual([{ domain, domainSeenAt: row!.seenAt }]);
  expect(urls).toEqual([`https://${domain}${domainProofPath}`]);
});

test('a failed check takes the proof away, and a later one gives it back', async () => {
  await list({ domain });
  files[domain] = naming(publisher);
  await check();
  const proven = await readRevision();
  files[domain] = naming(address(7));
  await check();
  expect(await readEntries()).toEqual([{ domain, domainSeenAt: null }]);
  expect((await readRows())[0]).toMatchObject({ seenAt: null, checkAttempts: 1 });
  expect((await readRows())[0]!.lastError).toContain('does not name the publisher');
  expect(await readRevision()).toBeGreaterThan(proven);
  delete files[domain];
  await check();
  expect((await readRows())[0]).toMatchObject({ lastError: 'The host answered 404.', checkAttempts: 2 });
  files[domain] = naming(publisher);
  await check();
  expect((await readEntries())[0]!.domainSeenAt).toEqual(expect.any(Date));
});

test('a file that is too large proves nothing', async () => {
  await list({ domain });
  files[domain] = JSON.stringify({ publishers: [publisher], padding: 'a'.repeat(64 * 1024) });
  await check();
  expect((await readRows())[0]!.lastError).toContain('larger than 65536 bytes');
});

test('a new entry that names a proven domain shows it at once', async () => {
  await list({ domain });
  files[domain] = naming(publisher);
  await check();
  await list({ domain });
  const seen = { domain, domainSeenAt: (await readRows())[0]!.seenAt };
  expect(await readEntries()).toEqual([seen, seen]);
});

test('the domain of a publisher that is not verified is not fetched', async () => {
  await list({ domain }, { row: { publisherCheck: 'unverified' } });
  expect([await readRows(), await readRows('suins'), await readRows('mvr')]).toEqual([[], [], []]);
  expect(await readEntries()).toEqual([{ domain, domainSeenAt: null }]);
});

test('the proof of one publisher is none for another that names the domain', async () => {
  await list({ domain });
  await seed.listing({ publisher: address(0xa2), manifest: { profile: { domain } } });
  files[domain] = naming(publisher);
  await check();
  const { rows } = await db.pool.query(
    'select publisher from catalog_entries where domain_seen_at is not null',
  );
  expect(rows).toEqual([{ publisher }]);
});

test('a domain that no entry names any longer is forgotten, without a request', async () => {
  await list({ domain });
  await db.pool.query('delete from catalog_entries');
  await check();
  await check('suins');
  await check('mvr');
  expect([await readRows(), await readRows('suins'), await readRows('mvr'), urls]).toEqual([[], [], [], []]);
});

test('all entries of a publisher change, page by page, and none twice', async () => {
  for (let nth = 0; nth < 5; nth++) await list({ domain });
  const before = await readRevision();
  const key = { publisher, kind: 'domain' as const, claim: domain };
  const outcome = { ...key, attempts: 1, name: domain, error: null, nextAfterSeconds: 60 };
  await recordProof(db.pool, network, outcome, 2);
  expect((await readEntries()).every(({ domainSeenAt }) => domainSeenAt !== null)).toBe(true);
  expect(await readRevision()).toBe(before + 3);
});

test('a publisher has a SuiNS name only while it is its default name and resolves to it', async () => {
  await list({});
  defaults[publisher] = 'reef.sui';
  targets['reef.sui'] = address(7);
  await check('suins');
  expect(await readNames()).toEqual([null]);
  targets['reef.sui'] = publisher;
  await check('suins');
  expect(await readNames()).toEqual(['reef.sui']);
  const [entry] = await readCatalog();
  expect(entry!.searchText).toContain('reef.sui');
  delete defaults[publisher];
  await check('suins');
  expect(await readNames()).toEqual([null]);
});

test('a name stays while the node cannot answer, and goes when it has expired', async () => {
  await list({});
  defaults[publisher] = 'reef.sui';
  targets['reef.sui'] = publisher;
  await check('suins');
  refusal = new NodeRefusedError(grpc.status.INTERNAL, 'out of order');
  await check('suins');
  expect(await readNames()).toEqual(['reef.sui']);
  expect((await readRows('suins'))[0]).toMatchObject({
    checkAttempts: 1,
    lastError: 'INTERNAL: out of order',
  });
  refusal = new NodeRefusedError(grpc.status.RESOURCE_EXHAUSTED, 'name has expired');
  await check('suins');
  expect(await readNames()).toEqual([null]);
  expect((await readRows('suins'))[0]).toMatchObject({ checkAttempts: 0, lastError: null, seenAt: null });
});

test('a network without a name service is asked again after a day, as for an address without a name', async () => {
  await list({});
  refusal = new NodeRefusedError(grpc.status.UNIMPLEMENTED, 'SuiNS not configured for this network');
  await check('suins');
  const [row] = await readRows('suins');
  expect(row).toMatchObject({ name: null, checkAttempts: 0 });
  expect(row!.nextCheckAt.getTime()).toBeGreaterThan(Date.now() + 3_600_000);
});

/** Lets the server of names name a package, and resolve the name to another one. */
function namePackage(name: string, packageId: string, resolved = packageId): void {
  files[`mvr.example/v1/reverse-resolution/${packageId}`] = JSON.stringify({ name });
  files[`mvr.example/v1/resolution/${name}`] = JSON.stringify({ package_id: resolved });
}

const readPackageNames = async () =>
  Object.fromEntries((await readCatalog()).map(({ serviceType, packageName }) => [serviceType, packageName]));

test('each listing shows the MVR name of its own package while both lookups agree', async () => {
  const [named, other] = [await list({}), await list({})];
  const [packageId, otherId] = [named, other].map(({ serviceType }) => serviceType.split('::')[0]!);
  namePackage('@reef/vault', packageId!);
  // The name of another package does not become that of this one.
  namePackage('@reef/other', otherId!, packageId!);
  const worker = workOn(db, openQueue('mvr'));
  await eventually(async () =>
    expect((await readRows('mvr')).every(({ checkReady }) => !checkReady)).toBe(true),
  );
  await worker.end();
  expect(await readPackageNames()).toEqual({ [named.serviceType]: '@reef/vault', [other.serviceType]: null });
  const entry = (await readCatalog()).find(({ serviceType }) => serviceType === named.serviceType);
  expect(entry!.searchText).toContain('@reef/vault');
  const before = await readRevision();
  namePackage('@reef/vault', packageId!, address(7));
  await check('mvr');
  expect(await readPackageNames()).toEqual({ [named.serviceType]: null, [other.serviceType]: null });
  expect(await readRevision()).toBeGreaterThan(before);
});

test('an MVR name stays while the server is away, and goes when the operator turns the server off', async () => {
  const { serviceType } = await list({});
  namePackage('@reef/vault', serviceType.split('::')[0]!);
  await check('mvr');
  files = {};
  await check('mvr');
  expect(await readPackageNames()).toEqual({ [serviceType]: '@reef/vault' });
  expect((await readRows('mvr'))[0]).toMatchObject({ checkAttempts: 1, lastError: 'The host answered 404.' });
  mvrUrl = undefined;
  await check('mvr');
  expect(await readPackageNames()).toEqual({ [serviceType]: null });
  expect((await readRows('mvr'))[0]).toMatchObject({ checkAttempts: 0, lastError: null });
});
