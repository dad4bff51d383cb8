import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { listenLocally } from '../../../test/support/listen-locally.ts';
import { dropStalled } from './streams.ts';

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
