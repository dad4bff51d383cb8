import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { Uint8ArrayWriter, ZipWriter, type ZipWriterAddDataOptions } from '@zip.js/zip.js';
import { beforeAll, expect, test } from 'vitest';
import { addCertifiedPackages } from '../../../db/queries/certificates.ts';
import { recordVerification } from '../../../db/queries/package-sources/builds.ts';
import { recordSourceFetch } from '../../../db/queries/package-sources/named.ts';
import { toReport } from '../../../db/queries/package-sources/report.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { useTestGateway } from '../../../test/support/gateway.ts';
import { listenLocally } from '../../../test/support/listen-locally.ts';
import { address } from '../../../test/support/read-model.ts';
import { useForFile } from '../../../test/support/use-for-file.ts';

const network = 'testnet';
const [egg, hen, nest, shell] = [address(0xe6601), address(0xe6602), address(0xe6603), address(0xe6604)];
const eggSource = { repository: 'https://github.com/reef/eggs', commit: 'e'.repeat(40), path: 'egg' };
const files = {
  'Move.toml': '[package]\nname = "egg"\n[addresses]\negg = "0x0"\n',
  'sources/egg.move': 'module egg::egg; // <script>\n',
};
const blobId = 'A-_z'.repeat(11).slice(0, 43);

/** A Walrus aggregator with one blob. */
const walrus = useForFile(async () => {
  const archive = await zip(files);
  return await listenLocally(
    createServer((req, res) => {
      if (req.url === `/v1/blobs/${blobId}`) res.end(archive);
      else res.writeHead(404).end();
    }),
  );
});
const gateway = useTestGateway(
  async (seed) => {
    await seed.listing({ serviceType: `${nest}::nest::Nest`, row: { packageId: nest } });
    await seed.listing({ serviceType: `${shell}::egg::Egg`, manifest: { source: eggSource } });
    await seed.source({ checkpoint: 900 });
  },
  () => ({
    trustProxy: 1,
    network: { aggregatorUrl: walrus.url },
  }),
);

beforeAll(() =>
  inTransaction(gateway.db.pool, (client) =>
    addCertifiedPackages(
      client,
      network,
      [egg, hen, nest].map((packageId) => ({ packageId, publisher: address(0xa1) })),
    ),
  ),
);

async function zip(
  content: Readonly<Record<string, string | Uint8Array>>,
  options: ZipWriterAddDataOptions = {},
): Promise<Buffer> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  for (const [path, given] of Object.entries(content)) {
    await writer.add(path, new Blob([Uint8Array.from(Buffer.from(given as string))]).stream(), options);
  }
  return Buffer.from(await writer.close());
}

/** Makes a zip file of empty files. The writer of the library takes a millisecond for each. */
function storeEmptyFiles(paths: readonly string[]): Buffer {
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  let start = 0;
  const [files, entries]: [Buffer[], Buffer[]] = [[], []];
  for (const path of paths) {
    local.writeUInt16LE(path.length, 26);
    central.writeUInt16LE(path.length, 28);
    central.writeUInt32LE(start, 42);
    const name = Buffer.from(path);
    files.push(Buffer.concat([local, name]));
    entries.push(Buffer.concat([central, name]));
    start += local.length + name.length;
  }
  end.writeUInt16LE(paths.length, 8);
  end.writeUInt16LE(paths.length, 10);
  end.writeUInt32LE(
    entries.reduce((sum, entry) => sum + entry.length, 0),
    12,
  );
  end.writeUInt32LE(start, 16);
  return Buffer.concat([...files, ...entries, end]);
}

interface Offer {
  packageId?: string;
  from?: string;
  type?: string;
  folder?: string;
}

const pathFor = ({ packageId = egg, folder }: Offer) =>
  `/api/adaptors/verify?${new URLSearchParams({ packageId, ...(folder && { folder }) })}`;

/** Body of a response: that of a source, or of an error. */
interface Answer {
  [field: string]: unknown;
  offer: string;
  sourceHash: string;
  detail: string;
}

