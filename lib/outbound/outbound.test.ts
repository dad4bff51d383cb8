import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type LookupFunction } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { listenLocally } from '../../test/support/listen-locally.ts';
import type { OutboundError } from './errors.ts';
import { createOutbound, type Outbound } from './index.ts';

const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A server on loopback that counts what reaches it. */
async function serve(handler: RequestListener) {
  const seen = { requests: 0, connections: 0 };
  const server: Server = createServer((request, response) => {
    seen.requests++;
    handler(request, response);
  });
  server.on('connection', () => seen.connections++);
  const { port, url, close } = await listenLocally(server);
  closers.push(close);
  return { seen, port, url: `${url}/` };
}

function open(allowCidrs: string[], lookup?: LookupFunction): Outbound {
  const outbound = createOutbound(lookup ? { allowCidrs, lookup } : { allowCidrs });
  closers.push(() => outbound.close());
  return outbound;
}

/** Resolves each lookup to the next of these answers. The last one repeats. */
function resolver(...answers: string[][]) {
  const asked: string[] = [];
  const lookup: LookupFunction = (name, _options, callback) => {
    asked.push(name);
    const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { asked, lookup };
}

const loopback = ['127.0.0.1/32'];
const bounds = { maxBytes: 1000, timeoutMs: 240_000 };
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => {
      throw new Error('nothing failed');
    },
    (error: OutboundError) => ({ kind: error.kind, retryable: error.retryable, message: error.message }),
  );

test('a body within its bounds arrives whole', async () => {
  const { url } = await serve((_, response) => response.end('hello'));
  const bytes = await open(loopback).fetchBytes(url, { ...bounds, maxBytes: 5 });
  expect(Buffer.from(bytes).toString()).toBe('hello');
});

test('the request says little about its sender and asks for no encoding', async () => {
  let headers: unknown;
  const { url, port } = await serve((request, response) => {
    headers = request.headers;
    response.end();
  });
  await open(loopback).fetchBytes(url, bounds);
  expect(headers).toEqual({
    host: `127.0.0.1:${port}`,
    accept: '*/*',
    'accept-encoding': 'identity',
    'user-agent': 'adaptor-marketplace',
    connection: 'close',
  });
});

test.each([
  'http://example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'https://user:pass@example.com/',
  'not a url',
  `https://example.com/${'a'.repeat(3000)}`,
])('a url of the wrong form is refused without a look-up: %s', async (url) => {
  const { asked, lookup } = resolver(['127.0.0.1']);
  const outbound = open([], lookup);
  expect(outbound.checkUrl(url)).toBeDefined();
  expect(await failure(outbound.fetchBytes(url, bounds))).toMatchObject({
    kind: 'forbidden_url',
    retryable: false,
  });
  expect(asked).toEqual([]);
});

test.each([
  '127.0.0.1',
  '127.1',
  '0x7f.0.0.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '0177.0.0.01',
  '127。0。0。1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '0.0.0.0',
  '[::]',
  '169.254.169.254',
])('no spelling of a private address is connected to: %s', async (host) => {
  const { seen, port } = await serve((_, response) => response.end());
  const outbound = open([]);
  const url = `https://${host}:${port}/`;
  expect(outbound.checkUrl(url)).toMatch(/not public/);
  expect(await failure(outbound.fetchBytes(url, bounds))).toMatchObject({ kind: 'forbidden_address' });
  expect(seen.connections).toBe(0);
});

test('a name that resolves to a private address is not connected to, nor is the address told', async () => {
  const { seen, port } = await serve((_, response) => response.end());
  const outbound = open([], resolver(['127.0.0.1']).lookup);
  const url = `https://evil.example:${port}/`;
  expect(outbound.checkUrl(url)).toBeUndefined();
  const refused = await failure(outbound.fetchBytes(url, bounds));
  expect(refused).toMatchObject({ kind: 'forbidden_address', retryable: false });
  expect(refused.message).not.toContain('127.0.0.1');
  expect(seen.connections).toBe(0);
});

test('one private address among several refuses the name', async () => {
  const { seen, port } = await serve((_, response) => response.end());
  const outbound = open(loopback, resolver(['127.0.0.1', '10.0.0.1']).lookup);
  const refused = await failure(outbound.fetchBytes(`http://mixed.example:${port}/`, bounds));
  expect(refused.kind).toBe('forbidden_address');
  expect(seen.connections).toBe(0);
});

test('a name that changes its address between two requests is judged again: no rebinding', async () => {
  const { seen, port } = await serve((_, response) => response.end('ok'));
  const { asked, lookup } = resolver(['127.0.0.1'], ['127.0.0.9']);
  const outbound = open(loopback, lookup);
  const url = `http://rebind.example:${port}/`;
  await outbound.fetchBytes(url, bounds);
  expect((await failure(outbound.fetchBytes(url, bounds))).kind).toBe('forbidden_address');
  // One lookup per connection: the checked address is the one that is connected to.
  expect(asked).toEqual(['rebind.example', 'rebind.example']);
  expect(seen.connections).toBe(1);
});

