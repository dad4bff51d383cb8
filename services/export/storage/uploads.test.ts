import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listenLocally } from '../../../test/support/listen-locally.ts';
import { openBucket } from './bucket.ts';

/** A storage with the requests of a first record, and with these uploads. Returns the keys of those that are aborted. */
async function startStorage(keys: readonly string[]) {
  const aborted: string[] = [];
  const server = createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url!, 'http://storage');
    if (req.method === 'PUT') return res.setHeader('etag', '"1"').end();
    if (req.method === 'DELETE') aborted.push(pathname.replace('/shared/', ''));
    if (req.method !== 'GET') return res.writeHead(204).end();
    if (!searchParams.has('uploads')) return res.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    const uploads = keys.map((key) => `<Upload><Key>${key}</Key><UploadId>u</UploadId></Upload>`).join('');
    const result = `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${uploads}</ListMultipartUploadsResult>`;
    return res.setHeader('content-type', 'application/xml').end(result);
  });
  const { url, close } = await listenLocally(server);
  onTestFinished(() => close());
  return { url, aborted };
}

test.each(['', 'exports/'])(
  'under the prefix "%s", only the uploads of exports are aborted',
  async (prefix) => {
    const own = ['events/network=testnet/day=2026-01-01/wallet-1-0-0.parquet', 'coins/coins.parquet'];
    const others = [
      'video.mp4',
      'backup/base.parquet',
      'other/events/network=testnet/day=2026-01-01/a.parquet',
    ];
    const storage = await startStorage([...own, ...others].map((name) => prefix + name));
    const keys = { accessKeyId: 'key', secretAccessKey: 'secret', sessionToken: undefined };
    await using bucket = await openBucket({
      bucket: 'shared',
      prefix,
      endpoint: storage.url,
      region: 'us-east-1',
      keys,
    });
    expect(await bucket.readRecord()).toBeUndefined();
    await bucket.writeRecord('{}');
    expect(storage.aborted.map((key) => decodeURIComponent(key))).toEqual(own.map((name) => prefix + name));
  },
);
