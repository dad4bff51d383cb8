import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DemoFile, readDemoFile } from '../../services/demo/file.ts';
import { eventually } from './eventually.ts';

const main = join(import.meta.dirname, '../../services/main.ts');

/** The whole service as `npm start` runs it, in a data folder of its own and on free ports. */
export interface Service {
  process: ChildProcess;
  /** Standard output and error so far. */
  output(): string;
  /** Resolves with the exit code or the name of the signal. The last output may arrive later. */
  exited: Promise<number | string>;
}

export async function createDataDir(): Promise<{ dir: string; remove(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'marketplace-'));
  // If the tests run as root, the database server runs as another user, which must reach its data.
  await chmod(dir, 0o755);
  return { dir, remove: () => rm(dir, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Settings by which each server listens on a port that is free. */
export const anyPorts = {
  PORT: '0',
  LOCALNET_PORT: '0',
  LOCALNET_FAUCET_PORT: '0',
  LOCALNET_BLOBS_PORT: '0',
};

/**
 * @param execArgv options of Node; with some, the process can send messages to this one
 * @param program path of the service's program. Default: that of this repository
 */
export function startService(
  dataDir: string,
  roles: string[],
  env: Record<string, string> = {},
  execArgv: string[] = [],
  program = main,
): Service {
  const child = spawn(process.execPath, [...execArgv, program, ...roles], {
    // The working directory is not the repository, whose `.env` belongs to its developer.
    cwd: dataDir,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATA_DIR: dataDir,
      ...anyPorts,
      LOG_LEVEL: 'info',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', ...(execArgv.length > 0 ? (['ipc'] as const) : [])],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  // The event is not `close`, because a database server that outlives the process holds its output open.
  const exited = once(child, 'exit').then(([code, signal]) => code ?? signal);
  return { process: child, output: () => output, exited };
}

/** Asks the service to end, as an orchestrator does, and waits for it. Returns the exit code or the name of the signal. */
export async function stopService({ process, exited }: Service): Promise<number | string> {
  process.kill('SIGTERM');
  return await exited;
}

/** Waits until the service reports that it is ready. If it ends before, the wait fails with its output. */
export async function ready(service: Service, dataDir: string): Promise<DemoFile & { baseUrl: string }> {
  return await eventually(async () => {
    if (service.process.exitCode !== null) throw new Error(`ended early:\n${service.output()}`);
    const demo = await readDemoFile(dataDir);
    if (!demo?.baseUrl) throw new Error(`not ready:\n${service.output()}`);
    const answer = await fetch(`${demo.baseUrl}/readyz`);
    if (!answer.ok) throw new Error(`not ready: ${await answer.text()}\n${service.output()}`);
    return { ...demo, baseUrl: demo.baseUrl };
  });
}

/** Process id of a data folder's embedded PostgreSQL server; undefined if none runs. */
export async function postgresPid(dataDir: string): Promise<number | undefined> {
  const file = join(dataDir, 'postgres', 'data', 'postmaster.pid');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Number(text.split('\n')[0]);
}
