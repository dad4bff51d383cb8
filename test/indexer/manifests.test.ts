import { createServer, type RequestListener, type Server } from 'node:http';
import { manifestHash } from '@adaptor-marketplace/adaptor/manifest';
import { GrpcTypes } from '@mysten/sui/grpc';
import { Registry } from '@prometheus-io/client';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from '../../db/client.ts';
import { readCatalog } from '../../db/queries/catalog/list.ts';
import { readPages } from '../../db/queries/lists.ts';
import { ruleList } from '../../db/queries/rules.ts';
import { rulesEvents } from '../../lib/chain/events/rules.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { createOutbound, type Outbound } from '../../lib/outbound/index.ts';
import { createChecks } from '../../services/indexer/checks/index.ts';
import { startIndexer } from '../../services/indexer/index.ts';
import { createIndexerMetrics } from '../../services/indexer/reporting/metrics.ts';
import { createTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { buildChain, type GeneratedChain, id, manifest } from '../support/frames/chain.ts';
import { type PublishedPackage, startFrameNode } from '../support/frames/node.ts';
import { packageIds, settingsFor } from '../support/frames/packages.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { providersFor } from '../support/providers.ts';
import { runFrameNode, runIndexer } from '../support/run-indexer.ts';

/** Longer than a test: only a notification wakes a check. */
const lookAgainMs = 3_600_000;

let db: Database;
beforeEach(async () => {
  db = await createTestDatabase();
});

/** A server in place of the publishers' hosts. It counts requests by path. */
async function startHost(answer: RequestListener) {
  const requests = new Map<string, number>();
  const server: Server = createServer((request, response) => {
    requests.set(request.url!, (requests.get(request.url!) ?? 0) + 1);
    answer(request, response);
  });
  const { url, close } = await listenLocally(server);
  onTestFinished(close);
  return { url, requests };
}

async function index(
  chain: GeneratedChain,
  allowCidrs: string[],
  aggregatorUrl = 'http://127.0.0.1:9',
  outbound = createOutbound({ allowCidrs }),
  packages: Record<string, PublishedPackage> = {},
) {
  const node = await startFrameNode({ chain, tip: chain.last, packages });
  const networks = [settingsFor(node.url, { aggregatorUrl, rulesPackageId: packageIds.rules })];
  const indexer = startIndexer({ db, networks, log: silentLogger, outbound, lookAgainMs });
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await indexer.close();
    await outbound.close();
    await node.close();
  };
  const stopIndexing = () => (stopped ??= stop());
  onTestFinished(stopIndexing);
  return { node, stopIndexing };
}

interface Outcome {
  uri: string;
  status: string;
  last_error: string | null;
  attempts: number;
  next_attempt_at: Date | null;
}

async function outcomes(): Promise<Map<string, Outcome>> {
  const { rows } = await db.pool.query<Outcome>('select * from manifest_fetches');
  return new Map(rows.map((row) => [row.uri, row]));
}

const settled = (count: number) =>
  eventually(async () => {
    expect((await outcomes()).size).toBe(count);
    for (const { uri, status } of (await outcomes()).values()) if (status === 'pending') throw new Error(uri);
  });

const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
const hostAnswers: Record<string, { status?: number; location?: string; body?: string }> = {
  '/good': { body: JSON.stringify(manifest(id(1))) },
  '/large': { body: `"${'x'.repeat(300 * 1024)}"` },
  '/deep': { body: deep },
  '/text': { body: 'no json' },
  '/shape': { body: '{"name":"x"}' },
  '/other': { body: JSON.stringify({ ...manifest(id(6)), name: 'Another' }) },
  '/moved': { status: 302, location: 'http://169.254.169.254/secret' },
  '/missing': { status: 404 },
  '/foreign': { body: JSON.stringify(manifest(id(1))) },
};

