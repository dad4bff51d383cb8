import { columnTypes, type Row, readColumns, unnestColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { eventPosition, keyRows, type Queryable, toColumns } from '../queryable.ts';
import type { Position, PositionedEvent } from '../registry-events.ts';
import { type About, buildConcernsSql, eventRows, type Stream } from './streams.ts';

const position = '(e.checkpoint, e.tx_index, e.event_index)';
const order = 'e.checkpoint, e.tx_index, e.event_index';
const newestFirst = 'e.checkpoint desc, e.tx_index desc, e.event_index desc';

const columns = readColumns(tables.events, [...eventPosition, 'name', 'timestamp', 'data']);
const selected = `${columns.select('e')}, e.event_id as id`;
type EventRow = Row<typeof columns> & { id: string };

const toPositionedEvent = (row: EventRow): PositionedEvent => ({
  position: [row.checkpoint, row.txIndex, row.eventIndex],
  id: row.id,
  event: row.name,
  timestampMs: row.timestamp.getTime(),
  data: row.data,
});

/** Returns a reader of the first events of a stream after a position, in an order. */
const createEventReader =
  (name: string, order: string) =>
  async (
    db: Queryable,
    { log, network }: Stream,
    after: Position,
    limit: number,
  ): Promise<PositionedEvent[]> => {
    const { rows } = await db.query<EventRow>({
      name: `${name}-${log}`,
      text: `select ${selected} from ${eventRows[log]} e where e.network = $1 and ${position} > ($2, $3, $4)
      order by ${order} limit $5`,
      values: [network, ...after, limit],
    });
    return rows.map(toPositionedEvent);
  };

/** Reads the events of a stream after a position, in order. */
export const readEventsAfter = createEventReader('webhook-events-after', order);

const readNewestEvents = createEventReader('webhook-latest-events', newestFirst);

/** Reads the latest events of a stream after a position, up to a maximum number, in order. */
export const readLatestEvents: typeof readEventsAfter = async (db, stream, after, limit) =>
  (await readNewestEvents(db, stream, after, limit)).reverse();

interface MatchingQuery {
  stream: Stream;
  after: Position;
  upTo: Position;
  names: readonly string[];
  limit: number;
}

/** Reads the events of these names after a position and up to another, in order. */
export async function readMatchingEvents(
  db: Queryable,
  { stream: { log, network }, after, upTo, names, limit }: MatchingQuery,
): Promise<PositionedEvent[]> {
  const { rows } = await db.query<EventRow>({
    name: `webhook-matching-events-${log}`,
    text: `select ${selected} from ${eventRows[log]} e
      where e.network = $1 and ${position} > ($2, $3, $4) and ${position} <= ($5, $6, $7) and e.name = any($8)
      order by ${order} limit $9`,
    values: [network, ...after, ...upTo, names, limit],
  });
  return rows.map(toPositionedEvent);
}

/**
 * Reads the position of the last event of each name after a position and up to another. A name without one is absent.
 */
export async function readLastNamedEvents(
  db: Queryable,
  { stream: { log, network }, after, upTo, names }: Omit<MatchingQuery, 'limit'>,
): Promise<Map<string, Position>> {
  const { rows } = await db.query<{ name: string; position: Position }>(
    `select n.name, last.position from unnest($8::text[]) as n (name) cross join lateral (
        select json_build_array(e.checkpoint, e.tx_index, e.event_index) as position from ${eventRows[log]} e
        where e.network = $1 and ${position} > ($2, $3, $4) and ${position} <= ($5, $6, $7) and e.name = n.name
        order by ${newestFirst} limit 1
      ) last`,
    [network, ...after, ...upTo, names],
  );
  return new Map(rows.map((row) => [row.name, row.position]));
}

const matchPosition =
  'e.checkpoint = key.checkpoint and e.tx_index = key.tx_index and e.event_index = key.event_index';
const positionRows = unnestColumns(tables.events, 2, eventPosition);
const toPositionValues = (positions: readonly Position[]) =>
  ([0, 1, 2] as const).map((part) => positions.map((one) => one[part]));

/** Reads the events at these positions, in order. */
export async function readEventsAt(
  db: Queryable,
  { log, network }: Stream,
  positions: readonly Position[],
): Promise<PositionedEvent[]> {
  const { rows } = await db.query<EventRow>({
    name: `webhook-events-${log}`,
    text: `select ${selected} from ${positionRows} join ${eventRows[log]} e using (checkpoint, tx_index, event_index)
      where e.network = $1 order by ${order}`,
    values: [network, ...toPositionValues(positions)],
  });
  return rows.map(toPositionedEvent);
}

/** An event that a subscription gets if it is about what the subscription asks for. */
export interface EventAbout extends About {
  position: Position;
}

/**
 * SQL condition, by the log: a source `s` has yet to store or to process what the event at `key` may be about. An event
 * of a lost commit is read again.
 */
const isBehind: Readonly<Record<Stream['log'], string>> = {
  registry: `case s.name
    when 'registry' then s.unsettled_from <= key.checkpoint or e.network is null and (s.last_checkpoint is null
      or (s.last_checkpoint, s.last_tx_index, s.last_event_index) < (key.checkpoint, key.tx_index, key.event_index))
    when 'wallet' then key.wallet is not null
      and (s.unsettled_from <= key.checkpoint or s.checkpoint < key.checkpoint) end`,
  service: `case s.name
    when 'registry' then s.unsettled_from is not null
    when 'wallet' then key.wallet is not null
      and (s.unsettled_from is not null or s.checkpoint < s.chain_tip and s.checkpoint_at < e.timestamp) end`,
};

/**
 * Returns for each event, in their order, `true` if it is about what its subscription asks for. Undefined: not as far
 * as the sources have read, and one of them is behind the event.
 */
export async function readConcerning(
  db: Queryable,
  { log, network }: Stream,
  events: readonly EventAbout[],
): Promise<(boolean | undefined)[]> {
  const about = { wallet: 'key.wallet', serviceType: 'key.service', publisher: 'key.by' };
  const concerns = `coalesce(e.network is not null and ${buildConcernsSql('e', about)}, false)`;
  const { rows } = await db.query<{ concerns: boolean; undecided: boolean }>({
    name: `webhook-concerning-${log}`,
    text: `select ${concerns} as concerns, not ${concerns} and exists (
        select from sources s where s.network = $7 and s.removed_at is null and ${isBehind[log]}) as undecided
      from ${keyRows({ ...columnTypes(tables.events, ...eventPosition), wallet: 'text', service: 'text', by: 'text' })}
      left join ${eventRows[log]} e on e.network = $7 and ${matchPosition} order by key.nth`,
    values: [
      ...toPositionValues(events.map((one) => one.position)),
      ...toColumns(events, 'wallet', 'serviceType', 'publisher'),
      network,
    ],
  });
  return rows.map(({ concerns, undecided }) => (undecided ? undefined : concerns));
}
