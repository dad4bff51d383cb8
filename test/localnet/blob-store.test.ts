import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manifestHash, parseManifest } from '@adaptor-marketplace/adaptor/manifest';
import { type BlobStore, startBlobStore } from '@adaptor-marketplace/localnet/blobs/server';
import * as undici from 'undici';
import { request } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createManifestSource } from '../../lib/manifests/source.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { eventually } from '../support/eventually.ts';

let dir: string;
let store: BlobStore;
const start = async () => {
  store = await startBlobStore({ dir, host: '127.0.0.1', port: 0 });
};

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'blobs-'));
  await start();
});
afterEach(async () => {
  await store.close();
  await rm(dir, { recursive: true });
});

const put = (body: string | Uint8Array<ArrayBuffer>, query = '') =>
  fetch(`${store.url}/v1/blobs${query}`, { method: 'PUT', body });
const get = (blobId: string, init?: RequestInit) => fetch(`${store.url}/v1/blobs/${blobId}`, init);
const computeBlobId = (content: string | Uint8Array) =>
  createHash('sha256').update(content).digest('base64url');
const address = `0x${'ab'.repeat(32)}`;

test('a new blob is answered as a Walrus publisher answers', async () => {
  const response = await put('hello', `?epochs=5&permanent=true&send_object_to=${address}`);
  expect(response.status).toBe(200);
  const objectId = expect.stringMatching(/^0x[0-9a-f]{64}$/);
  expect(await response.json()).toEqual({
    newlyCreated: {
      blobObject: {
        id: objectId,
        registeredEpoch: 1,
        blobId: computeBlobId('hello'),
        size: 5,
        encodingType: 'RS2',
        certifiedEpoch: 1,
        storage: { id: objectId, startEpoch: 1, endEpoch: 6, storageSize: 5 },
        deletable: false,
      },
      resourceOperation: { registerFromScratch: { encodedLength: 5, epochsAhead: 5 } },
      cost: 0,
    },
  });
});

test('the same content again has the same id and is certified already', async () => {
  await put('hello');
  expect(await (await put('hello')).json()).toEqual({
    alreadyCertified: {
      blobId: computeBlobId('hello'),
      event: { txDigest: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/), eventSeq: '0' },
      endEpoch: 2,
    },
  });
});

test('a blob comes back byte for byte, as bytes that no browser guesses a type of', async () => {
  const content = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251);
  await put(content);
  const response = await get(computeBlobId(content));
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'x-content-type-options': 'nosniff',
    etag: `"${computeBlobId(content)}"`,
    'content-length': '300000',
  });
  expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
});

test('HEAD, ranges and conditional reads are answered', async () => {
  await put('hello world');
  const blobId = computeBlobId('hello world');
  const head = await get(blobId, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '11', '']);
  const part = await get(blobId, { headers: { range: 'bytes=6-' } });
  expect([part.status, await part.text()]).toEqual([206, 'world']);
  // fetch() adds a cache-control of its own to conditional requests, which asks for the whole body.
  const known = await request(`${store.url}/v1/blobs/${blobId}`, {
    headers: { 'if-none-match': `"${blobId}"` },
  });
  expect([known.statusCode, await known.body.text()]).toEqual([304, '']);
});

test('an empty blob is a blob', async () => {
  await put('');
  expect(await (await get(computeBlobId(''))).text()).toBe('');
});

test('blobs survive a restart, and unfinished uploads do not', async () => {
  await put('kept');
  await store.close();
  await writeFile(join(dir, 'incoming', 'torn'), 'half of a bl');
  await start();
  expect(await (await get(computeBlobId('kept'))).text()).toBe('kept');
  expect(await readdir(join(dir, 'incoming'))).toEqual([]);
});