test('each kind of bad manifest gets its state and its reason, and the good one is verified', async () => {
  const host = await startHost((request, response) => {
    const answer = hostAnswers[request.url!];
    if (!answer) return;
    response.writeHead(answer.status ?? 200, answer.location ? { location: answer.location } : {});
    response.end(answer.body);
  });
  const hashByName: Record<string, string> = {
    '/good': manifestHash(manifest(id(1))),
    '/shape': manifestHash({ name: 'x' }),
  };
  const registrations = Object.keys(hostAnswers).map((path, n) => ({
    packageId: id(n + 1),
    uri: host.url + path,
    hash: hashByName[path] ?? 'ab'.repeat(32),
  }));
  const foreign = registrations.find(({ uri }) => uri.endsWith('/foreign'))!;
  foreign.hash = hashByName['/good']!;
  const privateUri = 'http://10.0.0.1/manifest.json';
  registrations.push({ packageId: id(20), uri: privateUri, hash: 'cd'.repeat(32) });
  registrations.push({ packageId: id(21), uri: 'ftp://example.org/x', hash: 'ce'.repeat(32) });
  await index(buildChain(registrations), ['127.0.0.0/8']);
  await settled(registrations.length);

  const found = await outcomes();
  const at = (path: string) => found.get(path.startsWith('/') ? host.url + path : path);
  expect(at('/good')).toMatchObject({ status: 'verified', last_error: null, next_attempt_at: null });
  expect(at('/large')).toMatchObject({ status: 'invalid', last_error: expect.stringMatching(/larger than/) });
  expect(at('/deep')).toMatchObject({ status: 'invalid', last_error: expect.stringMatching(/deeper/) });
  expect(at('/text')).toMatchObject({ status: 'invalid', last_error: expect.stringMatching(/not JSON/) });
  expect(at('/shape')).toMatchObject({ status: 'invalid', last_error: expect.stringMatching(/wrong shape/) });
  expect(at('/other')).toMatchObject({ status: 'mismatch', last_error: expect.stringMatching(/hash is/) });
  expect(at('/moved')).toMatchObject({
    status: 'unreachable',
    last_error: expect.stringMatching(/redirect/),
  });
  expect(at('/missing')).toMatchObject({ status: 'unreachable', last_error: expect.stringMatching(/404/) });
  expect(at(privateUri)).toMatchObject({ status: 'unreachable', next_attempt_at: null });
  expect(at('ftp://example.org/x')).toMatchObject({ status: 'invalid', next_attempt_at: null });

  const { rows } = await db.pool.query('select package_id, manifest_error from listings order by package_id');
  const errors = new Map(rows.map((row) => [row.package_id, row.manifest_error]));
  expect(errors.get(id(1))).toBeNull();
  expect(errors.get(foreign.packageId)).toMatch(/is for service type/);
  expect((await db.pool.query('select hash from manifests')).rows).toEqual([{ hash: hashByName['/good'] }]);
});

test('a manifest that drips past the deadline is unreachable, with the reason, and is tried again', async () => {
  const host = await startHost((_, response) => {
    const drip = setInterval(() => response.write(' '), 5);
    response.on('close', () => clearInterval(drip));
  });
  const outbound = createOutbound({ allowCidrs: ['127.0.0.0/8'] });
  const impatient: Outbound = {
    ...outbound,
    fetchBytes: (url, options) => outbound.fetchBytes(url, { ...options, timeoutMs: 100 }),
  };
  const uri = `${host.url}/drip`;
  await index(buildChain([{ packageId: id(1), uri, hash: 'ab'.repeat(32) }]), [], undefined, impatient);
  await settled(1);
  expect((await outcomes()).get(uri)).toMatchObject({
    status: 'unreachable',
    last_error: 'The host took longer than 100 ms.',
    next_attempt_at: expect.any(Date),
  });
});

test('a manifest is verified though the aggregator answered its blob with a page of its own at first', async () => {
  const good = JSON.stringify(manifest(id(1)));
  let answered = 0;
  const aggregator = await startHost((_, response) => {
    answered += 1;
    response.end(answered === 1 ? '<p>Please try again</p>' : good);
  });
  const uri = `walrus://${'a'.repeat(43)}`;
  const chain = buildChain([{ packageId: id(1), uri, hash: manifestHash(manifest(id(1))) }]);
  const { stopIndexing } = await index(chain, [], aggregator.url);
  await settled(1);
  expect((await outcomes()).get(uri)).toMatchObject({ status: 'invalid', next_attempt_at: expect.any(Date) });
  await stopIndexing();
  await db.pool.query('update manifest_fetches set next_attempt_at = now()');
  await index(chain, [], aggregator.url);
  await eventually(async () => expect((await outcomes()).get(uri)).toMatchObject({ status: 'verified' }));
});

test('a host that never answers holds up no other, however many manifests it is said to have', async () => {
  const silent = await startHost(() => {});
  const host = await startHost((_, response) => void response.end(JSON.stringify(manifest(id(99)))));
  const stuck = Array.from({ length: 20 }, (_, n) => ({
    packageId: id(n + 1),
    uri: `${silent.url}/${n}`,
    hash: 'ab'.repeat(32),
  }));
  const good = { packageId: id(99), uri: `${host.url}/good`, hash: manifestHash(manifest(id(99))) };
  await index(buildChain([...stuck, good]), ['127.0.0.0/8']);
  await eventually(async () => expect((await outcomes()).get(good.uri)?.status).toBe('verified'));
});

