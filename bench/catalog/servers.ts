import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { openDatabase } from '../../db/client.ts';
import { startEmbeddedServer } from '../../db/embedded/server.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { address, readModelBuilder } from '../../test/support/read-model.ts';
import { median } from '../measure/median.ts';

export const entries = 100;

export interface Server {
  url: string;
  process: ChildProcess;
}

export interface Load {
  perSecond: number;
  /** Requests that one second of the server's own processor time pays for. */
  perCpuSecond: number;
}

/** A database with a catalog of `entries`, until the stack unwinds. */
export async function seededDatabase(stack: AsyncDisposableStack): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'bench-catalog-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const server = await startEmbeddedServer({ dir, volatile: true });
  stack.defer(() => server.stop());
  const db = openDatabase(server.url, { max: 1 });
  await migrateDatabase(db);
  const seed = readModelBuilder(db);
  await seed.source();
  for (let n = 0; n < entries; n++) {
    const { serviceType } = await seed.listing({ usage: { actions: n, uniqueVaults: n } });
    await seed.attestation(serviceType, address(n + 1), 1 + (n % 5));
  }
  await db.close();
  return server.url;
}

/** Starts a server in a process of its own, until the stack unwinds. */
export async function serve(file: string, args: string[], stack: AsyncDisposableStack): Promise<Server> {
  const child = fork(join(import.meta.dirname, file), args);
  stack.defer(async () => {
    const exited = once(child, 'exit');
    child.disconnect();
    await exited;
  });
  const [url] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error(`${file} ended before it served`);
    }),
  ]);
  return { url: String(url), process: child };
}

interface LoadOptions {
  connections: number;
  /** In seconds. */
  duration: number;
  headers: Record<string, string>;
}

/** Anything but 200 spoils the figure, so it ends the run. */
export async function load({ url, process }: Server, options: LoadOptions): Promise<Load> {
  const before = await cpuMicros(process);
  const result = await autocannon({ url, ...options });
  const micros = (await cpuMicros(process)) - before;
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url} did not answer every request with 200`);
  return {
    perSecond: result.requests.average,
    perCpuSecond: result.requests.total / (micros / 1_000_000),
  };
}

async function cpuMicros(child: ChildProcess): Promise<number> {
  const answered = once(child, 'message');
  child.send('cpu');
  const [answer] = await answered;
  return answer.cpuMicros;
}

export function medianLoad(loads: Load[]): Load {
  return {
    perSecond: median(loads.map((one) => one.perSecond)),
    perCpuSecond: median(loads.map((one) => one.perCpuSecond)),
  };
}
