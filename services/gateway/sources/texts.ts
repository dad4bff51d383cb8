import { LRUCache } from 'lru-cache';
import { decodeContent } from '../../../db/queries/package-sources/content.ts';
import { readOfferedContent } from '../../../db/queries/package-sources/read.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import { createSemaphore } from '../../../lib/concurrency/semaphore.ts';
import type { SourceTexts } from '../../../web/pages/source.ts';

/** Characters of the texts that stay decoded: at least four sources of the largest size. */
const cachedCharactersMax = 16 * 1024 * 1024;

/** One at a time: hostile text of 4 MiB takes a second of processor time. */
const decoding = createSemaphore(1);

/** Texts by the hash of their content, which is the same for all databases. */
const decoded = new LRUCache<string, SourceTexts, Queryable>({
  maxSize: cachedCharactersMax,
  sizeCalculation: ({ texts }) =>
    [...texts].reduce((sum, [path, text]) => sum + path.length + text.length, 1),
  // A read that waits can be evicted before it begins, and its callers still wait for it.
  ignoreFetchAbort: true,
  fetchMethod: (hash, _, { context: db }) => decoding.run(() => decodeTexts(db, hash)),
});

/** Reads the text of an offer by the hash of its content. Undefined if nothing has this content. */
export const readTexts = (db: Queryable, hash: string): Promise<SourceTexts | undefined> =>
  decoded.fetch(hash, { context: db });

async function decodeTexts(db: Queryable, hash: string): Promise<SourceTexts | undefined> {
  const content = await readOfferedContent(db, hash);
  if (!content) return undefined;
  const { folder, packages } = await decodeContent(content);
  const texts = new Map<string, string>();
  for (const [dir, files] of packages) {
    for (const [path, text] of Object.entries(files)) texts.set(`${dir}/${path}`.replace(/^\/+/, ''), text);
  }
  return { folder: folder.slice(1), texts };
}
