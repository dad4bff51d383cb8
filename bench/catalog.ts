import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import { request } from 'undici';
import { openDatabase } from '../db/client.ts';
import { startEmbeddedServer } from '../db/embedded/server.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { readModelBuilder } from '../test/support/read-model.ts';
import { change } from './growth/catalog.ts';
import { fillCatalog } from './listings/listings.ts';
import { cpuSeconds, median, type Options, type Result, startChild } from './measure.ts';

const connections = 50;
const roundsFull = 15;
const roundSeconds = 1;

/** Callers request compressed answers. For a plain answer, most of the cost is moving its bytes. */
const encodings = ['br', 'identity'] as const;
type Encoding = (typeof encodings)[number];

/**
 * Requests per second for the whole catalog. The limit is a bare `node:http` server that sends the same bytes and headers.
 * Each server has its own process. The servers are loaded in turn, so that other work of the machine affects all of them;
 * the results are medians. On few cores the load generator is the bottleneck, which makes the ratio look better than it is.
 * The ratio by processor time does not have this effect. Both are also loaded while 20 entries a second get new versions.
 */
export async function run({ scale }: Options): Promise<Result> {
  const rounds = Math.max(1, Math.round(roundsFull * scale));
  await using stack = new AsyncDisposableStack();
  const databaseUrl = await seededDatabase(stack);
  const gateway = await serve('gateway-process.ts', [databaseUrl], stack);
  gateway.url += '/api/adaptors';
  const br = await compare(gateway, 'br', rounds, stack);
  const plain = await compare(gateway, 'identity', rounds, stack);
  const changing = await whileChanging(databaseUrl, () => compare(gateway, 'br', rounds, stack));
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
      changingPerSecond: Math.round(changing.gateway.perSecond),
      changingRatio: round(changing.gateway.perSecond / changing.bare.perSecond),
      changingPerCpuSecondRatio: round(changing.gateway.perCpuSecond / changing.bare.perCpuSecond),
      plainBytes: plain.bytes,
      plainPerSecond: Math.round(plain.gateway.perSecond),
      plainLimit: Math.round(plain.bare.perSecond),
      plainRatio: round(plain.gateway.perSecond / plain.bare.perSecond),
      plainPerCpuSecondRatio: round(plain.gateway.perCpuSecond / plain.bare.perCpuSecond),
    },
  };
}

const round = (ratio: number) => Math.round(ratio * 100) / 100;

const changesPerSecond = 20;

/** Gives listings new versions while the work goes on, at a steady rate. */
async function whileChanging<T>(databaseUrl: string, work: () => Promise<T>): Promise<T> {
  const db = openDatabase(databaseUrl, { max: 1 });
  let ended = false;
  const changes = (async () => {
    while (!ended) {
      await change(db, entries);
      await delay(1_000 / changesPerSecond);
    }
  })();
  try {
    return await work();
  } finally {
    ended = true;
    await changes;
    await db.close();
  }
}

async function compare(gateway: Server, encoding: Encoding, rounds: number, stack: AsyncDisposableStack) {
  const bare = await serve('bare-process.ts', [gateway.url, encoding], stack);
  const answer = await request(gateway.url, { headers: { 'accept-encoding': encoding } });
  const bytes = (await answer.body.arrayBuffer()).byteLength;
  const loads: { gateway: Load[]; bare: Load[] } = { gateway: [], bare: [] };
  const options = { connections, duration: roundSeconds, headers: { 'accept-encoding': encoding } };
  await load(gateway, options);
  await load(bare, options);
  for (let turn = 0; turn < rounds; turn++) {
    // The order alternates, so that garbage of one server does not always slow the other.
    if (turn % 2 === 0) loads.gateway.push(await load(gateway, options));
    loads.bare.push(await load(bare, options));
    if (turn % 2 === 1) loads.gateway.push(await load(gateway, options));
  }
  return { bytes, gateway: medianLoad(loads.gateway), bare: medianLoad(loads.bare) };
}

export const entries = 100;

export interface Server {
  url: string;
  process: ChildProcess;
}

export interface Load {
  perSecond: number;
  /** Requests per second of the server's processor time. */
  perCpuSecond: number;
}

/** A database with a catalog of `entries`, whose manifests differ as real ones do. The stack removes it. */
export async function seededDatabase(stack: AsyncDisposableStack): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'bench-catalog-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const server = await startEmbeddedServer({ dir, volatile: true });
  stack.defer(() => server.stop());
  const db = openDatabase(server.url, { max: 1 });
  await migrateDatabase(db);
  await readModelBuilder(db).source();
  await fillCatalog(db, entries);
  await db.close();
  return server.url;
}

/** Starts a server in its own process. The stack stops it. */
export async function serve(file: string, args: string[], stack: AsyncDisposableStack): Promise<Server> {
  const { process, said } = await startChild(`catalog/${file}`, args, stack);
  return { url: String(said), process };
}

interface LoadOptions {
  connections: number;
  /** In seconds. */
  duration: number;
  headers: Record<string, string>;
  /** Absent: a GET. */
  method?: 'POST';
  body?: string;
}

/** @throws Error when a response is not 200, which would distort the result */
export async function load({ url, process }: Server, options: LoadOptions): Promise<Load> {
  const before = await cpuSeconds(process);
  const result = await autocannon({ url, ...options });
  const seconds = (await cpuSeconds(process)) - before;
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url} did not answer every request with 200`);
  return {
    perSecond: result.requests.average,
    perCpuSecond: result.requests.total / seconds,
  };
}

export function medianLoad(loads: Load[]): Load {
  return {
    perSecond: median(loads.map((one) => one.perSecond)),
    perCpuSecond: median(loads.map((one) => one.perCpuSecond)),
  };
}
