import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestGateway, type TestGateway, useTestGateway } from '../../../test/support/gateway.ts';
import { readGraph } from '../../../test/support/graph-queries.ts';
import { address } from '../../../test/support/read-model.ts';
import { catalogBody } from './route.ts';

const serviceType = `${address(1)}::adaptor::Witness`;

const gateway = useTestGateway(async (seed) => {
  await seed.source({ checkpoint: 41 });
  await seed.listing({ manifest: { name: 'Deep Swap', integrator: 'acme', extra: { kept: true } } });
  await seed.listing({ manifest: { name: 'Lender', category: 'Lend' } });
  await seed.listing({ serviceType, publisher: address(9), row: { publisherCheck: 'unverified' } });
  await seed.attestation(serviceType, address(5), 5);
  await seed.listing({ manifest: { name: 'Claimed' }, row: { publisherCheck: 'unverified' } });
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(gateway.url + path, { headers });

/** Sends a request without fetch's own accept-encoding and decompression. */
function getRaw(path: string, headers: Record<string, string>, method = 'GET') {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>(
    (resolve, reject) => {
      const req = request(gateway.url + path, { headers, method }, async (res) => {
        const chunks = await res.toArray();
        resolve({ status: res.statusCode!, headers: res.headers, body: Buffer.concat(chunks) });
      });
      req.on('error', reject).end();
    },
  );
}

/** The first node of `adaptors` in the answer to a query of the graph. */
async function queryFirstAdaptor(url: string, query: string) {
  const { adaptors } = await readGraph(url, query);
  return adaptors.edges[0].node;
}

test('the catalog has the shape that it is described with, and says how fresh it is', async () => {
  const answer = await get('/api/adaptors');
  expect(answer.status).toBe(200);
  const body = catalogBody.parse(await answer.json());
  expect(body).toMatchObject({ network: 'testnet', count: 2, total: 2 });
  expect(body.adaptors[0]?.manifest).toMatchObject({ name: 'Deep Swap', extra: { kept: true } });
  expect(body.adaptors[0]?.reviews).toMatchObject({ count: 1, avg: 5 });
  expect(answer.headers.get('x-indexed-checkpoint')).toBe('41');
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('vary')).toBe('accept-encoding');
});

describe('a manifest whose ops are odd', () => {
  const sound = { kind: 'pay', module: 'shop', entry: 'buy', call: { typeArgs: [], args: [] } };
  const ops = [
    sound,
    { module: 'shop', entry: 'sell', call: sound.call },
    { ...sound, call: { typeArgs: [] } },
    { ...sound, call: undefined },
    { kind: ['pay'], module: 7, entry: { a: 1 }, label: 'x'.repeat(500) },
  ];
  const manifest = { name: 'Odd', category: 'Prediction markets', ops: [...ops, sound] };
  const misfit = { code: 'function_mismatch' as const, detail: 'The package has no such function.' };
  const ofAnother = { ...misfit, index: 0, manifestHash: 'ab'.repeat(32) };
  const reasons = [
    { code: 'invalid_op', detail: 'kind: missing.' },
    { code: 'invalid_call', detail: 'call.args: missing.' },
    { code: 'no_call', detail: 'The op has no call.' },
    { code: 'invalid_op', detail: expect.stringMatching(/^kind: Invalid option/) },
    misfit,
  ];
  let own: TestGateway;
  beforeAll(async () => {
    own = await startTestGateway(async (seed) => {
      await seed.listing({ manifest });
      await seed.listing({ manifest: { name: 'Empty', ops: [] } });
    });
    // The same rows as the check of the listing records, for this manifest and for a former one.
    const recorded = await own.db.pool.query(
      `update listings l set op_misfits = jsonb_build_array($1::jsonb, $2::jsonb || jsonb_build_object(
        'manifestHash', l.manifest_hash)) from manifests m where m.hash = l.manifest_hash and m.body ->> 'name' = 'Odd'`,
      [JSON.stringify(ofAnother), JSON.stringify({ ...misfit, index: ops.length })],
    );
    expect(recorded.rowCount).toBe(1);
    await own.seed.refresh();
  });
  afterAll(() => own.close());

  test('is shown as it is, with the reason why each of them is not executable', async () => {
    for (const path of ['/api/adaptors', '/api/adaptors?category=Prediction%20markets']) {
      await eventually(async () => {
        const body = catalogBody.parse(await (await fetch(own.url + path)).json());
        const entry = body.adaptors.find((one) => one.manifest.name === 'Odd');
        expect(entry?.manifest.ops).toEqual(JSON.parse(JSON.stringify(manifest.ops)));
        expect(entry?.notExecutable).toEqual(reasons.map((reason, at) => ({ index: at + 1, reason })));
        expect(entry?.warnings).toEqual([]);
      });
    }
    const { adaptors } = catalogBody.parse(await (await fetch(`${own.url}/api/adaptors?q=empty`)).json());
    expect(adaptors).toMatchObject([{ manifest: { ops: [] }, notExecutable: [] }]);
  });

  test('is shown in the graph, where a field that is wrong is null and an op that is odd has no call', async () => {
    const query = `{ adaptors(filter: { category: "Prediction markets" }) { edges { node { manifest {
      category ops { kind module entry label call executable reason { code detail } } } } } } }`;
    const node = await queryFirstAdaptor(own.url, query);
    const named = { kind: 'pay', module: 'shop', entry: 'buy', label: null };
    const broken = (at: number) => ({ call: null, executable: false, reason: reasons[at] });
    expect(node.manifest).toEqual({
      category: 'Prediction markets',
      ops: [
        { ...named, call: sound.call, executable: true, reason: null },
        { ...named, kind: null, entry: 'sell', ...broken(0) },
        { ...named, ...broken(1) },
        { ...named, ...broken(2) },
        { kind: null, module: null, entry: null, label: null, ...broken(3) },
        { ...named, ...broken(4) },
      ],
    });
  });
});

describe('a manifest whose fields are odd', () => {
  const odd = {
    name: 'Odd fields '.repeat(20),
    supportedCoins: ['SUI'],
    integrator: '',
    feeRecipient: 'treasury.sui',
    docsUrl: '',
    glyph: 7,
    ops: [{ kind: 'supply', module: 'shop', entry: 'buy', call: { typeArgs: [], args: [] } }],
  };
  let own: TestGateway;
  beforeAll(async () => {
    own = await startTestGateway(async (seed) => {
      await seed.listing({ manifest: odd, adjusted: true });
    });
  });
  afterAll(() => own.close());

  const name = `${odd.name.slice(0, 127)}…`;
  const paths = ['name', 'supportedCoins', 'feeRecipient', 'integrator', 'docsUrl', 'glyph', 'ops.0.kind'];

  test('is in the catalog and in its own read, with warnings, and with what has the hash', async () => {
    const { adaptors } = catalogBody.parse(await (await fetch(`${own.url}/api/adaptors`)).json());
    const [entry] = adaptors;
    const alone = await fetch(`${own.url}/api/adaptors/${encodeURIComponent(entry!.serviceType)}`);
    expect((await alone.json()).adaptor).toEqual(entry);
    const filtered = await (await fetch(`${own.url}/api/adaptors?q=odd`)).json();
    expect(filtered.adaptors).toEqual([entry]);
    expect(entry).toMatchObject({ manifest: { name, ops: [{ kind: 'custom' }] }, notExecutable: [] });
    for (const key of paths.slice(1, -1)) expect(entry!.manifest).not.toHaveProperty(key);
    expect(entry!.manifestWarnings?.map(({ path }) => path)).toEqual(paths);
    const { rows } = await own.db.pool.query('select body from manifests');
    expect({ ...entry!.manifest, ...entry!.publishedFields }).toEqual(rows[0].body);
  });

  test('is in the graph with warnings, and its json is as published', async () => {
    const query = `{ adaptors { edges { node { manifestWarnings { code path }
      manifest { name glyph json ops { kind executable } } } } } }`;
    const node = await queryFirstAdaptor(own.url, query);
    expect(node.manifestWarnings.map(({ path }: { path: string }) => path)).toEqual(paths);
    expect(node.manifest).toMatchObject({ name, glyph: null, json: odd });
    expect(node.manifest.ops).toEqual([{ kind: 'custom', executable: true }]);
  });

  test('has its warnings on its page', async () => {
    const { adaptors } = await (await fetch(`${own.url}/api/adaptors`)).json();
    const page = await (await fetch(`${own.url}/a/testnet/${adaptors[0].serviceType}`)).text();
    for (const path of paths) expect(page).toContain(`<code>${path}</code>`);
  });
});

test('every spelling of the whole catalog gives the same answer', async () => {
  const plain = await get('/api/adaptors');
  for (const path of [
    '/api/adaptors?network=testnet',
    '/api/adaptors?',
    '/api/adaptors?network=%74estnet',
    '/api/adaptors/',
  ]) {
    const other = await get(path);
    expect(other.status).toBe(200);
    expect(other.headers.get('etag')).toBe(plain.headers.get('etag'));
    expect(other.headers.get('x-indexed-checkpoint')).toBe('41');
  }
});

test.each(['/api/adaptors', '/api/adaptors?category=Lend'])(
  '%s is not sent again to who holds it',
  async (path) => {
    const first = await get(path);
    const etag = first.headers.get('etag')!;
    await first.text();
    for (const held of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(path, { 'if-none-match': held });
      expect([held, again.status]).toEqual([held, 304]);
      expect(again.headers.get('etag')).toBe(etag);
      expect(await again.text()).toBe('');
      expect(again.headers.get('content-type')).toBeNull();
    }
    expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
  },
);

test('a filtered read that the caller holds is answered without the database', async () => {
  const path = '/api/adaptors?category=Lend';
  const etag = (await get(path)).headers.get('etag')!;
  const query = vi.spyOn(gateway.served.pool, 'query');
  expect((await get(path, { 'if-none-match': etag })).status).toBe(304);
  const names = query.mock.calls.map(([statement]) => (statement as { name?: string }).name);
  expect(names).not.toContain('list-catalog');
  query.mockRestore();
});

describe('the encoding is what the caller prefers', () => {
  test.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['identity', undefined],
    ['gzip;q=0', undefined],
    ['deflate', undefined],
    ['', undefined],
    ['*', 'br'],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
  ])('accept-encoding: %s', async (accepted, expected) => {
    for (const path of ['/api/adaptors', '/api/adaptors?sort=name']) {
      const answer = await getRaw(path, { 'accept-encoding': accepted });
      expect(answer.headers['content-encoding']).toBe(expected);
      const decode =
        { br: brotliDecompressSync, gzip: gunzipSync }[expected ?? ''] ?? ((body: Buffer) => body);
      expect(JSON.parse(decode(answer.body).toString()).count).toBe(2);
      const held = { 'accept-encoding': accepted, 'if-none-match': String(answer.headers.etag) };
      expect((await getRaw(path, held)).status).toBe(304);
    }
  });

  test('each encoding has a tag of its own, so that a cache never mixes them', async () => {
    const tags = await Promise.all(
      ['br', 'gzip', 'identity'].map(
        async (name) => (await getRaw('/api/adaptors', { 'accept-encoding': name })).headers.etag,
      ),
    );
    expect(new Set(tags).size).toBe(3);
  });

  test.each(['identity;q=0', '*;q=0'])('%s alone leaves no form to answer in: 406', async (accepted) => {
    for (const path of ['/api/adaptors', '/api/adaptors?sort=name']) {
      const answer = await getRaw(path, { 'accept-encoding': accepted });
      expect(answer.status).toBe(406);
      expect(JSON.parse(answer.body.toString()).code).toBe('not_acceptable');
    }
  });
});

