import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

export interface StoredBlob {
  blobId: string;
  /** Bytes. */
  size: number;
  /** False when the same content was stored before. */
  isNew: boolean;
}

/** Blobs in one folder, each in a file named after its id. */
export interface BlobFolder {
  /** Absolute path, under which a blob's file is named by its id. */
  dir: string;
  /**
   * Stores a body as it arrives; once this resolves, the blob survives a crash.
   * @throws BlobTooLarge
   */
  put(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<StoredBlob>;
  has(blobId: string): Promise<boolean>;
}

export class BlobTooLarge extends Error {}

/** 32 bytes in URL-safe base64. */
export function isBlobId(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** Opens the folder, made if it is not there, and drops what unfinished uploads left behind. */
export async function openBlobFolder(path: string): Promise<BlobFolder> {
  const dir = resolve(path);
  const incoming = join(dir, 'incoming');
  await rm(incoming, { recursive: true, force: true });
  await mkdir(incoming, { recursive: true });

  const has = async (blobId: string) => {
    const found = await stat(join(dir, blobId)).catch(() => undefined);
    return found?.isFile() ?? false;
  };

  const put = async (body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<StoredBlob> => {
    const upload = join(incoming, randomUUID());
    try {
      const { blobId, size } = await writeDurably(upload, body, bytesMax);
      const isNew = !(await has(blobId));
      // The rename makes the blob appear whole or not at all; its folder's entry is then made durable too.
      await rename(upload, join(dir, blobId));
      await sync(dir);
      return { blobId, size, isNew };
    } finally {
      await rm(upload, { force: true });
    }
  };

  return { dir, has, put };
}

async function writeDurably(path: string, body: AsyncIterable<Uint8Array>, bytesMax: number) {
  const hash = createHash('sha256');
  let size = 0;
  const file = await open(path, 'wx');
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > bytesMax) throw new BlobTooLarge();
      hash.update(chunk);
      await file.appendFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { blobId: hash.digest('base64url'), size };
}

async function sync(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
