import { spawnSync } from 'node:child_process';
import { FatalError } from '../../lib/errors/index.ts';

/** The account that a process is started as. */
export interface RunAs {
  uid: number;
  gid: number;
}

/**
 * PostgreSQL refuses to run as root: then it runs as the system user `postgres`, made when missing.
 * Undefined for everyone but root.
 */
export function serverUser(): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const found = lookUp();
  if (found) return found;
  spawnSync('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']);
  const made = lookUp();
  if (made) return made;
  throw new FatalError(
    'no_postgres_user',
    'PostgreSQL cannot run as root and the user "postgres" could not be made. Run as another user, or set DATABASE_URL.',
  );
}

function lookUp(): RunAs | undefined {
  const read = (flag: string) => spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' });
  const [uid, gid] = [read('-u'), read('-g')];
  if (uid.status !== 0 || gid.status !== 0) return undefined;
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

/** Whether that account can pass through every folder above `path` and open it. */
export function canReach(path: string, runAs: RunAs): boolean {
  return spawnSync('test', ['-x', path], { ...runAs, cwd: '/' }).status === 0;
}
