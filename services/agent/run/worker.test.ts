import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startTcpProxy } from '../../../test/support/tcp-proxy.ts';
import { startWorker } from './worker.ts';

test('a database that is out for long is asked by one attempt after the other, and found again once', async () => {
  const database = await createDatabase();
  const proxy = await startTcpProxy(database.url);
  const said: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line) => void said.push(JSON.parse(line).msg) });
  const times = (message: string) => said.filter((msg) => msg === message).length;
  let revivals = 0;
  const worker = await startWorker({ databaseUrl: proxy.url, onReconnected: () => revivals++, log });
  const first = worker.id();

  await proxy.cut();
  await eventually(() => expect(times('no connection yet')).toBeGreaterThanOrEqual(3));
  expect(() => worker.id()).toThrow(expect.objectContaining({ code: 'database_unavailable' }));
  await proxy.restore();
  await eventually(() => expect(revivals).toBe(1));
  expect(worker.id()).not.toBe(first);
  expect(times('lost the connection that holds the lock of this agent worker')).toBe(1);

  await worker.close();
  await proxy.cut();
  await database.drop();
});
