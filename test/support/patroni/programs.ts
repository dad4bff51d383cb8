import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { type Unpacked, unpackedPackage } from '../debian-package.ts';

/** The programs of a cluster under Patroni, and the environment that they run in. */
export interface Programs {
  patroni: string;
  etcd: string;
  haproxy: string;
  /** Folder of the programs of PostgreSQL. */
  postgres: string;
  env: NodeJS.ProcessEnv;
}

/** Debian's and Ubuntu's own. `python3-etcd` is what Patroni speaks to etcd with. */
const packages = ['postgresql patroni python3-etcd etcd-server haproxy'];

/**
 * Finds the installed programs, else, on Debian and Ubuntu, the distribution's, downloaded to `node_modules/.cache`.
 * @throws Error that says what to install
 */
export async function findPrograms(): Promise<Programs> {
  const inFolder = async ({ folder, env }: Unpacked): Promise<Programs | undefined> => {
    const find = async (pattern: string): Promise<string | undefined> => {
      for (const root of [folder, '/']) {
        const [found] = await Array.fromAsync(glob(pattern, { cwd: root }));
        if (found !== undefined) return join(root, found);
      }
    };
    const found = {
      patroni: await find('usr/bin/patroni'),
      etcd: await find('usr/bin/etcd'),
      haproxy: await find('usr/sbin/haproxy'),
      postgres: await find('usr/lib/postgresql/*/bin'),
    };
    const modules = ['usr/lib/python3/dist-packages', '/usr/lib/python3/dist-packages'];
    const path = modules.map((one) => join(one.startsWith('/') ? '' : folder, one)).join(':');
    if (Object.values(found).includes(undefined)) return undefined;
    return { ...(found as Omit<Programs, 'env'>), env: { ...env, PYTHONPATH: path, LC_ALL: 'C' } };
  };
  return await unpackedPackage('patroni', packages, inFolder).catch((cause) => {
    throw new Error(
      'No Patroni to test with: install postgresql, patroni, python3-etcd, etcd-server and haproxy.',
      { cause },
    );
  });
}
