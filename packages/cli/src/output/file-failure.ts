import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import { UsageError } from '../io.ts';

/** Why a file cannot be used, and what to do about it. */
export function fileFailure(path: string, error: unknown): string {
  switch ((error as NodeJS.ErrnoException | undefined)?.code) {
    case 'ENOENT':
      return `There is no ${path}.`;
    case 'ENOTDIR':
      return `${path} is not a path: a part of it is a file.`;
    case 'EISDIR':
      return `${path} is a folder. Expected a file.`;
    case 'EACCES':
    case 'EPERM':
      return `You may not use ${path}. Check its permissions, and those of its folder.`;
    case 'EROFS':
      return `${path} is on a read-only file system. Choose another place.`;
    case 'ENOSPC':
      return `There is no space left for ${path}.`;
    default:
      return `${path} cannot be used: ${messageOf(error)}.`;
  }
}

/**
 * Checks that a file can be written, before the work whose result goes there.
 * @throws UsageError that says what to do
 */
export async function requireWritable(path: string): Promise<void> {
  const folder = dirname(path);
  await access(folder, constants.W_OK).catch((error: unknown) => {
    const absent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new UsageError(
      absent ? `There is no folder ${folder}. Make it with: mkdir -p ${folder}` : fileFailure(path, error),
    );
  });
}
