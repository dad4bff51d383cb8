import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startTcpProxy } from '../../../test/support/tcp-proxy.ts';
import { drivenRuns, startWorker } from './workers.ts';

describe('the worker of a process', () => {
  test('a database that is out for long is asked by one attempt after the other, and found again once', async () => {
    const database = await createDatabase();
    const proxy = await startTcpProxy(database.url);
    const said: string[] = [];
    const log = pino({ level: 'debug' }, { write: (line) => void said.push(JSON.parse(line).msg) });
    const times = (message: string) => said.filter((msg) => msg === message).length;
    let revivals = 0;
    const worker = await startWorker({ databaseUrl: proxy.url, onRevived: () => revivals++, log });
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
});

describe('the runs of a process', () => {
  const worker = 7;
  const never = new Promise<void>(() => undefined);

  test('a run of this worker is undriven where nothing drives it under that number', async () => {
    const driven = drivenRuns();
    driven.drive({ run: 1, worker }, never);
    driven.drive({ run: 2, worker: 6 }, never);
    expect(await driven.undriven(worker, async () => [1, 2, 3])).toEqual([2, 3]);
  });

  test('a run that is stored and about to be driven is not undriven', async () => {
    const driven = drivenRuns();
    const stored = Promise.withResolvers<void>();
    const opened = driven.opening(async () => {
      await stored.promise;
      driven.drive({ run: 1, worker }, never);
    });
    const found = driven.undriven(worker, async () => [1]);
    stored.resolve();
    await opened;
    expect(await found).toEqual([]);
  });

  test('a run whose opening failed after it was stored is undriven', async () => {
    const driven = drivenRuns();
    const failing = Promise.withResolvers<void>();
    const opened = driven.opening(() => failing.promise);
    const found = driven.undriven(worker, async () => [1]);
    failing.reject(new Error('Connection terminated unexpectedly'));
    await expect(opened).rejects.toThrow('Connection terminated');
    expect(await found).toEqual([1]);
  });

  test('a run that ends while it is looked for is not undriven', async () => {
    const driven = drivenRuns();
    const work = Promise.withResolvers<void>();
    driven.drive({ run: 1, worker }, work.promise);
    let reads = 0;
    const read = async () => {
      reads += 1;
      if (reads > 1) return [];
      work.resolve();
      await driven.ended();
      return [1];
    };
    expect([await driven.undriven(worker, read), reads]).toEqual([[], 2]);
  });
});
