import { request } from 'undici';
import {
  entries,
  type Load,
  load,
  medianLoad,
  type Server,
  seededDatabase,
  serve,
} from './catalog/servers.ts';
import type { Options, Result } from './run.ts';

const connections = 50;
const roundsFull = 15;
const roundSeconds = 1;

/** Compressed is what callers ask for; plain, moving the bytes costs far more than deciding to. */
const encodings = ['br', 'identity'] as const;
type Encoding = (typeof encodings)[number];

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
  const options = { connections, duration: roundSeconds, headers: { 'accept-encoding': encoding } };
  await load(gateway, options);
  await load(bare, options);
  for (let turn = 0; turn < rounds; turn++) {
    // Who goes first changes, so that neither always follows the other's garbage.
    if (turn % 2 === 0) loads.gateway.push(await load(gateway, options));
    loads.bare.push(await load(bare, options));
    if (turn % 2 === 1) loads.gateway.push(await load(gateway, options));
  }
  return { bytes, gateway: medianLoad(loads.gateway), bare: medianLoad(loads.bare) };
}