async function offer(body: Buffer | string, given: Offer = {}) {
  const { from = '192.0.2.1', type = 'application/zip' } = given;
  const response = await fetch(gateway.url + pathFor(given), {
    method: 'POST',
    headers: { 'content-type': type, 'x-forwarded-for': from },
    body: typeof body === 'string' ? body : Uint8Array.from(body),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer };
}

const read = async (path: string) => {
  const response = await fetch(gateway.url + path);
  return { status: response.status, body: (await response.json()) as Answer };
};

test('an offer is queued with the path of its result, and the same one is answered by its verdict later', async () => {
  const archive = await zip(files);
  const queued = await offer(archive);
  expect(queued).toMatchObject({ status: 202, body: { packageId: egg, verdict: 'pending', network } });
  const location = queued.headers.get('location')!;
  expect(await read(location)).toMatchObject({ status: 200, body: { verdict: 'pending' } });

  const { offer: hash, sourceHash } = queued.body;
  const report = toReport({
    verdict: 'not_built',
    sourceHash,
    reason: 'It is \0 empty \ud800.',
    dependencies: {},
  });
  await recordVerification(
    gateway.db.pool,
    { network, packageId: egg, hash },
    { verdict: 'not_built', report },
  );
  const reason = 'It is \ufffd empty \ufffd.';
  expect(await offer(archive, { from: '192.0.2.7' })).toMatchObject({
    status: 200,
    body: { verdict: 'not_built', reason, offer: hash },
  });
  expect(await read(`${location}&file=sources/egg.move`)).toMatchObject({
    body: {
      folder: '',
      files: [
        { path: 'Move.toml', bytes: files['Move.toml'].length },
        { path: 'sources/egg.move', bytes: files['sources/egg.move'].length },
      ],
      text: files['sources/egg.move'],
    },
  });
  expect(await read(`${location}&file=sources/hen.move`)).toMatchObject({
    status: 404,
    body: { code: 'file_not_found' },
  });
  expect(await read(pathFor({ packageId: egg }))).toMatchObject({ body: { offer: hash } });
  expect(await read(`${pathFor({})}&offer=${'0'.repeat(64)}`)).toMatchObject({
    body: { code: 'offer_not_found' },
  });
  expect(await read(pathFor({ packageId: nest }))).toMatchObject({
    status: 200,
    body: { verdict: 'not_offered' },
  });
});

test('source can be a Walrus blob, and one that is not there is named', async () => {
  const json = { type: 'application/json', packageId: hen, from: '192.0.2.2' };
  expect(await offer(JSON.stringify({ blobId }), json)).toMatchObject({ status: 202 });
  const absent = blobId.replace('A', 'B');
  expect(await offer(JSON.stringify({ blobId: absent }), json)).toMatchObject({
    status: 502,
    body: { code: 'blob_unavailable', detail: expect.stringContaining(absent) },
  });
});

test.for([
  ['a bomb', () => zip({ ...files, 'sources/a.move': new Uint8Array(64 * 1024 * 1024) }), 'too large'],
  [
    'more than 10,000 files',
    () => storeEmptyFiles(Array.from({ length: 10_001 }, (_, at) => `docs/${at}`)),
    'more than 10000 files',
  ],
  [
    'a link out of the folder',
    () => zip({ 'sources/a.move': '../../etc/passwd' }, { unixMode: 0o120777 } as ZipWriterAddDataOptions),
    'is a link',
  ],
  [
    'a path out of the folder',
    async () =>
      Buffer.from((await zip({ 'xx/a.move': '' })).toString('latin1').replaceAll('xx/', '../'), 'latin1'),
    'cannot be read|could lead out',
  ],
  [
    'a dependency out of the folder',
    () => zip({ 'Move.toml': `${files['Move.toml']}[dependencies]\nx = { local = "../../etc" }\n` }),
    'outside of the source',
  ],
  ['no zip file', async () => Buffer.from('PK, or not'), 'cannot be read'],
  ['no package', () => zip({ 'README.md': 'x' }), 'no Move.toml'],
] as const)(
  'an archive with %s is refused with the reason, and nothing of it is stored',
  async ([, make, reason]) => {
    const before = await countRows();
    const refused = await offer(await make(), { packageId: nest, from: '192.0.2.3' });
    expect(refused).toMatchObject({ status: 400, body: { code: 'source_refused' } });
    expect(refused.body.detail).toMatch(new RegExp(reason));
    expect(await countRows()).toEqual(before);
  },
);

const countRows = async () =>
  (
    await gateway.db.pool.query(
      'select (select count(*) from package_sources) as offers, (select count(*) from offered_sources) as contents',
    )
  ).rows;

test('a body of another type, beyond 16 MiB or compressed is refused', async () => {
  const from = '192.0.2.4';
  expect(await offer('x', { type: 'text/plain', from })).toMatchObject({ status: 415 });
  expect(await offer('{}', { type: 'application/json', from })).toMatchObject({
    status: 400,
    body: { code: 'invalid_body' },
  });
  expect(await offer(Buffer.alloc(16 * 1024 * 1024 + 1), { from })).toMatchObject({ status: 413 });
});

test('a sender of 16 MiB learns why its request was refused before its body was read', async () => {
  for (let times = 0; times < 5; times++) {
    // Unlike fetch, this client fails if the connection is closed while it still sends.
    const sending = request(gateway.url + pathFor({ packageId: 'no package' }), {
      method: 'POST',
      headers: { 'content-type': 'application/zip', 'content-length': 16 * 1024 * 1024 },
    });
    const answered = once(sending, 'response');
    const isSent = once(sending, 'finish');
    sending.end(Buffer.alloc(16 * 1024 * 1024));
    const [response] = await answered;
    expect(response.statusCode).toBe(400);
    await isSent;
    response.resume();
  }
});

test('source of a package that no listing has is refused, and so is a second offer in the queue', async () => {
  const from = '192.0.2.5';
  const archive = await zip(files);
  expect(await offer(archive, { packageId: address(0xbad), from })).toMatchObject({
    status: 404,
    body: { code: 'package_not_listed' },
  });
  expect(await offer(archive, { packageId: nest, from })).toMatchObject({ status: 202 });
  const other = await zip({ ...files, 'sources/more.move': 'module egg::more;\n' });
  const second = await offer(other, { packageId: nest, from });
  expect(second).toMatchObject({ status: 429, body: { code: 'too_many_offers' } });
  expect(second.headers.get('retry-after')).toBe('30');
});

test('an address that sends slowly holds one slot, and gives it back when it leaves', async () => {
  const from = '192.0.2.6';
  const slow = request(gateway.url + pathFor({ packageId: nest }), {
    method: 'POST',
    headers: { 'content-type': 'application/zip', 'content-length': 1_000, 'x-forwarded-for': from },
  });
  slow.on('error', () => undefined);
  slow.write('PK');
  await once(slow, 'socket');
  const archive = await zip(files);
  await eventually(async () =>
    expect(await offer(archive, { packageId: nest, from })).toMatchObject({
      status: 429,
      body: { code: 'offers_busy' },
    }),
  );
  slow.destroy();
  await eventually(async () =>
    expect((await offer(archive, { packageId: nest, from })).status).not.toBe(429),
  );
});

test('the graph and the listing have the verdict of the package of an adaptor', async () => {
  const serviceType = `${nest}::nest::Nest`;
  await gateway.db.pool.query('delete from package_sources where package_id = $1', [nest]);
  const path = `/api/adaptors/${encodeURIComponent(serviceType)}/source`;
  expect(await read(path)).toMatchObject({ status: 200, body: { serviceType, verdict: 'not_offered' } });
  const { body } = await offer(await zip(files), { packageId: nest, from: '192.0.2.8' });
  const { offer: hash, sourceHash } = body;
  const report = toReport({ verdict: 'not_built', sourceHash, reason: 'No.', dependencies: {} });
  const key = { network, packageId: nest, hash };
  await recordVerification(gateway.db.pool, key, { verdict: 'not_built', report });
  expect(await read(path)).toMatchObject({ body: { packageId: nest, verdict: 'not_built', reason: 'No.' } });
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      query: `{ adaptor(chain: TESTNET, serviceType: "${serviceType}") {
        packageSource { verdict offer sourceHash compiler reason } } }`,
    }),
  });
  expect(await response.json()).toMatchObject({
    data: {
      adaptor: {
        packageSource: { verdict: 'NOT_BUILT', offer: hash, sourceHash, compiler: null, reason: 'No.' },
      },
    },
  });
});

