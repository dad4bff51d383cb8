import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type DemoFile, readDemoFile } from '../../services/demo/file.ts';
import { createDataDir } from '../../test/support/service.ts';

const main = join(import.meta.dirname, '../../services/main.ts');
const tellCpu = new URL('../localnet/tell-cpu.ts', import.meta.url).href;

/** The whole service as a host runs it, until the stack unwinds. */
export interface Services {
  demo: DemoFile;
  /** Of the HTTP API. */
  url: string;
  /** The local network, and beside it all other roles. */
  network: ChildProcess;
  others: ChildProcess;
}

/** Starts the local network and the roles that running actions takes, in a process each, over a durable database. */
export async function startServices(stack: AsyncDisposableStack): Promise<Services> {
  const { dir, remove } = await createDataDir();
  stack.defer(remove);
  const network = start(dir, ['localnet'], stack);
  const others = start(dir, ['indexer', 'tools', 'agent', 'gateway'], stack);
  await isReady(others);
  const demo = await readDemoFile(dir);
  if (!demo?.baseUrl) throw new Error('the services are ready and say not where');
  return { demo, url: demo.baseUrl, network, others };
}

function start(dataDir: string, roles: string[], stack: AsyncDisposableStack): ChildProcess {
  const ports = { PORT: '0', LOCALNET_PORT: '0', TOOLS_PORT: '0', AGENT_PORT: '0' };
  const child = spawn(process.execPath, ['--import', tellCpu, main, ...roles], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, LOG_LEVEL: 'error', ...ports },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  stack.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  });
  return child;
}

async function isReady({ stdout }: ChildProcess): Promise<void> {
  for await (const line of createInterface(stdout!)) {
    if (!line.startsWith('Ready.')) continue;
    stdout!.resume();
    return;
  }
  throw new Error('the services ended before they were ready');
}
