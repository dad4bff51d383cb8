import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { openDatabase } from '../db/client.ts';
import { startEmbeddedServer } from '../db/embedded/server.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { address, readModelBuilder } from '../test/support/read-model.ts';
import type { Options, Result } from './run.ts';

const entries = 100;
const connections = 50;
const roundsFull = 21;
const roundSeconds = 1;

/**
 * Requests per second of the whole catalog beside a bare `node:http` server that sends the same bytes under the
 * same headers. Both run in processes of their own and are loaded by turns, so that what else the machine does
 * falls on both; medians.
 */
export async function run({ scale }: Options): Promise<Result> {
  const rounds = Math.max(1, Math.round(roundsFull * scale));
  await using stack = new AsyncDisposableStack();
  const databaseUrl = await seededDatabase(stack);
  const gateway = `${await serve('gateway-process.ts', databaseUrl, stack)}/api/adaptors`;
  const bare = await serve('bare-process.ts', gateway, stack);
  const bytes = Buffer.byteLength(await (await fetch(gateway)).text());

  const measured = { gateway: [] as number[], bare: [] as number[] };
  await load(gateway, 1);
  await load(bare, 1);
  for (let round = 0; round < rounds; round++) {
    // Who goes first changes, so that neither always follows the other's garbage.
    if (round % 2 === 0) measured.gateway.push(await load(gateway, roundSeconds));
    measured.bare.push(await load(bare, roundSeconds));
    if (round % 2 === 1) measured.gateway.push(await load(gateway, roundSeconds));
  }
  const [value, limit] = [median(measured.gateway), median(measured.bare)];
  return {
    name: 'catalog',
    unit: 'requests/s',
    value: Math.round(value),
    limit: Math.round(limit),
    limitName: 'bare node:http, same bytes',
    ratio: value / limit,
    aim: 0.8,
    details: { entries, bytes, connections, rounds },
  };
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
async function serve(file: string, argument: string, stack: AsyncDisposableStack): Promise<string> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'catalog', file), [argument]);
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
  return String(url);
}

/** Mean requests per second; anything but 200 spoils the figure, so it ends the run. */
async function load(url: string, duration: number): Promise<number> {
  const result = await autocannon({ url, connections, duration });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url} did not answer every request with 200`);
  return result.requests.average;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
