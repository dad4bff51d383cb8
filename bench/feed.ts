import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type ClientRequest, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '../db/client.ts';
import { startEmbeddedServer } from '../db/embedded/server.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { registryEvents } from '../test/support/registry-events.ts';
import { fetchUsage, median, type Options, type Result, startChild } from './measure.ts';
import { compare } from './ratio.ts';

const streamsFull = 1_000;
const eventsPerRound = 40;
/** Streams of one address, fewer than its share. */
const perAddress = 50;

/**
 * Processor time of the gateway for one event to one of 1,000 open streams, from the stored event on. The limit is a bare
 * server of server-sent events that sends the same frames to as many streams. Both are measured in turn, by processor time,
 * because the readers share the cores.
 */
export async function run({ scale }: Options): Promise<Result> {
  const streams = Math.max(20, Math.round(streamsFull * scale));
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'bench-feed-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const server = await startEmbeddedServer({ dir, volatile: true });
  stack.defer(() => server.stop());
  const db = openDatabase(server.url, { max: 2 });
  stack.defer(() => db.close());
  await migrateDatabase(db);
  const { addEvents } = registryEvents(db);
  await addEvents(1);

  const gateway = await start('latency/gateway-process.ts', [server.url], stack);
  const bare = await start('feed/bare-process.ts', [], stack);
  const ofGateway = await openStreams(
    `${gateway.url}/api/adaptors/events/stream`,
    gateway.process,
    streams,
    stack,
  );
  const ofBare = await openStreams(bare.url, bare.process, streams, stack);

  let frame = '';
  const perEvent = async (of: Streams, send: () => Promise<unknown>) => {
    const before = await fetchUsage(of.process);
    const held = of.received();
    for (let n = 0; n < eventsPerRound; n++) await send();
    while (of.received() < held + eventsPerRound * streams) await delay(5);
    const used = (await fetchUsage(of.process)).cpuMicros - before.cpuMicros;
    return used / (eventsPerRound * streams);
  };
  const costs = { gateway: [] as number[], bare: [] as number[] };
  const { low, high } = await compare(
    async () => {
      costs.gateway.push(await perEvent(ofGateway, () => addEvents(1)));
      frame = ofGateway.last();
      return costs.gateway.at(-1)!;
    },
    async () => {
      costs.bare.push(
        await perEvent(ofBare, async () => {
          const answered = once(bare.process, 'message');
          bare.process.send({ frame });
          await answered;
        }),
      );
      return costs.bare.at(-1)!;
    },
  );
  const { loop } = await fetchUsage(gateway.process);
  const [value, limit] = [median(costs.gateway), median(costs.bare)];
  return {
    name: 'feed',
    unit: 'µs of processor time for an event to a stream',
    value: round(value),
    limit: round(limit),
    limitName: 'a bare server that sends the same frames',
    ratio: limit / value,
    aim: 0.5,
    details: {
      streams,
      costRatioLow: round(low),
      costRatioHigh: round(high),
      kibPerStream: round(ofGateway.bytesPerStream / 1024),
      kibPerStreamLimit: round(ofBare.bytesPerStream / 1024),
      gatewayLongestBusyMs: round(loop.busyMaxMs),
    },
  };
}

const round = (value: number) => Math.round(value * 100) / 100;

async function start(file: string, args: string[], stack: AsyncDisposableStack) {
  const { process, said } = await startChild(file, args, stack);
  return { url: String(said), process };
}

interface Streams {
  process: ChildProcess;
  /** Events that all streams together have received. */
  received(): number;
  /** The frame that the first stream received last. */
  last(): string;
  bytesPerStream: number;
}

/** Opens streams, and counts the events of each by the empty lines that end them. */
async function openStreams(
  url: string,
  of: ChildProcess,
  count: number,
  stack: AsyncDisposableStack,
): Promise<Streams> {
  const before = (await fetchUsage(of)).rssBytes;
  const requests: ClientRequest[] = [];
  stack.defer(() => {
    for (const request of requests) request.destroy();
  });
  let events = 0;
  let text = '';
  for (let n = 0; n < count; n++) {
    const headers = { 'x-forwarded-for': `198.51.100.${Math.floor(n / perAddress)}` };
    const request = get(url, { agent: false, headers });
    requests.push(request.on('error', () => undefined));
    const [res] = await once(request, 'response');
    let tail = '';
    // The first one says how long to wait before the next attempt.
    events--;
    res
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        const read = tail + chunk;
        events += read.split('\n\n').length - 1;
        tail = read.endsWith('\n\n') ? '' : read.slice(-1);
        if (n === 0) text = String(chunk);
      });
  }
  while (events < 0) await delay(5);
  const bytesPerStream = ((await fetchUsage(of)).rssBytes - before) / count;
  const last = () => text.slice(text.lastIndexOf('id: '));
  return { process: of, received: () => events, last, bytesPerStream };
}
