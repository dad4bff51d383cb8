import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type Database, openDatabase } from '../../db/client.ts';
import { startEmbeddedServer } from '../../db/embedded/server.ts';
import { type DemoFile, readDemoFile } from '../../services/demo/file.ts';
import { endChild } from '../../test/support/end-child.ts';
import { createDataDir } from '../../test/support/service.ts';

const main = join(import.meta.dirname, '../../services/main.ts');
export const adminSecret = 'the-admin-secret-of-the-bench';

export interface HeldServices {
  demo: DemoFile;
  db: Database;
  url: string;
  /** Process of the gateway alone, which answers messages with its usage. */
  gateway: ChildProcess;
}

/** The services as `npm start` runs them, with a gateway in a process of its own. `fill` runs before the gateway starts. */
export async function startServices(
  stack: AsyncDisposableStack,
  fill: (services: Omit<HeldServices, 'gateway' | 'url'>) => Promise<void>,
): Promise<HeldServices> {
  const { dir, remove } = await createDataDir();
  stack.defer(remove);
  const others = start(dir, ['localnet', 'indexer', 'tools', 'agent'], [], stack, {});
  const said = await untilSaid(others.stderr!, 'the agent service runs');
  const agentUrl = JSON.parse(said).url as string;
  const server = await startEmbeddedServer({ dir: join(dir, 'postgres') });
  stack.defer(() => server.stop());
  const db = openDatabase(server.url, { max: 4 });
  stack.defer(() => db.close());
  const demo = (await readDemoFile(dir))!;
  await fill({ demo, db });
  const tell = ['--import', join(import.meta.dirname, 'tell-holds.ts')];
  const gateway = start(dir, ['gateway'], tell, stack, { AGENT_URL: agentUrl });
  gateway.stderr!.resume();
  await untilSaid(gateway.stdout!, 'Ready.');
  const { baseUrl } = (await readDemoFile(dir))!;
  return { demo, db, url: baseUrl!, gateway };
}

function start(
  dataDir: string,
  roles: string[],
  execArgv: string[],
  stack: AsyncDisposableStack,
  more: Record<string, string>,
) {
  const ports = { PORT: '0', LOCALNET_PORT: '0', LOCALNET_FAUCET_PORT: '0', LOCALNET_BLOBS_PORT: '0' };
  const child = spawn(process.execPath, [...execArgv, main, ...roles], {
    cwd: dataDir,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATA_DIR: dataDir,
      LOG_LEVEL: 'info',
      ...ports,
      REDIS_URL: 'memory:',
      MARKETPLACE_ADMIN_SECRET: adminSecret,
      MARKETPLACE_ANON_RPM: '1000000',
      SQL_DATABASE_URL: 'embedded:',
      TRUST_PROXY: '1',
      SECURITY_CONTACT: 'mailto:security@market.example',
      ...more,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  stack.defer(() => endChild(child));
  return child;
}

/** Returns the line with the words. @throws Error if the process ends before it */
async function untilSaid(output: Readable, words: string): Promise<string> {
  for await (const line of createInterface(output)) {
    if (!line.includes(words)) continue;
    output.resume();
    return line;
  }
  throw new Error(`a process ended before it had said: ${words}`);
}