test.each(['/api/adaptors', '/api/adaptors?q=swap'])(
  'HEAD %s gives the headers of GET and no body',
  async (path) => {
    const [full, head] = [await getRaw(path, {}), await getRaw(path, {}, 'HEAD')];
    expect(head.status).toBe(200);
    expect(head.body).toHaveLength(0);
    for (const name of ['etag', 'content-length', 'content-type', 'x-indexed-checkpoint']) {
      expect(head.headers[name]).toBe(full.headers[name]);
    }
  },
);

test('filters, pages and search work over HTTP', async () => {
  const read = async (query: string) => catalogBody.parse(await (await get(`/api/adaptors?${query}`)).json());
  expect((await read('q=deep+acme')).adaptors.map((entry) => entry.manifest.name)).toEqual(['Deep Swap']);
  expect((await read('category=Lend')).count).toBe(1);
  expect((await read('publisher=0x9&include=unverified')).adaptors[0]?.publisherVerified).toBe(false);
  const first = await read('sort=name&limit=1');
  expect(first).toMatchObject({ count: 1, total: 2, nextCursor: expect.any(String) });
  const second = await read(`sort=name&limit=1&cursor=${first.nextCursor}`);
  expect(second.adaptors[0]?.manifest.name).toBe('Lender');
  expect(second.nextCursor).toBeUndefined();
});