test('a verified manifest is never fetched again, for any listing', async () => {
  const body = JSON.stringify(manifest(id(1)));
  const host = await startHost((_, response) => void response.end(body));
  const hash = manifestHash(manifest(id(1)));
  const chain = buildChain([
    { packageId: id(1), uri: `${host.url}/first`, hash },
    { packageId: id(1), uri: `${host.url}/second`, hash },
  ]);
  const node = await runFrameNode({ chain, tip: 10 });
  const outbound = createOutbound({ allowCidrs: ['127.0.0.0/8'] });
  onTestFinished(() => outbound.close());
  for (let n = 0; n < 2; n++) runIndexer({ db, networks: [settingsFor(node.url)], outbound });
  await eventually(async () => expect((await outcomes()).get(`${host.url}/first`)?.status).toBe('verified'));
  node.advance(11);
  await eventually(async () => expect((await outcomes()).get(`${host.url}/second`)?.status).toBe('verified'));
  expect([...host.requests]).toEqual([['/first', 1]]);
});

test('a registration is verified when its checkpoint comes, and not when the checks next look by themselves', async () => {
  const host = await startHost((_, response) => void response.end(JSON.stringify(manifest(id(1)))));
  const registration = {
    packageId: id(1),
    uri: `walrus://${'A'.repeat(43)}`,
    hash: manifestHash(manifest(id(1))),
  };
  const chain = buildChain([registration]);
  const { node } = await index({ ...chain, last: 5 }, [], host.url);
  await eventually(async () =>
    expect((await db.pool.query('select checkpoint from sources')).rows[0].checkpoint).toBe(5),
  );
  node.advance(10);
  await eventually(async () => expect((await outcomes()).get(registration.uri)?.status).toBe('verified'));
});

test('what the history of one registry names is fetched at its end, though the other’s ended long before', async () => {
  const host = await startHost((_, response) => void response.end(JSON.stringify(manifest(id(1)))));
  const outbound = createOutbound({ allowCidrs: ['127.0.0.0/8'] });
  const settings = settingsFor('http://127.0.0.1:9');
  const metrics = createIndexerMetrics(new Registry());
  const checks = createChecks({
    db,
    settings,
    outbound,
    log: silentLogger,
    metrics,
    lookAgainMs,
    providers: providersFor(settings),
  });
  onTestFinished(() => outbound.close());
  onTestFinished(() => checks.close());
  const query = vi.spyOn(db.pool, 'query');
  checks.start('rules');
  await eventually(async () => {
    const at = query.mock.calls.findIndex(([asked]) =>
      (asked as { name?: string }).name?.startsWith('due-fetches-again'),
    );
    expect(at).toBeGreaterThanOrEqual(0);
    await query.mock.results[at]?.value;
  });
  const hash = manifestHash(manifest(id(1)));
  await db.pool.query(`insert into manifest_fetches (network, hash, uri) values ('testnet', $1, $2)`, [
    hash,
    host.url,
  ]);
  checks.start('registry');
  await eventually(async () => expect((await outcomes()).get(host.url)?.status).toBe('verified'));
});

