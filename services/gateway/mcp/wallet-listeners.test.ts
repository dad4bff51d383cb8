import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { problem } from '../../../lib/errors/index.ts';
import { silentLogger } from '../../../lib/log/index.ts';
import { createTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { type Identify, watchToolLists } from './wallet-listeners.ts';

/** Listeners over real connections: each request to a path listens with that credential. */
async function listening() {
  const db = await createTestDatabase();
  const listeners = watchToolLists(db, silentLogger, { ofAll: 4, ofCredential: 2 });
  onTestFinished(() => listeners.close());
  const told: string[] = [];
  let read: Identify = async () => 'tools';
  const responses: ServerResponse[] = [];
  const add = (key: string, res: ServerResponse) =>
    listeners.add(key, res, (share) => read(share), {
      changed: () => told.push(`changed ${key}`),
      ended: () => {
        told.push(`ended ${key}`);
        res.end();
      },
    });
  const server = createServer((req, res) => {
    responses.push(res);
    add(req.url!, res).then(
      () => res.flushHeaders(),
      (error) => res.writeHead(error.status).end(error.code),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  // What nothing refers to is collected as garbage, and its connection closed.
  const answers: Response[] = [];
  onTestFinished(() => void answers.splice(0));
  const open = async (key: string) => {
    const leaving = new AbortController();
    const answer = await fetch(`http://127.0.0.1:${port}${key}`, { signal: leaving.signal });
    answers.push(answer);
    return { status: answer.status, leave: () => leaving.abort() };
  };
  return {
    port,
    open,
    told,
    responses,
    add,
    reads(next: Identify) {
      read = next;
    },
  };
}

test('a credential has so many listeners and the service so many, and who leaves gives a place back', async () => {
  const { open } = await listening();
  const first = await open('/a');
  expect([first.status, (await open('/a')).status, (await open('/a')).status]).toEqual([200, 200, 429]);
  expect([(await open('/b')).status, (await open('/c')).status, (await open('/d')).status]).toEqual([
    ...[200, 200, 503],
  ]);
  first.leave();
  await eventually(async () => expect((await open('/a')).status).toBe(200));
  expect((await open('/d')).status).toBe(503);
});

test('a client that left before it was added takes no place', async () => {
  const { port, open, responses, add } = await listening();
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /gone HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(socket, 'data');
  socket.destroy();
  const [gone] = responses;
  await eventually(() => expect(gone!.destroyed).toBe(true));
  for (let more = 0; more < 6; more += 1) await add('/a', gone!);
  const answers = [await open('/a'), await open('/a'), await open('/b'), await open('/c')];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

test('who listens is notified of a change once, and not of a node that is away', async () => {
  const { open, told, reads } = await listening();
  for (const key of ['/a', '/a', '/b']) await open(key);
  let looks = 0;
  reads(async () => {
    looks += 1;
    throw new Error('the node does not answer');
  });
  await eventually(() => expect(looks).toBeGreaterThan(1));
  expect(told).toEqual([]);
  reads(async () => 'other tools');
  await eventually(() => expect(told.toSorted()).toEqual(['changed /a', 'changed /a', 'changed /b']));
  let more = 0;
  reads(async () => {
    more += 1;
    return 'other tools';
  });
  await eventually(() => expect(more).toBeGreaterThan(2));
  expect(told).toHaveLength(3);
});

test('listeners of one list share its computation, whatever their credentials', async () => {
  const { open, told, reads } = await listening();
  let [looks, computed] = [0, 0];
  for (const key of ['/a', '/b', '/c', '/d']) await open(key);
  const current = 'other tools';
  reads((share) => {
    looks += 1;
    return share('the list', async () => {
      computed += 1;
      return current;
    });
  });
  await eventually(() => expect(told).toHaveLength(4));
  await eventually(() => expect(looks).toBeGreaterThanOrEqual(12));
  // A look is of four credentials, and may have begun before the wait ended.
  expect(computed).toBe(Math.ceil(looks / 4));
});

test('who listens with a credential that is refused from now on is let go, and its places are free', async () => {
  const { open, told, reads } = await listening();
  for (const key of ['/a', '/a', '/b', '/c']) await open(key);
  reads(async () => {
    throw problem('invalid_key', 'This executor key is revoked.');
  });
  await eventually(() => expect(told.toSorted()).toEqual(['ended /a', 'ended /a', 'ended /b', 'ended /c']));
  reads(async () => 'tools');
  expect((await open('/d')).status).toBe(200);
});
