import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/support/database.ts';
import { inTransaction } from '../transaction.ts';
import { beginning, type Position } from './registry-events.ts';
import { appendServiceEvents } from './service-events.ts';
import { readEventsAfter } from './webhooks/events.ts';
import { listStreams } from './webhooks/streams.ts';

test('a reader that follows the log by its cursor misses no event, however its writers overlap and fail', async () => {
  const db = await createTestDatabase();
  const [, stream] = listStreams('testnet');
  const writers = 8;
  const perWriter = 12;
  let writing = writers;
  const added = new Set<string>();

  async function write(writer: number): Promise<void> {
    for (let nth = 0; nth < perWriter; nth++) {
      const reason = `${writer}.${nth}`;
      const add = inTransaction(db.pool, async (client) => {
        // The transaction begins before the lock of the log, as that of a decision does.
        await client.query('select 1');
        const data = { serviceType: '0x1::a::A', publisher: null, reason };
        await appendServiceEvents(client, [{ network: 'testnet', name: 'Quarantined', data }]);
        if (nth % 4 === 3) throw new Error('rolled back');
        added.add(reason);
      });
      await add.catch((error) => expect(error.message).toBe('rolled back'));
    }
    writing -= 1;
  }

  const read: { number: number; reason: unknown; timestampMs: number }[] = [];
  async function follow(): Promise<void> {
    for (let after: Position = beginning; ; ) {
      const isLast = writing === 0;
      const page = await readEventsAfter(db.pool, stream, after, 3);
      for (const { position, data, timestampMs } of page)
        read.push({ number: position[0], reason: data?.reason, timestampMs });
      after = page.at(-1)?.position ?? after;
      if (isLast && page.length === 0) return;
    }
  }
  await Promise.all([follow(), ...Array.from({ length: writers }, (_, writer) => write(writer))]);
  expect(new Set(read.map(({ reason }) => reason))).toEqual(added);
  expect(read.map(({ number }) => number)).toEqual(read.map((_, at) => at + 1));
  expect(read).toEqual(read.toSorted((a, b) => a.timestampMs - b.timestampMs));
});

test('an event of another network leaves no gap that a reader could mistake for a lost one', async () => {
  const db = await createTestDatabase();
  const add = (network: string) =>
    inTransaction(db.pool, (client) =>
      appendServiceEvents(client, [
        { network, name: 'QuarantineLifted', data: { serviceType: null, publisher: '0x7', reason: 'r' } },
      ]),
    );
  for (const network of ['testnet', 'mainnet', 'testnet']) await add(network);
  const [, stream] = listStreams('testnet');
  const events = await readEventsAfter(db.pool, stream, beginning, 10);
  expect(events.map(({ id }) => id)).toEqual(['svc_1', 'svc_3']);
  expect(events[0]).toMatchObject({
    event: 'QuarantineLifted',
    data: { serviceType: null, publisher: '0x7', reason: 'r' },
  });
});
