import { isDeepStrictEqual } from 'node:util';
import type { Network } from '@adaptor-marketplace/adaptor';
import type { ClientBase, Pool } from 'pg';
import { createQueryBuilder } from '../../client.ts';
import { and, eq } from '../../orm/drizzle.ts';
import * as tables from '../../schema/index.ts';
import { type Queryable, toColumns, toMsSql } from '../queryable.ts';
import { beginning, isBefore, type Position, pickLater } from '../registry-events.ts';
import {
  type About,
  buildConcernsSql,
  buildNetworkSql,
  eventRows,
  listStreams,
  type Stream,
} from './streams.ts';

/** Event names that a subscription receives after a position, until the next segment begins. */
interface Segment {
  after: Position;
  /** Empty while it is paused. Null if only the key-value store has them, as for old rows. */
  events: readonly string[] | null;
  /** Number of the change that began it. */
  change: number;
}

/** Position of a subscription in a stream: all matching events up to `position` are settled. */
export interface SubscriptionPosition extends About {
  subscription: string;
  /** `<network>` or `<network>.service`. */
  stream: string;
  position: Position;
  /** In order, never empty. */
  segments: readonly Segment[];
  /** Number of the last change. */
  changes: number;
}

/** A stretch of a stream that a subscription has not passed. Without `until` it is open. */
interface Stretch {
  after: Position;
  until: Position | undefined;
  events: readonly string[];
}

