import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, link, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { makeFolder } from '@adaptor-marketplace/process';
import { FatalError } from '../../lib/errors/index.ts';
import {
  canReach,
  ensureReachable,
  findPostgresBinaries,
  findServerUser,
  type PostgresBinaries,
  type RunAs,
} from './binaries.ts';

const run = promisify(execFile);

/** A database cluster on disk, and the programs that work on it. */
export interface Cluster extends ClusterLocation {
  /** The data directory of PostgreSQL. */
  data: string;
  /** Password of the superuser `postgres`. */
  password: string;
}

interface ClusterLocation {
  binaries: PostgresBinaries;
  /** Account that the programs run as; undefined: that of this process. */
  runAs: RunAs | undefined;
  /** Folder with the data directory and the password, and the working directory of the programs. */
  home: string;
}

/**
 * Opens the cluster in `dir`, an absolute path, and creates it if it is missing. Several processes may call it
 * concurrently.
 */
export async function openCluster(dir: string): Promise<Cluster> {
  const runAs = findServerUser();
  const home = await chooseHome(dir, runAs);
  const copyTo = join(home, '..', 'postgresql-bin');
  const binaries = await ensureReachable(await findPostgresBinaries(), runAs, copyTo);
  const passwordFile = join(home, 'password');
  const password = await writeOnce(passwordFile, randomBytes(24).toString('hex'), runAs);
  const cluster = { binaries, runAs, home, password, data: join(home, 'data') };
  if (!(await stat(cluster.data).catch(() => undefined))) await initialise(cluster, passwordFile);
  await requireSameRelease(cluster, dir);
  return cluster;
}

/** Reports a cluster of another major release: PostgreSQL does not start it, and says so only in its log. */
async function requireSameRelease({ data, binaries }: Cluster, dir: string): Promise<void> {
  const dataRelease = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim();
  const { stdout } = await run(binaries.postgres, ['--version']);
  const serverRelease = /\) (\d+)/.exec(stdout)?.[1];
  if (dataRelease === serverRelease) return;
  throw new FatalError(
    'data_dir_outdated',
    `DATA_DIR: the database in ${dir} was created by PostgreSQL ${dataRelease}, and this version runs ${serverRelease}. Remove it and the files ` +
      'beside it to start over, or set another DATA_DIR.',
  );
}

/** Runs pg_ctl on the cluster. @throws FatalError with what it printed */
export const pgCtl = (cluster: Cluster, args: string[]) =>
  execute(cluster, cluster.binaries.pg_ctl, ['-D', cluster.data, ...args]);

export const isRunning = (cluster: Cluster) =>
  pgCtl(cluster, ['status']).then(
    () => true,
    () => false,
  );

/** Builds the url with which the superuser connects to the server on the cluster. */
export const buildClusterUrl = ({ password }: Cluster, port: number) =>
  `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;

/**
 * Returns `dir` itself, or for root a folder below /var/lib if the server's own user cannot access `dir`. A file in
 * `dir` holds the path: after `dir` is removed, the next start creates a new database and does not find the old data.
 */
async function chooseHome(dir: string, runAs: RunAs | undefined): Promise<string> {
  makeFolder(dir, 0o755);
  if (!runAs) return dir;
  await chmod(dir, 0o755);
  if (canReach(dir, runAs)) return dir;
  const path = `/var/lib/adaptor-marketplace/${randomBytes(8).toString('hex')}/postgres`;
  const elsewhere = await writeOnce(join(dir, 'location'), path, undefined);
  makeFolder(elsewhere, 0o755);
  return elsewhere;
}

/** Writes a line to a file that does not exist yet. Returns the line of the file: another process may have been faster. */
async function writeOnce(file: string, line: string, owner: RunAs | undefined): Promise<string> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(temporary, `${line}\n`, { mode: 0o600 });
  if (owner) await chown(temporary, owner.uid, owner.gid);
  // A link, unlike a rename, never replaces the file.
  await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(temporary);
  return (await readFile(file, 'utf8')).trim();
}

async function initialise(cluster: Cluster, passwordFile: string): Promise<void> {
  // Renamed when complete: an interrupted initdb leaves no partial cluster, and only one of two concurrent ones stays.
  const unfinished = await mkdtemp(`${cluster.data}.`);
  if (cluster.runAs) await chown(unfinished, cluster.runAs.uid, cluster.runAs.gid);
  const flags = ['--username=postgres', '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync'];
  await execute(cluster, cluster.binaries.initdb, [
    `--pgdata=${unfinished}`,
    `--pwfile=${passwordFile}`,
    ...flags,
  ]);
  await rename(unfinished, cluster.data).catch(() => rm(unfinished, { recursive: true, force: true }));
}

async function execute({ runAs, home }: ClusterLocation, program: string, args: string[]): Promise<void> {
  try {
    await run(program, args, { ...runAs, cwd: home, env: { ...process.env, LC_ALL: 'C' } });
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    throw new FatalError(
      'embedded_postgres',
      `${program} failed: ${output.trim() || getErrorMessage(error)}`,
    );
  }
}
