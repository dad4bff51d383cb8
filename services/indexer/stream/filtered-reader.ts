import { setTimeout as delay } from 'node:timers/promises';
import { callOptions, lacksListIndex } from '@adaptor-marketplace/adaptor/chain';
import { GrpcTypes } from '@mysten/sui/grpc';
import { buildFilter, packageWrites } from './event-filter.ts';
import { type Frame, type FrameSink, listTransactionPaths, writtenPath } from './frames.ts';
import { type LedgerNode, readStream } from './node.ts';
import type { LedgerRange, LedgerReader } from './reader.ts';

const { QueryEndReason, Ordering } = GrpcTypes;

const timeoutMs = 10_000;
/** Maximum number of items in a node's response. A node silently applies it to larger limits. */
const pageSize = 500;

export interface ReaderOptions {
  /** Silence after which a stream counts as dead. */
  idleMs: number;
  /** `true`: history shows each package that is written too, because no node lists the versions of packages. */
  showsWrites?: boolean;
  /** Pause before a page is requested again where the last one brought nothing new; doubles up to eight times as long. */
  pauseMs?: number;
}

/** @param tip a checkpoint that the node has: the list looks at no other */
export async function hasListIndex(
  node: LedgerNode,
  tip: number,
  eventTypes: string[],
  signal: AbortSignal,
): Promise<boolean> {
  const at = BigInt(Math.max(0, tip));
  const request: GrpcTypes.ListTransactionsRequest = {
    readMask: { paths: ['digest'] },
    filter: buildFilter(eventTypes),
    startCheckpoint: at,
    endCheckpoint: at + 1n,
    options: { limit: 1, ordering: Ordering.ASCENDING },
  };
  try {
    await node.client.ledgerService.listTransactions(request, callOptions(timeoutMs, signal));
    return true;
  } catch (error) {
    if (lacksListIndex(error)) return false;
    throw error;
  }
}

/** Follows a filter with the node's index. `eventTypes`: prefixes (`0x..::registry`), of which one must match. */
export function openFilteredReader(
  node: LedgerNode,
  eventTypes: string[],
  { idleMs, showsWrites = false, pauseMs = 250 }: ReaderOptions,
): LedgerReader {
  const filter = buildFilter(eventTypes);
  // A later version of a followed package shows in the stream. Packages are written rarely, on the whole chain too.
  const liveFilter = { terms: [...filter.terms, packageWrites] };
  const livePaths = [...listTransactionPaths(), writtenPath];
  const { ledgerService, subscriptionService } = node.client;

  async function readPage(range: LedgerRange, sink: FrameSink, signal: AbortSignal): Promise<PageEnd> {
    const end: PageEnd = { reason: undefined, cursor: range.after, matchedAt: undefined, covered: undefined };
    const request: GrpcTypes.ListTransactionsRequest = {
      readMask: { paths: showsWrites ? livePaths : listTransactionPaths() },
      filter: showsWrites ? liveFilter : filter,
      // Always an explicit lower bound: an absent one is silently moved up to what the node still has.
      startCheckpoint: range.after ? undefined : BigInt(range.from),
      endCheckpoint: BigInt(range.to),
      options: { limit: pageSize, after: range.after, ordering: Ordering.ASCENDING },
    };
    await readStream(
      (options) => ledgerService.listTransactions(request, options),
      (message) => {
        const frame = toFrame(message);
        end.reason = message.end?.reason;
        if (frame.cursor) {
          end.cursor = frame.cursor;
          end.matchedAt = frame.transaction?.checkpoint;
        }
        end.covered = frame.covered ?? end.covered;
        sink.push(frame);
      },
      { signal, idleMs },
    );
    return end;
  }

  return {
    indexed: true,

    async subscribe(sink, signal, onOpen) {
      const request = { readMask: { paths: livePaths }, filter: liveFilter };
      await readStream(
        (options) => subscriptionService.subscribeTransactions(request, options),
        (message) => sink.push(toFrame(message)),
        { signal, idleMs, onOpen },
      );
    },

    async sendHistory(range, sink, signal) {
      let { after, from } = range;
      let cursor = after;
      let matchedAt: bigint | undefined;
      let pauses = 0;
      while (from < range.to) {
        await sink.ready();
        const end = await readPage({ after, from, to: range.to }, sink, signal);
        const isStalled = isSameCursor(end.cursor, cursor) && (end.covered ?? -1) < from;
        cursor = end.cursor;
        if (end.covered !== undefined) from = Math.max(from, end.covered + 1);
        if (end.reason === QueryEndReason.CHECKPOINT_BOUND) return;
        if (end.reason === QueryEndReason.CURSOR_BOUND) {
          // No transaction follows the cursor up to the end of the range, or up to the end of an index that is behind.
          // The cursor's own checkpoint is complete. The rest is read without the cursor, to distinguish the two ends.
          if (!after) throw new Error('the node ended a list at a cursor that the request did not have');
          if (matchedAt !== undefined) from = Math.max(from, Number(matchedAt) + 1);
          after = undefined;
          continue;
        }
        if (end.reason === undefined) throw new Error('the node ended a list without saying why');
        // A reason of a newer API can mean any wait.
        if (end.reason === QueryEndReason.LEDGER_TIP || isStalled) {
          await delay(pauseMs * 2 ** Math.min(pauses++, 3), undefined, { signal });
        }
        after = end.cursor;
        matchedAt = end.matchedAt;
      }
    },

    async isComplete(checkpoint, after, signal) {
      if (!after) return false;
      const request: GrpcTypes.ListTransactionsRequest = {
        readMask: { paths: ['digest'] },
        filter: liveFilter,
        endCheckpoint: BigInt(checkpoint + 1),
        options: { limit: 1, after, ordering: Ordering.ASCENDING },
      };
      let end: GrpcTypes.QueryEndReason | undefined;
      let matches = 0;
      try {
        for await (const message of ledgerService.listTransactions(request, callOptions(timeoutMs, signal))
          .responses) {
          end = message.end?.reason;
          if (message.transaction) matches += 1;
        }
      } catch {
        // The stream reports the completion later by itself, and ends with the reason if the node is gone.
        return false;
      }
      const isRead = end === QueryEndReason.CHECKPOINT_BOUND || end === QueryEndReason.CURSOR_BOUND;
      return isRead && matches === 0;
    },
  };
}

interface PageEnd {
  reason: GrpcTypes.QueryEndReason | undefined;
  cursor: Uint8Array | undefined;
  /** Checkpoint of the match that the cursor belongs to. */
  matchedAt: bigint | undefined;
  covered: number | undefined;
}

const isSameCursor = (a: Uint8Array | undefined, b: Uint8Array | undefined) =>
  a === b || (a !== undefined && b !== undefined && Buffer.compare(a, b) === 0);

function toFrame(message: {
  transaction?: GrpcTypes.ExecutedTransaction;
  watermark?: GrpcTypes.Watermark;
}): Frame {
  const { cursor, checkpoint } = message.watermark ?? {};
  return {
    transaction: message.transaction,
    cursor,
    covered: checkpoint === undefined ? undefined : Number(checkpoint),
  };
}
