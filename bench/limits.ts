import { Registry } from '@prometheus-io/client';
import { createKv } from '../lib/kv/index.ts';
import { parseRedisUrl } from '../lib/kv/settings.ts';
import { silentLogger } from '../lib/log/index.ts';
import { issueKey } from '../services/gateway/access/keys.ts';
import { standalone, startRedisServers } from '../test/support/redis-server.ts';
import { entries, type Load, load, medianLoad, type Server, seededDatabase, serve } from './catalog.ts';
import type { Options, Result } from './measure.ts';

const connections = 50;
const roundsFull = 15;
const roundSeconds = 1;

/** One way to request the catalog. */
interface Variant {
  server: Server;
  headers: Record<string, string>;
}

/**
 * The cost of limits and keys for a request of the catalog. Compares the same gateway with a Redis on the same machine and
 * without. Each has its own process, and they are loaded in turn; the results are medians. With one request after the other,
 * the difference is added latency; with many connections, it is added processor time.
 */
export async function run({ scale }: Options): Promise<Result> {
  const rounds = Math.max(1, Math.round(roundsFull * scale));
  await using stack = new AsyncDisposableStack();
  const databaseUrl = await seededDatabase(stack);
  const redis = await startRedisServers(standalone);
  stack.defer(() => redis.stop());
  const redisUrl = redis.urls[0]!;
  const plain = await gateway([databaseUrl], stack);
  const limited = await gateway([databaseUrl, redisUrl], stack);
  const headers = { 'accept-encoding': 'br' };
  const variants = {
    without: { server: plain, headers },
    anonymous: { server: limited, headers },
    key: { server: limited, headers: { ...headers, 'x-api-key': await newKey(redisUrl) } },
  };
  const many = await measure(variants, connections, rounds);
  const one = await measure(variants, 1, rounds);
  const addedMicros = (name: 'anonymous' | 'key') =>
    Math.round(1_000_000 / one[name].perSecond - 1_000_000 / one.without.perSecond);
  const addedCpuMicros = (name: 'anonymous' | 'key') =>
    Math.round(1_000_000 / many[name].perCpuSecond - 1_000_000 / many.without.perCpuSecond);
  return {
    name: 'limits',
    unit: 'requests/s',
    value: Math.round(many.anonymous.perSecond),
    limit: Math.round(many.without.perSecond),
    limitName: 'the same server without limits',
    ratio: many.anonymous.perSecond / many.without.perSecond,
    aim: 0.3,
    details: {
      entries,
      connections,
      rounds,
      keyPerSecond: Math.round(many.key.perSecond),
      serialPerSecondWithout: Math.round(one.without.perSecond),
      serialAddedMicros: addedMicros('anonymous'),
      serialAddedMicrosKey: addedMicros('key'),
      cpuAddedMicros: addedCpuMicros('anonymous'),
      cpuAddedMicrosKey: addedCpuMicros('key'),
    },
  };
}

async function gateway(args: string[], stack: AsyncDisposableStack): Promise<Server> {
  const server = await serve('gateway-process.ts', args, stack);
  return { ...server, url: `${server.url}/api/adaptors` };
}

async function newKey(redisUrl: string): Promise<string> {
  const settings = { kind: 'redis', address: parseRedisUrl(redisUrl)! } as const;
  const kv = await createKv(settings, { log: silentLogger, metrics: new Registry() });
  const { key } = await issueKey(kv, { integrator: 'bench', ratePerMin: 1_000_000_000 });
  await kv.close();
  return key;
}

async function measure<Name extends string>(
  variants: Record<Name, Variant>,
  connections: number,
  rounds: number,
): Promise<Record<Name, Load>> {
  const names = Object.keys(variants) as Name[];
  const loads = Object.fromEntries(names.map((name) => [name, [] as Load[]])) as Record<Name, Load[]>;
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    // The order rotates, so that garbage of one server does not always slow the same other one.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const { server, headers } = variants[name];
      const one = await load(server, { connections, duration: roundSeconds, headers });
      if (round > 0) loads[name].push(one);
    }
  }
  return Object.fromEntries(names.map((name) => [name, medianLoad(loads[name])])) as Record<Name, Load>;
}
