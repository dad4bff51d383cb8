import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import type { Door } from './door.ts';
import { sender } from './headers.ts';
import type { Host } from './host.ts';
import { Fault } from './judge.ts';
import { hostileText } from './values.ts';

/** A reader of a stream, and how it behaves. */
interface Reader {
  /** The bytes of its request. */
  request: string;
  /** `slow` takes a few bytes at a time; `cut` leaves after some bytes; `gone` leaves before the response. */
  manner: 'slow' | 'cut' | 'gone' | 'reset';
}

/** Readers of event streams, of streamed runs and of subscriptions of the graph, that are slow or leave early. */
export function openReadersDoor(host: Host): Door<Reader> {
  const after = fc.oneof(
    fc.constantFrom(...host.values.findWords('after'), '0.0.0', ''),
    hostileText.map((text) => text.replaceAll(/[^\x20-\x7e]/g, '')),
  );
  const bearer = host.credentials && `Bearer ${host.credentials.executorKey}`;
  const subscription = (text: string) => `/graphql?query=${encodeURIComponent(text)}`;
  const target = fc.constantFrom(
    '/api/adaptors/events/stream',
    '/api/adaptors/service-events/stream',
    '/api/adaptors/events/stream?after=0.0.0',
    '/api/agent/runs/1/stream',
    '/api/agent/runs/1/stream?from=0',
    subscription('subscription { eventAdded(source: REGISTRY, after: "0.0.0") { cursor } }'),
    subscription('subscription { adaptorChanged { cursor } }'),
    subscription('subscription { jobChanged { cursor } }'),
  );
  const inputs = fc
    .record({
      target,
      after,
      from: sender,
      manner: fc.constantFrom('slow', 'cut', 'gone', 'reset'),
      withId: fc.boolean(),
    })
    .map(({ target: to, after: id, from, manner, withId }): Reader => {
      const lines = [`GET ${to} HTTP/1.1`, 'Host: a', 'Accept: text/event-stream, */*', from.join(': ')];
      if (withId) lines.push(`Last-Event-ID: ${id.slice(0, 2_000)}`);
      if (bearer && to.startsWith('/api/agent')) lines.push(`Authorization: ${bearer}`);
      return { request: `${lines.join('\r\n')}\r\n\r\n`, manner };
    });
  return {
    name: 'readers',
    batchSize: 60,
    inputs,
    async play(input) {
      judge(await read(host.baseUrl, input));
    },
    render: ({ request, manner }) => {
      const { hostname, port } = new URL(host.baseUrl);
      return `echo ${Buffer.from(request, 'latin1').toString('base64')} | base64 -d | nc ${hostname} ${port}   # ${manner}`;
    },
  };
}

/** Time for which a stream is read, in milliseconds. */
const readMs = 80;

async function read(baseUrl: string, { request, manner }: Reader): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  socket.write(request, 'latin1');
  if (manner === 'gone') {
    await delay(1);
    socket.destroy();
    return '';
  }
  let said = '';
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    said += chunk;
    if (manner === 'slow') pauseBriefly(socket);
  });
  await Promise.race([ended, delay(manner === 'slow' ? 3 * readMs : readMs)]);
  if (manner === 'reset') socket.resetAndDestroy();
  else socket.destroy();
  return said;
}

function pauseBriefly(socket: Socket): void {
  socket.pause();
  setTimeout(() => socket.resume(), 20);
}

function judge(said: string): void {
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(said)?.[1] ?? 0);
  const shown = JSON.stringify(said.slice(0, 600));
  if (status >= 500) throw new Fault(`status ${status}`, 'streams', shown);
  if (status !== 200 || !/^content-type: text\/event-stream/im.test(said)) return;
  const body = said.slice(said.indexOf('\r\n\r\n') + 4).replaceAll(/^[0-9a-f]+\r\n|\r\n/gm, '');
  for (const line of body.split('\n').slice(0, -1)) {
    if (line !== '' && !/^(event|data|id|retry)?:/.test(line))
      throw new Fault('not an event stream', 'streams', shown);
  }
}
