import { unnestColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { eventPosition, type Queryable } from '../queryable.ts';
import {
  type Position,
  type PositionedEvent,
  type RegistryEventRow,
  registryEventColumns,
  toPositionedEvent,
} from '../registry-events.ts';

const ofRegistry = `e.network = $1 and e.source = 'registry'`;
const position = '(e.checkpoint, e.tx_index, e.event_index)';
const order = 'e.checkpoint, e.tx_index, e.event_index';
const newestFirst = 'e.checkpoint desc, e.tx_index desc, e.event_index desc';

/** Reads the network's latest registry events after a position, up to a maximum number, in order. */
export async function readLatestEvents(
  db: Queryable,
  network: string,
  after: Position,
  limit: number,
): Promise<PositionedEvent[]> {
  const { rows } = await db.query<RegistryEventRow>(
    `select ${registryEventColumns} from events e where ${ofRegistry} and ${position} > ($2, $3, $4)
      order by ${newestFirst} limit $5`,
    [network, ...after, limit],
  );
  return rows.map(toPositionedEvent).reverse();
}

interface MatchingQuery {
  network: string;
  after: Position;
  upTo: Position;
  names: readonly string[];
  limit: number;
}

/** Reads the registry events of these names after a position and up to another, in order. */
export async function readMatchingEvents(
  db: Queryable,
  { network, after, upTo, names, limit }: MatchingQuery,
): Promise<PositionedEvent[]> {
  const { rows } = await db.query<RegistryEventRow>({
    name: 'webhook-matching-events',
    text: `select ${registryEventColumns} from events e
      where ${ofRegistry} and ${position} > ($2, $3, $4) and ${position} <= ($5, $6, $7) and e.name = any($8)
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
  { network, after, upTo, names }: Omit<MatchingQuery, 'limit'>,
): Promise<Map<string, Position>> {
  const { rows } = await db.query<{ name: string; position: Position }>(
    `select n.name, last.position from unnest($8::text[]) as n (name) cross join lateral (
        select json_build_array(e.checkpoint, e.tx_index, e.event_index) as position from events e
        where ${ofRegistry} and ${position} > ($2, $3, $4) and ${position} <= ($5, $6, $7) and e.name = n.name
        order by ${newestFirst} limit 1
      ) last`,
    [network, ...after, ...upTo, names],
  );
  return new Map(rows.map((row) => [row.name, row.position]));
}

/** Reads the events at these positions, in order. */
export async function readEventsAt(
  db: Queryable,
  network: string,
  positions: readonly Position[],
): Promise<PositionedEvent[]> {
  const { rows } = await db.query<RegistryEventRow>({
    name: 'webhook-events',
    text: `select ${registryEventColumns}
      from ${unnestColumns(tables.events, 2, eventPosition)}
      join events e using (checkpoint, tx_index, event_index) where e.network = $1 order by ${order}`,
    values: [network, ...[0, 1, 2].map((part) => positions.map((one) => one[part]))],
  });
  return rows.map(toPositionedEvent);
}
