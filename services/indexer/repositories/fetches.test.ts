import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Registry } from '@prometheus-io/client';
import { pack } from 'tar-stream';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../../db/client.ts';
import { decodeContent } from '../../../db/queries/package-sources/content.ts';
import { readNamedSources } from '../../../db/queries/package-sources/named.ts';
import * as tables from '../../../db/schema/index.ts';
import { createOutbound, type Outbound } from '../../../lib/outbound/index.ts';
import { openTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { settingsFor } from '../../../test/support/frames/packages.ts';
import { listenLocally } from '../../../test/support/listen-locally.ts';
import { type ListingSeed, readModelBuilder } from '../../../test/support/read-model.ts';
import { workOn } from '../queue/testing/work-on.ts';
import { createIndexerMetrics } from '../reporting/metrics.ts';
import { createSourceFetchQueue } from './fetches.ts';
import { archiveLimits } from './read-tar.ts';

const network = 'testnet';
const commit = '0123456789abcdef0123456789abcdef01234567';
const repository = 'https://github.com/reef/contracts';
const archivePath = `/reef/contracts/tar.gz/${commit}`;
const files = {
  'pool/Move.toml': '[package]\nname = "pool"\n[dependencies]\nmath = { local = "../math" }\n',
  'pool/sources/pool.move': 'module pool::pool;\n',
  'math/Move.toml': '[package]\nname = "math"\n',
  'math/sources/math.move': 'module math::math;\n',
  'README.md': 'Pools.',
};

let db: Database;
let seed: ReturnType<typeof readModelBuilder>;
let outbound: Outbound;
let host: Awaited<ReturnType<typeof listenLocally>>;
/** Urls that were requested, of the real hosts. */
let requested: string[];
/** Responses by path; others are 404. */
let responses: Map<string, { status?: number; headers?: Record<string, string>; body?: Buffer }>;

beforeAll(async () => {
  db = await openTestDatabase();
  host = await listenLocally(
    createServer((request, response) => {
      const { status = 200, headers = {}, body } = responses.get(request.url!) ?? { status: 404 };
      response.writeHead(status, headers).end(body);
    }),
  );
  const loopback = createOutbound({ allowCidrs: ['127.0.0.0/8'] });
  // The hosts of repositories are on the internet.
  outbound = {
    ...loopback,
    fetchBytes: (url, options) => {
      requested.push(url);
      return loopback.fetchBytes(url.replace(/^https:\/\/[^/]+/, host.url), options);
    },
  };
});
afterAll(async () => {
  await outbound.close();
  await host.close();
  await db.close();
});
beforeEach(async () => {
  requested = [];
  responses = new Map();
  await db.pool.query(`truncate named_sources, package_sources, offered_sources, listings, listing_versions, manifests,
    manifest_fetches, events, catalog_entries, catalog_removals, catalog_state, op_tools, publisher_proofs`);
  seed = readModelBuilder(db);
});

async function archive(content: Readonly<Record<string, string>>): Promise<Buffer> {
  const tar = pack();
  for (const [path, text] of Object.entries(content)) tar.entry({ name: `contracts-0123/${path}` }, text);
  tar.finalize();
  return promisify(gzip)(Buffer.concat((await Array.fromAsync(tar)) as Uint8Array[]));
}

/** Lists a package whose manifest names the source. Returns the package. */
async function list(source: unknown, more: ListingSeed = {}): Promise<string> {
  const { serviceType } = await seed.listing({ manifest: { source }, ...more });
  return serviceType.split('::')[0]!;
}

const openQueue = () => {
  const metrics = createIndexerMetrics(new Registry());
  const settings = settingsFor('http://127.0.0.1:1');
  return createSourceFetchQueue(
    { db, settings, metrics },
    { outbound, signal: new AbortController().signal },
  );
};

const readNamed = async (packageId: string) =>
  (await readNamedSources(db.pool, [{ network, packageId }]))[0]!;

/** Fetches the source of a package that is due, and returns what is stored. */
async function fetchOnce(packageId: string) {
  const queue = openQueue();
  const { waiting } = await queue.partitions[0]!.due(10);
  const found = waiting.find(({ job }) => job.packageId === packageId);
  expect(found).toBeDefined();
  await queue.work(found!.job, { isContended: false, free: () => undefined, moveTo: () => false });
  return await readNamed(packageId);
}
const makeDue = () =>
  db.pool.query('update named_sources set next_check_at = now() where next_check_at is not null');

test('source that a verified publisher names is fetched with the packages that it uses, and offered', async () => {
  responses.set(archivePath, { body: await archive(files) });
  const packageId = await list({ repository, commit, path: 'pool' });
  workOn(db, openQueue());
  await eventually(async () =>
    expect(await readNamed(packageId)).toMatchObject({
      offer: expect.stringMatching(/^[0-9a-f]{64}$/),
      state: 'read',
      reason: null,
      nextAttemptAtMs: null,
    }),
  );
  expect(requested).toEqual([`https://codeload.github.com${archivePath}`]);
  const [offer] = await db.orm.select().from(tables.packageSources);
  expect(offer).toMatchObject({ packageId, sender: null, verdict: null, nextCheckAt: expect.any(Date) });
  const [stored] = await db.orm.select().from(tables.offeredSources);
  const { folder, packages } = await decodeContent(stored!.content);
  expect(folder).toBe('/pool');
  expect([...packages].map(([dir, texts]) => [dir, Object.keys(texts)])).toEqual([
    ['/math', ['Move.toml', 'sources/math.move']],
    ['/pool', ['Move.toml', 'sources/pool.move']],
  ]);
});

test('source in the top folder, and source on GitLab, are fetched', async () => {
  const top = { 'Move.toml': '[package]\nname = "pool"\n', 'sources/pool.move': 'module pool::pool;\n' };
  const path = `/reef/move/pool/-/archive/${commit}/pool-${commit}.tar.gz`;
  responses.set(path, { body: await archive(top) });
  const packageId = await list({ repository: 'https://gitlab.com/reef/move/pool.git', commit });
  expect(await fetchOnce(packageId)).toMatchObject({ offer: expect.any(String) });
  expect(requested).toEqual([`https://gitlab.com${path}`]);
});

test('a commit is fetched once for a package, however many of its listings name it, and again when it changes', async () => {
  const source = { repository, commit, path: 'pool' };
  const packageId = await list(source);
  await list(source, { serviceType: `${packageId}::other::Other` });
  expect(await db.orm.select().from(tables.namedSources)).toHaveLength(1);
  await list({ ...source, commit: 'f'.repeat(40) }, { serviceType: `${packageId}::third::Third` });
  expect(await db.orm.select().from(tables.namedSources)).toHaveLength(2);
  expect(await readNamed(packageId)).toMatchObject({ commit: 'f'.repeat(40) });
});

test.each<[string, unknown, ListingSeed]>([
  ['a publisher that is not verified', { repository, commit }, { row: { publisherCheck: 'unverified' } }],
  ['a manifest without it', {}, {}],
  ['a manifest from before the field, with a text', 'https://github.com/reef/contracts', {}],
  ['a manifest from before the field, with a branch', { repository, commit: 'main' }, {}],
])('nothing is fetched for %s', async (_, source, more) => {
  await list(source, more);
  expect(await db.orm.select().from(tables.namedSources)).toEqual([]);
});

test.each([
  ['https://git.reef.example/reef/contracts'],
  ['https://github.com/reef'],
  ['https://me:secret@github.com/reef/contracts'],
  ['https://github.com:8443/reef/contracts'],
  ['http://169.254.169.254/latest/meta-data'],
])('nothing is requested from %s, and the reason says what to do', async (other) => {
  const named = await fetchOnce(await list({ repository: other, commit }));
  expect(requested).toEqual([]);
  expect(named).toMatchObject({ state: 'failed', offer: null, nextAttemptAtMs: null });
  expect(named.reason).toContain('github.com and gitlab.com alone');
});

test('a commit that the host does not have yet is fetched again later, and less often each time', async () => {
  const packageId = await list({ repository, commit, path: 'pool' });
  const waits: number[] = [];
  for (const _ of [1, 2, 3]) {
    const { state, nextAttemptAtMs, reason } = await fetchOnce(packageId);
    expect(state).toBe('waiting');
    expect(reason).toMatch(/^The host answered 404\. Check that the commit is pushed/);
    waits.push(nextAttemptAtMs! - Date.now());
    await makeDue();
  }
  expect(waits[1]).toBeGreaterThan(5 * waits[0]!);
  expect(waits[2]).toBeGreaterThan(5 * waits[1]!);
  responses.set(archivePath, { body: await archive(files) });
  expect(await fetchOnce(packageId)).toMatchObject({ offer: expect.any(String), reason: null });
});

test('a host that stays without the commit is left alone after the last attempt', async () => {
  const packageId = await list({ repository, commit });
  await db.pool.query('update named_sources set check_attempts = 100');
  expect(await fetchOnce(packageId)).toMatchObject({ state: 'failed', offer: null, nextAttemptAtMs: null });
});

test.each<
  [string, () => Promise<{ status?: number; headers?: Record<string, string>; body?: Buffer }>, string]
>([
  [
    'a redirect to another host',
    async () => ({ status: 302, headers: { location: 'http://169.254.169.254/' } }),
    'If the repository has moved, name its new url',
  ],
  [
    'an archive that is too large',
    async () => ({ headers: { 'content-length': String(archiveLimits.bytes + 1) } }),
    'Offer the package as a zip file.',
  ],
  ['a page in place of an archive', async () => ({ body: Buffer.from('<html>') }), 'cannot be read'],
  [
    'an archive without the folder',
    async () => ({ body: await archive({ 'a.txt': '' }) }),
    'no Move.toml in the folder',
  ],
  [
    'a name that leads out',
    async () => ({ body: await archive({ '../../etc/Move.toml': '' }) }),
    'could lead out of it',
  ],
])('%s is refused for good, with the reason', async (_, respond, reason) => {
  responses.set(archivePath, await respond());
  const named = await fetchOnce(await list({ repository, commit, path: 'pool' }));
  expect(named).toMatchObject({ state: 'failed', offer: null, nextAttemptAtMs: null });
  expect(named.reason).toContain(reason);
  expect(await db.orm.select().from(tables.offeredSources)).toEqual([]);
});
