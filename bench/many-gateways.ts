import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '../db/client.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { eventually } from '../test/support/eventually.ts';
import { readModelBuilder } from '../test/support/read-model.ts';
import { startReplicatedServer } from '../test/support/replicated-server.ts';
import { change } from './growth/catalog.ts';
import { fillCatalog, listingAt, network } from './listings/listings.ts';
import { cpuSeconds, startChild } from './measure.ts';
import { openServerCpu } from './server-cpu.ts';

const listings = 500;
const replicasMax = 2;
const callers = 8;
/** Slow enough for gateways to read each change. */
const changesPerSecond = 20;

/** Microseconds of processor time of each role, all processes of the role together. */
export interface RoleCosts {
  gateways: number;
  replicas: number;
  gatewayMicros: number;
  primaryMicros: number;
  replicaMicros: number;
}

/** A read of a list, a search, an entry and a page of the graph, in turn. PostgreSQL answers each. */
const requests: ((n: number) => [path: string, init?: RequestInit])[] = [
  (n) => [`/api/adaptors?network=${network}&limit=20&sort=usage&category=${n % 2 ? 'Lend' : 'Swap'}`],
  (n) => [`/api/adaptors?network=${network}&limit=20&q=${n % 2 ? 'lagoon' : 'vault'}`],
  (n) => [`/api/adaptors/${encodeURIComponent(listingAt(n % listings).serviceType)}?network=${network}`],
  (n) => [
    '/graphql',
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        query: `{ adaptors(first: ${10 + (n % 10)}) { edges { node { serviceType name } } } }`,
      }),
    },
  ],
];

/** Costs of a request, and of a change that each gateway announces, for 1, 2 and 4 gateways over 0, 1 and 2 replicas. */
export async function measureGateways(scale: number): Promise<{ reads: RoleCosts[]; changes: RoleCosts[] }> {
  await using stack = new AsyncDisposableStack();
  const servers = await startReplicatedServer(replicasMax);
  stack.defer(() => servers.close());
  const db = openDatabase(servers.primary.url, { max: 2 });
  stack.defer(() => db.close());
  await migrateDatabase(db);
  await readModelBuilder(db).source();
  await fillCatalog(db, listings);
  const all = [servers.primary, ...servers.replicas];
  const [primaryCpu, ...replicaCpus] = await Promise.all(all.map((server) => openServerCpu(server)));
  const [reads, changes]: [RoleCosts[], RoleCosts[]] = [[], []];
  for (const replicas of [0, 1, 2]) {
    for (const gateways of [1, 2, 4]) {
      await using group = new AsyncDisposableStack();
      const urls = servers.replicas.slice(0, replicas).map(({ url }) => url);
      const args = [servers.primary.url, '', '4', urls.join(',')];
      const started: Awaited<ReturnType<typeof startChild>>[] = [];
      for (let n = 0; n < gateways; n++)
        started.push(await startChild('catalog/gateway-process.ts', args, group));
      const origins = started.map(({ said }) => String(said));
      for (const origin of origins) await eventually(() => requireReady(origin, replicas));
      const readCpu = async () => ({
        gateway: await sum(started.map(({ process }) => cpuSeconds(process))),
        primary: await primaryCpu!(),
        replica: await sum(replicaCpus.slice(0, replicas).map((read) => read())),
      });
      const measure = async (count: number, work: () => Promise<void>): Promise<RoleCosts> => {
        const before = await readCpu();
        await work();
        const after = await readCpu();
        const micros = (role: keyof typeof before) =>
          Math.round(((after[role] - before[role]) * 1e6) / count);
        return {
          gateways,
          replicas,
          gatewayMicros: micros('gateway'),
          primaryMicros: micros('primary'),
          replicaMicros: micros('replica'),
        };
      };
      const count = Math.round(600 * scale);
      await read(origins, Math.round(count / 2));
      reads.push(await measure(count, () => read(origins, count)));
      const changed = Math.round(40 * scale);
      changes.push(
        await measure(changed, async () => {
          for (let n = 0; n < changed; n++) {
            await change(db, listings);
            await delay(1_000 / changesPerSecond);
          }
        }),
      );
    }
  }
  return { reads, changes };
}

async function requireReady(origin: string, replicas: number): Promise<void> {
  const response = await fetch(`${origin}/status`);
  const { reads } = (await response.json()) as { reads?: { replicas: { state: string }[] } };
  const states = reads?.replicas ?? [];
  if (states.filter(({ state }) => state === 'ready').length !== replicas)
    throw new Error(`${origin} does not read from ${replicas} replicas: ${JSON.stringify(reads)}`);
}

const sum = async (values: Promise<number>[]): Promise<number> =>
  (await Promise.all(values)).reduce((total, one) => total + one, 0);

async function read(origins: readonly string[], count: number): Promise<void> {
  let next = 0;
  const call = async () => {
    for (let n = next++; n < count; n = next++) {
      const [path, init] = requests[n % requests.length]!(n);
      const response = await fetch(`${origins[n % origins.length]}${path}`, init);
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${path}: ${response.status}`);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
}
