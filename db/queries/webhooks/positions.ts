import { isDeepStrictEqual } from 'node:util';
import { and, eq } from 'drizzle-orm';
import type { ClientBase, Pool } from 'pg';
import { build } from '../../client.ts';
import * as tables from '../../schema/index.ts';
import { type Queryable, toColumns } from '../queryable.ts';
import { beginning, isBefore, type Position, pickLater } from '../registry-events.ts';

/** Event names that a subscription receives after a position, until the next segment begins. */
interface Segment {
  after: Position;
  /** Empty while it is paused. Null if only the key-value store has them, as for old rows. */
  events: readonly string[] | null;
  /** Number of the change that began it. */
  change: number;
}

/** Position of a subscription in a network: all matching events up to `position` are settled. */
export interface SubscriptionPosition {
  subscription: string;
  network: string;
  position: Position;
  /** In order, never empty. */
  segments: readonly Segment[];
  /** Number of the last change. */
  changes: number;
}

/** A stretch of a network's events that a subscription has not passed. Without `until` it is open. */
interface Stretch {
  after: Position;
  until: Position | undefined;
  events: readonly string[];
}

/** Returns the stretches after a position and the event names of each, in order. */
export function stretchesAfter(position: Position, segments: readonly Segment[]): Stretch[] {
  return segments.flatMap(({ after, events }, at) => {
    const until = segments[at + 1]?.after;
    if (until && !isBefore(position, until)) return [];
    return [{ after: pickLater(after, position), until, events: events ?? [] }];
  });
}

/** Maximum number of segments. A change that would exceed it is refused until the subscription has caught up. */
const segmentsMax = 16;

/**
 * Begins a segment with these event names at the head. If the last segment already has them, the segments stay as they
 * are. A segment that began at the same head is replaced, since no event can belong to it.
 * @returns undefined if there would be too many segments. A pause is then left out, so that too much is sent rather
 * than too little
 */
function withFilter(
  segments: readonly Segment[],
  events: readonly string[],
  head: Position,
): readonly Segment[] | undefined {
  const open = segments.at(-1)!;
  if (open.events !== null && isDeepStrictEqual(new Set(open.events), new Set(events))) return segments;
  if (open.events === null) return [...segments.slice(0, -1), { ...open, events }];
  const next = { after: pickLater(open.after, head), events, change: open.change + 1 };
  if (!isBefore(open.after, head)) return [...segments.slice(0, -1), next];
  if (segments.length >= segmentsMax && open.events.length > 0)
    return events.length > 0 ? undefined : segments;
  return [...segments, next];
}

/** Reads the position of the last stored registry event, by followed network; `beginning` before the first. */
export async function lastEventPositions(db: Queryable): Promise<Map<string, Position>> {
  const { rows } = await db.query<{ network: string; position: Position | null }>(
    `select network, case when last_checkpoint is not null
        then json_build_array(last_checkpoint, last_tx_index, last_event_index) end as position
      from sources where name = 'registry'`,
  );
  return new Map(rows.map(({ network, position }) => [network, position ?? beginning]));
}

const columns = 'p.subscription, p.network, to_json(p.position) as position, p.segments, p.changes';

/** Reads the positions of these subscriptions in every network. */
export async function readPositions(
  db: Queryable,
  subscriptions: readonly string[],
): Promise<SubscriptionPosition[]> {
  const { rows } = await db.query<SubscriptionPosition>({
    name: 'webhook-positions',
    text: `select ${columns} from webhook_positions p where p.subscription = any($1)`,
    values: [subscriptions],
  });
  return rows;
}

/**
 * Stores the start position of a subscription in each network, with its event names. An existing position stays as it
 * is.
 */
export async function startPositions(
  db: Pool | ClientBase,
  subscription: string,
  events: readonly string[],
  starts: Iterable<readonly [network: string, position: Position]>,
): Promise<void> {
  for (const [network, position] of starts) {
    const segments: Segment[] = [{ after: position, events, change: 0 }];
    await build(db)
      .insert(tables.webhookPositions)
      .values({ subscription, network, position, segments })
      .onConflictDoNothing();
  }
}

/** Reads the position of the last registry event before a time. A subscription from that time starts after it. */
export async function positionBefore(db: Queryable, network: string, timeMs: number): Promise<Position> {
  const { rows } = await db.query<{ position: Position }>(
    `select json_build_array(checkpoint, tx_index, event_index) as position from events
      where network = $1 and source = 'registry' and timestamp < $2
      order by checkpoint desc, tx_index desc, event_index desc limit 1`,
    [network, new Date(timeMs)],
  );
  return rows[0]?.position ?? beginning;
}

