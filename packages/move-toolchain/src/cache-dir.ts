import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folder of what is kept on disk: in the `node_modules` that this package is installed in, or that of the repository. */
export const cacheDir = join(nearestModules(import.meta.dirname), '.cache/adaptor-marketplace');

function nearestModules(dir: string): string {
  const modules = join(dir, 'node_modules');
  return existsSync(modules) || dir === dirname(dir) ? modules : nearestModules(dirname(dir));
}
