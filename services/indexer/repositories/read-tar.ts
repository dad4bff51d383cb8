import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import {
  type FileTree,
  isBuildInput,
  SourceRefusedError,
  sourceLimits,
} from '@adaptor-marketplace/move-toolchain/verify/source';
import { extract, type Header } from 'tar-stream';

/** Bounds on the archive of a repository, with everything beside the source. */
export const archiveLimits = {
  /** The gzipped archive, in bytes. */
  bytes: 32 * 1024 * 1024,
  /** The tar in it, in bytes. */
  unpackedBytes: 256 * 1024 * 1024,
  entries: 50_000,
};

/** Bytes that gunzip gives at once. Other work of the process has a turn between two of them. */
const chunkBytes = 64 * 1024;

/**
 * Reads the build inputs in the gzipped tar of a repository, in memory. The names lose the one top folder, which the host
 * chooses. Other files, and links in place of them, are left out.
 * @throws SourceRefusedError with the reason, for an archive beyond the limits, one that is broken, names that lead out of
 * it, links in place of build inputs, and two files of the same name
 */
export async function readTar(archive: Uint8Array): Promise<FileTree> {
  const tar = extract();
  const unpacking = pipeline([archive], createGunzip({ chunkSize: chunkBytes }), boundUnpacked, tar);
  // Its error is also that of the loop, or follows from it.
  unpacking.catch(() => undefined);
  const files = new Map<string, Uint8Array>();
  let [top, count, bytes]: [string | undefined, number, number] = [undefined, 0, 0];
  try {
    for await (const entry of tar) {
      const { header } = entry;
      count++;
      if (count > archiveLimits.entries) {
        throw new SourceRefusedError(`The repository has more than ${archiveLimits.entries} files.`);
      }
      const [first, path] = splitTop(header.name);
      top ??= first;
      if (first !== top) throw new SourceRefusedError('The archive has several top folders.');
      requirePlainFile(header, path);
      if (header.type !== 'file' || !isBuildInput(path)) {
        entry.resume();
        continue;
      }
      const shown = JSON.stringify(path.slice(0, 100));
      if (files.has(path)) throw new SourceRefusedError(`The archive has two files ${shown}.`);
      bytes += header.size;
      if (
        header.size > sourceLimits.fileBytes ||
        bytes > sourceLimits.bytes ||
        files.size >= sourceLimits.inputs
      ) {
        throw new SourceRefusedError(
          `The repository has too much source, at ${shown}. It has at most ${sourceLimits.inputs} manifests and Move files, ` +
            `${sourceLimits.fileBytes / 1024 / 1024} MiB each and ${sourceLimits.bytes / 1024 / 1024} MiB together. Offer the package as a zip file.`,
        );
      }
      files.set(path, Buffer.concat((await Array.fromAsync(entry)) as Uint8Array[]));
    }
    await unpacking;
  } catch (error) {
    if (error instanceof SourceRefusedError) throw error;
    throw new SourceRefusedError(`The archive cannot be read: ${getErrorMessage(error)}.`);
  }
  return files;
}

async function* boundUnpacked(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let remainingBytes = archiveLimits.unpackedBytes;
  for await (const chunk of chunks) {
    remainingBytes -= chunk.length;
    if (remainingBytes < 0) {
      throw new SourceRefusedError(
        `The repository has more than ${archiveLimits.unpackedBytes / 1024 / 1024} MiB. Offer the package as a zip file.`,
      );
    }
    yield chunk;
  }
}

/** Splits a name into the top folder and the path in it. @throws SourceRefusedError for one that leads elsewhere */
function splitTop(name: string): [top: string, path: string] {
  const [top = '', ...parts] = name.replace(/\/$/, '').split('/');
  if (top === '' || [top, ...parts].some((part) => part === '..' || part === '.')) {
    throw new SourceRefusedError(
      `The name ${JSON.stringify(name.slice(0, 100))} in the archive could lead out of it.`,
    );
  }
  return [top, parts.join('/')];
}

/** @throws SourceRefusedError for an entry in place of source that is not a plain file */
function requirePlainFile({ type, pax }: Header, path: string): void {
  const isSparse = Object.keys(pax ?? {}).some((key) => key.startsWith('GNU.sparse.'));
  if ((type === 'file' && !isSparse) || type === 'directory') return;
  const isLink = type === 'symlink' || type === 'link';
  if (isLink && !isBuildInput(path) && !path.split('/').includes('sources')) return;
  throw new SourceRefusedError(
    `${JSON.stringify(path.slice(0, 100))} in the archive is ${isLink ? 'a link' : 'not a plain file'}. Put the file itself in its place.`,
  );
}
