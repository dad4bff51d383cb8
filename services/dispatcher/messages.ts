import type { Network } from '@adaptor-marketplace/adaptor/networks';
import { LRUCache } from 'lru-cache';
import type { Queryable } from '../../db/queries/queryable.ts';
import { messageBytes } from '../../lib/webhooks/message.ts';
import type { Due } from './lanes.ts';

/** What is sent for a delivery, whoever the receiver. */
export interface Message {
  id: string;
  event: string;
  bytes: Buffer;
}

export interface Messages {
  /** In the order of the deliveries. */
  of(deliveries: readonly Due[]): Promise<Message[]>;
}

/** Bytes of messages that are kept, since many subscriptions want the same event at about the same time. */
const keptBytesMax = 16 * 1024 * 1024;

interface EventRow {
  place: number;
  name: string;
  timestamp: Date;
  data: Record<string, unknown> | null;
  tx_digest: string;
}

const readEvents = `
select at.place::int, e.name, e.timestamp, e.data, e.tx_digest
from unnest($1::text[], $2::bigint[], $3::int[], $4::int[]) with ordinality
  as at (network, checkpoint, tx_index, event_index, place)
join events e using (network, checkpoint, tx_index, event_index)`;

/** Makes each message from its event, which never changes, and keeps the latest. */
export function messagesFrom(db: Queryable): Messages {
  const kept = new LRUCache<string, Message>({
    maxSize: keptBytesMax,
    sizeCalculation: ({ bytes, id }) => bytes.length + id.length,
  });

  async function load(missing: Map<string, Due>): Promise<Map<string, Message>> {
    const wanted = [...missing.values()];
    const { rows } = await db.query<EventRow>({
      name: 'webhook-events',
      text: readEvents,
      values: [
        wanted.map((due) => due.network),
        wanted.map((due) => due.checkpoint),
        wanted.map((due) => due.txIndex),
        wanted.map((due) => due.eventIndex),
      ],
    });
    const loaded = rows.map((row): [string, Message] => {
      const due = wanted[row.place - 1]!;
      const id = `${row.tx_digest}:${due.eventIndex}`;
      const { name: event, data, timestamp } = row;
      const message = { network: due.network as Network, event, data, timestampMs: timestamp.getTime(), id };
      return [keyOf(due), { id, event, bytes: messageBytes(message) }];
    });
    return new Map(loaded);
  }

  return {
    async of(deliveries) {
      const missing = new Map<string, Due>();
      for (const due of deliveries) {
        if (due.checkpoint !== null && !kept.has(keyOf(due))) missing.set(keyOf(due), due);
      }
      // Held here too: the cache may drop what it was just given.
      const loaded = missing.size > 0 ? await load(missing) : new Map<string, Message>();
      for (const [key, message] of loaded) kept.set(key, message);
      return deliveries.map((due) => {
        const message =
          due.checkpoint === null ? testMessage(due) : (loaded.get(keyOf(due)) ?? kept.get(keyOf(due)));
        if (!message) throw new Error(`the event of delivery ${due.id} is gone`);
        return message;
      });
    },
  };
}

const keyOf = ({ network, checkpoint, txIndex, eventIndex }: Due) =>
  `${network} ${checkpoint} ${txIndex} ${eventIndex}`;

function testMessage({ network, event, data, createdAt, id: delivery }: Due): Message {
  const id = `test:${delivery}`;
  const message = { network: network as Network, event, data, timestampMs: createdAt.getTime(), id };
  return { id, event, bytes: messageBytes(message) };
}
