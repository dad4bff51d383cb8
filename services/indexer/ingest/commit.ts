import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import { bumpCatalog } from '../../../db/queries/catalog/bump.ts';
import { copyRows } from '../../../db/queries/copy.ts';
import type { SourceState } from '../../../db/queries/sources.ts';
import { transact } from '../../../db/transaction.ts';
import type { ChainEvent, EventData, Source } from '../sources/source.ts';
import type { Batch } from './batcher.ts';

/** Another process has moved the source on; whoever meets this must read the row again. */
export class MovedError extends Error {}

const eventColumns = [
  'network',
  'checkpoint',
  'tx_index',
  'event_index',
  'source',
  'tx_digest',
  'sender',
  'timestamp',
  'type',
  'name',
  'data',
  'contents',
  'decode_error',
];

export interface CommitOptions<Data extends EventData> {
  network: Network;
  source: Source<Data>;
  state: SourceState;
  batch: Batch<Data>;
  /** Timestamp of the covered checkpoint, where known. */
  checkpointAt: Date | undefined;
  /** Settles this batch, and what batches before it left. */
  settle: boolean;
}

/**
 * One transaction: the source's row, moved from `state` by compare-and-swap; the events; what follows from
 * them; and the notifications, which arrive with the commit.
 * @returns the row as it is now
 * @throws MovedError
 */
export async function commitBatch<Data extends EventData>(
  client: ClientBase,
  options: CommitOptions<Data>,
): Promise<SourceState> {
  const { network, source, state, batch, settle } = options;
  const unsettledFrom = state.unsettledFrom ?? placeOf(batch.events[0]);
  const next = { ...advance(state, batch), unsettledFrom: settle ? null : unsettledFrom };
  return transact(client, async () => {
    await moveSource(client, options, next);
    if (batch.events.length > 0) {
      await copyRows(client, 'events', eventColumns, eventRows(network, source.name, batch.events));
      await source.append(client, network, batch.events);
      await client.query({
        name: 'notify-indexed',
        text: `select pg_notify('indexed', $1)`,
        values: [network],
      });
    }
    const catalogChanged =
      settle && unsettledFrom !== null && (await source.settle(client, network, unsettledFrom));
    if (catalogChanged) await bumpCatalog(client, network);
    return next;
  });
}

const placeOf = (event: ChainEvent<EventData> | undefined) =>
  event ? { checkpoint: event.checkpoint, txIndex: event.txIndex } : null;

function advance<Data extends EventData>(
  state: SourceState,
  batch: Batch<Data>,
): Omit<SourceState, 'unsettledFrom'> {
  const last = batch.events.at(-1);
  // A cursor that is behind brings again what `Place` then drops; another node's is of no use.
  const kept = state.cursorProvider === batch.provider ? state.cursor : null;
  const cursor = batch.cursor ? Buffer.from(batch.cursor) : kept;
  return {
    cursor,
    cursorProvider: cursor && batch.provider,
    checkpoint: Math.max(state.checkpoint, batch.covered ?? -1),
    eventCount: state.eventCount + batch.events.length,
    lastCheckpoint: last?.checkpoint ?? state.lastCheckpoint,
    lastTxIndex: last?.txIndex ?? state.lastTxIndex,
    lastEventIndex: last?.eventIndex ?? state.lastEventIndex,
  };
}

async function moveSource<Data extends EventData>(
  client: ClientBase,
  { network, source: { name }, state, batch, checkpointAt }: CommitOptions<Data>,
  next: SourceState,
): Promise<void> {
  // (checkpoint, event_count) grows with everything stored, so it tells whether anybody else has stored since.
  const moved = await client.query({
    name: 'move-source',
    text: `update sources set cursor = $5, cursor_provider = $6, checkpoint = $7, event_count = $8,
        last_checkpoint = $9, last_tx_index = $10, last_event_index = $11,
        unsettled_from = $12, unsettled_tx_index = $13, undecoded_count = undecoded_count + $14,
        checkpoint_at = coalesce($15, checkpoint_at),
        chain_tip = greatest(chain_tip, $7), last_error = null, last_error_at = null, stopped_at = null,
        updated_at = now()
      where network = $1 and name = $2 and checkpoint = $3 and event_count = $4`,
    values: [
      network,
      name,
      state.checkpoint,
      state.eventCount,
      next.cursor,
      next.cursorProvider,
      next.checkpoint,
      next.eventCount,
      next.lastCheckpoint,
      next.lastTxIndex,
      next.lastEventIndex,
      next.unsettledFrom?.checkpoint,
      next.unsettledFrom?.txIndex,
      batch.events.filter((event) => event.decodeError !== null).length,
      checkpointAt,
    ],
  });
  if (moved.rowCount !== 1) throw new MovedError(`source ${name} of ${network} was moved by another process`);
}

function* eventRows(network: Network, source: string, events: ChainEvent<EventData>[]) {
  for (const event of events) {
    yield [
      network,
      event.checkpoint,
      event.txIndex,
      event.eventIndex,
      source,
      event.txDigest,
      event.sender,
      // Seconds since the epoch would need a conversion; ISO 8601 is read as it is.
      new Date(event.timestampMs),
      event.type,
      event.name,
      event.data === null ? null : JSON.stringify(event.data.fields),
      event.contents,
      event.decodeError,
    ];
  }
}