test('an unknown blob is 404 in the envelope that clients of Walrus parse', async () => {
  const response = await get(computeBlobId('never stored'));
  expect([response.status, await response.json()]).toEqual([
    404,
    {
      error: {
        status: 'NOT_FOUND',
        code: 404,
        message: expect.stringContaining('does not exist'),
        details: [
          { '@type': 'ErrorInfo', reason: 'BLOB_NOT_FOUND', domain: 'daemon.walrus.space', metadata: {} },
        ],
      },
    },
  ]);
});

test.each([
  ['?epochs=0', /epochs/],
  ['?epochs=54', /epochs/],
  ['?epochs=soon', /epochs/],
  ['?epochs=1&epochs=2', /epochs/],
  ['?deletable=yes', /deletable/],
  ['?deletable=true&permanent=true', /exclude/],
  ['?send_object_to=bob', /send_object_to/],
])('a store request that Walrus would refuse is refused: %s', async (query, reason) => {
  const response = await put('x', query);
  expect([response.status, await response.json()]).toEqual([
    400,
    {
      error: expect.objectContaining({ status: 'INVALID_ARGUMENT', message: expect.stringMatching(reason) }),
    },
  ]);
});

test.each(['short', '..%2f..%2fetc%2fpasswd', 'incoming', `${'a'.repeat(42)}.`])(
  'what is not a blob id reads no file: %s',
  async (blobId) => {
    expect((await get(blobId)).status).toBe(400);
  },
);

test('a blob above 10 MiB is refused, announced or not, and leaves nothing behind', async () => {
  const announced = await put(new Uint8Array(10 * 1024 * 1024 + 1));
  expect(announced.status).toBe(413);
  const chunk = new Uint8Array(64 * 1024);
  const chunks = Array.from({ length: 161 }, () => chunk);
  const streamed = await undici.fetch(`${store.url}/v1/blobs`, {
    method: 'PUT',
    body: chunks,
    duplex: 'half',
  });
  expect(streamed.status).toBe(413);
  expect(await readdir(dir)).toEqual(['incoming']);
  expect(await readdir(join(dir, 'incoming'))).toEqual([]);
});

test('an upload whose client goes away leaves nothing behind', async () => {
  const stop = new AbortController();
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1000)) });
  const options = { method: 'PUT', body, duplex: 'half', signal: stop.signal } as const;
  const upload = fetch(`${store.url}/v1/blobs`, options);
  await eventually(async () => expect(await readdir(join(dir, 'incoming'))).toHaveLength(1));
  stop.abort();
  await expect(upload).rejects.toThrow();
  await eventually(async () => expect(await readdir(join(dir, 'incoming'))).toEqual([]));
  expect(await readdir(dir)).toEqual(['incoming']);
});

test('a blob of exactly 10 MiB is stored', async () => {
  expect((await put(new Uint8Array(10 * 1024 * 1024))).status).toBe(200);
});

test('other methods and paths are refused by name', async () => {
  expect((await fetch(`${store.url}/v1/blobs`, { method: 'POST' })).status).toBe(405);
  expect((await get(computeBlobId('x'), { method: 'DELETE' })).status).toBe(405);
  const other = await fetch(`${store.url}/v1/quilts`);
  expect(other.status).toBe(404);
  expect(await other.text()).toContain('no resource at /v1/quilts');
});

test('a manifest stored here is read and verified by its walrus uri', async () => {
  const packageId = `0x${'1'.repeat(64)}`;
  const serviceType = `${packageId}::adaptor::Pay`;
  const manifest = { name: 'Pay', category: 'Other', summary: 'Pays.', serviceType, packageId, ops: [] };
  const text = JSON.stringify(manifest);
  await put(text);
  const outbound = createOutbound({ allowCidrs: [] });
  const source = createManifestSource({ aggregatorUrl: store.url, outbound });
  const bytes = await source.read(`walrus://${computeBlobId(text)}`);
  expect(parseManifest(bytes, manifestHash(manifest))).toMatchObject({ status: 'verified', body: manifest });
  await source.close();
  await outbound.close();
});