test('REST, the graph and the page say why the commit that a manifest names was not read, and when it is tried again', async () => {
  const serviceType = `${shell}::egg::Egg`;
  const path = `/api/adaptors/${encodeURIComponent(serviceType)}/source`;
  const readPage = async () => await (await fetch(`${gateway.url}/a/${network}/${serviceType}`)).text();
  const named = { ...eggSource, state: 'waiting', offer: null, reason: null, checkedAtMs: null };
  expect(await read(path)).toMatchObject({ body: { verdict: 'not_offered', named } });
  const job = { packageId: shell, ...eggSource, attempts: 1 };
  const reason = 'The host answered 404.';
  const record = (offer: string | null, nextAfterSeconds: number | null) =>
    recordSourceFetch(
      gateway.db.pool,
      network,
      job,
      offer === null ? { offer, reason, nextAfterSeconds } : { offer, reason: null, nextAfterSeconds: null },
    );
  await record(null, 60);
  expect(await read(path)).toMatchObject({
    body: {
      named: {
        ...named,
        state: 'waiting',
        reason,
        checkedAtMs: expect.any(Number),
        nextAttemptAtMs: expect.any(Number),
      },
    },
  });
  expect(await readPage()).toMatch(
    /Commit not read yet.*The host answered 404\..*The next attempt is <time/s,
  );
  await record(null, null);
  expect(await read(path)).toMatchObject({
    body: { named: { state: 'failed', reason, nextAttemptAtMs: null } },
  });
  // Pages share what was read a moment ago.
  await eventually(async () =>
    expect(await readPage()).toMatch(/The host answered 404\..*It is not tried again: name another commit/s),
  );
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      query: `{ adaptor(chain: TESTNET, serviceType: "${serviceType}") {
        namedSource { repository commit path state offer reason checkedAtMs nextAttemptAtMs } } }`,
    }),
  });
  expect(await response.json()).toMatchObject({
    data: {
      adaptor: { namedSource: { ...eggSource, state: 'FAILED', offer: null, reason, nextAttemptAtMs: null } },
    },
  });
  await gateway.db.pool.query('update named_sources set next_check_at = now()');
  await record('f'.repeat(64), null);
  expect(await read(path)).toMatchObject({
    body: { named: { state: 'read', offer: 'f'.repeat(64), reason: null } },
  });
});
