import { type Row, readColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import { eventPosition, type Queryable } from './queryable.ts';

export type Position = [checkpoint: number, txIndex: number, eventIndex: number];

export interface PositionedEvent {
  position: Position;
  /** `<transaction digest>:<event index>`. */
  id: string;
  event: string;
  timestampMs: number;
  /** Fields of the event; null if its bytes did not decode. */
  data: Record<string, unknown> | null;
}

const eventColumns = readColumns(tables.events, [...eventPosition, 'txDigest', 'name', 'timestamp', 'data']);
const followedColumns = readColumns(tables.events, ['type', 'sender']);

type RegistryEventRow = Row<typeof eventColumns>;
const registryEventColumns = eventColumns.select('e');

/** Position before every event. */
export const beginning: Position = [-1, -1, -1];

/** Reads the network's registry events after a position, in order. */
export async function readRegistryEvents(
  db: Queryable,
  network: string,
  after: Position,
  limit: number,
): Promise<PositionedEvent[]> {
  const { rows } = await db.query<RegistryEventRow>({
    name: 'registry-events-after',
    text: `
select ${registryEventColumns} from events e
where network = $1 and source = 'registry' and (checkpoint, tx_index, event_index) > ($2, $3, $4)
order by checkpoint, tx_index, event_index
limit $5`,
    values: [network, ...after, limit],
  });
  return rows.map(toPositionedEvent);
}

const toPositionedEvent = (row: RegistryEventRow): PositionedEvent => ({
  position: [row.checkpoint, row.txIndex, row.eventIndex],
  id: `${row.txDigest}:${row.eventIndex}`,
  event: row.name,
  timestampMs: row.timestamp.getTime(),
  data: row.data,
});

/** Sources whose events are streamed live. */
export type FollowedSource = 'registry' | 'wallet' | 'escrow';

/** An event with all fields that callers see. */
export interface FollowedEvent extends PositionedEvent {
  /** Full type with its defining id. */
  type: string;
  sender: string;
  txDigest: string;
}

/** Reads the network's events of a source after a position, in order. */
export async function readEventsAfter(
  db: Queryable,
  source: FollowedSource,
  network: string,
  after: Position,
  limit: number,
): Promise<FollowedEvent[]> {
  const { rows } = await db.query<RegistryEventRow & Row<typeof followedColumns>>({
    name: `events-of-${source}-after`,
    // The source is part of the text: the index of the registry's events is for this value alone.
    text: `
select ${registryEventColumns}, ${followedColumns.select('e')} from events e
where network = $1 and source = '${source}' and (checkpoint, tx_index, event_index) > ($2, $3, $4)
order by checkpoint, tx_index, event_index
limit $5`,
    values: [network, ...after, limit],
  });
  return rows.map((row) => ({
    ...toPositionedEvent(row),
    type: row.type,
    sender: row.sender,
    txDigest: row.txDigest,
  }));
}

/** Reads the position of the last event of a source; `beginning` if there is none. */
export async function readLastPosition(
  db: Queryable,
  source: FollowedSource,
  network: string,
): Promise<Position> {
  const { rows } = await db.query<{ position: Position }>({
    name: 'events-last',
    text: `select json_build_array(last_checkpoint, last_tx_index, last_event_index) as position from sources
      where network = $1 and name = $2 and last_checkpoint is not null`,
    values: [network, source],
  });
  return rows[0]?.position ?? beginning;
}

/** `<checkpoint>.<transaction index>.<event index>`: the cursor that consumers hold. */
export const formatPosition = (position: Position): string => position.join('.');

const form = /^(\d{1,15})\.(\d{1,9})\.(\d{1,9})$/;

/** Parses the text of `formatPosition`; undefined for any other text. */
export function parsePosition(text: string): Position | undefined {
  const match = form.exec(text);
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
}

export const pickEarlier = (a: Position, b: Position): Position => (isBefore(b, a) ? b : a);
export const pickLater = (a: Position, b: Position): Position => (isBefore(a, b) ? b : a);

type ComparablePosition = readonly [number | string, number | string, number | string];

/** Returns `true` if `a` comes before `b` in their network. */
export function isBefore(a: ComparablePosition, b: ComparablePosition): boolean {
  for (const part of [0, 1, 2] as const) if (a[part] !== b[part]) return a[part] < b[part];
  return false;
}
