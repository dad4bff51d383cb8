import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import type { ChainView } from '../chain-view.ts';
import type { CheckpointFeed, CheckpointUpdate } from '../checkpoint-feed.ts';
import { checkpointMessage } from '../convert/checkpoint.ts';
import { eventMessage, executedMessage } from '../convert/executed.ts';
import { parseEventFilter, parseTransactionFilter } from '../query/filter.ts';
import { type CursorKind, encodeCursor, type Position, startOf } from '../query/position.ts';
import { ReadMask } from '../read-mask.ts';
import { bindService, type CallContext } from '../server/service.ts';
import { defaultMasks } from './listing.ts';

/** A subscription that had nothing to say for this many checkpoints says how far it is. */
const quietCheckpoints = 25;

/** Streams that begin at the tip and go on until the client or the network ends them. */
export function subscriptionService(view: ChainView, feed: CheckpointFeed) {
  return bindService<SuiGrpcClient['subscriptionService']>(GrpcTypes.SubscriptionService, {
    async *subscribeCheckpoints({ readMask, filter: asked }, context) {
      const mask = ReadMask.parse(GrpcTypes.Checkpoint, readMask, defaultMasks.checkpoint);
      const filter = asked && parseTransactionFilter(asked);
      const updates = feed.subscribe(context);
      if (filter) yield { cursor: view.ledger.highestCheckpoint };
      let quiet = 0;
      for await (const { checkpoint, transactions } of updates) {
        const cursor = checkpoint.sequence;
        if (!filter || transactions.some((transaction) => filter.matches(transaction))) {
          quiet = 0;
          yield { cursor, checkpoint: checkpointMessage(view, checkpoint, mask) };
        } else if (++quiet === quietCheckpoints) {
          quiet = 0;
          yield { cursor };
        }
      }
    },

    async *subscribeTransactions({ readMask, filter: asked }, context) {
      const mask = ReadMask.parse(GrpcTypes.ExecutedTransaction, readMask, defaultMasks.transaction);
      const filter = asked && parseTransactionFilter(asked);
      const matchesOf = ({ transactions }: CheckpointUpdate) =>
        transactions
          .filter((transaction) => !filter || filter.matches(transaction))
          .map((transaction) => ({
            position: place(transaction.checkpoint, transaction.transactionIndex + 1, 0),
            item: () => executedMessage(view, transaction, mask),
          }));
      for await (const { item, watermark } of follow('transaction', !!filter, matchesOf, context)) {
        yield item ? { transaction: item(), watermark } : { watermark };
      }
    },

    async *subscribeEvents({ readMask, filter: asked }, context) {
      const mask = ReadMask.parse(GrpcTypes.Event, readMask, defaultMasks.event);
      const filter = asked && parseEventFilter(asked);
      const matchesOf = ({ transactions }: CheckpointUpdate) =>
        transactions.flatMap((transaction) =>
          transaction.events
            .filter((event) => !filter || filter.matches(event))
            .map((event) => ({
              position: place(transaction.checkpoint, transaction.transactionIndex + 1, event.index + 1),
              item: () => eventMessage(view, transaction, event, mask),
            })),
        );
      for await (const { item, watermark } of follow('event', !!filter, matchesOf, context)) {
        yield item ? { event: item(), watermark } : { watermark };
      }
    },
  });

  /**
   * A frame per match and, when filtered, one at the start that says where the stream begins. The last match
   * of a checkpoint covers that checkpoint, those before it the one before.
   */
  async function* follow<Item>(
    kind: CursorKind,
    isFiltered: boolean,
    matchesOf: (update: CheckpointUpdate) => { position: Position; item: Item }[],
    context: CallContext,
  ): AsyncGenerator<{ item?: Item; watermark: GrpcTypes.Watermark }> {
    const updates = feed.subscribe(context);
    const passed = (checkpoint: bigint) => ({
      watermark: { cursor: encodeCursor(kind, startOf(checkpoint + 1n)), checkpoint },
    });
    if (isFiltered) yield passed(view.ledger.highestCheckpoint);
    let quiet = 0;
    for await (const update of updates) {
      const { sequence } = update.checkpoint;
      const matches = matchesOf(update);
      for (const [index, { position, item }] of matches.entries()) {
        const checkpoint = index === matches.length - 1 ? sequence : sequence - 1n;
        yield { item, watermark: { cursor: encodeCursor(kind, position), checkpoint } };
      }
      quiet = matches.length > 0 ? 0 : quiet + 1;
      if (quiet === quietCheckpoints) {
        quiet = 0;
        yield passed(sequence);
      }
    }
  }
}

const place = (checkpoint: bigint, transaction: number, event: number): Position => ({
  checkpoint,
  transaction,
  event,
});
