import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { packPackage } from '../../packages/pack.ts';

const run = promisify(execFile);
const options = ['--prefer-offline', '--no-audit', '--no-fund'];

/** An empty folder outside of the repository, in which the tarballs of packages are installed. */
export interface InstalledProject {
  dir: string;
  /** The oldest supported Node, with which the installed packages run. */
  node: string;
  write(path: string, text: string): Promise<void>;
  remove(): Promise<void>;
}

/**
 * @param folders names of folders in `packages/`, with all packages that each of them needs
 * @param sui version of `@mysten/sui` that the project itself depends on. Default: the version of the repository
 */
export async function installProject(
  folders: readonly string[],
  { sui }: { sui?: string } = {},
): Promise<InstalledProject> {
  const dir = await mkdtemp(join(tmpdir(), 'installed-'));
  const tarballs = await Promise.all(folders.map((folder) => packPackage(folder, dir)));
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  };
  const dependencies = { '@mysten/sui': sui ?? (await readOwnVersion('@mysten/sui')) };
  await write('package.json', JSON.stringify({ type: 'module', private: true, dependencies }));
  await run('npm', ['install', ...options, ...tarballs], { cwd: dir });
  return { dir, node: await installRuntime('node'), write, remove: () => rm(dir, { recursive: true }) };
}

/** The version of a package that the repository depends on. */
async function readOwnVersion(name: string): Promise<string> {
  const text = await readFile(join(import.meta.dirname, '../../package.json'), 'utf8');
  return JSON.parse(text).dependencies[name];
}

const cache = resolve(import.meta.dirname, '../../node_modules/.cache/adaptor-marketplace');
/** Versions of the other JavaScript runtimes, and of the oldest supported Node. */
const runtimes = { bun: '1.4.5', deno: '2.9.6', node: '22' };

/** Installs a runtime from npm in `node_modules/.cache`, once. Returns the path of its program. */
export async function installRuntime(name: keyof typeof runtimes): Promise<string> {
  const version = `${name}@${runtimes[name]}`;
  const dir = join(cache, version);
  if (!(await stat(dir).catch(() => undefined))) {
    await mkdir(cache, { recursive: true });
    // The folder gets its name when it is complete. An aborted install leaves nothing, and of two concurrent ones the
    // first stays.
    const unfinished = await mkdtemp(`${dir}-`);
    await writeFile(join(unfinished, 'package.json'), JSON.stringify({ private: true }));
    await run('npm', ['install', ...options, version], { cwd: unfinished });
    await rename(unfinished, dir).catch(() => rm(unfinished, { recursive: true }));
  }
  return join(dir, 'node_modules/.bin', name);
}
