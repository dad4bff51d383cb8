import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import { bumpCatalog } from '../../../db/queries/catalog/listings.ts';
import { appendEvents, moveSource, type SourceState } from '../../../db/queries/sources.ts';
import { transact } from '../../../db/transaction.ts';
import type { ChainEvent, EventData, Source } from '../sources/source.ts';

/** What one database transaction brings: events in chain order, and how far the source then is. */
export interface Batch<Data extends EventData> {
  events: ChainEvent<Data>[];
  /** Highest checkpoint covered in full, where the frames said so. */
  covered: number | undefined;
  cursor: Uint8Array | undefined;
  /** Url of the node that the cursor is of; empty while nothing was added. */
  provider: string;
  /** History ends with this batch; once only. */
  live: boolean;
}

export interface CommitOptions<Data extends EventData> {
  network: Network;
  source: Source<Data>;
  state: SourceState;
  batch: Batch<Data>;
  /** Timestamp of the covered checkpoint, where known. */
  checkpointAt: Date | undefined;
  /** Settles this batch, and what earlier batches left unsettled. */
  settle: boolean;
}

/**
 * One transaction: moves the source's row from `state` by compare-and-swap, stores the events and what follows from
 * them, and notifies. The notifications arrive with the commit.
 * @returns the row as it is now
 * @throws MovedError
 */
export async function commitBatch<Data extends EventData>(
  client: ClientBase,
  options: CommitOptions<Data>,
): Promise<SourceState> {
  const { network, source, state, batch, checkpointAt, settle } = options;
  const { events } = batch;
  const unsettledFrom = state.unsettledFrom ?? positionOf(events[0]);
  const next = { ...advance(state, batch), unsettledFrom: settle ? null : unsettledFrom };
  const undecoded = events.filter((event) => event.decodeError !== null).length;
  const key = { network, name: source.name };
  return transact(client, async () => {
    await moveSource(client, key, { from: state, to: next, checkpointAt, undecoded });
    if (events.length > 0) {
      await appendEvents(client, key, events);
      await source.append(client, network, events);
    }
    const catalogChanged =
      settle && unsettledFrom !== null && (await source.settle(client, network, unsettledFrom));
    if (catalogChanged) await bumpCatalog(client, network);
    return next;
  });
}

const positionOf = (event: ChainEvent<EventData> | undefined) =>
  event ? { checkpoint: event.checkpoint, txIndex: event.txIndex } : null;

function advance<Data extends EventData>(
  state: SourceState,
  batch: Batch<Data>,
): Omit<SourceState, 'unsettledFrom'> {
  const last = batch.events.at(-1);
  // A cursor that is behind brings events again that `Position` then drops; another node's cannot be used.
  const former = state.cursorProvider === batch.provider ? state.cursor : null;
  const cursor = batch.cursor ? Buffer.from(batch.cursor) : former;
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
