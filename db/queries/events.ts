import { type Item, type Row, readColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import { byPosition, type KeyedList, keyColumns, type Paging, toArrayText } from './lists.ts';
import { createLookup } from './lookups.ts';
import { eventPosition } from './queryable.ts';

/** Sources of the events that the API has. Events of statements say no more than that there is something to read. */
export const eventSources = ['registry', 'wallet', 'rules', 'agents', 'escrow'] as const;
export type EventSource = (typeof eventSources)[number];

const eventColumns = readColumns(
  tables.events,
  [...eventPosition, 'source', 'name', 'type', 'sender', 'txDigest', 'data'],
  { timestampMs: 'timestamp' },
);

export type EventRow = Row<typeof eventColumns>;

/** An event of any source. */
export interface ChainEvent extends Item<typeof eventColumns> {
  source: EventSource;
  /** `<transaction digest>:<event index>`. */
  id: string;
}

export const selectedEvent = eventColumns.select('e');

export const toEvent = (row: EventRow): ChainEvent => ({
  id: `${row.txDigest}:${row.eventIndex}`,
  ...eventColumns.toItem(row),
  source: row.source as EventSource,
});

interface EventsKey extends Paging {
  network: string;
  /** Filters for registry events: senders of the transaction, and times from `gte` (inclusive) to `lt` (exclusive). */
  senders?: readonly string[] | undefined;
  times?: { gte?: number | undefined; lt?: number | undefined } | undefined;
}

const toDate = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms));

/** SQL for the first checkpoint at a time or later. Times increase with checkpoints, by which the list is sorted. */
const buildFirstCheckpointSql = (time: string) => `coalesce((
  select t.checkpoint from events t
  where t.network = key.network and t.source = 'registry' and t.timestamp >= ${time}
  order by t.timestamp, t.checkpoint limit 1
), ${Number.MAX_SAFE_INTEGER})`;

/** Returns the list of a source. Each source has its own, because the indexes of events are partial. */
const createEventList = (source: EventSource): KeyedList<EventsKey, EventRow, ChainEvent> => ({
  name: `events-of-${source}`,
  key: { network: ['text', ({ network }) => network] },
  ...(source === 'registry' && {
    filters: {
      senders: {
        column: ['text', ({ senders }: EventsKey) => toArrayText(senders)],
        join: 'join unnest(key.senders::text[]) filtered (sender) on filtered.sender = e.sender',
      },
      since: {
        column: ['timestamptz', ({ times }: EventsKey) => toDate(times?.gte)],
        where: `e.checkpoint >= ${buildFirstCheckpointSql('key.since')}`,
      },
      until: {
        column: ['timestamptz', ({ times }: EventsKey) => toDate(times?.lt)],
        where: `e.checkpoint < ${buildFirstCheckpointSql('key.until')}`,
      },
    },
  }),
  from: 'events e',
  where: `e.network = key.network and e.source = '${source}'`,
  select: selectedEvent,
  ...byPosition('e.checkpoint', 'e.tx_index', 'e.event_index'),
  toItem: toEvent,
});

export const eventLists: Readonly<Record<EventSource, KeyedList<EventsKey, EventRow, ChainEvent>>> = {
  registry: createEventList('registry'),
  wallet: createEventList('wallet'),
  rules: createEventList('rules'),
  agents: createEventList('agents'),
  escrow: createEventList('escrow'),
};

interface ObjectEventsKey extends Paging {
  network: string;
  /**
   * Key of the object: its id or address, or the canonical type of a rule, which is the only form that the rule
   * registry accepts.
   */
  object: string;
}

/** Returns the list of the events that name an object, the newest first. The conditions are those of an index. */
const createObjectEventList = (
  name: string,
  source: EventSource,
  names: string,
): KeyedList<ObjectEventsKey, EventRow, ChainEvent> => ({
  name: `${name}-events`,
  key: { network: ['text', ({ network }) => network], object: ['text', ({ object }) => object] },
  from: 'events e',
  where: `e.network = key.network and ${names} and e.source = '${source}'`,
  select: selectedEvent,
  ...byPosition('e.checkpoint', 'e.tx_index', 'e.event_index'),
  toItem: toEvent,
});

const buildNamedBy = (field: string) => `e.data->>'${field}' = key.object`;

export const objectEventLists = {
  wallet: createObjectEventList(
    'wallet',
    'wallet',
    `hashtextextended(e.data->>'walletId', 0) = hashtextextended(key.object, 0) and ${buildNamedBy('walletId')}`,
  ),
  cap: createObjectEventList('cap', 'wallet', buildNamedBy('capId')),
  rule: createObjectEventList('rule', 'rules', buildNamedBy('ruleType')),
  allowlist: createObjectEventList('allowlist', 'rules', buildNamedBy('allowlistId')),
  agent: createObjectEventList('agent', 'agents', buildNamedBy('agent')),
  job: createObjectEventList('job', 'escrow', buildNamedBy('jobId')),
};

export interface EventKey {
  network: string;
  checkpoint: number;
  txIndex: number;
  eventIndex: number;
}

export const readEventsAt = createLookup<EventKey, EventRow, ChainEvent>({
  name: 'find-events',
  key: keyColumns(tables.events, 'network', ...eventPosition),
  select: selectedEvent,
  join: `join events e on e.network = key.network and e.checkpoint = key.checkpoint and e.tx_index = key.tx_index
    and e.event_index = key.event_index and e.source <> 'statements'`,
  toItem: toEvent,
});