test('plain http reaches allowed ranges only, whatever the name resolves to', async () => {
  const outbound = open(loopback, resolver(['8.8.8.8']).lookup);
  const refused = await failure(outbound.fetchBytes('http://public.example/', bounds));
  expect(refused).toMatchObject({ kind: 'forbidden_url', message: 'Only https urls are fetched.' });
  expect(outbound.checkUrl('http://8.8.8.8/')).toBeDefined();
});

test('https is spoken where https is named: a plain server fails the handshake', async () => {
  const { port, seen } = await serve((_, response) => response.end('plain'));
  const refused = await failure(open(loopback).fetchBytes(`https://127.0.0.1:${port}/`, bounds));
  expect(refused).toMatchObject({ kind: 'network', retryable: true });
  expect(seen.requests).toBe(0);
});

test('a redirect is refused and not followed, also to a place that would be allowed', async () => {
  const target = await serve((_, response) => response.end('secret'));
  for (const location of [target.url, 'http://169.254.169.254/']) {
    const { url } = await serve((_, response) => response.writeHead(302, { location }).end());
    expect(await failure(open(loopback).fetchBytes(url, bounds))).toMatchObject({
      kind: 'redirect',
      retryable: false,
    });
  }
  expect(target.seen.connections).toBe(0);
});

test.each([
  [404, true],
  [429, true],
  [503, true],
  [403, false],
  [410, false],
  [204, false],
])('status %i is a failure, retryable: %s', async (status, retryable) => {
  const { url } = await serve((_, response) => response.writeHead(status).end());
  expect(await failure(open(loopback).fetchBytes(url, bounds))).toMatchObject({
    kind: 'http_status',
    retryable,
  });
});

test('a body that announces too much is refused at its head', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(200, { 'content-length': 1001 }).flushHeaders();
  });
  expect((await failure(open(loopback).fetchBytes(url, bounds))).kind).toBe('too_large');
});

test('an endless body is cut at the limit and its connection closed', async () => {
  const closed = Promise.withResolvers<void>();
  const { url } = await serve((_, response) => {
    const push = () => {
      while (response.write('x'.repeat(10_000)));
      response.once('drain', push);
    };
    response.on('close', closed.resolve);
    push();
  });
  expect((await failure(open(loopback).fetchBytes(url, bounds))).kind).toBe('too_large');
  await closed.promise;
});

test.each([
  ['a body that drips', 'HTTP/1.1 200 OK\r\n\r\n'],
  ['a head that drips', 'HTTP/1.1 200 OK\r\nx-drip: '],
  ['no answer at all', ''],
])('%s ends at the deadline of the whole exchange', async (_, opening) => {
  const { url } = await serve(({ socket }) => {
    socket.write(opening);
    const drip = setInterval(() => opening && socket.write('x'), 5);
    socket.on('close', () => clearInterval(drip));
  });
  const failed = await failure(open(loopback).fetchBytes(url, { maxBytes: 1_000_000, timeoutMs: 60 }));
  expect(failed).toMatchObject({ kind: 'timeout', retryable: true });
});

test('a handshake that never ends is over at the deadline', async () => {
  const server = createTcpServer();
  const { port } = await listenLocally(server);
  closers.push(() => server.close());
  const fetching = open(loopback).fetchBytes(`https://127.0.0.1:${port}/`, { maxBytes: 1, timeoutMs: 60 });
  expect(await failure(fetching)).toMatchObject({ kind: 'timeout', retryable: true });
});

test('a name server that never answers ends at the deadline', async () => {
  const outbound = open([], () => {});
  const failed = await failure(outbound.fetchBytes('https://slow.example/', { maxBytes: 1, timeoutMs: 30 }));
  expect(failed).toMatchObject({ kind: 'timeout', retryable: true });
});

test('a gzip bomb is refused unopened', async () => {
  const { url } = await serve((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1_000_000))),
  );
  const refused = await failure(open(loopback).fetchBytes(url, { ...bounds, maxBytes: 10_000 }));
  expect(refused).toMatchObject({ kind: 'encoded_body', retryable: false });
});

test('a host that closes early, or is not there, is a network failure to retry', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('short', () => response.destroy());
  });
  const outbound = open(loopback);
  expect(await failure(outbound.fetchBytes(url, bounds))).toMatchObject({ kind: 'network', retryable: true });
  expect((await failure(outbound.fetchBytes('http://127.0.0.1:1/', bounds))).kind).toBe('network');
});

test('a caller that gives up gets its own reason back', async () => {
  const stop = new AbortController();
  const reason = new Error('shutting down');
  const { url } = await serve(() => stop.abort(reason));
  const fetching = open(loopback).fetchBytes(url, { ...bounds, signal: stop.signal });
  await expect(fetching).rejects.toBe(reason);
});

test('one host is met with at most two connections at a time', async () => {
  let [current, openMax] = [0, 0];
  const waiting: (() => void)[] = [];
  const { url, seen } = await serve((_, response) => {
    openMax = Math.max(openMax, ++current);
    response.on('close', () => current--);
    waiting.push(() => response.end('ok'));
    if (waiting.length === 2) for (const answer of waiting.splice(0)) answer();
  });
  const outbound = open(loopback);
  await Promise.all(Array.from({ length: 6 }, () => outbound.fetchBytes(url, bounds)));
  expect({ openMax, requests: seen.requests }).toEqual({ openMax: 2, requests: 6 });
});
