import { createServer, type RequestListener } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { listenLocally } from '../../../test/support/listen-locally.ts';
import { type BlobUploadOptions, createBlobUpload } from './upload.ts';

const blobId = 'A-_z'.repeat(11).slice(0, 43);
const stored = '{"category":"Other","name":"Jar","ops":[]}';
const receipt = JSON.stringify({ newlyCreated: { blobObject: { blobId } } });

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Walrus, as far as `put` and `get` answer for it; what was put is in `bodies`. */
async function walrus(put: RequestListener, get: RequestListener, bounds: Partial<BlobUploadOptions> = {}) {
  const seen = { urls: [] as string[], bodies: [] as string[] };
  const server = createServer(async (request, response) => {
    seen.urls.push(`${request.method} ${request.url}`);
    if (request.method !== 'PUT') return get(request, response);
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.bodies.push(body);
    put(request, response);
  });
  const listening = await listenLocally(server);
  closers.push(listening.close);
  const url = `${listening.url}/walrus`;
  const store = createBlobUpload({ publisherUrl: url, aggregatorUrl: url, ...bounds });
  closers.push(() => store.close());
  return { store, seen };
}

const answer =
  (body: string, status = 200): RequestListener =>
  (_, response) => {
    response.writeHead(status).end(body);
  };
const silence: RequestListener = () => {};

test('what is stored is the blob, for as long as Walrus sells, and it is read back', async () => {
  const { store, seen } = await walrus(answer(receipt), answer(stored));
  expect(await store.upload(Buffer.from(stored))).toBe(`walrus://${blobId}`);
  expect(seen.bodies).toEqual([stored]);
  expect(seen.urls).toEqual([
    'PUT /walrus/v1/blobs?epochs=53&permanent=true',
    `GET /walrus/v1/blobs/${blobId}`,
  ]);
});

test('a blob that Walrus has already is found, not refused', async () => {
  const known = JSON.stringify({ alreadyCertified: { blobId, endEpoch: 60 } });
  const { store } = await walrus(answer(known), answer(stored));
  expect(await store.upload(Buffer.from(stored))).toBe(`walrus://${blobId}`);
});

test('an aggregator that learns of the blob a moment later is asked again', async () => {
  let asked = 0;
  const { store } = await walrus(answer(receipt), (request, response) => {
    asked += 1;
    answer(asked < 3 ? '' : stored, asked < 3 ? 404 : 200)(request, response);
  });
  expect(await store.upload(Buffer.from(stored))).toBe(`walrus://${blobId}`);
  expect(asked).toBe(3);
});

const broken: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('{"newly');
  response.destroy();
};

test.each<[string, RequestListener, RequestListener, string, string]>([
  ['a publisher that refuses', answer('no funds', 500), silence, 'upload_failed', 'answered 500'],
  ['a publisher that aborts', broken, silence, 'upload_failed', 'closed the connection'],
  ['a publisher that answers something else', answer('<html>'), silence, 'upload_failed', 'did not say'],
  [
    'a receipt without a blob id',
    answer('{"newlyCreated":{"blobObject":{"blobId":"../x"}}}'),
    silence,
    'upload_failed',
    'did not say',
  ],
  ['a publisher that never answers', silence, silence, 'upload_timeout', 'longer than 200 ms'],
  ['an aggregator that never answers', answer(receipt), silence, 'upload_timeout', 'cannot be read back'],
  [
    'an aggregator that does not find it',
    answer(receipt),
    answer('', 404),
    'upload_timeout',
    'cannot be read back',
  ],
  [
    'an aggregator that sends elsewhere',
    answer(receipt),
    answer('', 302),
    'upload_failed',
    'cannot be read back',
  ],
  ['an aggregator with other bytes', answer(receipt), answer('{}'), 'upload_failed', 'other bytes'],
])('%s gives no uri, and says so', async (_, put, get, code, message) => {
  // Short time limits are only for servers that do not respond.
  const bounds = {
    storeTimeoutMs: put === silence ? 200 : 20_000,
    findTimeoutMs: get === silence ? 200 : 500,
  };
  const { store } = await walrus(put, get, bounds);
  await expect(store.upload(Buffer.from(stored))).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
  });
});

test('only so many uploads run at once, and their places are free again', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { store, seen } = await walrus(async (request, response) => {
    await held;
    answer(receipt)(request, response);
  }, answer(stored));
  const running = Array.from({ length: 16 }, () => store.upload(Buffer.from(stored)));
  await expect(store.upload(Buffer.from(stored))).rejects.toMatchObject({ code: 'upload_busy' });
  release();
  await Promise.all(running);
  await store.upload(Buffer.from(stored));
  expect(seen.bodies).toHaveLength(17);
});
