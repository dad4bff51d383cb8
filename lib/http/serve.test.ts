import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { Registry } from '@prometheus-io/client';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import {
  createConnectionShare,
  createPaceCheck,
  createRequestListener,
  dropUnread,
  listen,
  observe,
} from './serve.ts';

test('a server that closes lets a request end, and does not wait for connections without one', async () => {
  let answer: (() => void) | undefined;
  const server = await listen('127.0.0.1', 0, (_, res) => {
    answer = () => res.end('whole');
  });
  const port = Number(new URL(server.url).port);
  const idle = connect(port, '127.0.0.1');
  await once(idle, 'connect');
  const response = fetch(server.url).then((got) => got.text());
  await eventually(() => expect(answer).toBeDefined());
  const closed = server.close();
  // Both connections are open when the server begins to close. The idle one ends first, as the other waits for its
  // response.
  await once(idle.resume(), 'close');
  answer!();
  expect(await response).toBe('whole');
  await closed;
});

test('a response during a close says that its connection ends with it', async () => {
  const responses: ServerResponse[] = [];
  const server = await listen('127.0.0.1', 0, (_, res) => responses.push(res));
  const { port } = new URL(server.url);
  const client = connect(Number(port), '127.0.0.1');
  let received = '';
  client.on('data', (chunk) => (received += chunk));
  const ended = once(client, 'end');
  client.write('GET / HTTP/1.1\r\nhost: h\r\n\r\n');
  await eventually(() => expect(responses).toHaveLength(1));
  const closed = server.close();
  responses[0]!.end('whole');
  await ended;
  expect(received.toLowerCase()).toContain('connection: close');
  expect(received).toContain('whole');
  await closed;
});

test('a request that was on its way when the server began to close has its response', async () => {
  const server = await listen('127.0.0.1', 0, (req, res) => res.end(req.url));
  const client = connect(Number(new URL(server.url).port), '127.0.0.1');
  let received = '';
  client.on('data', (chunk) => (received += chunk));
  const ended = once(client, 'end');
  client.write('GET /first HTTP/1.1\r\nhost: h\r\n\r\n');
  await eventually(() => expect(received).toMatch(/\/first$/));
  const closed = server.close();
  client.write('GET /second HTTP/1.1\r\nhost: h\r\n\r\n');
  await ended;
  expect(received).toMatch(/connection: close[\s\S]*\/second$/i);
  await closed;
});

test.each([
  ['http://other.example/graphql?query=x', '/graphql?query=x'],
  ['http://other.example', '/'],
  ['http://other.example?x', '/?x'],
  ['//path?of=http://x', '//path?of=http://x'],
  ['/path?of=http://x', '/path?of=http://x'],
])('a request to %s is one to %s', async (target, path) => {
  const server = await listen('127.0.0.1', 0, (req, res) => res.end(req.url));
  onTestFinished(() => server.close());
  const client = connect(Number(new URL(server.url).port), '127.0.0.1');
  client.write(`GET ${target} HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n`);
  expect(await text(client)).toMatch(new RegExp(`\\r\\n${RegExp.escape(path)}$`));
});

test('a server that is closed again has closed', async () => {
  const server = await listen('127.0.0.1', 0, (_, res) => res.end());
  await fetch(server.url);
  await Promise.all([server.close(), server.close()]);
  await server.close();
});

/** Serves a response, and returns a client that has asked for it and reads nothing. */
async function ask(respond: (res: ServerResponse) => void) {
  const server = await listen('127.0.0.1', 0, (_, res) => respond(res));
  const client = connect(Number(new URL(server.url).port), '127.0.0.1');
  onTestFinished(async () => {
    client.destroy();
    await server.close();
  });
  client.on('error', () => undefined).pause();
  client.write('GET / HTTP/1.1\r\nhost: h\r\n\r\n');
  return client;
}

