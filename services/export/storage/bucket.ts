import { createReadStream, mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  AbortMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { ObjectStorage } from '../../../lib/config/index.ts';
import type { BucketAddress } from './bucket-address.ts';
import { createTakeoverError, toBucketError } from './bucket-errors.ts';
import { type ExportStorage, recordName } from './storage.ts';

/** Larger files are uploaded in parts of this size, two at a time, which are in memory. */
const partSize = 16 * 1024 * 1024;
const partsAtOnce = 2;

/** Names of the files that can be large enough for an upload in parts: of a day, or of a whole dataset. */
const exportedFile = /^(\w+)\/(?:network=[^/]+\/day=[^/]+\/[^/]+|\1)\.parquet$/;

/** Attempts to store a file. An export that was taken over may store it at the same time, and stops after that file. */
const attemptsMax = 3;

interface BucketOptions extends BucketAddress, ObjectStorage {
  /** Longest silence of the storage. */
  silenceMsMax?: number;
}

/**
 * Opens a bucket for an export. Files are written to the local disk first, one at a time.
 *
 * An export owns the bucket from its first record until another export writes one. Each record replaces the one that was
 * read, on this condition, and no two records are the same. A file is stored on the condition that it replaces what was
 * there while the record was still this export's. So an export that was taken over changes nothing.
 *
 * The methods throw FatalError `bad_bucket`, which says what to do.
 */
export async function openBucket(options: BucketOptions): Promise<ExportStorage> {
  const { bucket: Bucket, prefix, endpoint, region, keys, silenceMsMax = 30_000 } = options;
  const address = `s3://${Bucket}/${prefix}`;
  const record = { Bucket, Key: `${prefix}${recordName}` };
  const client = new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(keys && { credentials: keys }),
    requestHandler: { connectionTimeout: silenceMsMax, socketTimeout: silenceMsMax },
  });
  const folder = await mkdtemp(join(tmpdir(), 'marketplace-export-'));
  const locate = (name: string) => join(folder, name);
  let recordTag: string | undefined;
  let isOwner = false;

  const readTag = (object: typeof record): Promise<string | undefined> =>
    client.send(new HeadObjectCommand(object)).then(
      ({ ETag }) => unquote(ETag!),
      (error) => {
        if (error.name === 'NotFound') return undefined;
        throw error;
      },
    );

  async function readRecord(): Promise<string | undefined> {
    try {
      const { Body, ETag } = await client.send(new GetObjectCommand(record));
      recordTag = unquote(ETag!);
      return await Body!.transformToString();
    } catch (error) {
      if ((error as Error).name === 'NoSuchKey') return undefined;
      throw error;
    }
  }

  async function writeRecord(text: string): Promise<void> {
    const put = new PutObjectCommand({ ...record, Body: text, ...matchTag(recordTag) });
    try {
      recordTag = unquote((await client.send(put)).ETag!);
    } catch (error) {
      // A write whose response was lost is repeated, and finds its own record.
      if ((error as Error).name !== 'PreconditionFailed' || (await readRecord()) !== text) throw error;
    }
    if (!isOwner) await abortUploads();
    isOwner = true;
  }

  /** Aborts the uploads that killed exports left. Others may use the bucket, or a prefix below this one. */
  async function abortUploads(): Promise<void> {
    let page: ListMultipartUploadsCommandOutput | undefined;
    do {
      const after = { KeyMarker: page?.NextKeyMarker, UploadIdMarker: page?.NextUploadIdMarker };
      page = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: prefix, ...after }));
      for (const { Key, UploadId } of page.Uploads ?? [])
        if (exportedFile.test(Key?.slice(prefix.length) ?? ''))
          await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    } while (page.IsTruncated);
  }

  async function store(name: string): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const object = { Bucket, Key: prefix + name };
      const before = await readTag(object);
      // In this order: what another export stores from here on fails the condition of the upload.
      if ((await readTag(record)) !== recordTag) throw createTakeoverError(address);
      const params = { ...object, Body: createReadStream(locate(name)), ...matchTag(before) };
      try {
        await new Upload({ client, params, partSize, queueSize: partsAtOnce }).done();
        break;
      } catch (error) {
        if ((error as Error).name !== 'PreconditionFailed' || attempt === attemptsMax) throw error;
      }
    }
    await rm(locate(name));
  }

  const explain = <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) => {
    return (...args: Args): Promise<T> =>
      work(...args).catch((error) => {
        throw toBucketError(error, { address, endpoint, region });
      });
  };

  return {
    address,
    readRecord: explain(readRecord),
    writeRecord: explain(writeRecord),
    stage(name) {
      mkdirSync(dirname(locate(name)), { recursive: true });
      return locate(name);
    },
    store: explain(store),
    async [Symbol.asyncDispose]() {
      client.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Removes the quotes of a tag: some servers do not accept them in a condition. */
const unquote = (tag: string): string => tag.replaceAll('"', '');

/** Returns the condition that a write replaces the object with this tag, or creates one if there is none. */
const matchTag = (tag: string | undefined): { IfMatch: string } | { IfNoneMatch: string } =>
  tag === undefined ? { IfNoneMatch: '*' } : { IfMatch: tag };
