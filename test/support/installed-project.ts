import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { packPackage } from '../../packages/pack.ts';

const run = promisify(execFile);
const options = ['--prefer-offline', '--no-audit', '--no-fund'];

/** An empty folder with nothing of the repository in reach, where the tarballs of packages are installed. */
export interface InstalledProject {
  dir: string;
  /** The oldest supported Node, with which the installed packages run. */
  node: string;
  write(path: string, text: string): Promise<void>;
  remove(): Promise<void>;
}

/** @param folders of `packages/`, with all that each of them needs */
export async function installProject(folders: readonly string[]): Promise<InstalledProject> {
  const dir = await mkdtemp(join(tmpdir(), 'installed-'));
  const tarballs = await Promise.all(folders.map((folder) => packPackage(folder, dir)));
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  };
  await write('package.json', JSON.stringify({ type: 'module', private: true }));
  await run('npm', ['install', ...options, 'node@22', ...tarballs], { cwd: dir });
  const node = join(dir, 'node_modules/node/bin/node');
  return { dir, node, write, remove: () => rm(dir, { recursive: true }) };
}

const cache = resolve(import.meta.dirname, '../../node_modules/.cache/adaptor-marketplace');
const runtimes = { bun: '1.4.5', deno: '2.9.6' };

/** Other runtimes of JavaScript from npm, in `node_modules/.cache`: the path of each. */
export async function installRuntimes(): Promise<Record<keyof typeof runtimes, string>> {
  const named = Object.entries(runtimes).map(([name, version]) => `${name}@${version}`);
  const dir = join(cache, named.join('-'));
  const bin = join(dir, 'node_modules/.bin');
  // The lock file is written last.
  if (!(await stat(join(dir, 'package-lock.json')).catch(() => undefined))) {
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, 'package.json'), JSON.stringify({ private: true }));
    await run('npm', ['install', ...options, ...named], { cwd: dir });
  }
  return { bun: join(bin, 'bun'), deno: join(bin, 'deno') };
}
