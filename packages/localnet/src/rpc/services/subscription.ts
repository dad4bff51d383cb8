import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import type { IMessageType } from '@protobuf-ts/runtime';
import type { ChainView } from '../convert/chain-view.ts';
import { checkpointMessage } from '../convert/checkpoint.ts';
import { eventMessage, executedMessage } from '../convert/executed.ts';
import { ReadMask } from '../convert/read-mask.ts';
import { parseEventFilter, parseTransactionFilter } from '../query/filter.ts';
import { type CursorKind, encodeCursor, type Position, startOf } from '../query/position.ts';
import { bindService, type CallContext } from '../server/service.ts';
import type { CheckpointFeed, CheckpointUpdate } from './checkpoint-feed.ts';
import { defaultMasks } from './listing.ts';

/** A subscription that had nothing to say for this many checkpoints, or for so long by their times, says how far it is. */
const quietCheckpoints = 25;
const quietMs = 10_000;

interface Subscription<Frame> {
  /** Subscriptions with the same key have the same frames. */
  key: string;
  /** A filtered stream begins with a frame that says where. */
  isFiltered: boolean;
  framesOf(update: CheckpointUpdate): Frame[];
  /** Says that everything up to and including the checkpoint was passed. */
  progress(checkpoint: bigint): Frame;
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
      const matchesOf = ({ transactions }: CheckpointUpdate) =>
        transactions
          .filter((transaction) => !filter || filter.matches(transaction))
          .map((transaction) => ({
            position: place(transaction.checkpoint, transaction.transactionIndex + 1, 0),
            item: { transaction: executedMessage(view.answer(), transaction, mask) },
          }));
      yield* follow<GrpcTypes.SubscribeTransactionsResponse>(context, {
        key: keyOf(GrpcTypes.SubscribeTransactionsRequest, request),
        isFiltered: !!filter,
        framesOf: (update) => watermarked('transaction', update, matchesOf(update)),
        progress: passed('transaction'),
      });
    },

    async *subscribeEvents(request, context) {
      const mask = ReadMask.parse(GrpcTypes.Event, request.readMask, defaultMasks.event);
      const filter = request.filter && parseEventFilter(request.filter);
      const matchesOf = ({ transactions }: CheckpointUpdate) =>
        transactions.flatMap((transaction) =>
          transaction.events
            .filter((event) => !filter || filter.matches(event))
            .map((event) => ({
              position: place(transaction.checkpoint, transaction.transactionIndex + 1, event.index + 1),
              item: { event: eventMessage(view.answer(), transaction, event, mask) },
            })),
        );
      yield* follow<GrpcTypes.SubscribeEventsResponse>(context, {
        key: keyOf(GrpcTypes.SubscribeEventsRequest, request),
        isFiltered: !!filter,
        framesOf: (update) => watermarked('event', update, matchesOf(update)),
        progress: passed('event'),
      });
    },
  });

  async function* follow<Frame>(
    context: CallContext,
    { key, isFiltered, framesOf, progress }: Subscription<Frame>,
  ): AsyncGenerator<Frame> {
    const updates = feed.subscribe(context);
    if (isFiltered) yield progress(view.ledger.highestCheckpoint);
    let quiet = 0;
    let toldMs: number | undefined;
    for await (const update of updates) {
      const frames = update.once(key, () => framesOf(update));
      yield* frames;
      const { sequence, timestampMs } = update.checkpoint;
      quiet = frames.length > 0 ? 0 : quiet + 1;
      if (quiet === 0) toldMs = timestampMs;
      toldMs ??= timestampMs;
      if (quiet === quietCheckpoints || timestampMs - toldMs >= quietMs) {
        quiet = 0;
        toldMs = timestampMs;
        yield progress(sequence);
      }
    }
  }
}

/** The last match of a checkpoint covers that checkpoint, those before it the one before. */
function watermarked<Item extends object>(
  kind: CursorKind,
  { checkpoint: { sequence } }: CheckpointUpdate,
  matches: { position: Position; item: Item }[],
) {
  return matches.map(({ position, item }, index) => {
    const checkpoint = index === matches.length - 1 ? sequence : sequence - 1n;
    return { ...item, watermark: { cursor: encodeCursor(kind, position), checkpoint } };
  });
}

const passed = (kind: CursorKind) => (checkpoint: bigint) => ({
  watermark: { cursor: encodeCursor(kind, startOf(checkpoint + 1n)), checkpoint },
});

function keyOf<Request extends object>(type: IMessageType<Request>, request: Request): string {
  return `${type.typeName}:${Buffer.from(type.toBinary(request)).toString('base64')}`;
}

const place = (checkpoint: bigint, transaction: number, event: number): Position => ({
  checkpoint,
  transaction,
  event,
});
