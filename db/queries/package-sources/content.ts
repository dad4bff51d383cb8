import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { PreparedSource } from '@adaptor-marketplace/move-toolchain/verify/source';

/** Source as it is stored: the build inputs of a package, and of the local packages that it uses. */
export interface StoredContent {
  /** Lower-case hex sha256 of the JSON. */
  hash: string;
  content: Buffer;
}

/** JSON of 4 MiB of text. An escaped character has up to six bytes. */
const jsonBytesMax = 32 * 1024 * 1024;

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/** Encodes source for the database. The same files in another order are the same content. */
export async function encodeContent({
  folder,
  packages,
}: Pick<PreparedSource, 'folder' | 'packages'>): Promise<StoredContent> {
  const sorted = [...packages]
    .map(([dir, files]) => [dir, sortEntries(Object.entries(files))] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const json = JSON.stringify([folder, sorted]);
  return { hash: createHash('sha256').update(json).digest('hex'), content: await zip(json) };
}

const sortEntries = (entries: [string, string][]) => entries.sort(([a], [b]) => (a < b ? -1 : 1));

/** Decodes what `encodeContent` made. */
export async function decodeContent(content: Buffer): Promise<Pick<PreparedSource, 'folder' | 'packages'>> {
  const json = (await unzip(content, { maxOutputLength: jsonBytesMax })).toString('utf8');
  const [folder, packages] = JSON.parse(json) as [string, [string, [string, string][]][]];
  return { folder, packages: new Map(packages.map(([dir, files]) => [dir, Object.fromEntries(files)])) };
}
