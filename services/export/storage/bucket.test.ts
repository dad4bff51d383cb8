import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { type ObjectGateway, startObjectGateway } from '../../../test/support/object-gateway.ts';
import { startTcpProxy } from '../../../test/support/tcp-proxy.ts';
import { exportReadModel } from '../export.ts';
import { openBucket } from './bucket.ts';
import { parseBucketAddress } from './bucket-address.ts';
import type { ExportStorage } from './storage.ts';

const db = useTestDatabase();
const Bucket = 'exports';
let gateway: ObjectGateway;
let client: S3Client;

beforeAll(async () => {
  gateway = await startObjectGateway();
  client = new S3Client({
    endpoint: gateway.url,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: gateway.keys,
  });
  await client.send(new CreateBucketCommand({ Bucket }));
  await db.pool.query(
    `insert into sources (network, name, chain_id, filter) values ('testnet', 'wallet', 'a chain', '')`,
  );
  await addEvents(1, 3_000);
});
afterAll(async () => {
  client?.destroy();
  await gateway?.close();
});

/** Each row has about `size` random characters, which do not compress. All are of one day if there are at most 86,400. */
const addEvents = (from: number, to: number, size = 32) =>
  db.pool.query(
    `insert into events (network, checkpoint, tx_index, event_index, source, tx_digest, sender, timestamp, type, name, data, contents)
    select 'testnet', n, 0, 0, 'wallet', 'x' || n, 's', timestamptz '2026-01-01T00:00Z' + n * interval '1 second', 't', 'Other',
      jsonb_build_object('text', (select string_agg(md5(n || ':' || i), '') from generate_series(1, $3::int / 32) i)), ''
    from generate_series($1::int, $2::int) n`,
    [from, to, size],
  );

const readIds = 'select event_id from analytics.events order by checkpoint, tx_index, event_index';

async function readStoredIds(): Promise<unknown[]> {
  const { rows } = await db.pool.query(
    `select tx_digest || ':' || event_index as id from events order by checkpoint, tx_index, event_index`,
  );
  return rows.map(({ id }) => id);
}

/** Settings for a prefix of its own. */
const describePrefix = (prefix: string) => ({
  bucket: Bucket,
  prefix: `${prefix}/`,
  endpoint: gateway.url as string | undefined,
  region: 'us-east-1',
  keys: gateway.keys,
});

async function exportTo(options: Parameters<typeof openBucket>[0]): Promise<void> {
  await using storage = await openBucket(options);
  await exportReadModel({ pool: db.pool, storage });
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'marketplace-bucket-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Downloads a prefix, and returns the ids that DuckDB reads from the files. */
async function readExportedIds(prefix: string): Promise<unknown[]> {
  const folder = await makeFolder();
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix: prefix })) {
    for (const { Key } of Contents) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      const path = join(folder, Key!);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, await Body!.transformToByteArray());
    }
  }
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    await connection.run(`set variable export = '${join(folder, prefix)}/'`);
    await connection.run(await readFile(join(folder, prefix, 'duckdb.sql'), 'utf8'));
    return (await connection.runAndReadAll(readIds)).getRowsJson().flat();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const listUploads = async (prefix: string) =>
  (await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: prefix }))).Uploads ?? [];

