import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { problem } from '../../../lib/errors/index.ts';
import { silentLogger } from '../../../lib/log/index.ts';
import { createTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { listenLocally } from '../../../test/support/listen-locally.ts';
import { type Identify, watchToolLists } from './wallet-listeners.ts';

const wide = { listeners: { all: 4, caller: 4, wallet: 4, credential: 2 }, comparedPerSecond: 1_000 };

/**
 * Listeners over real connections. Each request to a path listens with that credential, to the wallet and for the
 * caller of the query.
 */
async function listening(limits: Partial<typeof wide> = {}, now?: () => number) {
  const db = await createTestDatabase();
  const listeners = watchToolLists(db, silentLogger, { ...wide, ...limits }, now);
  onTestFinished(() => listeners.close());
  const told: string[] = [];
  type Read = (share: Parameters<Identify>[0], key: string) => Promise<string>;
  let read: Read = async () => 'tools';
  const responses: ServerResponse[] = [];
  const add = (url: string, res: ServerResponse) => {
    const { pathname: key, searchParams } = new URL(url, 'http://127.0.0.1');
    const list = { wallet: searchParams.get('wallet') ?? 'wallet', credential: key };
    return listeners.add(list, res, (share) => read(share, key), {
      caller: searchParams.get('caller') ?? undefined,
      changed: () => told.push(`changed ${key}`),
      ended: () => {
        told.push(`ended ${key}`);
        res.end();
      },
    });
  };
  const server = createServer((req, res) => {
    responses.push(res);
    add(req.url!, res).then(
      () => res.flushHeaders(),
      (error) => res.writeHead(error.status).end(error.code),
    );
  });
  const { port, close } = await listenLocally(server);
  onTestFinished(close);
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
    close: listeners.close,
    reads(next: Read) {
      read = next;
    },
  };
}

test('a credential has so many listeners and the service so many, and who leaves gives a place back', async () => {
  const { open } = await listening();
  const first = await open('/a');
  expect([first.status, (await open('/a')).status, (await open('/a')).status]).toEqual([200, 200, 429]);
  expect([(await open('/b')).status, (await open('/c')).status, (await open('/d')).status]).toEqual([
    200, 200, 503,
  ]);
  first.leave();
  await eventually(async () => expect((await open('/a')).status).toBe(200));
  expect((await open('/d')).status).toBe(503);
});

test('a caller has so many listeners whatever its wallets and credentials, and so has a wallet whatever its callers', async () => {
  const { open } = await listening({ listeners: { all: 100, caller: 2, wallet: 3, credential: 1 } });
  const statuses = async (...urls: string[]) => {
    const found: number[] = [];
    for (const url of urls) found.push((await open(url)).status);
    return found;
  };
  const byOne = ['/a?wallet=1&caller=x', '/b?wallet=2&caller=x', '/c?wallet=3&caller=x'];
  expect(await statuses(...byOne)).toEqual([200, 200, 429]);
  const ofOne = ['/d?wallet=1&caller=y', '/e?wallet=1&caller=z', '/f?wallet=1&caller=u'];
  expect(await statuses(...ofOne)).toEqual([200, 200, 429]);
  expect(await statuses('/g?wallet=4&caller=u')).toEqual([200]);
});

test('so many lists are compared in a second, each in its turn', async () => {
  let nowMs = 0;
  const { open, reads } = await listening({ comparedPerSecond: 2 }, () => nowMs);
  for (const key of ['/a', '/b', '/c']) await open(key);
  const compared: string[] = [];
  reads(async (_, key) => {
    compared.push(key);
    return 'tools';
  });
  nowMs += 1_000;
  await eventually(() => expect(compared.length).toBeGreaterThanOrEqual(2));
  nowMs += 1_000;
  await eventually(() => expect(compared.length).toBeGreaterThanOrEqual(4));
  nowMs += 1_000;
  await eventually(() => expect(compared).toHaveLength(6));
  expect(compared.toSorted()).toEqual(['/a', '/a', '/b', '/b', '/c', '/c']);
});

test('who comes while the service closes is let go, also if its tools are read meanwhile, and nothing stays open for it', async () => {
  const { open, told, close, reads, responses } = await listening();
  const reading = Promise.withResolvers<string>();
  reads(() => reading.promise);
  const first = open('/a');
  await eventually(() => expect(responses).toHaveLength(1));
  await close();
  reading.resolve('tools');
  await first;
  await open('/b');
  expect(told).toEqual(['ended /a', 'ended /b']);
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

test('a refusal that comes after its client has left does not end the watch for a client that came since', async () => {
  const { open, told, reads, responses } = await listening();
  const first = await open('/a');
  const refusal = Promise.withResolvers<string>();
  let isRead = false;
  reads(() => {
    isRead = true;
    return refusal.promise;
  });
  await eventually(() => expect(isRead).toBe(true));
  first.leave();
  await eventually(() => expect(responses[0]!.destroyed).toBe(true));
  reads(async () => 'tools');
  await open('/a');
  reads(async () => 'other tools');
  refusal.reject(problem('invalid_key', 'This executor key is revoked.'));
  await eventually(() => expect(told).toEqual(['changed /a']));
});