describe('a response that its client does not read', () => {
  test('is dropped, with the bytes that it has for the client', async () => {
    const closed = Promise.withResolvers<boolean>();
    await ask((res) => {
      dropUnread(res, 50);
      res.once('close', () => closed.resolve(res.writableFinished));
      // More than the buffers of the system take.
      res.end(Buffer.alloc(64 * 1024 * 1024));
    });
    expect(await closed.promise).toBe(false);
  });

  test('may wait for its bytes longer than for its client', async () => {
    const client = await ask((res) => {
      dropUnread(res, 20);
      res.socket!.once('timeout', () => res.end('late'));
    });
    client.resume();
    const [bytes] = (await once(client, 'data')) as [Buffer];
    expect(String(bytes)).toMatch(/late$/);
  });
});

describe('a client that receives a response slowly', () => {
  const bytes = 64 * 1024 * 1024;
  const [graceMs, bytesPerSecond] = [1_000, bytes / 10];

  /** Serves a response, and returns the connection at both ends. The client reads nothing yet. */
  async function askForMuch() {
    const served = Promise.withResolvers<Socket>();
    const client = await ask((res) => {
      // More than the buffers of the system take.
      res.end(Buffer.alloc(bytes));
      served.resolve(res.socket!);
    });
    return { client, socket: await served.promise };
  }

  test('is dropped, also if it takes some bytes now and then', async () => {
    const check = createPaceCheck(graceMs, bytesPerSecond);
    const { client, socket } = await askForMuch();
    check([socket], 0);
    client.resume();
    await once(client, 'data');
    client.pause();
    check([socket], graceMs + 10_000);
    expect([socket.destroyed, socket.writableLength > 0]).toEqual([false, true]);
    // The bytes of the headers take less than this.
    check([socket], graceMs + 10_000 + 100);
    expect(socket.destroyed).toBe(true);
  });

  test('has its time again once it has received everything', async () => {
    const check = createPaceCheck(graceMs, bytesPerSecond);
    const { client, socket } = await askForMuch();
    check([socket], 0);
    client.resume();
    await eventually(() => expect(socket.writableLength).toBe(0));
    check([socket], 1_000_000);
    client.write('GET / HTTP/1.1\r\nhost: h\r\n\r\n');
    client.pause();
    await eventually(() => expect(socket.writableLength).toBeGreaterThan(0));
    check([socket], 2_000_000);
    check([socket], 2_000_000 + graceMs + 9_000);
    expect(socket.destroyed).toBe(false);
  });
});

test('a sender has its share of the connections, and takes none of those of others', () => {
  const share = createConnectionShare(2);
  const connectFrom = (sender: string | undefined) => {
    const socket = new Socket();
    share(sender, socket);
    return socket;
  };
  const first = connectFrom('a');
  expect([first, connectFrom('a')].map(({ destroyed }) => destroyed)).toEqual([false, false]);
  expect(['a', 'b', undefined].map((sender) => connectFrom(sender).destroyed)).toEqual([true, false, false]);
  first.emit('close');
  expect(['a', 'a'].map((sender) => connectFrom(sender).destroyed)).toEqual([false, true]);
});

test('a flood of refused requests leaves 300 lines in a minute, one that says so, and a measurement of each', async () => {
  const lines: { msg: string; status?: number }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const metrics = new Registry();
  let nowMs = 0;
  const measure = observe({ log, metrics, name: 'durations', now: () => nowMs });
  const refuse = ({ req, res }: Parameters<typeof measure>[0]) => {
    res.writeHead(req.url === '/found' ? 200 : 404).end();
    return true;
  };
  const server = await listen('127.0.0.1', 0, createRequestListener([measure, refuse], log));
  onTestFinished(() => server.close());
  const send = async (count: number, path = '/nowhere') => {
    for (let sent = 0; sent < count; sent += 1) await (await fetch(server.url + path)).text();
  };
  const requestLines = () => lines.filter(({ msg }) => msg === 'request').length;

  await send(320);
  await send(5, '/found');
  await eventually(async () => expect(await metrics.metrics()).toMatch(/durations_count\{.*404.*\} 320/));
  expect(requestLines()).toBe(300);
  expect(lines.filter(({ msg }) => msg.startsWith('too many refused requests'))).toHaveLength(1);

  nowMs = 60_000;
  await send(2);
  await eventually(() => expect(requestLines()).toBe(302));
});
