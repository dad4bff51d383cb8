import { callOptions } from '@adaptor-marketplace/adaptor/chain';
import type { GrpcTypes } from '@mysten/sui/grpc';
import {
  type FrameSink,
  listTransactionPaths,
  listWrittenPackages,
  QueueOverflowError,
  writtenPath,
} from './frames.ts';
import { type LedgerNode, readStream } from './node.ts';
import type { LedgerReader } from './reader.ts';

/** Checkpoints requested ahead, which hides the distance to the node; their responses are used in order. */
const aheadMax = 64;
/** Checkpoints requested ahead before the size of one is known, and of large ones. */
const [aheadFirst, aheadMin] = [16, 4];
/** Transactions requested ahead, if all checkpoints are as large as the latest one. They bound the memory. */
const transactionsAhead = 2_000;
/** Checkpoints of a stream that may wait while one that it left out is read. */
const waitingMax = 256;
const timeoutMs = 30_000;

/** Follows a filter on a node without the list index, by reading every checkpoint. It gives no cursors. */
export function openScanningReader(
  node: LedgerNode,
  eventTypes: string[],
  { idleMs }: { idleMs: number },
): LedgerReader {
  const { ledgerService, subscriptionService } = node.client;
  const matches = (type: string) => eventTypes.some((prefix) => type.startsWith(`${prefix}::`));
  // Such a node may not list package versions: what is written shows them, in history too.
  const transactionFields = [...listTransactionPaths('transactions.'), `transactions.${writtenPath}`];
  const checkpointFields = ['sequence_number', 'summary.timestamp', 'contents.transactions.transaction'];
  const contents = { paths: [...checkpointFields, ...transactionFields] };

  async function getCheckpoint(sequence: number, signal: AbortSignal): Promise<GrpcTypes.Checkpoint> {
    const checkpointId = { oneofKind: 'sequenceNumber' as const, sequenceNumber: BigInt(sequence) };
    const request = { checkpointId, readMask: contents };
    const { response } = await ledgerService.getCheckpoint(request, callOptions(timeoutMs, signal));
    if (!response.checkpoint) throw new Error(`the node answered without checkpoint ${sequence}`);
    return response.checkpoint;
  }

  function emit(checkpoint: GrpcTypes.Checkpoint, sequence: number, sink: FrameSink): void {
    // An archive that has no store of checkpoints leaves their transactions out, without an error.
    const count = checkpoint.contents?.transactions.length;
    if (count !== checkpoint.transactions.length) {
      throw new Error(
        `${node.url} gave ${checkpoint.transactions.length} of the ${count ?? 'unnamed'} transactions of checkpoint ${sequence}`,
      );
    }
    checkpoint.transactions.forEach((transaction, index) => {
      const emitted = transaction.events?.events.some((event) => matches(event.eventType ?? ''));
      if (!emitted && listWrittenPackages(transaction).length === 0) return;
      // Inside a checkpoint, what the checkpoint says for all of them may be left out.
      transaction.checkpoint ??= BigInt(sequence);
      transaction.transactionIndex ??= BigInt(index);
      transaction.timestamp ??= checkpoint.summary?.timestamp;
      sink.push({ transaction });
    });
    sink.push({ covered: sequence });
  }

  return {
    indexed: false,
    async subscribe(sink, signal, onOpen) {
      // On a quiet chain the next checkpoint may take long, so history ends at the current tip.
      const { tip } = await node.info(signal);
      sink.push({ covered: tip });
      onOpen();
      let next = tip + 1;
      let waiting = 0;
      const emitInOrder = async (sequence: number, checkpoint: GrpcTypes.Checkpoint) => {
        // The chain may have grown between the answer and the subscription.
        for (; next < sequence; next++) emit(await getCheckpoint(next, signal), next, sink);
        if (sequence === next) emit(checkpoint, next++, sink);
        waiting -= 1;
      };
      const { promise: failed, reject } = Promise.withResolvers<never>();
      let inOrder = Promise.resolve();
      const reading = readStream(
        (options) => subscriptionService.subscribeCheckpoints({ readMask: contents }, options),
        ({ cursor, checkpoint }) => {
          if (cursor === undefined || !checkpoint) return;
          waiting += 1;
          if (waiting > waitingMax)
            throw new QueueOverflowError(`more than ${waitingMax} checkpoints waited`);
          inOrder = inOrder.then(() => emitInOrder(Number(cursor), checkpoint)).catch(reject);
        },
        { signal, idleMs },
      );
      await Promise.race([reading.then(() => inOrder), failed]);
    },
    async sendHistory(range, sink, signal) {
      const requested: Promise<GrpcTypes.Checkpoint>[] = [];
      let ahead = aheadFirst;
      let next = range.from;
      for (let sequence = range.from; sequence < range.to; sequence++) {
        await sink.ready();
        while (next < range.to && requested.length < ahead) {
          const answer = getCheckpoint(next++, signal);
          // It may fail while an earlier one is awaited.
          answer.catch(() => undefined);
          requested.push(answer);
        }
        const checkpoint = await requested.shift()!;
        ahead = suggestAhead(checkpoint.transactions.length);
        emit(checkpoint, sequence, sink);
      }
    },

    // Each frame is a whole checkpoint.
    isComplete: async () => false,
  };
}

const suggestAhead = (transactions: number) =>
  Math.max(aheadMin, Math.min(aheadMax, Math.floor(transactionsAhead / Math.max(1, transactions))));
