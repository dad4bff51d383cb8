import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { registryEvents } from '../../../test/support/registry-events.ts';
import { waitingBytesMax } from '../live/streams.ts';

let gateway: TestGateway;
let addEvents: ReturnType<typeof registryEvents>['addEvents'];
const sockets: Socket[] = [];
const responses = new Set<ServerResponse>();

beforeAll(async () => {
  const { writeHead } = ServerResponse.prototype;
  vi.spyOn(ServerResponse.prototype, 'writeHead').mockImplementation(function (
    this: ServerResponse,
    ...args: unknown[]
  ) {
    responses.add(this);
    return Reflect.apply(writeHead, this, args);
  });
  gateway = await startTestGateway((seed) => seed.source(), { trustProxy: 1 });
  ({ addEvents } = registryEvents(gateway.db));
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await gateway.close();
  vi.restoreAllMocks();
});

const rest = '/api/adaptors/events/stream';
const query = (alias: number) =>
  `subscription { eventAdded { cursor a${alias}: cursor event { eventId data } } }`;
const graph = (alias: number) => `/graphql?query=${encodeURIComponent(query(alias))}`;

/** Enough to tell a buffer for each from one for all. The kernel takes several megabytes of each before the gateway waits. */
const unreadStreams = 250;

/** Streams of one address, fewer than its share. */
const perAddress = 50;

/** Opens a stream over a connection of its own, and collects the cursors of the values that it reads. */
async function openStream(path: string, reads: boolean, from: string) {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  sockets.push(socket);
  const cursors: string[] = [];
  let rest = '';
  let ended = false;
  socket
    .on('close', () => {
      ended = true;
    })
    .on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(
    `GET ${path} HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\nx-forwarded-for: ${from}\r\n\r\n`,
  );
  const read = () => {
    socket.on('data', (chunk) => {
      // The rest is limited to text that a cut line may belong to.
      const text = rest + chunk.toString('latin1');
      for (const [, cursor] of text.matchAll(/^id: (\S+)\nevent: /gm)) cursors.push(cursor!);
      rest = text.slice(text.lastIndexOf('\nid: ') + 1);
      if (/^id: \S+\nevent: /.test(rest)) rest = '';
    });
    socket.resume();
  };
  if (reads) read();
  else socket.pause();
  return { cursors, read, ended: () => ended };
}

test('hundreds of unread streams hold a bounded buffer, cost no reads, and delay no other reader', async () => {
  const isOpen = (streams: number) =>
    eventually(async () => {
      const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
      expect(metrics).toContain(`event_stream_readers ${streams}\n`);
    });
  const unread: Awaited<ReturnType<typeof openStream>>[] = [];
  // A request that waits long for its turn is refused, so each address opens its streams after the others.
  while (unread.length < unreadStreams) {
    const from = `192.0.2.${unread.length / perAddress}`;
    const opened = Array.from({ length: perAddress }, (_, n) =>
      openStream(n % 2 ? rest : graph((n / 2) % 10), false, from),
    );
    unread.push(...(await Promise.all(opened)));
    await isOpen(unread.length);
  }
  const readers = [
    await openStream(rest, true, '198.51.100.1'),
    await openStream(graph(0), true, '198.51.100.1'),
  ];
  await isOpen(unreadStreams + readers.length);
  const spy = vi.spyOn(gateway.served.pool, 'query');
  const padding = 200_000;
  let stored = 0;
  const waiting = () => [...responses].map((res) => res.writableLength);
  const isFull = (bytes: number) => bytes > waitingBytesMax;
  async function storeAnother(): Promise<void> {
    stored += (await addEvents(1, 'Updated', { data: { padding: 'x'.repeat(padding) } })).length;
    // Readers that do not read must not delay the indexer or the other readers.
    await eventually(async () => {
      for (const { cursors } of readers) expect(cursors.length).toBe(stored);
    });
    expect(Math.max(...waiting())).toBeLessThan(waitingBytesMax + 2 * padding);
  }
  // Until the buffers are full, the kernel takes the bytes.
  while (waiting().filter(isFull).length < unreadStreams / 2) await storeAnother();
  // Without the bound, this would exceed it.
  for (let more = 0; more < 4; more++) await storeAnother();
  const names = spy.mock.calls.map(([statement]) => (statement as { name?: string }).name ?? 'stored');
  const reads = names.filter((name) => name !== 'read-index-state' && name !== 'stored');
  spy.mockRestore();
  expect(reads.length).toBeLessThan(10 * stored);

  for (const stream of unread) stream.read();
  await eventually(async () => {
    const behind = unread.filter(({ cursors, ended }) => !ended() && cursors.length < stored);
    expect(behind.length).toBe(0);
  });
  for (const { cursors } of unread) expect(cursors).toEqual(readers[0]!.cursors.slice(0, cursors.length));
});
