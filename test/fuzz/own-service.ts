import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openDatabase } from '../../db/client.ts';
import { startEmbeddedServer } from '../../db/embedded/server.ts';
import { eventually } from '../support/eventually.ts';
import { type createDataDir, ready, startService, stopService } from '../support/service.ts';
import { type Host, openHost } from './host.ts';
import type { Usage } from './probe.ts';

const adminSecret = 'the-admin-secret-of-the-fuzzer';
const settings = {
  REDIS_URL: 'memory:',
  MARKETPLACE_ADMIN_SECRET: adminSecret,
  MARKETPLACE_ANON_RPM: '1000000',
  SQL_DATABASE_URL: 'embedded:',
  TRUST_PROXY: '1',
  SECURITY_CONTACT: 'mailto:security@market.example',
};

/** Maximum processor time of the main thread in one turn of its event loop, in milliseconds. */
const busyMsMax = 1_000;
/** Memory that the service may hold beyond 1.5 times what it held before: its caches fill. */
const heapBytesMore = 150 * 1024 * 1024;

/** A service of the fuzzer's own, with all roles, the local network and the demo. */
export interface OwnService {
  host: Host;
  usage(): Promise<Usage>;
  /** Faults of the process so far: errors in its log, a blocked event loop, what grew, what was not released. */
  listFaults(): Promise<string[]>;
}

/** @param data folder of the service, which makes the demo in it if there is none */
export async function startOwnService(
  closing: AsyncDisposableStack,
  data: Awaited<ReturnType<typeof createDataDir>>,
): Promise<OwnService> {
  closing.defer(() => data.remove());
  const probe = ['--max-semi-space-size=64', '--import', join(import.meta.dirname, 'probe.ts')];
  const service = startService(data.dir, [], settings, probe);
  closing.defer(async () => void (await stopService(service)));
  const demo = await ready(service, data.dir);
  const server = await startEmbeddedServer({ dir: join(data.dir, 'postgres') });
  closing.defer(() => server.stop());
  const db = openDatabase(server.url, { max: 1 });
  closing.defer(() => db.close());
  // The first answer is compiled, which takes a busy machine longer than any other.
  await fetch(`${demo.baseUrl}/publish/sample-package.json`);
  const host = await openHost(demo.baseUrl, { demo, adminSecret });
  const before = await readUsage(service.process);
  let busyMaxMs = 0;

  async function usage(): Promise<Usage> {
    const now = await readUsage(service.process);
    busyMaxMs = Math.max(busyMaxMs, now.busyMaxMs);
    return now;
  }

  async function findUnreleased(): Promise<string | undefined> {
    const metrics = await (await fetch(`${host.baseUrl}/metrics`)).text();
    const held = /^(?:event_stream_readers|graph_load\{.*\}|sql_load\{.*\}) [1-9].*$/m.exec(metrics)?.[0];
    if (held) return held;
    const statement = `select count(*)::int as running from pg_stat_activity
      where backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid() and query !~* '^listen'`;
    const { rows } = await db.pool.query<{ running: number }>(statement);
    return rows[0]!.running > 0 ? `${rows[0]!.running} statements run` : undefined;
  }

  async function listFaults(): Promise<string[]> {
    const { exitCode, signalCode } = service.process;
    if (exitCode !== null || signalCode !== null) return [`the service ended: ${exitCode ?? signalCode}`];
    const faults: string[] = [];
    const errors = service
      .output()
      .split('\n')
      .filter((line) => /^\{"level":[56]0,|Unhandled|Uncaught|ExceededWarning/.test(line));
    faults.push(...errors.map((line) => `in the log: ${line.slice(0, 600)}`));
    await eventually(async () => {
      const held = await findUnreleased();
      if (held) throw new Error(`not released: ${held}`);
    }).catch((error: Error) => faults.push(error.message));
    const now = await usage();
    if (busyMaxMs > busyMsMax) faults.push(`the event loop was blocked for ${Math.round(busyMaxMs)} ms`);
    if (now.heapBytes > 1.5 * before.heapBytes + heapBytesMore)
      faults.push(`memory grew from ${before.heapBytes} to ${now.heapBytes} bytes`);
    return faults;
  }

  return { host, usage, listFaults };
}

async function readUsage(child: ChildProcess): Promise<Usage> {
  const answered = once(child, 'message');
  child.send('usage');
  return (await answered)[0] as Usage;
}