describe('an export to a bucket', () => {
  test('has the rows of PostgreSQL, and adds those that are new', async () => {
    await exportTo(describePrefix('twice'));
    await addEvents(3_001, 5_000);
    await exportTo(describePrefix('twice'));
    const ids = await readExportedIds('twice');
    expect(ids.length).toBeGreaterThanOrEqual(5_000);
    expect(ids).toEqual(await readStoredIds());
  });

  test('after a kill during an upload has each row once, and no upload that did not end', async () => {
    await addEvents(10_001, 40_000, 960);
    const proxy = await startTcpProxy(gateway.url);
    onTestFinished(() => proxy.cut());
    const cut = proxy.cutAt('partNumber=2');
    const child = spawn(process.execPath, ['services/export/command.ts', '--to', `s3://${Bucket}/killed`], {
      env: {
        ...process.env,
        TMPDIR: await makeFolder(),
        DATABASE_URL: db.directUrl,
        AWS_ENDPOINT_URL: new URL(proxy.url).origin,
        AWS_ACCESS_KEY_ID: gateway.keys.accessKeyId,
        AWS_SECRET_ACCESS_KEY: gateway.keys.secretAccessKey,
      },
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    await cut;
    child.kill('SIGKILL');
    await ended;
    expect(await listUploads('killed')).toHaveLength(1);
    await exportTo(describePrefix('killed'));
    expect(await listUploads('killed')).toEqual([]);
    expect(await readExportedIds('killed')).toEqual(await readStoredIds());
  });

  test('that another has taken over stops, and leaves what the other stored', async () => {
    const options = describePrefix('two');
    await using storage = await openBucket(options);
    let other: Promise<void> | undefined;
    const slow: ExportStorage = {
      ...storage,
      async store(name) {
        other ??= exportTo(options);
        await other;
        await storage.store(name);
      },
    };
    const first = exportReadModel({ pool: db.pool, storage: slow });
    await expect(first).rejects.toMatchObject({ code: 'export_running' });
    expect(await readExportedIds('two')).toEqual(await readStoredIds());
  });

  test('leaves no file on the disk', async () => {
    const folder = await makeFolder();
    vi.stubEnv('TMPDIR', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    await exportTo(describePrefix('disk'));
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('is refused, with what to do', () => {
  test.each([
    ['a wrong secret', { secretAccessKey: 'wrong' }, 'refuses the keys (SignatureDoesNotMatch). Check AWS_'],
    ['an unknown key', { accessKeyId: 'wrong' }, 'refuses the keys (InvalidAccessKeyId). Check AWS_'],
  ])('%s', async (_, change, message) => {
    const options = describePrefix('refused');
    const attempt = exportTo({ ...options, keys: { ...options.keys, ...change } });
    await expect(attempt).rejects.toMatchObject({
      code: 'bad_bucket',
      message: expect.stringContaining(message),
    });
    await expect(attempt).rejects.not.toThrow(gateway.keys.secretAccessKey);
  });

  test('a bucket that does not exist', async () => {
    const attempt = exportTo({ ...describePrefix('refused'), bucket: 'missing' });
    await expect(attempt).rejects.toThrow(/has no bucket for s3:\/\/missing\/refused\/\. Create it/);
  });

  test('a storage that is not there', async () => {
    const attempt = exportTo({ ...describePrefix('refused'), endpoint: 'http://127.0.0.1:1' });
    await expect(attempt).rejects.toThrow(/cannot be reached .* Check AWS_ENDPOINT_URL/);
  });

  test('a storage that does not respond', async () => {
    const proxy = await startTcpProxy(gateway.url);
    onTestFinished(() => proxy.cut());
    proxy.stall();
    const { origin } = new URL(proxy.url);
    const attempt = exportTo({ ...describePrefix('refused'), endpoint: origin, silenceMsMax: 50 });
    await expect(attempt).rejects.toThrow(/does not respond\. Run the export again/);
  });

  test.each([
    's3:/exports',
    'https://exports/a',
    's3://E/a',
    's3://exports/a//b',
    's3://exports/../b',
    "s3://exports/a'b",
  ])('the address %s', (address) => {
    expect(() => parseBucketAddress(address)).toThrow(
      /is not the address of a bucket.*give its path without --to/,
    );
  });
});

test('a prefix has one slash at its end', () => {
  expect(parseBucketAddress('s3://exports')).toEqual({ bucket: 'exports', prefix: '' });
  for (const address of ['s3://exports/a/b', 's3://exports/a/b/'])
    expect(parseBucketAddress(address)).toEqual({ bucket: 'exports', prefix: 'a/b/' });
});
