import { open, rename } from 'node:fs/promises';

/**
 * Replaces a file as a whole, or makes it, with `mode` if it is set: a reader sees the earlier text or the later one, also
 * after a crash.
 *
 * @throws the system's error
 */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  // Another process may replace it at the same time.
  const unfinished = `${path}.${process.pid}`;
  const file = await open(unfinished, 'w', mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
}
