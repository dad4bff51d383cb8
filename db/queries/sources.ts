import type { ClientBase } from 'pg';
import { FatalError } from '../../lib/errors/index.ts';
import { type Row, readColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import { copyBytes, copyJson, copyLines, copyNull, copyText } from './copy.ts';
import { type EventPosition, eventPosition, type Queryable } from './queryable.ts';

export type TransactionPosition = Pick<EventPosition, 'checkpoint' | 'txIndex'>;

/** A checkpoint that comes after each of the chain. */
export const endOfChain = Number.MAX_SAFE_INTEGER;

const stateColumns = readColumns(tables.sources, [
  'cursor',
  'cursorProvider',
  'checkpoint',
  'eventCount',
  'lastCheckpoint',
  'lastTxIndex',
  'lastEventIndex',
]);

/** Progress of a source: the part of the chain that is stored. */
export interface SourceState extends Row<typeof stateColumns> {
  /** First transaction whose events are stored, but not settled. Null if all are settled. */
  unsettledFrom: TransactionPosition | null;
}

interface SourceKey {
  network: string;
  name: string;
}

export interface SourceIdentity extends SourceKey {
  chainId: string;
}

export interface BoundSource extends SourceState {
  /** The event types by which its events were selected, joined by spaces. */
  filter: string;
}

/** Another process has moved the source: read its row again. */
export class SourceMovedError extends Error {
  constructor({ network, name }: SourceKey) {
    super(`source ${name} of ${network} was moved by another process`);
  }
}

const selectedState = `${stateColumns.select('s')}, case when s.unsettled_from is not null then
    json_build_object('checkpoint', s.unsettled_from, 'txIndex', coalesce(s.unsettled_tx_index, 0))
  end as "unsettledFrom"`;

/**
 * Adds the row of a source before a node was first reached, so that the reason for missing data can be shown. Sources
 * that are stored but no longer followed are marked as removed; their tables stay as they are.
 * @param followed names of all sources of the network that are followed
 */
export async function ensureSource(
  db: Queryable,
  { network, name }: SourceKey,
  followed: readonly string[],
): Promise<void> {
  await db.query(
    `insert into sources (network, name, chain_id, filter, unjudged_since) values ($1, $2, '', '', now())
      on conflict (network, name) do update set removed_at = null where sources.removed_at is not null`,
    [network, name],
  );
  await db.query(
    `update sources set removed_at = now()
      where network = $1 and name <> all ($2::text[]) and removed_at is null`,
    [network, followed],
  );
}

/** Lag, in seconds, above which a source reads history again, which must be checked before the network is ready. */
const longAwaySeconds = 300;

/** Marks a source with a long gap. Only the process that holds the source's lock may call it. */
export async function markLongAway(db: Queryable, { network, name }: SourceKey): Promise<void> {
  await db.query(
    `update sources set unjudged_since = now()
      where network = $1 and name = $2 and unjudged_since is null
        and checkpoint_at < now() - make_interval(secs => $3)`,
    [network, name, longAwaySeconds],
  );
}

/**
 * Reads the state to resume from; `undefined` for a source that has never been bound to a chain.
 * @throws FatalError `other_chain` if the stored data is from another chain
 */
export async function readSource(
  db: Queryable,
  { network, name, chainId }: SourceIdentity,
): Promise<BoundSource | undefined> {
  const bound = await db.query<{ chain_id: string }>(
    `select chain_id from sources where network = $1 and chain_id not in ($2, '') limit 1`,
    [network, chainId],
  );
  if (bound.rows[0]) {
    throw new FatalError(
      'other_chain',
      `The database holds ${network} of chain ${bound.rows[0].chain_id}, and the node serves chain ${chainId}. ` +
        'Use the right node, or another database.',
    );
  }
  const { rows } = await db.query<BoundSource>(
    `select filter, ${selectedState} from sources s where network = $1 and name = $2`,
    [network, name],
  );
  const row = rows[0];
  return row && row.filter !== '' ? row : undefined;
}

/** Binds a new source to its chain and filter. Everything below checkpoint `first` then counts as covered. */
export async function bindSource(
  db: Queryable,
  { network, name, chainId }: SourceIdentity,
  { filter, first }: { filter: string; first: number },
): Promise<SourceState> {
  const { rows } = await db.query<SourceState>(
    `update sources s set chain_id = $3, filter = $4, checkpoint = $5
      where network = $1 and name = $2 and filter = '' returning ${selectedState}`,
    [network, name, chainId, filter, first - 1],
  );
  if (!rows[0]) throw new Error(`source ${name} of ${network} was bound by another process`);
  return rows[0];
}

/**
 * Changes the filter of a source from its next checkpoint on, and removes the cursor, which belongs to the former
 * filter.
 * @throws SourceMovedError
 */
export async function changeFilter(
  db: Queryable,
  { network, name }: SourceKey,
  { from, to }: { from: BoundSource; to: string },
): Promise<SourceState> {
  const { rows } = await db.query<SourceState>(
    `update sources s set filter = $3, cursor = null, cursor_provider = null
      where network = $1 and name = $2 and filter = $4 and checkpoint = $5 and event_count = $6
      returning ${selectedState}`,
    [network, name, to, from.filter, from.checkpoint, from.eventCount],
  );
  if (!rows[0]) throw new SourceMovedError({ network, name });
  return rows[0];
}

/**
 * Stores the reason why a source is being retried or has stopped for good, until it moves again.
 * @param message shown to the public
 */
export async function recordFailure(
  db: Queryable,
  { network, name }: SourceKey,
  { message, stopped }: { message: string; stopped: boolean },
): Promise<void> {
  await db.query(
    `update sources set last_error = $3, last_error_at = now(), stopped_at = case when $4 then now() end
      where network = $1 and name = $2`,
    [network, name, message, stopped],
  );
}

const progressColumns = readColumns(tables.sources, [
  'checkpoint',
  'checkpointAt',
  'chainTip',
  'chainTipAt',
  'updatedAt',
]);

/** Columns of a source's row from which its lag follows. */
type SourceProgress = Row<typeof progressColumns>;

/** Stores the chain's tip and the estimate in the source's row. Undefined if the source has no row. */
export async function storeTip(
  db: Queryable,
  { network, name }: SourceKey,
  { tip, tipAt, secondsLeft }: { tip: number; tipAt: Date; secondsLeft: number | undefined },
): Promise<SourceProgress | undefined> {
  const { rows } = await db.query<SourceProgress>({
    name: 'store-tip',
    text: `update sources s set chain_tip = greatest(chain_tip, $3), chain_tip_at = $4, seconds_left = $5,
        updated_at = now()
      where network = $1 and name = $2 returning ${progressColumns.select('s')}`,
    values: [network, name, tip, tipAt, secondsLeft ?? null],
  });
  return rows[0];
}

/**
 * Returns the lag of a source behind its chain, in seconds: the chain time that it has not read, plus the time since
 * the node last answered. A chain that produces no checkpoints does not make a source late. Infinite before the node
 * first answered.
 */
export function computeSourceLag(row: SourceProgress, now: number): number {
  if (row.chainTip === null || row.chainTipAt === null) return Number.POSITIVE_INFINITY;
  const silentMs = Math.max(0, now - row.updatedAt.getTime());
  if (row.checkpoint >= row.chainTip) return silentMs / 1000;
  if (row.checkpointAt === null) return Number.POSITIVE_INFINITY;
  return (Math.max(0, row.chainTipAt.getTime() - row.checkpointAt.getTime()) + silentMs) / 1000;
}

interface SourceMove {
  from: SourceState;
  to: SourceState;
  /** Timestamp of the covered checkpoint, if known. */
  checkpointAt: Date | undefined;
  /** Events among those stored with the move that did not decode. */
  undecoded: number;
}

/**
 * Moves a source's row from one state to the next by compare-and-swap.
 * @throws SourceMovedError
 */
export async function moveSource(
  client: ClientBase,
  { network, name }: SourceKey,
  { from, to, checkpointAt, undecoded }: SourceMove,
): Promise<void> {
  // (checkpoint, event_count) grows with every write of events, and the unsettled position with every other one, so they
  // show if another process has stored since.
  const moved = await client.query({
    name: 'move-source',
    text: `update sources set cursor = $5, cursor_provider = $6, checkpoint = $7, event_count = $8,
        last_checkpoint = $9, last_tx_index = $10, last_event_index = $11,
        unsettled_from = $12, unsettled_tx_index = $13, undecoded_count = undecoded_count + $14,
        checkpoint_at = coalesce($15, checkpoint_at),
        chain_tip = greatest(chain_tip, $7), last_error = null, last_error_at = null, stopped_at = null,
        updated_at = now()
      where network = $1 and name = $2 and checkpoint = $3 and event_count = $4
        and unsettled_from is not distinct from $16
        and coalesce(unsettled_tx_index, 0) = coalesce($17, 0)`,
    values: [
      network,
      name,
      from.checkpoint,
      from.eventCount,
      to.cursor,
      to.cursorProvider,
      to.checkpoint,
      to.eventCount,
      to.lastCheckpoint,
      to.lastTxIndex,
      to.lastEventIndex,
      to.unsettledFrom?.checkpoint,
      to.unsettledFrom?.txIndex,
      undecoded,
      checkpointAt,
      from.unsettledFrom?.checkpoint,
      from.unsettledFrom?.txIndex,
    ],
  });
  if (moved.rowCount !== 1) throw new SourceMovedError({ network, name });
}

/** Tables with a row for each event of some kinds, by its position. */
export type PositionedTable = 'attestations' | 'listing_versions' | 'service_actions';

/**
 * Finds a checkpoint before which each of the tables has at most `max` rows from a transaction on, or those of one
 * checkpoint. One of them has a row of that checkpoint, so the source's events of earlier ones are all stored. Undefined
 * if there is none.
 * @param tables of one source
 */
export async function findCheckpointAfter(
  client: ClientBase,
  network: string,
  tables: readonly PositionedTable[],
  { checkpoint, txIndex }: TransactionPosition,
  max: number,
): Promise<number | undefined> {
  const selectLater = (table: PositionedTable) => `(
    select later.checkpoint from (
        select checkpoint from ${table}
        where network = $1 and (checkpoint, tx_index) >= ($2::bigint, $3::int)
        order by checkpoint, tx_index, event_index offset $4 limit 1) surplus
      cross join lateral (
        select l.checkpoint from ${table} l where l.network = $1 and l.checkpoint >= greatest(surplus.checkpoint, $2 + 1)
        order by l.checkpoint limit 1) later)`;
  // Not a named statement: the position decides how much of the index is read.
  const { rows } = await client.query<{ checkpoint: number | null }>(
    `select least(${tables.map(selectLater).join(', ')}) as checkpoint`,
    [network, checkpoint, txIndex, max],
  );
  return rows[0]?.checkpoint ?? undefined;
}

export interface StoredEvent extends EventPosition {
  txDigest: string;
  sender: string;
  /** Full type with its defining id. */
  type: string;
  /** Last part of the type. */
  name: string;
  contents: Uint8Array;
  /** Null if and only if `decodeError` is set. */
  data: { fields: object } | null;
  decodeError: string | null;
}

const eventColumns = [
  'network',
  ...eventPosition,
  'source',
  'txDigest',
  'sender',
  'timestamp',
  'type',
  'name',
  'data',
  'contents',
  'decodeError',
] as const;

/** Appends events, and notifies channel `indexed` when the transaction commits. */
export async function appendEvents(
  client: ClientBase,
  source: SourceKey,
  events: readonly StoredEvent[],
): Promise<void> {
  await copyLines(client, tables.events, eventColumns, formatEventLines(source, events));
  await client.query({
    name: 'notify-indexed',
    text: `select pg_notify('indexed', $1)`,
    values: [source.network],
  });
}

/** Yields lines for COPY. Columns that the events of a transaction share are formatted once. */
function* formatEventLines({ network, name }: SourceKey, events: readonly StoredEvent[]): Generator<string> {
  let last: StoredEvent | undefined;
  let before = '';
  let shared = '';
  for (const event of events) {
    if (event.txIndex !== last?.txIndex || event.checkpoint !== last.checkpoint) {
      last = event;
      before = `${copyText(network)}\t${event.checkpoint}\t${event.txIndex}\t`;
      // Seconds since the epoch would need a conversion; ISO 8601 is read as it is.
      const timestamp = new Date(event.timestampMs).toISOString();
      shared = `\t${name}\t${copyText(event.txDigest)}\t${copyText(event.sender)}\t${timestamp}\t`;
    }
    const data = event.data === null ? copyNull : copyJson(event.data.fields);
    const error = event.decodeError === null ? copyNull : copyText(event.decodeError);
    const type = `${copyText(event.type)}\t${copyText(event.name)}`;
    yield `${before}${event.eventIndex}${shared}${type}\t${data}\t${copyBytes(event.contents)}\t${error}\n`;
  }
}
