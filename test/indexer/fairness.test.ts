import { createServer, type RequestListener } from 'node:http';
import type { LookupFunction } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { manifestHash } from '@adaptor-marketplace/adaptor/manifest';
import { Registry } from '@prometheus-io/client';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from '../../db/client.ts';
import { createOutbound, type Outbound } from '../../lib/outbound/index.ts';
import { openFindings } from '../../services/indexer/checks/findings.ts';
import { createListingQueues } from '../../services/indexer/checks/listings.ts';
import { createFetchReader } from '../../services/indexer/manifests/fetches.ts';
import { createIndexerMetrics } from '../../services/indexer/reporting/metrics.ts';
import { createTestDatabase, indexedTo } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { buildChain, id, manifest, type Registration } from '../support/frames/chain.ts';
import { settingsFor } from '../support/frames/packages.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { providersFor } from '../support/providers.ts';
import { runFrameNode, runIndexer } from '../support/run-indexer.ts';

let db: Database;
beforeEach(async () => {
  db = await createTestDatabase();
});

/** One server for every host name. `asked` has the names in the order of their requests. */
async function startHosts(answer: RequestListener) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers.host!.split(':')[0]!);
    answer(request, response);
  });
  const { port, close } = await listenLocally(server);
  onTestFinished(close);
  return { asked, uri: (name: string) => `http://${name}:${port}/manifest.json` };
}

const everyName: LookupFunction = (_name, options, callback) => {
  const found = { address: '127.0.0.1', family: 4 };
  if (options.all) callback(null, [found]);
  else callback(null, found.address, found.family);
};

/** Fetches with a timeout of an hour, so that a fetch that hangs keeps its slot. */
function patientOutbound(): Outbound {
  const outbound = createOutbound({ allowCidrs: ['127.0.0.0/8'], lookup: everyName });
  onTestFinished(() => outbound.close());
  return {
    ...outbound,
    fetchBytes: (url, options) => outbound.fetchBytes(url, { ...options, timeoutMs: 3_600_000 }),
  };
}

const honest = (uri: string): Registration => ({
  packageId: id(9_999),
  publisher: id(100),
  uri,
  hash: manifestHash(manifest(id(9_999))),
});
const honestPackage = { [id(9_999)]: { sender: id(100) } };

const drip: RequestListener = (_, response) => {
  const timer = setInterval(() => response.write(' '), 5);
  response.on('close', () => clearInterval(timer));
};

const readStatus = async (uri: string) =>
  (await db.pool.query<{ status: string }>('select status from manifest_fetches where uri = $1', [uri]))
    .rows[0]?.status;

test('eighty hosts that drip for ever hold up no other', async () => {
  const hosts = await startHosts((request, response) => {
    if (request.headers.host?.startsWith('honest')) response.end(JSON.stringify(manifest(id(9_999))));
    else drip(request, response);
  });
  const dripping = Array.from({ length: 80 }, (_, n) => ({
    packageId: id(n + 1),
    publisher: id(200 + n),
    uri: hosts.uri(`drip${n}.example`),
    hash: 'ab'.repeat(32),
  }));
  // The honest publisher is not verified yet, so its manifest has no precedence.
  const good = honest(hosts.uri('honest.example'));
  const chain = buildChain([...dripping, good]);
  const node = await runFrameNode({ chain, tip: chain.last - 1 });
  let isOver = true;
  runIndexer({
    db,
    networks: [settingsFor(node.url)],
    outbound: patientOutbound(),
    // The fast phase ends at once for the hosts that drip, and never for the honest one.
    fastFor: (signal) =>
      isOver
        ? Promise.resolve()
        : new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  });
  // Manifests that found no slow slot free are retried later. The others keep dripping in the slow slots.
  await eventually(async () => {
    const { rows } = await db.pool.query(
      `select status, count(*) from manifest_fetches group by 1 order by 1`,
    );
    expect(rows).toEqual([
      { status: 'pending', count: 32 },
      { status: 'unreachable', count: 48 },
    ]);
  });
  isOver = false;
  node.advance(chain.last);
  await eventually(async () => expect(await readStatus(good.uri)).toBe('verified'));
  expect(hosts.asked.filter((name) => name === 'honest.example')).toHaveLength(1);
});

