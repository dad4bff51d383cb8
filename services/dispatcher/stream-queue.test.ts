import { expect, test } from 'vitest';
import type { Queryable } from '../../db/queries/queryable.ts';
import type { SubscriptionPosition } from '../../db/queries/webhooks/positions.ts';
import { listStreams } from '../../db/queries/webhooks/streams.ts';
import { StreamQueue } from './stream-queue.ts';

test('an event that is read while a subscription is added becomes ready for it', async () => {
  const [stream] = listStreams('testnet');
  const reading = Promise.withResolvers<void>();
  const event = { checkpoint: 7, txIndex: 0, eventIndex: 0, name: 'Registered', timestamp: new Date(0) };
  const db = {
    async query({ name }: { name: string }) {
      if (name !== 'webhook-events-after-registry') return { rows: [] };
      await reading.promise;
      return { rows: [{ ...event, data: {}, id: 'a:0' }] };
    },
  } as unknown as Queryable;
  const queue = new StreamQueue(db, stream);
  const segments = [{ after: [1, 0, 0], events: ['Registered'], change: 0 }];
  await queue.add([{ position: [1, 0, 0], segments } as unknown as SubscriptionPosition]);
  const roster = { byEvent: new Map([['Registered', ['sub_a']]]) };
  const advanced = queue.advance(roster);
  roster.byEvent = new Map([['Registered', ['sub_a', 'sub_b']]]);
  reading.resolve();
  await advanced;
  expect([...queue.ready.keys()]).toEqual(['sub_a', 'sub_b']);
});
