import { open, rename } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Renames a file, so that it keeps the new name after a power loss. Sync its content before.
 * @param root folder that contains the new name, and that was there before: the folders between may be new
 */
export async function moveDurably(from: string, to: string, root: string = dirname(to)): Promise<void> {
  await rename(from, to);
  // Windows cannot open folders.
  if (process.platform === 'win32') return;
  const last = resolve(root);
  for (let folder = dirname(resolve(to)); ; folder = dirname(folder)) {
    await using opened = await open(folder);
    await opened.sync();
    if (folder === last || folder === dirname(folder)) return;
  }
}
