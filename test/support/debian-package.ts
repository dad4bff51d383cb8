import { execFile } from 'node:child_process';
import { glob, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = resolve(import.meta.dirname, '../../node_modules/.cache/adaptor-marketplace');

/** A package of Debian or Ubuntu, unpacked into a folder with the libraries that are not installed. */
export interface Unpacked {
  /** Contains `usr/bin`, `usr/lib` and so on. */
  folder: string;
  /** Environment in which its programs find the libraries. */
  env: NodeJS.ProcessEnv;
}

/**
 * Downloads a package to `node_modules/.cache`, once: the first of `packages` that the distribution has, each one name or
 * several with spaces between them. It needs no root and installs nothing.
 * @param name of the folder in the cache
 * @param use returns the part that the caller needs; undefined if it does not work on this machine
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
    // Another process may have finished earlier.
    await rename(join(work, 'root'), folder).catch(() => undefined);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  const now = await use(await unpackedIn(folder));
  if (now !== undefined) return now;
  throw new Error(`What was downloaded to ${folder} does not run on this machine.`);
}

/** Script for `sh -c` that ends a program when the process that started it ends, for any reason. */
export const untilInputEnds = 'trap \'\' INT; "$@" & cat > /dev/null; kill -9 $!';

async function unpackedIn(folder: string): Promise<Unpacked> {
  // Some libraries need others from a subfolder. The path to it that they contain holds only for installed packages.
  const pattern = '{usr/,}lib/*-linux-*{,/pulseaudio,/ceph}';
  const libraries = await Array.fromAsync(glob(pattern, { cwd: folder }));
  const paths = [...libraries.map((path) => join(folder, path)), process.env.LD_LIBRARY_PATH];
  return { folder, env: { ...process.env, LD_LIBRARY_PATH: paths.filter(Boolean).join(':') } };
}

/**
 * Unpacks the packages into `root` of the folder. It uses package lists of its own, because those of the machine belong
 * to root.
 */
async function download(folder: string, packages: readonly string[]): Promise<void> {
  for (const name of ['lists/partial', 'archives/partial', 'root'])
    await mkdir(join(folder, name), { recursive: true });
  const options = ['-qq', '-o', `Dir::State::Lists=${folder}/lists`, '-o', `Dir::Cache=${folder}`];
  const aptGet = (...args: string[]) =>
    run('apt-get', [...options, '-o', 'APT::Sandbox::User=', ...args], { cwd: folder });
  await aptGet('update');
  const simulate = async (name: string): Promise<string> =>
    (await aptGet('--simulate', '--no-install-recommends', 'install', ...name.split(' '))).stdout;
  const [first = '', ...others] = packages;
  const installed = await others.reduce((found, name) => found.catch(() => simulate(name)), simulate(first));
  // A line is `Inst name (version ...)`. For an upgrade, the current version is in brackets.
  const names = [...installed.matchAll(/^Inst (\S+) \(/gm)].map(([, name]) => name!);
  await aptGet('download', ...names);
  for await (const file of glob('*.deb', { cwd: folder }))
    await run('dpkg', ['--extract', file, 'root'], { cwd: folder });
}
