import { open } from 'node:fs/promises';
import { messageOf } from './error-message.ts';

const bytesMax = 4096;

/**
 * The text of a file that holds a secret and that nobody but its owner can get at, without surrounding space.
 * @throws Error that says what to do, and never shows the text
 */
export async function readSecretFile(path: string): Promise<string> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      error.code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read: ${messageOf(error)}`,
    );
  });
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error(`there is no file ${path}`);
    // Windows has no such bits.
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
      throw new Error(`others than its owner can get at ${path}: chmod 600 ${path}`);
    }
    if (found.size > bytesMax) throw new Error(`${path} is longer than a key`);
    return (await file.readFile('utf8')).trim();
  } finally {
    await file.close();
  }
}
