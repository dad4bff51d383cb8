import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { request } from 'undici';
import { openDatabase } from '../db/client.ts';
import { startEmbeddedServer } from '../db/embedded/server.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { address, readModelBuilder } from '../test/support/read-model.ts';
import type { Options, Result } from './run.ts';

const entries = 100;
const connections = 50;
const roundsFull = 15;
const roundSeconds = 1;

/** Compressed is what callers ask for; plain, moving the bytes costs far more than deciding to. */
const encodings = ['br', 'identity'] as const;
type Encoding = (typeof encodings)[number];

interface Server {
  url: string;
  process: ChildProcess;
}

interface Load {
  perSecond: number;
  /** Requests that one second of the server's own processor time pays for. */
  perCpuSecond: number;
}

/**
 * Requests per second of the whole catalog beside a bare `node:http` server that sends the same bytes under the
 * same headers. All run in processes of their own and are loaded by turns, so that what else the machine does
 * falls on all; medians. On few cores the load generator is the narrow place, which flatters the ratio, so the
 * ratio by processor time stands beside it.
 */
export async function run({ scale }: Options): Promise<Result> {
  const rounds = Math.max(1, Math.round(roundsFull * scale));
  await using stack = new AsyncDisposableStack();
  const databaseUrl = await seededDatabase(stack);
  const gateway = await serve('gateway-process.ts', [databaseUrl], stack);
  gateway.url += '/api/adaptors';
  const br = await compare(gateway, 'br', rounds, stack);
  const plain = await compare(gateway, 'identity', rounds, stack);
  return {
    name: 'catalog',
    unit: 'requests/s',
    value: Math.round(br.gateway.perSecond),
    limit: Math.round(br.bare.perSecond),
    limitName: 'bare node:http, same bytes (br)',
    ratio: br.gateway.perSecond / br.bare.perSecond,
    aim: 0.8,
    details: {
      entries,
      connections,
      rounds,
      bytes: br.bytes,
      perCpuSecond: Math.round(br.gateway.perCpuSecond),
      perCpuSecondLimit: Math.round(br.bare.perCpuSecond),
      perCpuSecondRatio: round(br.gateway.perCpuSecond / br.bare.perCpuSecond),
      plainBytes: plain.bytes,
      plainPerSecond: Math.round(plain.gateway.perSecond),
      plainLimit: Math.round(plain.bare.perSecond),
      plainRatio: round(plain.gateway.perSecond / plain.bare.perSecond),
      plainPerCpuSecondRatio: round(plain.gateway.perCpuSecond / plain.bare.perCpuSecond),
    },
  };
}

const round = (ratio: number) => Math.round(ratio * 100) / 100;

async function compare(gateway: Server, encoding: Encoding, rounds: number, stack: AsyncDisposableStack) {
  const bare = await serve('bare-process.ts', [gateway.url, encoding], stack);
  const answer = await request(gateway.url, { headers: { 'accept-encoding': encoding } });
  const bytes = (await answer.body.arrayBuffer()).byteLength;
  const loads: { gateway: Load[]; bare: Load[] } = { gateway: [], bare: [] };
  await load(gateway, encoding, 1);
  await load(bare, encoding, 1);
  for (let turn = 0; turn < rounds; turn++) {
    // Who goes first changes, so that neither always follows the other's garbage.
    if (turn % 2 === 0) loads.gateway.push(await load(gateway, encoding, roundSeconds));
    loads.bare.push(await load(bare, encoding, roundSeconds));
    if (turn % 2 === 1) loads.gateway.push(await load(gateway, encoding, roundSeconds));
  }
  return { bytes, gateway: medianLoad(loads.gateway), bare: medianLoad(loads.bare) };
}

async function seededDatabase(stack: AsyncDisposableStack): Promise<string> {
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
async function serve(file: string, args: string[], stack: AsyncDisposableStack): Promise<Server> {
  const child = fork(join(import.meta.dirname, 'catalog', file), args);
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

/** Anything but 200 spoils the figure, so it ends the run. */
async function load({ url, process }: Server, encoding: Encoding, duration: number): Promise<Load> {
  const before = await cpuMicros(process);
  const result = await autocannon({ url, connections, duration, headers: { 'accept-encoding': encoding } });
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

function medianLoad(loads: Load[]): Load {
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
  return {
    perSecond: median(loads.map((one) => one.perSecond)),
    perCpuSecond: median(loads.map((one) => one.perCpuSecond)),
  };
}
