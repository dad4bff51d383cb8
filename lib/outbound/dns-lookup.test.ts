import { createHook } from 'node:async_hooks';
import { createSocket } from 'node:dgram';
import { lookup as systemLookup } from 'node:dns';
import { once } from 'node:events';
import type { LookupFunction } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createDnsLookup } from './guard.ts';
import { createWebhookOutbound } from './index.ts';

/** The name and the type (1: A, 28: AAAA) that a DNS message asks for, and where its question ends. */
function question(message: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('ascii', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** A name server that answers one address for each name, and never for those that begin with `slow`. */
async function startNameServer() {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const { name, type, end } = question(message);
    asked.push(name);
    if (name.startsWith('slow')) return;
    const data = type === 1 ? Buffer.from([192, 0, 2, 7]) : Buffer.alloc(0);
    const head = Buffer.from(message.subarray(0, end));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(data.length > 0 ? 1 : 0, 6);
    head.writeUInt32BE(0, 8);
    const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]);
    socket.send(data.length > 0 ? Buffer.concat([head, record, data]) : head, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return { asked, address: `127.0.0.1:${socket.address().port}` };
}

const resolve = (lookup: LookupFunction, name: string) =>
  new Promise((found, failed) => {
    lookup(name, { all: true }, (error, addresses) => (error ? failed(error) : found(addresses)));
  });

test('names whose server never answers hold up no other name', async () => {
  const server = await startNameServer();
  const lookup = createDnsLookup([server.address]);
  let slowEnded = 0;
  const slow = Array.from({ length: 100 }, (_, n) =>
    resolve(lookup, `slow${n}.example`).catch(() => slowEnded++),
  );
  expect(await resolve(lookup, 'quick.example')).toEqual([{ address: '192.0.2.7', family: 4 }]);
  expect(slowEnded).toBe(0);
  // They block neither reads of files nor lookups by the system.
  await new Promise((found) => systemLookup('localhost', found));
  expect(slowEnded).toBe(0);
  await Promise.all(slow);
});

test('names of the machine and its network are not asked of a name server', async () => {
  const server = await startNameServer();
  const lookup = createDnsLookup([server.address]);
  for (const name of ['localhost', 'LOCALHOST']) {
    expect(await resolve(lookup, name)).toContainEqual({ address: '127.0.0.1', family: 4 });
  }
  expect(server.asked).toEqual([]);
});

test('the name of a webhook does not occupy a thread of the system until its server answers', async () => {
  const outbound = createWebhookOutbound([]);
  onTestFinished(() => outbound.close());
  const begun: string[] = [];
  const hook = createHook({ init: (_, type) => void begun.push(type) }).enable();
  void outbound.checkResolved('https://receiver.example.invalid/');
  hook.disable();
  expect(begun).toContain('QUERYWRAP');
  expect(begun).not.toContain('GETADDRINFOREQWRAP');
});