test('a rule has the name of the manifest that is about it, and of no other; an adaptor has no rule’s manifest', async () => {
  const publisher = id(100);
  const named = (n: number) => ({
    name: `Rule ${n}`,
    ruleType: `${id(n)}::adaptor::Adaptor`,
    packageId: id(n),
    unknown: 'kept',
  });
  const documents = {
    '/rule': named(1),
    '/adaptor': manifest(id(2)),
    '/moved': { ...named(4), packageId: id(1) },
  };
  const host = await startHost((request, response) => {
    response.end(JSON.stringify(documents[request.url as keyof typeof documents]));
  });
  const at = (path: keyof typeof documents) => ({
    uri: host.url + path,
    hash: manifestHash(documents[path]),
  });
  const chain = buildChain([
    { packageId: id(1), publisher, ...at('/rule') },
    { packageId: id(2), publisher, ...at('/adaptor') },
  ]);
  const rule = (n: number, path: keyof typeof documents) => ({
    type: `${packageIds.rules}::registry::Registered`,
    contents: rulesEvents.encode('registry::Registered', {
      ruleType: `${id(n)}::adaptor::Adaptor`,
      packageId: id(n),
      publisher,
      kind: 'auth',
      manifestUri: at(path).uri,
      manifestHash: at(path).hash,
      version: 1,
      timestampMs: 1,
    }),
  });
  chain.transactions[0]!.events.push(rule(1, '/rule'), rule(2, '/adaptor'));
  chain.transactions[1]!.events.push(rule(3, '/rule'), rule(4, '/moved'));
  const packages = Object.fromEntries([1, 2, 3, 4].map((n) => [id(n), { sender: publisher }]));
  const outbound = createOutbound({ allowCidrs: ['127.0.0.0/8'] });
  await index(chain, [], undefined, outbound, packages);

  const shown = async () => {
    const [{ items } = { items: [] }] = await readPages(db.pool, ruleList, [
      { network: 'testnet', first: 10 },
    ]);
    return items.map(({ packageId, name }) => [packageId, name]);
  };
  await eventually(async () => {
    expect([...(await outcomes()).values()].map(({ status }) => status)).toEqual(Array(3).fill('verified'));
    expect(await shown()).toEqual([
      [id(1), 'Rule 1'],
      [id(2), null],
      [id(3), null],
      [id(4), null],
    ]);
    const { entries } = await readCatalog(db.pool, { network: 'testnet', includeUnverified: true });
    expect(entries.map(({ packageId }) => packageId)).toEqual([id(2)]);
  });
  const { rows } = await db.pool.query(
    `select package_id, problem, name, manifest_verified from analytics.rules order by package_id`,
  );
  expect(rows).toEqual([
    { package_id: id(1), problem: null, name: 'Rule 1', manifest_verified: true },
    { package_id: id(2), problem: "The manifest is an adaptor's, the listing a rule's.", ...unnamed },
    { package_id: id(3), problem: expect.stringMatching(/^The manifest is for rule type /), ...unnamed },
    { package_id: id(4), problem: expect.stringMatching(/^The manifest names package /), ...unnamed },
  ]);
  const listing = await db.pool.query('select manifest_error from listings where package_id = $1', [id(1)]);
  expect(listing.rows).toEqual([{ manifest_error: "The manifest is a rule's, the listing an adaptor's." }]);
});

const unnamed = { name: null, manifest_verified: false };

test('two verified listings with look-alike names say so of each other, also those whose skeletons are not stored', async () => {
  const publisher = id(0xd4);
  const documents = [
    { ...manifest(id(1)), name: 'Lagoon Swap' },
    { ...manifest(id(2)), name: 'Iagoon Swap' },
    { ...manifest(id(3)), name: 'Reef Vault' },
  ];
  const host = await startHost((request, response) => {
    response.end(JSON.stringify(documents[Number(request.url!.slice(1))]));
  });
  const registrations = documents.map((document, n) => ({
    packageId: id(n + 1),
    publisher,
    uri: `${host.url}/${n}`,
    hash: manifestHash(document),
  }));
  const chain = buildChain(registrations);
  const packages = Object.fromEntries([1, 2, 3].map((n) => [id(n), { sender: publisher }]));
  const start = () => index(chain, [], undefined, createOutbound({ allowCidrs: ['127.0.0.0/8'] }), packages);
  const alike = async () =>
    (await readCatalog(db.pool, { network: 'testnet', sort: 'name' })).entries.map(
      ({ manifest: { name }, alikeNames }) => [name, alikeNames.map((other) => other.name)],
    );
  const expected = [
    ['Iagoon Swap', ['Lagoon Swap']],
    ['Lagoon Swap', ['Iagoon Swap']],
    ['Reef Vault', []],
  ];
  const { stopIndexing } = await start();
  await eventually(async () => expect(await alike()).toEqual(expected));
  await stopIndexing();

  await db.pool.query('update listings set name_skeleton = null');
  await db.pool.query(`update catalog_entries set name_skeleton = null`);
  expect((await alike()).flatMap(([, names]) => names)).toEqual([]);
  await start();
  await eventually(async () => expect(await alike()).toEqual(expected));
});

