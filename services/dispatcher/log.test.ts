import { expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from '../../db/client.ts';
import { keepLogDays, trimLog } from '../../db/queries/webhooks/attempts.ts';
import { type Logger, silentLogger } from '../../lib/log/index.ts';
import { eventually } from '../../test/support/eventually.ts';
import { startReceiver } from '../../test/support/receiver.ts';
import { openDispatching } from '../../test/support/webhooks.ts';

/** Opens a world with a subscription that has received some events, one dispatch each. */
async function openWithLog(events: number) {
  const world = await openDispatching();
  const receiver = await startReceiver();
  const dispatcher = world.dispatcher();
  onTestFinished(async () => {
    await dispatcher.close();
    await receiver.close();
    await world.clear();
    await world.close();
  });
  const { id } = await world.subscribe(receiver.url);
  const days = async () => {
    const { rows } = await world.db.pool.query(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'webhook_log'::regclass order by 1`,
    );
    return rows.map(({ name }) => name as string);
  };
  const send = async () => {
    const added = await world.addEvents(1);
    await dispatcher.dispatch('testnet');
    return added[0]!;
  };
  const sent: string[] = [];
  for (let n = 0; n < events; n++) sent.push(await send());
  return { world, id, sent, send, days };
}

test('a dispatcher that finds no partition for the day, as after days of absence, makes it and loses nothing', async () => {
  const { world, id, send, days } = await openWithLog(0);
  for (const name of await days()) await world.db.pool.query(`drop table ${name}`);
  const sent = await send();
  expect(await world.readSubscriptionDeliveries(id)).toMatchObject([{ eventId: sent, state: 'delivered' }]);
  expect((await days()).length).toBeGreaterThan(1);
});

test('days that ended long ago are dropped, and those of the next days are there', async () => {
  const { world, id, sent, days } = await openWithLog(1);
  const { pool } = world.db;
  await pool.query(`create table webhook_log_20200101 partition of webhook_log
    for values from ('2020-01-01 00:00:00+00') to ('2020-01-02 00:00:00+00')`);
  const before = await days();
  await keepLogDays(pool, 30);
  expect(await days()).toEqual(before.filter((name) => name !== 'webhook_log_20200101'));
  expect(await world.readSubscriptionDeliveries(id)).toMatchObject([{ eventId: sent[0] }]);
});

test('where only a scheduler dispatches, days that ended long ago are dropped too', async () => {
  const { world, send, days } = await openWithLog(0);
  await world.db.pool.query(`create table webhook_log_20200101 partition of webhook_log
    for values from ('2020-01-01 00:00:00+00') to ('2020-01-02 00:00:00+00')`);
  await send();
  expect(await days()).not.toContain('webhook_log_20200101');
});

test('of a subscription with more deliveries than are kept, the latest stay', async () => {
  const { world, id, sent } = await openWithLog(4);
  await trimLog(world.db.pool, [id], 2);
  const kept = (await world.readSubscriptionDeliveries(id)).map(({ eventId }) => eventId);
  expect(kept).toEqual(sent.slice(-kept.length));
  expect(kept).toHaveLength(2);
});

test('a log that cannot be tidied is logged as such, and not as deliveries that stopped', async () => {
  const { world } = await openWithLog(0);
  const pool: Database['pool'] = Object.create(world.db.pool, {
    query: {
      value: async (...args: unknown[]) => {
        if (String(args[0]).includes('pg_inherits')) throw new Error('the log is locked');
        return await (world.db.pool.query as (...args: unknown[]) => Promise<unknown>)(...args);
      },
    },
  });
  const log = { ...silentLogger, warn: vi.fn(), info: vi.fn() } as unknown as Logger;
  const dispatcher = world.dispatcher({ db: { ...world.db, pool }, log });
  dispatcher.start();
  await eventually(async () => expect(log.warn).toHaveBeenCalled());
  await dispatcher.close();
  expect(log.warn).toHaveBeenCalledExactlyOnceWith(
    { reason: 'the log is locked' },
    'cannot remove old webhook deliveries',
  );
  expect(log.info).not.toHaveBeenCalled();
});
