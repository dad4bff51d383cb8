import type { Network } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import { lockFanOut, missingSubscriptions } from '../../db/queries/webhooks/subscriptions.ts';
import { inTransaction } from '../../db/transaction.ts';
import { isBefore } from '../../lib/webhooks/position.ts';
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

interface Position {
  checkpoint: number;
  tx_index: number;
  event_index: number;
}

const positionOf = (row: Position): EventPosition => [row.checkpoint, row.tx_index, row.event_index];

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
    const { rows } = await client.query<{ head: Position | null; cursor: Position | null }>(readPositions, [
      network,
    ]);
    const head = rows[0]?.head ?? null;
    const cursor = rows[0]?.cursor ?? null;
    const behind = head !== null && (cursor === null || isBefore(positionOf(cursor), positionOf(head)));
    const unmoved = { events: 0, cursor: cursor && positionOf(cursor), more: false };
    if (!behind) return { ...unmoved, missing: [] };

    const { subscriptions, present } = await survey();
    const missing = mayLose ? [] : await missingSubscriptions(client, present);
    if (missing.length > 0) return { ...unmoved, missing };
    const active = subscriptions.filter(({ state }) => state === 'active');
    const matching = active.map(({ id, events, after }) => ({
      id,
      events,
      after: after[network] ?? beforeAll,
    }));
    const moved = await client.query<Position & { events: number; more: boolean }>({
      name: 'webhook-fan-out',
      text: fan,
      values: [
        network,
        ...laterOf(cursor ? positionOf(cursor) : beforeAll, earliest(matching) ?? positionOf(head)),
        ...positionOf(head),
        Math.max(1, Math.min(eventsMax, Math.floor(deliveriesMax / matching.length))),
        JSON.stringify(matching),
      ],
    });
    const { events, more, ...position } = moved.rows[0]!;
    return { events, cursor: positionOf(position), more, missing };
  });
}

const beforeAll: EventPosition = [-1, -1, -1];

const laterOf = (a: EventPosition, b: EventPosition) => (isBefore(a, b) ? b : a);

/** No subscription matches earlier events: the history that a host read before its first subscription. */
function earliest(matching: readonly { after: EventPosition }[]): EventPosition | undefined {
  const [first, ...others] = matching.map(({ after }) => after);
  return first && others.reduce((a, b) => (isBefore(a, b) ? a : b), first);
}

const readPositions = `
select
  (select json_build_object('checkpoint', last_checkpoint, 'tx_index', last_tx_index, 'event_index', last_event_index)
   from sources where network = $1 and name = 'registry' and last_checkpoint is not null) as head,
  (select json_build_object('checkpoint', checkpoint, 'tx_index', tx_index, 'event_index', event_index)
   from webhook_cursors where network = $1) as cursor`;

const fan = `
with batch as (
  select checkpoint, tx_index, event_index, name from events
  where network = $1 and source = 'registry'
    and (checkpoint, tx_index, event_index) > ($2, $3, $4)
    and (checkpoint, tx_index, event_index) <= ($5, $6, $7)
  order by checkpoint, tx_index, event_index
  limit $8
), matching as (
  select id, events, (after->>0)::bigint as checkpoint, (after->>1)::int as tx_index, (after->>2)::int as event_index
  from jsonb_to_recordset($9) as matching (id text, events jsonb, after jsonb)
), added as (
  insert into webhook_deliveries (subscription, network, checkpoint, tx_index, event_index, event, due_at)
  select w.id, $1, b.checkpoint, b.tx_index, b.event_index, b.name, now()
  from batch b join matching w
    on w.events ? b.name
    and (b.checkpoint, b.tx_index, b.event_index) > (w.checkpoint, w.tx_index, w.event_index)
  order by b.checkpoint, b.tx_index, b.event_index
  on conflict do nothing
), last as (
  select checkpoint, tx_index, event_index from batch order by checkpoint desc, tx_index desc, event_index desc limit 1
)
insert into webhook_cursors as c (network, checkpoint, tx_index, event_index)
select $1, coalesce(l.checkpoint, $5), coalesce(l.tx_index, $6), coalesce(l.event_index, $7)
from (select) always left join last l on true
on conflict (network) do update set
  checkpoint = excluded.checkpoint, tx_index = excluded.tx_index, event_index = excluded.event_index, moved_at = now()
returning c.checkpoint, c.tx_index, c.event_index, (select count(*) from batch)::int as events,
  (c.checkpoint, c.tx_index, c.event_index) < ($5, $6, $7) as more`;