test('a verified publisher’s manifest goes before those of any number of others', async () => {
  const hosts = await startHosts((request, response) => {
    if (request.headers.host?.startsWith('honest')) response.end(JSON.stringify(manifest(id(9_999))));
  });
  const junk = Array.from({ length: 500 }, (_, n) => ({
    packageId: id(n + 1),
    publisher: id(20_000 + n),
    uri: hosts.uri(`junk${n}.example`),
    hash: 'ab'.repeat(32),
  }));
  const good = honest(hosts.uri('honest.example'));
  const chain = buildChain([...junk, good]);
  const node = await runFrameNode({ chain, tip: chain.last, packages: honestPackage });
  const verified = Promise.withResolvers<void>();
  let begun = 0;
  const { pool } = db;
  const query = pool.query.bind(pool);
  /** Longest read of the due fetches, in milliseconds. */
  let readMs = 0;
  vi.spyOn(pool, 'query').mockImplementation(async (...given: unknown[]) => {
    const [asked] = given as [{ name?: string }];
    const begunMs = performance.now();
    const answer = await Reflect.apply(query, pool, given);
    if (asked.name?.startsWith('due-fetches-first')) readMs = Math.max(readMs, performance.now() - begunMs);
    return answer;
  });
  runIndexer({
    db,
    networks: [settingsFor(node.url)],
    outbound: patientOutbound(),
    // No slot becomes free before the publisher check, and afterwards none before its fetch has reached the host.
    async fastFor(signal) {
      begun += 1;
      const order = begun;
      await verified.promise;
      while (!signal.aborted && hosts.asked.length < order) await delay(5);
    },
  });
  await eventually(async () => {
    const { rows } = await db.pool.query('select publisher_check from listings where publisher = $1', [
      id(100),
    ]);
    expect(rows).toEqual([{ publisher_check: 'verified' }]);
  });
  // The worker hears of the check after its commit. Reads take a thirtieth of the time, so that the order is read again
  // thirty times as long after a read, with the work around the statement.
  await delay(2_000 + 120 * readMs);
  verified.resolve();
  await eventually(async () => expect(hosts.asked).toContain('honest.example'));
  // The fetches that already had slots come first, and at most as many that were about to start.
  expect(hosts.asked.indexOf('honest.example')).toBeLessThanOrEqual(32);
});

/** Indexes the registrations without any check. */
async function index(registrations: Registration[]): Promise<ReturnType<typeof settingsFor>> {
  const chain = buildChain(registrations);
  const node = await runFrameNode({ chain, tip: chain.last });
  const settings = settingsFor(node.url);
  const indexer = runIndexer({ db, networks: [settings] });
  await indexedTo(db, chain.last);
  await indexer.close();
  await db.pool.query(
    `update manifest_fetches set status = 'pending', attempts = 0, next_attempt_at = now() - interval '1 hour'`,
  );
  await db.pool.query(`update listings
      set next_check_at = now() - interval '1 hour', check_attempts = 0, manifest_tried = false`);
  return settings;
}

test('of many publishers and hosts, each has its first manifest fetched before any has its second', async () => {
  const registrations = [
    ...Array.from({ length: 300 }, (_, n) => ({ publisher: id(5), uri: `https://host${n}.example/` })),
    ...Array.from({ length: 300 }, (_, n) => ({ publisher: id(1_000 + n), uri: `https://one.example/${n}` })),
    { publisher: id(6), uri: 'https://honest.example/' },
  ].map((made, n) => ({ ...made, packageId: id(n + 1), hash: 'ab'.repeat(32) }));
  await index(registrations);
  // This fetch became due last, but it is in the first batch.
  await db.pool.query(`update manifest_fetches set next_attempt_at = now() where uri = $1`, [
    'https://honest.example/',
  ]);
  const { waiting: due } = await createFetchReader(db.pool, 'testnet', 'first')(500);
  const of = (group: string) => due.slice(0, 3).filter(({ groups }) => groups.includes(group)).length;
  expect([of(`publisher ${id(5)}`), of('host one.example'), of('host honest.example')]).toEqual([1, 1, 1]);
});

test('a publisher’s two thousand listings delay the check of another’s by one', async () => {
  const flood = Array.from({ length: 2_000 }, (_, n) => ({ publisher: id(5), packageId: id(n + 1) }));
  const registrations = [...flood, { publisher: id(6), packageId: id(9_999) }].map((made) => ({
    ...made,
    uri: 'walrus://none',
    hash: 'ab'.repeat(32),
  }));
  const settings = await index(registrations);
  await db.pool.query('update listings set next_check_at = now() where publisher = $1', [id(6)]);
  const metrics = createIndexerMetrics(new Registry());
  const dependencies = { db, settings, metrics, providers: providersFor(settings) };
  const queues = createListingQueues(
    'listings',
    dependencies,
    openFindings(dependencies, () => undefined),
  );
  onTestFinished(() => queues.close());
  const [tried, untried] = queues.first.partitions;
  const readPublishers = async (partition: typeof tried) =>
    (await partition!.due(2)).waiting.map(({ job }) => job.publisher).sort();
  expect([await readPublishers(tried), await readPublishers(untried)]).toEqual([[], [id(5), id(6)]]);
  await db.pool.query('update manifest_fetches set attempts = 1');
  // Manifests that could not be fetched are searched for once a second.
  await eventually(async () => expect(await readPublishers(tried)).toEqual([id(5), id(6)]));
  expect(await readPublishers(untried)).toEqual([]);
});
