import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Unpacked, unpackedPackage, untilInputEnds } from './debian-package.ts';
import { eventually } from './eventually.ts';
import { freePorts } from './free-ports.ts';

export interface PgBouncer {
  /** The target's url through PgBouncer. */
  url: string;
  /** Ends PgBouncer at once, with every connection. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** The settings that docs/operations.md gives to PgBouncer. */
const settings = 'set max_parallel_workers_per_gather = 0; set client_connection_check_interval = 1000';

/**
 * Starts a real PgBouncer in transaction mode before the server of `target`: the installed one, else, on Debian and
 * Ubuntu, the distribution's, downloaded to `node_modules/.cache`.
 * @param poolSize connections to the server
 * @throws Error that says what to install
 */
export async function startPgBouncer(target: string, poolSize: number): Promise<PgBouncer> {
  const { program, env } = await findPgBouncer();
  const dir = await mkdtemp(join(tmpdir(), 'marketplace-pgbouncer-'));
  const [port] = await freePorts(1);
  const { hostname, port: serverPort, username, password, pathname } = new URL(target);
  const users = join(dir, 'users.txt');
  const config = join(dir, 'pgbouncer.ini');
  await writeFile(users, `"${username}" "${password}"\n`);
  await writeFile(
    config,
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${serverPort} connect_query='${settings}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 500
${process.getuid?.() === 0 ? 'user = postgres' : ''}
`,
  );
  let child: ReturnType<typeof spawn> | undefined;

  async function start(): Promise<void> {
    const args = ['-c', untilInputEnds, 'sh', program, '--quiet', config];
    child = spawn('sh', args, { stdio: ['pipe', 'ignore', 'ignore'], env });
    await eventually(() => untilOpen(port!));
  }
  async function kill(): Promise<void> {
    if (!child) return;
    const exited = once(child, 'exit');
    child.stdin!.end();
    await exited;
    child = undefined;
  }
  const url = new URL(target);
  url.host = `127.0.0.1:${port}`;
  await start();
  return {
    url: url.href,
    kill,
    start,
    async close() {
      await kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function untilOpen(port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect(port, '127.0.0.1', resolve).once('error', reject);
  return promise.finally(() => socket.destroy());
}

interface Program {
  program: string;
  env: NodeJS.ProcessEnv;
}

const run = promisify(execFile);

const runs = ({ program, env }: Program): Promise<boolean> =>
  run(program, ['--version'], { env }).then(
    () => true,
    () => false,
  );

async function findPgBouncer(): Promise<Program> {
  const installed = { program: '/usr/sbin/pgbouncer', env: process.env };
  if (await runs(installed)) return installed;
  const inFolder = async ({ folder, env }: Unpacked) => {
    const found = { program: join(folder, 'usr/sbin/pgbouncer'), env };
    return (await runs(found)) ? found : undefined;
  };
  return await unpackedPackage('pgbouncer', ['pgbouncer'], inFolder).catch((cause) => {
    throw new Error('No PgBouncer to test with: install pgbouncer.', { cause });
  });
}
