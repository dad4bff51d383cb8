import { createServer } from 'node:http';
import { manifestLimits } from '@adaptor-marketplace/adaptor/manifest';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listenLocally } from '../../test/support/listen-locally.ts';
import { createOutbound } from '../outbound/index.ts';
import { createManifestSource, type ManifestSource, parseManifestUri } from './source.ts';

const blobId = 'A-_z'.repeat(11).slice(0, 43);
const paths: string[] = [];
const bodies = new Map<string, Buffer>();
let port: number;
let source: ManifestSource;
let close: () => Promise<void>;

beforeEach(async () => {
  paths.length = 0;
  bodies.clear();
  const server = createServer(({ url = '' }, response) => {
    paths.push(url);
    const body = bodies.get(url);
    response.writeHead(body ? 200 : 404).end(body);
  });
  const listening = await listenLocally(server);
  port = listening.port;
  const outbound = createOutbound({ allowCidrs: [] });
  source = createManifestSource({ aggregatorUrl: `http://127.0.0.1:${port}/walrus`, outbound });
  close = async () => {
    await source.close();
    await outbound.close();
    await listening.close();
  };
});
afterEach(() => close());

test.each([`walrus://${blobId}`, `walrus://blob/${blobId}`])(
  '%s is read from the configured aggregator',
  async (uri) => {
    bodies.set(`/walrus/v1/blobs/${blobId}`, Buffer.from('{}'));
    expect(Buffer.from(await source.read(uri)).toString()).toBe('{}');
    expect(paths).toEqual([`/walrus/v1/blobs/${blobId}`]);
  },
);

test('a blob the aggregator does not know yet is asked for again later', async () => {
  await expect(source.read(`walrus://${blobId}`)).rejects.toMatchObject({
    kind: 'http_status',
    retryable: true,
  });
});

test('a blob larger than any manifest is refused, although the aggregator is trusted', async () => {
  bodies.set(`/walrus/v1/blobs/${blobId}`, Buffer.alloc(manifestLimits.bytesMax + 1));
  await expect(source.read(`walrus://${blobId}`)).rejects.toMatchObject({ kind: 'too_large' });
});

test("a stranger's url goes through the guard, also when it names the aggregator's own host", async () => {
  bodies.set('/', Buffer.from('{}'));
  await expect(source.read(`https://127.0.0.1:${port}/`)).rejects.toMatchObject({
    kind: 'forbidden_address',
  });
  await expect(source.read(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ kind: 'forbidden_url' });
  expect(paths).toEqual([]);
});

test.each([
  'walrus://short',
  `walrus://${blobId}x`,
  `walrus://${blobId}/../../admin`,
  `walrus://by-object-id/${blobId}`,
  `WALRUS://${blobId}`,
  'ipfs://bafy',
  'file:///etc/passwd',
  'data:application/json,{}',
  '//example.com/',
  '',
])('no other uri leads anywhere: "%s"', async (uri) => {
  expect(parseManifestUri(uri)).toEqual({ error: expect.any(String) });
  await expect(source.read(uri)).rejects.toMatchObject({ kind: 'forbidden_url', retryable: false });
  expect(paths).toEqual([]);
});
