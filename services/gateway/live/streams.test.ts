import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from '@prometheus-io/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { beginExchange } from '../../../lib/http/exchange.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { listenLocally } from '../../../test/support/listen-locally.ts';
import { dropStalled, openStreams } from './streams.ts';

/** More bytes than the buffers between two sockets hold. */
const much = Buffer.alloc(32 * 1024 * 1024, 'x');

/** Returns a response that `write` has written to, with the socket of its client. */
async function responseTo(write: (res: ServerResponse) => void) {
  const answered = Promise.withResolvers<ServerResponse>();
  const server = createServer((_, res) => {
    write(res);
    answered.resolve(res);
  });
  const { port, close } = await listenLocally(server);
  onTestFinished(close);
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  return { socket, res: await answered.promise };
}

test('a response whose client never reads is dropped, with all that waits for it', async () => {
  const { socket, res } = await responseTo((to) => {
    dropStalled(to, 60);
    to.write(much);
  });
  socket.pause();
  await eventually(() => expect(res.destroyed).toBe(true));
});

test('one for which nothing waits stays open, whether or not its client reads', async () => {
  const { socket, res } = await responseTo((to) => {
    dropStalled(to, 60);
    to.write('.');
  });
  socket.pause();
  let rounds = 0;
  await eventually(() => {
    rounds += 1;
    expect(rounds).toBeGreaterThan(10);
  });
  expect(res.destroyed).toBe(false);
});

test('a response that has ended gets no heartbeat while its client reads the rest', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const streams = openStreams(new Registry(), () => 'a caller');
  const errors: unknown[] = [];
  const { socket, res } = await responseTo((to) => {
    to.on('error', (error) => errors.push(error));
    streams.admit(beginExchange(to.req, to), () => undefined);
    to.end(much);
  });
  socket.pause();
  vi.advanceTimersByTime(60_000);
  await delay(10);
  expect(res.destroyed).toBe(false);
  expect(errors).toEqual([]);
  streams.close();
});