/** Returns the stretches after a position and the event names of each, in order. */
export function listStretchesAfter(position: Position, segments: readonly Segment[]): Stretch[] {
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
function beginSegment(
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

/** Reads the position of the last stored event of each stream of the followed networks; `beginning` before the first. */
export async function readLastEventPositions(db: Queryable): Promise<Map<string, Position>> {
  const { rows } = await db.query<{ network: Network; registry: Position | null; service: number | null }>(
    `select s.network, case when s.last_checkpoint is not null
        then json_build_array(s.last_checkpoint, s.last_tx_index, s.last_event_index) end as registry,
        (select e.number from service_events e where e.network = s.network order by e.number desc limit 1) as service
      from sources s where s.name = 'registry'`,
  );
  const heads = rows.flatMap(({ network, registry, service }) =>
    listStreams(network).map(({ key, log }): [string, Position] => {
      if (log === 'service') return [key, service === null ? beginning : [service, 0, 0]];
      return [key, registry ?? beginning];
    }),
  );
  return new Map(heads);
}

const columns = `p.subscription, p.stream, to_json(p.position) as position, p.segments, p.changes, p.wallet,
  p.service_type as "serviceType", p.publisher`;

/** Reads the positions of these subscriptions in every stream. */
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

/** The filter of a subscription: event names, empty while it is not active, and what they must be about. */
export interface Filter extends About {
  subscription: string;
  events: readonly string[];
  /**
   * Positions by network at which it was created. Only old records have them: a row that only has the network's
   * position starts there.
   */
  madeAt?: Partial<Record<string, Position>> | undefined;
}

/** Stores the start position of a subscription in each stream, with its filter. An existing position stays as it is. */
export async function startPositions(
  db: Pool | ClientBase,
  { subscription, events, wallet, serviceType, publisher }: Filter,
  starts: Iterable<readonly [stream: string, position: Position]>,
): Promise<void> {
  for (const [stream, position] of starts) {
    const segments: Segment[] = [{ after: position, events, change: 0 }];
    await createQueryBuilder(db)
      .insert(tables.webhookPositions)
      .values({ subscription, stream, position, segments, wallet, serviceType, publisher })
      .onConflictDoNothing();
  }
}

/** Reads the position of the last event of a stream before a time. A subscription from that time starts after it. */
export async function readPositionBefore(
  db: Queryable,
  { log, network }: Stream,
  timeMs: number,
): Promise<Position> {
  const { rows } = await db.query<{ position: Position }>(
    `select json_build_array(e.checkpoint, e.tx_index, e.event_index) as position from ${eventRows[log]} e
      where e.network = $1 and e.timestamp < $2
      order by e.checkpoint desc, e.tx_index desc, e.event_index desc limit 1`,
    [network, new Date(timeMs)],
  );
  return rows[0]?.position ?? beginning;
}

/** Reads the chain's time up to which each network's registry is read, in milliseconds, if it is known. */
export async function readRegistryTimes(db: Queryable): Promise<Map<string, number>> {
  const { rows } = await db.query<{ network: string; readUpTo: number }>(
    `select network, ${toMsSql('checkpoint_at')} as "readUpTo" from sources
      where name = 'registry' and checkpoint_at is not null`,
  );
  return new Map(rows.map((row) => [row.network, row.readUpTo]));
}

/**
 * Changes the event names of a subscription from the head on, in a transaction. Earlier events are still sent by the
 * filter of their time. Call it under `holdSubscription`.
 * @returns `false` if it has too many segments for the change
 */
export async function changeFilter(
  client: ClientBase,
  { subscription, events, madeAt = {} }: Omit<Filter, keyof About>,
): Promise<boolean> {
  const { rows } = await client.query<SubscriptionPosition>(
    `select ${columns} from webhook_positions p where p.subscription = $1 for update`,
    [subscription],
  );
  const heads = await readLastEventPositions(client);
  const changes = rows.flatMap(({ stream, position, segments }) => {
    const next = beginSegment(segments, events, heads.get(stream) ?? beginning);
    if (next === segments) return [];
    const made = segments.at(-1)!.events === null ? madeAt[stream] : undefined;
    return [{ stream, position: made ? pickLater(position, made) : position, next }];
  });
  if (changes.some(({ next }) => !next)) return false;
  const positions = tables.webhookPositions;
  for (const { stream, position, next } of changes) {
    await createQueryBuilder(client)
      .update(positions)
      .set({ position, segments: next, changes: next!.at(-1)!.change })
      .where(and(eq(positions.subscription, subscription), eq(positions.stream, stream)));
  }
  return true;
}

/** Returns `true` if the rows of a subscription have the event names of the store. */
export function hasEventNames(rows: readonly SubscriptionPosition[], events: readonly string[]): boolean {
  return rows.every(({ segments }) => beginSegment(segments, events, beginning) === segments);
}

/** Moves positions after which no event has matched for long, unless they have changed since they were read. */
export async function moveIdlePositions(
  db: Queryable,
  idle: readonly SubscriptionPosition[],
  to: Position,
): Promise<void> {
  await db.query(
    `update webhook_positions p set position = $5::bigint[]
      from unnest($1::text[], $2::text[], $3::text[], $4::int[]) as i (subscription, stream, position, changes)
      where p.subscription = i.subscription and p.stream = i.stream and p.position = i.position::bigint[]
        and p.changes = i.changes and p.position < $5::bigint[]`,
    [
      ...toColumns(idle, 'subscription', 'stream'),
      idle.map(({ position }) => `{${position}}`),
      ...toColumns(idle, 'changes'),
      to,
    ],
  );
}

/** Events that are still to be sent for the first time. */
interface Backlog {
  subscription: string;
  stream: string;
  position: Position;
  /** Number of events, at most the requested maximum. */
  events: number;
}

const buildWaitingSql = (log: Stream['log']) => `
    select from ${eventRows[log]} e
    where e.network = s.network and s.of_service = ${log === 'service'} and s.events ? e.name
      and (e.checkpoint, e.tx_index, e.event_index) > (s.after[1], s.after[2]::int, s.after[3]::int)
      and (s.until is null
        or (e.checkpoint, e.tx_index, e.event_index) <= (s.until[1], s.until[2]::int, s.until[3]::int))
      and ${buildConcernsSql('e', { wallet: 's.wallet', serviceType: 's.service_type', publisher: 's.publisher' })}`;

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
  select p.subscription, p.stream, p.position, p.wallet, p.service_type, p.publisher,
    ${buildNetworkSql('p.stream')} as network, p.stream <> ${buildNetworkSql('p.stream')} as of_service,
    greatest(p.position, s.after) as after, lead(s.after) over stretch as until, s.events
  from webhook_positions p
  cross join lateral (
    select nth, events, array(select jsonb_array_elements_text(part.after)::bigint) as after
    from rows from (jsonb_to_recordset(p.segments) as (after jsonb, events jsonb))
      with ordinality as part (after, events, nth)
  ) s
  where p.subscription = any($1)
  window stretch as (partition by p.subscription, p.stream order by s.nth)
)
select s.subscription, s.stream, to_json(s.position) as position, least(sum(found.count), $2)::int as events
from stretches s cross join lateral (
  select count(*) from (${buildWaitingSql('registry')} union all ${buildWaitingSql('service')} limit $2) e
) found
where s.until is null or s.until > s.position
group by s.subscription, s.stream, s.position
having sum(found.count) > 0`,
    values: [subscriptions, max],
  });
  return rows;
}
