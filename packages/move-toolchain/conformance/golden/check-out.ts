import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { isBuildInput } from '../../src/verify/source.ts';
import type { Entry } from './entry.ts';

const run = promisify(execFile);

/** Output of git that lists a repository's files, at most. */
const maxBuffer = 64 * 1024 * 1024;

/** Lets git read each repository of GitHub from a folder with bare repositories, `<owner>/<name>.git`. */
export function readRepositoriesFrom(folder: string): void {
  process.env.GIT_CONFIG_COUNT = '1';
  process.env.GIT_CONFIG_KEY_0 = `url.${pathToFileURL(resolve(folder)).href}/.insteadOf`;
  process.env.GIT_CONFIG_VALUE_0 = 'https://github.com/';
}

/** A commit's manifests and Move files on disk, until it is disposed. */
interface CheckOut extends AsyncDisposable {
  folder: string;
}

/** @throws Error if the repository has no such commit, or git fails */
export async function checkOut(repositories: string, entry: Entry): Promise<CheckOut> {
  const { repository, commit, manifest } = entry;
  const git = ['-C', join(repositories, `${repository}.git`), '--literal-pathspecs'];
  const list = await run('git', [...git, 'ls-tree', '-r', '-z', '--name-only', commit], { maxBuffer });
  const isWanted = (path: string) => isBuildInput(path) || path.split('/').at(-1) === manifest;
  const paths = list.stdout.split('\0').filter(isWanted);
  const dir = await mkdtemp(join(tmpdir(), 'golden-'));
  try {
    const [archive, tree] = [join(dir, 'archive.tar'), join(dir, 'tree')];
    await mkdir(tree);
    await run('git', [...git, 'archive', '--output', archive, commit, '--', ...paths]);
    await run('tar', ['-xf', archive, '-C', tree]);
    if (manifest !== undefined) await useManifests(tree, manifest);
    return {
      folder: join(tree, entry.folder),
      [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
    };
  } catch (error) {
    await rm(dir, { recursive: true, force: true });
    throw error;
  }
}

async function useManifests(tree: string, manifest: string): Promise<void> {
  for (const file of await readdir(tree, { recursive: true, withFileTypes: true })) {
    if (file.name === manifest)
      await rename(join(file.parentPath, manifest), join(file.parentPath, 'Move.toml'));
  }
}