test('a listing whose publisher is not verified is shown only on request, marked', async () => {
  const read = async (query: string) => catalogBody.parse(await (await get(`/api/adaptors?${query}`)).json());
  const names = async (query: string) => (await read(query)).adaptors.map((entry) => entry.manifest.name);
  for (const query of ['', 'q=claimed', 'category=Swap', 'sort=name']) {
    expect(await names(query)).not.toContain('Claimed');
  }
  const asked = await read('q=claimed&include=unverified');
  expect(asked.adaptors).toMatchObject([{ manifest: { name: 'Claimed' }, publisherVerified: false }]);
});

test('an entry shows its last verified version and that a newer one waits, without the package of that one', async () => {
  const own = await startTestGateway(async (seed) => {
    await seed.listing({ serviceType, manifest: { name: 'Moving' } });
  });
  onTestFinished(() => own.close());
  await own.db.pool.query(
    `update listings set version = 2, manifest_hash = $1, manifest_uri = 'https://example.org/2', package_id = $2`,
    ['ab'.repeat(32), address(77)],
  );
  await own.seed.refresh();
  for (const path of ['/api/adaptors', '/api/adaptors?q=moving']) {
    await eventually(async () => {
      const text = await (await fetch(own.url + path)).text();
      const [entry] = catalogBody.parse(JSON.parse(text)).adaptors;
      expect(entry).toMatchObject({ version: 1, manifest: { name: 'Moving' } });
      expect(entry?.pending).toEqual({ version: 2, manifestUri: 'https://example.org/2', state: 'pending' });
      expect(text).not.toContain(address(77));
    });
  }
});

