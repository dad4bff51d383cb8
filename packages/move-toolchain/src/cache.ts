import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { cacheDir } from './cache-dir.ts';

/** Folder of the entries. */
export const outputsDir = join(cacheDir, 'move');

const entry = z.object({
  modules: z.array(z.string()),
  dependencies: z.array(z.string()),
  digest: z.array(z.int().min(0).max(255)),
});

type Entry = z.infer<typeof entry>;

/**
 * The compiler's output for these inputs, from disk if they were compiled before. Compiling blocks the
 * process for hundreds of milliseconds; the inputs hold the compiler's version and
 * every source text, so an entry never goes stale.
 */
export async function cached(inputs: unknown[], compile: () => Promise<Entry>): Promise<Entry> {
  const path = entryPath(inputs);
  const found = await readEntry(path);
  if (found) return found;
  const output = await compile();
  await mkdir(outputsDir, { recursive: true });
  // Renamed into place: a reader in another process sees all of it or nothing.
  const unfinished = `${path}.${randomUUID()}`;
  await writeFile(unfinished, JSON.stringify(output));
  await rename(unfinished, path);
  return output;
}

/** The compiler's output for these inputs, if they were compiled before. */
export const readCached = (inputs: unknown[]): Promise<Entry | undefined> => readEntry(entryPath(inputs));

const entryPath = (inputs: unknown[]) =>
  join(outputsDir, `${createHash('sha256').update(JSON.stringify(inputs)).digest('hex')}.json`);

/** Nothing for an absent or unreadable entry: it is compiled again. */
async function readEntry(path: string): Promise<Entry | undefined> {
  try {
    return entry.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}
