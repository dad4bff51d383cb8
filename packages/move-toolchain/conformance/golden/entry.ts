import { readFile } from 'node:fs/promises';
import { z } from 'zod';

/** A deployed package, and the commit that is said to have its source. */
const entry = z.strictObject({
  name: z.string().min(1),
  /** Repository on GitHub, as `owner/name`. */
  repository: z.string().regex(/^[\w-]+\/[\w.-]+$/),
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  /** Folder of the package in the repository. */
  folder: z.string(),
  /** Package id: 64 hex digits after `0x`. */
  package: z.string().regex(/^0x[0-9a-f]{64}$/),
  /** Name of the file that stood in place of each Move.toml when the package was published. */
  manifest: z
    .string()
    .regex(/^[\w.-]+\.toml$/)
    .optional(),
});

export type Entry = z.infer<typeof entry>;

/** @throws ZodError for a file that is not a list of entries */
export async function readEntries(path: string): Promise<Entry[]> {
  return z.array(entry).parse(JSON.parse(await readFile(path, 'utf8')));
}