test('the database notifies of a change, so that no caller waits for the next poll', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const told = await startTestGateway();
  vi.useRealTimers();
  await told.seed.listing({ manifest: { name: 'Newcomer' } });
  await told.seed.changed();
  const read = async () => catalogBody.parse(await (await fetch(`${told.url}/api/adaptors`)).json());
  await eventually(async () => expect((await read()).count).toBe(1));
  await told.close();
});

test('a change whose notification was lost is found within seconds', async () => {
  const before = (await get('/api/adaptors')).headers.get('etag');
  await gateway.seed.listing({ manifest: { name: 'Unannounced' } });
  await gateway.seed.changedSilently();
  await eventually(async () => expect((await get('/api/adaptors')).headers.get('etag')).not.toBe(before));
  expect(await (await get('/api/adaptors?q=unannounced')).json()).toMatchObject({ count: 1 });
});

test('a change is seen also when the connection that listens was cut', async () => {
  await gateway.db.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'adaptor-marketplace listen'`,
  );
  await gateway.seed.listing({ manifest: { name: 'After the cut' } });
  await gateway.seed.changed();
  await eventually(async () => expect(await (await get('/api/adaptors')).text()).toContain('After the cut'));
});

test('the checkpoint of an answer moves on while the catalog stays as it is', async () => {
  await gateway.seed.source({ checkpoint: 99 });
  await eventually(async () =>
    expect((await get('/api/adaptors')).headers.get('x-indexed-checkpoint')).toBe('99'),
  );
});

test('an answer never claims a checkpoint whose changes are still being prepared', async () => {
  const locking = await gateway.db.pool.connect();
  try {
    // The next look at the index sees the new checkpoint, and the catalog cannot be read meanwhile.
    await locking.query('begin; lock table catalog_entries in access exclusive mode');
    await gateway.db.pool.query(
      `with moved as (update sources set checkpoint = 120 where network = 'testnet')
        update catalog_state set version = version + 1 where network = 'testnet' returning pg_notify('catalog', network)`,
    );
    await eventually(async () => {
      const { rowCount } = await gateway.db.pool.query(
        `select from pg_locks where relation = 'catalog_entries'::regclass and not granted`,
      );
      expect(rowCount).toBeGreaterThan(0);
    });
    for (const path of ['/api/adaptors', '/api/adaptors?unknown=1'])
      expect((await get(path)).headers.get('x-indexed-checkpoint')).toBe('99');
  } finally {
    await locking.query('rollback');
    locking.release();
  }
  await eventually(async () =>
    expect((await get('/api/adaptors')).headers.get('x-indexed-checkpoint')).toBe('120'),
  );
});
