import { constants, open } from 'node:fs/promises';
import { getErrorMessage } from './error-message.ts';

const bytesMax = 4096;

/**
 * Reads a secret from a file that only its owner can access. Removes surrounding space.
 * @throws Error that says what to do, and never contains the text
 */
export async function readSecretFile(path: string): Promise<string> {
  // Without waiting for a writer, if it is a named pipe. Windows has no such flag.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      throw new Error(
        error.code === 'ENOENT'
          ? `there is no file ${path}`
          : `${path} cannot be read: ${getErrorMessage(error)}`,
      );
    },
  );
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error(`${path} is not a regular file`);
    // Windows has no such permission bits.
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
      throw new Error(`others than its owner can get at ${path}: chmod 600 ${path}`);
    }
    if (found.size > bytesMax) throw new Error(`${path} is longer than a key`);
    return (await file.readFile('utf8')).trim();
  } finally {
    await file.close();
  }
}
