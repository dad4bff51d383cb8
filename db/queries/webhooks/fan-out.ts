import type { ClientBase } from 'pg';
import { beginning, isBefore, type Position } from '../registry-events.ts';

/**
 * Until the end of the transaction: `exclusive` for the process that writes the network's deliveries, `shared` for one
 * that adds a subscription. A subscription is thus added before the deliveries are written, or after.
 */
export async function lockFanOut(
  client: ClientBase,
  network: string,
  mode: 'exclusive' | 'shared',
): Promise<void> {
  const lock = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await client.query(`select ${lock}(hashtextextended($1, 0))`, [`webhooks ${network}`]);
}

/** Position of the last registry event that is stored, by network; a network without events is absent. */
export async function lastEventPositions(client: ClientBase): Promise<Map<string, Position>> {
  const { rows } = await client.query<{ network: string; position: Position }>(
    `select network, json_build_array(last_checkpoint, last_tx_index, last_event_index) as position
      from sources where name = 'registry' and last_checkpoint is not null`,
  );
  return new Map(rows.map(({ network, position }) => [network, position]));
}

interface FanOutPositions {
  /** The last registry event whose deliveries are written; null before the first. */
  cursor: Position | null;
  /** The last one that is stored, if deliveries of it or of earlier ones are still to be written; else null. */
  head: Position | null;
}

export async function readFanOut(client: ClientBase, network: string): Promise<FanOutPositions> {
  const { rows } = await client.query<FanOutPositions>(
    `select
      (select json_build_array(last_checkpoint, last_tx_index, last_event_index)
       from sources where network = $1 and name = 'registry' and last_checkpoint is not null) as head,
      (select json_build_array(checkpoint, tx_index, event_index)
       from webhook_cursors where network = $1) as cursor`,
    [network],
  );
  const { head, cursor } = rows[0]!;
  const behind = head !== null && (cursor === null || isBefore(cursor, head));
  return { cursor, head: behind ? head : null };
}

interface MatchingSubscription {
  id: string;
  /** Names of the events that it matches, */
  events: readonly string[];
  /** after this position; undefined: from the first on. */
  after: Position | undefined;
}

interface DeliveriesToWrite {
  network: string;
  cursor: Position | null;
  head: Position;
  /** Most events that are taken at once. */
  eventsMax: number;
  matching: readonly MatchingSubscription[];
}

interface WrittenDeliveries {
  /** Events that the cursor has passed. */
  events: number;
  cursor: Position;
  /** Whether more events wait before the head. */
  more: boolean;
}

/** Writes a delivery for each event up to the head and each subscription that matches it, and moves the network's cursor. */
export async function writeDeliveries(
  client: ClientBase,
  { network, cursor, head, eventsMax, matching }: DeliveriesToWrite,
): Promise<WrittenDeliveries> {
  const subscriptions = matching.map(({ after = beginning, ...rest }) => ({ ...rest, after }));
  const start = later(cursor ?? beginning, earliest(subscriptions) ?? head);
  const { rows } = await client.query<WrittenDeliveries>({
    name: 'webhook-fan-out',
    text: fanOut,
    values: [network, ...start, ...head, eventsMax, JSON.stringify(subscriptions)],
  });
  return rows[0]!;
}

const later = (a: Position, b: Position) => (isBefore(a, b) ? b : a);

/** No subscription matches earlier events: the history that a host read before its first subscription. */
function earliest(subscriptions: readonly { after: Position }[]): Position | undefined {
  const [first, ...others] = subscriptions.map(({ after }) => after);
  return first && others.reduce((a, b) => (isBefore(a, b) ? a : b), first);
}

const fanOut = `
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
  select m.id, $1, b.checkpoint, b.tx_index, b.event_index, b.name, now()
  from batch b join matching m
    on m.events ? b.name
    and (b.checkpoint, b.tx_index, b.event_index) > (m.checkpoint, m.tx_index, m.event_index)
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
returning json_build_array(c.checkpoint, c.tx_index, c.event_index) as cursor,
  (select count(*) from batch)::int as events,
  (c.checkpoint, c.tx_index, c.event_index) < ($5, $6, $7) as more`;
