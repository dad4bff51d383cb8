import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import type { IMessageType } from '@protobuf-ts/runtime';
import type { TransactionRecord } from '../../ledger/types.ts';
import type { ChainView } from '../convert/chain-view.ts';
import { checkpointMessage } from '../convert/checkpoint.ts';
import { eventMessage, executedMessage } from '../convert/executed.ts';
import { ReadMask } from '../convert/read-mask.ts';
import { parseEventFilter, parseTransactionFilter } from '../query/filter.ts';
import { type CursorKind, encodeCursor, type Position, startOf } from '../query/position.ts';
import { bindService, type CallContext } from '../server/service.ts';
import type { CheckpointFeed, CheckpointUpdate } from './checkpoint-feed.ts';
import { defaultMasks } from './listing.ts';

/** Checkpoints without a frame after which a subscription reports its progress: the default of the full node. */
const quietCheckpoints = 25;
/** The same as a time between checkpoints, since a network without transactions makes few of them. */
const quietMs = 10_000;

interface Subscription<Frame> {
  /** Subscriptions with the same key have the same frames. */
  key: string;
  isFiltered: boolean;
  /**
   * Frames of the matches in a checkpoint.
   * @param covered the checkpoint before it, if the stream has passed the whole of that one
   */
  framesOf(update: CheckpointUpdate, covered: bigint | undefined): Frame[];
  /**
   * Progress without a match.
   * @param passed last checkpoint that the stream left behind
   * @param covered the same, if the stream has passed the whole of it
   */
  progress(passed: bigint, covered: bigint | undefined): Frame;
}

/** Streams that begin at the tip and go on until the client or the network ends them. */
export function subscriptionService(view: ChainView, feed: CheckpointFeed) {
  return bindService<SuiGrpcClient['subscriptionService']>(GrpcTypes.SubscriptionService, {
    async *subscribeCheckpoints(request, context) {
      const mask = ReadMask.parse(GrpcTypes.Checkpoint, request.readMask, defaultMasks.checkpoint);
      const filter = request.filter && parseTransactionFilter(request.filter);
      yield* follow<GrpcTypes.SubscribeCheckpointsResponse>(context, {
        key: keyOf(GrpcTypes.SubscribeCheckpointsRequest, request),
        isFiltered: !!filter,
        framesOf: ({ checkpoint, transactions }) =>
          !filter || transactions.some((transaction) => filter.matches(transaction))
            ? [
                {
                  cursor: checkpoint.sequence,
                  checkpoint: checkpointMessage(view.answer(), checkpoint, mask),
                },
              ]
            : [],
        progress: (cursor) => ({ cursor }),
      });
    },

    async *subscribeTransactions(request, context) {
      const mask = ReadMask.parse(GrpcTypes.ExecutedTransaction, request.readMask, defaultMasks.transaction);
      const filter = request.filter && parseTransactionFilter(request.filter);
      yield* follow<GrpcTypes.SubscribeTransactionsResponse>(context, {
        key: keyOf(GrpcTypes.SubscribeTransactionsRequest, request),
        isFiltered: !!filter,
        framesOf: ({ transactions }, checkpoint) =>
          transactions
            .filter((transaction) => !filter || filter.matches(transaction))
            .map((transaction) => ({
              transaction: executedMessage(view.answer(), transaction, mask),
              watermark: {
                cursor: encodeCursor('transaction', locate(transaction, 0)),
                checkpoint,
              },
            })),
        progress: buildProgress('transaction'),
      });
    },

    async *subscribeEvents(request, context) {
      const mask = ReadMask.parse(GrpcTypes.Event, request.readMask, defaultMasks.event);
      const filter = request.filter && parseEventFilter(request.filter);
      yield* follow<GrpcTypes.SubscribeEventsResponse>(context, {
        key: keyOf(GrpcTypes.SubscribeEventsRequest, request),
        isFiltered: !!filter,
        framesOf: ({ transactions }, checkpoint) =>
          transactions.flatMap((transaction) =>
            transaction.events
              .filter((event) => !filter || filter.matches(event))
              .map((event) => ({
                event: eventMessage(view.answer(), transaction, event, mask),
                watermark: {
                  cursor: encodeCursor('event', locate(transaction, event.index + 1)),
                  checkpoint,
                },
              })),
          ),
        progress: buildProgress('event'),
      });
    },
  });

  /**
   * The frames of a subscription. As on the full node (`subscription_service.rs`), a filtered stream begins with the first
   * checkpoint after the call, with a frame that has a cursor and names no checkpoint. A match never covers its own
   * checkpoint: the next frame of a later one does.
   */
  async function* follow<Frame>(
    context: CallContext,
    { key, isFiltered, framesOf, progress }: Subscription<Frame>,
  ): AsyncGenerator<Frame> {
    /** First checkpoint of which the stream has everything. */
    let entry: bigint | undefined;
    let quiet = 0;
    let reportedMs: number | undefined;
    for await (const update of feed.subscribe(context, Number(view.lag(context)))) {
      const { sequence, timestampMs } = update.checkpoint;
      if (isFiltered && entry === undefined) {
        entry = sequence;
        if (sequence > 0n) yield progress(sequence - 1n, undefined);
      }
      const covered = entry !== undefined && sequence > entry ? sequence - 1n : undefined;
      const frames = update.once(`${key}/${covered ?? ''}`, () => framesOf(update, covered));
      if (frames.length > 0) entry ??= sequence;
      yield* frames;
      quiet = frames.length > 0 ? 0 : quiet + 1;
      if (quiet === 0) reportedMs = timestampMs;
      reportedMs ??= timestampMs;
      if (quiet === quietCheckpoints || timestampMs - reportedMs >= quietMs) {
        quiet = 0;
        reportedMs = timestampMs;
        entry ??= sequence + 1n;
        yield progress(sequence, sequence >= entry ? sequence : undefined);
      }
    }
  }
}

const buildProgress = (kind: CursorKind) => (passed: bigint, checkpoint: bigint | undefined) => ({
  watermark: { cursor: encodeCursor(kind, startOf(passed + 1n)), checkpoint },
});

function keyOf<Request extends object>(type: IMessageType<Request>, request: Request): string {
  return `${type.typeName}:${Buffer.from(type.toBinary(request)).toString('base64')}`;
}

const locate = (
  { checkpoint, transactionIndex }: Pick<TransactionRecord, 'checkpoint' | 'transactionIndex'>,
  event: number,
): Position => ({ checkpoint, transaction: transactionIndex + 1, event });
