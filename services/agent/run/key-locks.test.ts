import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../../db/client.ts';
import { createDatabase } from '../../../test/support/database.ts';
import { keyLocks } from './key-locks.ts';

test('a connection that breaks while the lock is held affects neither the result of the work nor the next caller', async () => {
  const created = await createDatabase();
  const db = openDatabase(created.url, { max: 4 });
  const locks = keyLocks(db.pool);
  const take = <T>(work: () => Promise<T>) =>
    locks.hold({ network: 'testnet', agent: '0x1', planned: true }, work);
  const breakLock = () =>
    db.pool.query(
      `select pg_terminate_backend(pid) from pg_locks
        where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
    );
  const lost = new Error('the run is lost');

  const done = take(async () => {
    await breakLock();
    return 'settled';
  });
  const failed = take(async () => {
    await breakLock();
    throw lost;
  });
  expect(await Promise.allSettled([done, failed, take(async () => 'next')])).toEqual([
    { status: 'fulfilled', value: 'settled' },
    { status: 'rejected', reason: lost },
    { status: 'fulfilled', value: 'next' },
  ]);

  await db.close();
  await created.drop();
});

describe('while a key is in use', () => {
  /** Serves those that wait, by name, and answers the order. `join` lets another one wait when the name is served. */
  async function served(names: readonly string[], join: Record<string, string> = {}): Promise<string[]> {
    const created = await createDatabase();
    const db = openDatabase(created.url, { max: 4 });
    const locks = keyLocks(db.pool);
    const order: string[] = [];
    const taken: Promise<void>[] = [];
    const take = (name: string, work = () => Promise.resolve()) => {
      const key = { network: 'testnet', agent: '0x1', planned: name.startsWith('planned') };
      const held = locks.hold(key, async () => {
        order.push(name);
        if (join[name]) take(join[name]);
        await work();
      });
      taken.push(held);
    };
    const first = Promise.withResolvers<void>();
    take('unplanned 0', () => first.promise);
    for (const name of names) take(name);
    first.resolve();
    for (let ended = 0; ended < taken.length; ended += 1) await taken[ended];
    await db.close();
    await created.drop();
    return order.slice(1);
  }

  test('planned callers come before unplanned ones, each in the order of their calls', async () => {
    const order = await served(['unplanned 1', 'unplanned 2', 'planned 1', 'planned 2']);
    expect(order).toEqual(['planned 1', 'planned 2', 'unplanned 1', 'unplanned 2']);
  });

  test('every fifth lock goes to an unplanned caller, even while planned ones keep coming', async () => {
    const join = Object.fromEntries(
      Array.from({ length: 12 }, (_, nth) => [`planned ${nth + 1}`, `planned ${nth + 2}`]),
    );
    const order = await served(['unplanned 1', 'unplanned 2', 'planned 1'], join);
    const places = ['unplanned 1', 'unplanned 2'].map((name) => order.indexOf(name));
    expect([places, order.length]).toEqual([[4, 9], 15]);
  });
});