interface Filter {
  subscription: string;
  /** Empty while it is not active. */
  events: readonly string[];
  /**
   * Positions by network at which it was created. Only old records have them: a row that only has the network's
   * position starts there.
   */
  madeAt?: Partial<Record<string, Position>> | undefined;
}

/**
 * Changes the event names of a subscription from the head on, in a transaction. Earlier events are still sent by the
 * filter of their time. Call it under `holdSubscription`.
 * @returns `false` if it has too many segments for the change
 */
export async function changeFilter(
  client: ClientBase,
  { subscription, events, madeAt = {} }: Filter,
): Promise<boolean> {
  const { rows } = await client.query<SubscriptionPosition>(
    `select ${columns} from webhook_positions p where p.subscription = $1 for update`,
    [subscription],
  );
  const heads = await lastEventPositions(client);
  const changes = rows.flatMap(({ network, position, segments }) => {
    const next = withFilter(segments, events, heads.get(network) ?? beginning);
    if (next === segments) return [];
    const made = segments.at(-1)!.events === null ? madeAt[network] : undefined;
    return [{ network, position: made ? pickLater(position, made) : position, next }];
  });
  if (changes.some(({ next }) => !next)) return false;
  const positions = tables.webhookPositions;
  for (const { network, position, next } of changes) {
    await build(client)
      .update(positions)
      .set({ position, segments: next, changes: next!.at(-1)!.change })
      .where(and(eq(positions.subscription, subscription), eq(positions.network, network)));
  }
  return true;
}

/** Returns `true` if the rows of a subscription have the event names of the store. */
export function asksFor(rows: readonly SubscriptionPosition[], events: readonly string[]): boolean {
  return rows.every(({ segments }) => withFilter(segments, events, beginning) === segments);
}

/** Moves positions after which no event has matched for long, unless they have changed since they were read. */
export async function moveIdlePositions(
  db: Queryable,
  idle: readonly SubscriptionPosition[],
  to: Position,
): Promise<void> {
  await db.query(
    `update webhook_positions p set position = $5::bigint[]
      from unnest($1::text[], $2::text[], $3::text[], $4::int[]) as i (subscription, network, position, changes)
      where p.subscription = i.subscription and p.network = i.network and p.position = i.position::bigint[]
        and p.changes = i.changes and p.position < $5::bigint[]`,
    [
      ...toColumns(idle, 'subscription', 'network'),
      idle.map(({ position }) => `{${position}}`),
      ...toColumns(idle, 'changes'),
      to,
    ],
  );
}

/** Registry events that are still to be sent for the first time. */
interface Backlog {
  subscription: string;
  network: string;
  position: Position;
  /** Number of events, at most the requested maximum. */
  events: number;
}

/**
 * Reads the backlog of each of these subscriptions. Subscriptions without one are absent. Counts up to `max` for each.
 */
export async function readBacklogs(
  db: Queryable,
  subscriptions: readonly string[],
  max: number,
): Promise<Backlog[]> {
  const { rows } = await db.query<Backlog>({
    name: 'webhook-backlogs',
    text: `
with stretches as (
  select p.subscription, p.network, p.position,
    greatest(p.position, s.after) as after, lead(s.after) over stretch as until, s.events
  from webhook_positions p
  cross join lateral (
    select nth, events, array(select jsonb_array_elements_text(part.after)::bigint) as after
    from rows from (jsonb_to_recordset(p.segments) as (after jsonb, events jsonb))
      with ordinality as part (after, events, nth)
  ) s
  where p.subscription = any($1)
  window stretch as (partition by p.subscription, p.network order by s.nth)
)
select s.subscription, s.network, to_json(s.position) as position, least(sum(found.count), $2)::int as events
from stretches s cross join lateral (
  select count(*) from (
    select from events e
    where e.network = s.network and e.source = 'registry' and s.events ? e.name
      and (e.checkpoint, e.tx_index, e.event_index) > (s.after[1], s.after[2]::int, s.after[3]::int)
      and (s.until is null
        or (e.checkpoint, e.tx_index, e.event_index) <= (s.until[1], s.until[2]::int, s.until[3]::int))
    limit $2
  ) e
) found
where s.until is null or s.until > s.position
group by s.subscription, s.network, s.position
having sum(found.count) > 0`,
    values: [subscriptions, max],
  });
  return rows;
}