test('a legal manifest with odd fields is stored as published, and shown without them', async () => {
  const publisher = id(0xd4);
  const call = { typeArgs: [], args: [{ role: 'amount' }] };
  const document = {
    ...manifest(id(1)),
    name: `Odd ${'x'.repeat(200)}`,
    supportedCoins: ['SUI'],
    integrator: '',
    docsUrl: '',
    glyph: 7,
    feeRecipient: 'treasury.sui',
    ops: [{ kind: 'supply', module: 'adaptor', entry: 'pay', call }],
  };
  const host = await startHost((_, response) => response.end(JSON.stringify(document)));
  const hash = manifestHash(document);
  const chain = buildChain([{ packageId: id(1), publisher, uri: `${host.url}/m`, hash }]);
  const packages = { [id(1)]: { sender: publisher } };
  await index(chain, [], undefined, createOutbound({ allowCidrs: ['127.0.0.0/8'] }), packages);
  await eventually(async () => {
    const { entries } = await readCatalog(db.pool, { network: 'testnet' });
    expect(entries).toMatchObject([
      {
        manifest: { name: `${document.name.slice(0, 127)}…`, ops: [{ kind: 'custom' }] },
        // The call of the op is compared with the package, as that of any other op.
        notExecutable: [{ index: 0, reason: { code: 'function_mismatch' } }],
      },
    ]);
    expect({ ...entries[0]!.manifest, ...entries[0]!.publishedFields }).toEqual(document);
  });
  const { rows } = await db.pool.query('select hash, body from manifests');
  expect(rows).toEqual([{ hash, body: document }]);
});

test('an op whose call does not fit the package’s function is not executable, and the listing is shown', async () => {
  const publisher = id(0xd4);
  const call = { typeArgs: [], args: [{ role: 'amount' }] };
  const op = { kind: 'pay', module: 'adaptor', entry: 'pay', call };
  const document = {
    ...manifest(id(1)),
    category: 'Prediction markets',
    ops: [
      op,
      { ...op, entry: 'give' },
      { ...op, call: { ...call, args: [] } },
      { ...op, call: { ...call, args: [{ role: 'clock' }] } },
      { ...op, kind: undefined },
    ],
  };
  const bytes = JSON.stringify(document);
  const host = await startHost((_, response) => response.end(bytes));
  const hash = manifestHash(JSON.parse(bytes));
  const chain = buildChain([{ packageId: id(1), publisher, uri: `${host.url}/m`, hash }]);
  const u64 = { type: GrpcTypes.OpenSignatureBody_Type.U64, typeParameterInstantiation: [] };
  const pay = GrpcTypes.FunctionDescriptor.create({
    name: 'pay',
    visibility: GrpcTypes.FunctionDescriptor_Visibility.PUBLIC,
    parameters: [{ body: u64 }],
  });
  const packages = { [id(1)]: { sender: publisher, functions: [pay] } };
  await index(chain, [], undefined, createOutbound({ allowCidrs: ['127.0.0.0/8'] }), packages);
  const mismatch = (index: number, detail: string) => ({
    index,
    reason: { code: 'function_mismatch', detail },
  });
  await eventually(async () => {
    const { entries } = await readCatalog(db.pool, { network: 'testnet' });
    expect(entries.map((entry) => [entry.manifest, entry.notExecutable, entry.warnings])).toEqual([
      [
        JSON.parse(bytes),
        [
          mismatch(1, 'The package has no such function.'),
          mismatch(2, 'The function takes 1 arguments, the call has 0.'),
          mismatch(3, 'Argument 0 of the function is not for the role clock.'),
          { index: 4, reason: { code: 'invalid_op', detail: 'kind: missing.' } },
        ],
        [expect.objectContaining({ code: 'witness_unchecked' })],
      ],
    ]);
  });
});

test('a listing whose manifest is fetched between the two reads of due checks is shown', async () => {
  const bytes = JSON.stringify(manifest(id(1)));
  const host = await startHost((_, response) => response.end(bytes));
  const publisher = id(0xd5);
  const hash = manifestHash(JSON.parse(bytes));
  const chain = buildChain([{ packageId: id(1), publisher, uri: `${host.url}/m`, hash }]);
  const query = db.pool.query.bind(db.pool) as (...asked: unknown[]) => Promise<unknown>;
  const verified = () =>
    eventually(async () => {
      const { rows } = await db.pool.query(`select from manifest_fetches where status = 'verified'`);
      expect(rows).toHaveLength(1);
    });
  vi.spyOn(db.pool, 'query').mockImplementation(async (...asked: unknown[]) => {
    const { name = '' } = asked[0] as { name?: string };
    // Checks of fetched manifests were read before this, when the manifest was not fetched yet.
    if (name.startsWith('due-checks-listings-first-untried')) await verified();
    return await query(...asked);
  });
  await index(chain, ['127.0.0.0/8'], undefined, undefined, { [id(1)]: { sender: publisher } });
  await eventually(async () => {
    const { entries } = await readCatalog(db.pool, { network: 'testnet' });
    expect(entries.map((entry) => entry.manifest)).toEqual([JSON.parse(bytes)]);
  });
});
