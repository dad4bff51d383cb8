import type { Queryable } from './queryable.ts';

/** Checkpoint, index of the transaction in it, index of the event in that. */
export type Place = [checkpoint: number, txIndex: number, eventIndex: number];

/** A registry event in its place. */
export interface PlacedEvent {
  place: Place;
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
export const beginning: Place = [-1, -1, -1];

/** The network's registry events after a place, in order. */
export async function readRegistryEvents(
  db: Queryable,
  network: string,
  after: Place,
  limit: number,
): Promise<PlacedEvent[]> {
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
    place: [row.checkpoint, row.tx_index, row.event_index],
    id: `${row.tx_digest}:${row.event_index}`,
    event: row.name,
    timestampMs: row.timestamp.getTime(),
    data: row.data,
  }));
}

/** Place of the last registry event; `beginning` where there is none. */
export async function readLastPlace(db: Queryable, network: string): Promise<Place> {
  const { rows } = await db.query<{ place: Place }>({
    name: 'registry-events-last',
    text: `select json_build_array(last_checkpoint, last_tx_index, last_event_index) as place from sources
      where network = $1 and name = 'registry' and last_checkpoint is not null`,
    values: [network],
  });
  return rows[0]?.place ?? beginning;
}
