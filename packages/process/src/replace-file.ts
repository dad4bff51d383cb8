import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { moveDurably } from './move-durably.ts';

/**
 * Replaces a file as a whole, or makes it, with `mode` if it is set: a reader sees the earlier text or the later one, also
 * after a crash or a power loss.
 *
 * @throws the system's error. The file is then as before, unless only its folder could not be synced
 */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  // Another call, or another process, may replace it at the same time.
  const unfinished = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeDurably(unfinished, text, mode);
    await moveDurably(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function writeDurably(path: string, text: string, mode?: number): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
