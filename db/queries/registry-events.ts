import type { Queryable } from './queryable.ts';

/** Checkpoint, index of the transaction in it, index of the event in that. */
export type Position = [checkpoint: number, txIndex: number, eventIndex: number];

/** A registry event with its position. */
export interface PositionedEvent {
  position: Position;
  /** `<transaction digest>:<event index>`. */
  id: string;
  event: string;
  timestampMs: number;
  /** The event's own fields; null where its bytes did not decode. */
  data: Record<string, unknown> | null;
}

interface EventRow {
  checkpoint: number;
  tx_index: number;
  event_index: number;
  tx_digest: string;
  name: string;
  timestamp: Date;
  data: Record<string, unknown> | null;
}

/** Before every event. */
export const beginning: Position = [-1, -1, -1];

/** The network's registry events after a position, in order. */
export async function readRegistryEvents(
  db: Queryable,
  network: string,
  after: Position,
  limit: number,
): Promise<PositionedEvent[]> {
  const { rows } = await db.query<EventRow>({
    name: 'registry-events-after',
    text: `
select checkpoint, tx_index, event_index, tx_digest, name, timestamp, data from events
where network = $1 and source = 'registry' and (checkpoint, tx_index, event_index) > ($2, $3, $4)
order by checkpoint, tx_index, event_index
limit $5`,
    values: [network, ...after, limit],
  });
  return rows.map((row) => ({
    position: [row.checkpoint, row.tx_index, row.event_index],
    id: `${row.tx_digest}:${row.event_index}`,
    event: row.name,
    timestampMs: row.timestamp.getTime(),
    data: row.data,
  }));
}

/** Position of the last registry event; `beginning` where there is none. */
export async function readLastPosition(db: Queryable, network: string): Promise<Position> {
  const { rows } = await db.query<{ position: Position }>({
    name: 'registry-events-last',
    text: `select json_build_array(last_checkpoint, last_tx_index, last_event_index) as position from sources
      where network = $1 and name = 'registry' and last_checkpoint is not null`,
    values: [network],
  });
  return rows[0]?.position ?? beginning;
}

/** `<checkpoint>.<transaction index>.<event index>`: the cursor that consumers hold. */
export const formatPosition = (position: Position): string => position.join('.');

const form = /^(\d{1,15})\.(\d{1,9})\.(\d{1,9})$/;

/** Undefined for what `formatPosition` does not give. */
export function parsePosition(text: string): Position | undefined {
  const match = form.exec(text);
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
}

/** Whether `a` comes before `b` in their network. */
export function isBefore(a: Position, b: Position): boolean {
  for (const part of [0, 1, 2] as const) if (a[part] !== b[part]) return a[part] < b[part];
  return false;
}
