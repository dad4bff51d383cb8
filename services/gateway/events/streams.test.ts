import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from '@prometheus-io/client';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import type { Queryable } from '../../../db/queries/queryable.ts';
import type { Position, PositionedEvent } from '../../../db/queries/registry-events.ts';
import { beginExchange } from '../../../lib/http/exchange.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { listenLocally } from '../../../test/support/listen-locally.ts';
import type { Feed, Log, Reader } from '../live/feed.ts';
import { openStreams } from '../live/streams.ts';
import { openEventStreams } from './streams.ts';

const toEvent = (number: number): PositionedEvent => ({
  position: [number, 0, 0],
  id: String(number),
  event: 'Updated',
  timestampMs: 0,
  data: null,
});
const events = Array.from({ length: 1_500 }, (_, at) => toEvent(at + 1));
/** All events together have more bytes than the buffers between two sockets hold. */
const padding = 'x'.repeat(20_000);

/**
 * Serves the stream of a log from its beginning, over a feed whose tail is the last event.
 * @param read reads the events after a number
 */
async function serveLog(read: (after: number, limit: number) => Promise<PositionedEvent[]>) {
  let reads = 0;
  let joined: Reader<PositionedEvent> | undefined;
  const log: Log<PositionedEvent> = {
    endsWithItem: true,
    name: 'test',
    readTail: async () => [events.length, 0, 0],
    read: async (_db, _network, [after], limit) => {
      reads += 1;
      return await read(after, limit);
    },
    format: (position) => position.join('.'),
    parse: (cursor) => cursor.split('.').map(Number) as Position,
  };
  const feed = {
    tail: log.readTail,
    join: (_log: unknown, _network: unknown, [after]: Position, reader: Reader<PositionedEvent>) => {
      if (after < events.length) return false;
      joined = reader;
      return true;
    },
    leave: () => undefined,
  } as unknown as Feed;
  const streams = openStreams(new Registry(), () => 'a caller');
  const toBody = (_: unknown, { id }: PositionedEvent) => ({ id, padding });
  const sent = openEventStreams({} as Queryable, feed, streams, { log, toBody });
  const errors: unknown[] = [];
  let response: ServerResponse | undefined;
  const server = createServer((req, res) => {
    response = res.on('error', (error) => errors.push(error));
    const after = new URL(req.url!, 'http://host').searchParams.get('after') ?? '0.0.0';
    void sent.send(beginExchange(req, res), 'testnet', after);
  });
  const { url, close } = await listenLocally(server);
  onTestFinished(async () => {
    streams.close();
    await close();
  });
  const open = async (after: string) => (await request(`${url}/?after=${after}`)).body;
  return { open, streams, errors, reads: () => reads, joined: () => joined, res: () => response! };
}

const readPage = async (after: number, limit: number) => {
  await delay(1);
  return events.slice(after, after + limit);
};

test('a reader that is behind and stops reading costs no reads of the log, and misses nothing after it', async () => {
  const { open, reads, res } = await serveLog(readPage);
  const body = await open('0.0.0');
  const got: string[] = [];
  let text = '';
  body.on('data', (chunk) => {
    text += chunk;
    const parts = text.split('\n\n');
    text = parts.pop()!;
    for (const part of parts) got.push(...(/"id":"(\d+)"/.exec(part)?.slice(1) ?? []));
  });
  body.pause();
  // The bytes that wait stay the same once the buffers between the sockets are full.
  await eventually(async () => {
    const waiting = res().writableLength;
    await delay(100);
    expect([waiting > 0, res().writableLength]).toEqual([true, waiting]);
  });
  const before = reads();
  await delay(100);
  expect.soft(reads()).toBe(before);
  // The heartbeat of a stream.
  res().write(':\n\n');
  await delay(100);
  body.resume();
  await eventually(() => expect(got.at(-1)).toBe(String(events.length)));
  expect(got).toEqual(events.map(({ id }) => id));
  body.destroy();
});

test('events that the database has lost are not read again and again', async () => {
  const { open, reads } = await serveLog(async () => {
    await delay(1);
    return [];
  });
  const body = await open('7.0.0');
  await delay(300);
  expect(reads()).toBeLessThan(5);
  body.on('error', () => undefined).destroy();
});

test('a stream that ends with its service gets none of the events that it is behind by', async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const { open, streams, errors } = await serveLog(async (after, limit) => {
    ask();
    await answered;
    return events.slice(after, after + limit);
  });
  const body = await open('0.0.0');
  await asked;
  streams.close();
  answer();
  expect(await body.text()).not.toContain('data:');
  expect(errors).toEqual([]);
});

test('a stream that ends with its service gets none of the events that come then', async () => {
  const { open, streams, errors, joined } = await serveLog(readPage);
  const body = await open(`${events.length}.0.0`);
  await eventually(() => expect(joined()).toBeDefined());
  streams.close();
  joined()!.receive([toEvent(events.length + 1)]);
  expect(await body.text()).not.toContain('data:');
  expect(errors).toEqual([]);
});
