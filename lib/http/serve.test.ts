import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { listen } from './serve.ts';

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
