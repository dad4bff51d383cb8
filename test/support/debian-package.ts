import { execFile } from 'node:child_process';
import { glob, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = resolve(import.meta.dirname, '../../node_modules/.cache/adaptor-marketplace');

/** A package of Debian or Ubuntu with the libraries that are not installed, unpacked into a folder. */
export interface Unpacked {
  /** Has `usr/bin`, `usr/lib` and the others. */
  folder: string;
  /** The environment in which its programs find the libraries. */
  env: NodeJS.ProcessEnv;
}

/**
 * Downloads the first of some packages that the distribution has to `node_modules/.cache`, once: needs no root, and
 * installs nothing.
 * @param name of the folder in the cache
 * @param use what is taken of it; undefined where it does not work on this machine
 */
export async function unpackedPackage<Use>(
  name: string,
  packages: readonly string[],
  use: (unpacked: Unpacked) => Promise<Use | undefined>,
): Promise<Use> {
  const folder = join(cache, name);
  const earlier = await use(await unpackedIn(folder));
  if (earlier !== undefined) return earlier;
  await rm(folder, { recursive: true, force: true });
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, `${name}-download-`));
  try {
    await download(work, packages);
    // Another process may have been faster.
    await rename(join(work, 'root'), folder).catch(() => undefined);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  const now = await use(await unpackedIn(folder));
  if (now !== undefined) return now;
  throw new Error(`What was downloaded to ${folder} does not run on this machine.`);
}

async function unpackedIn(folder: string): Promise<Unpacked> {
  // Some libraries look for others of their own in a folder below, which the installed ones name.
  const pattern = '{usr/,}lib/*-linux-*{,/pulseaudio}';
  const libraries = await Array.fromAsync(glob(pattern, { cwd: folder }));
  const paths = [...libraries.map((path) => join(folder, path)), process.env.LD_LIBRARY_PATH];
  return { folder, env: { ...process.env, LD_LIBRARY_PATH: paths.filter(Boolean).join(':') } };
}

/** Unpacks into `root` of the folder, with package lists of its own: those of the machine are root's. */
async function download(folder: string, packages: readonly string[]): Promise<void> {
  for (const name of ['lists/partial', 'archives/partial', 'root'])
    await mkdir(join(folder, name), { recursive: true });
  const options = ['-qq', '-o', `Dir::State::Lists=${folder}/lists`, '-o', `Dir::Cache=${folder}`];
  const aptGet = (...args: string[]) =>
    run('apt-get', [...options, '-o', 'APT::Sandbox::User=', ...args], { cwd: folder });
  await aptGet('update');
  const { stdout } = await Promise.any(
    packages.map((name) => aptGet('--simulate', '--no-install-recommends', 'install', name)),
  );
  // `Inst name (version ...)`; a package that would be upgraded has its present version in brackets.
  const names = [...stdout.matchAll(/^Inst (\S+) \(/gm)].map(([, name]) => name!);
  await aptGet('download', ...names);
  for await (const file of glob('*.deb', { cwd: folder }))
    await run('dpkg', ['--extract', file, 'root'], { cwd: folder });
}
