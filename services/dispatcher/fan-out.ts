import type { Network } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import { lockFanOut, readFanOut, writeDeliveries } from '../../db/queries/webhooks/fan-out.ts';
import { missingSubscriptions } from '../../db/queries/webhooks/subscriptions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { EventPosition, Survey } from '../../lib/webhooks/subscriptions.ts';

export interface FanOut {
  /** Registry events that the cursor has passed and that some subscription may match. */
  events: number;
  /** The cursor after this batch; null before the first event. */
  cursor: EventPosition | null;
  /** Whether more events wait that can be taken now. */
  more: boolean;
  /** Known subscriptions that the store has lost: the cursor waits for them. */
  missing: readonly string[];
}

interface SubscriptionReads {
  survey(): Promise<Survey>;
  /** True if the store loses subscriptions by design: in memory, they end with the process. */
  mayLose: boolean;
}

/** Events in one transaction, and about how many deliveries: those are sent while the next are written. */
const eventsMax = 200;
const deliveriesMax = 5_000;

/**
 * Writes a delivery for each registry event after the network's cursor and each active subscription to it, and moves
 * the cursor, in one transaction. A lock keeps other dispatchers out meanwhile.
 * The last stored event is read before the subscriptions, and a subscription is added under the same lock, so a
 * subscription that is not seen here was made after that event. If the store has lost subscriptions, as one that came
 * back empty, the cursor waits: otherwise it would pass events that they match.
 */
export async function fanOut(
  pool: Pool,
  network: Network,
  { survey, mayLose }: SubscriptionReads,
): Promise<FanOut> {
  return await inTransaction(pool, async (client) => {
    await lockFanOut(client, network, 'exclusive');
    const { head, cursor } = await readFanOut(client, network);
    const unmoved = { events: 0, cursor, more: false };
    if (!head) return { ...unmoved, missing: [] };

    const { subscriptions, present } = await survey();
    const missing = mayLose ? [] : await missingSubscriptions(client, present);
    if (missing.length > 0) return { ...unmoved, missing };
    const active = subscriptions.filter(({ state }) => state === 'active');
    const matching = active.map(({ id, events, after }) => ({
      id,
      events,
      after: after[network],
    }));
    const written = await writeDeliveries(client, {
      network,
      cursor,
      head,
      eventsMax: Math.max(1, Math.min(eventsMax, Math.floor(deliveriesMax / matching.length))),
      matching,
    });
    return { ...written, missing };
  });
}
