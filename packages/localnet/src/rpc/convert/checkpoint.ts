import { GrpcTypes } from '@mysten/sui/grpc';
import type { CheckpointRecord, TransactionRecord } from '../../ledger/types.ts';
import type { ChainView } from './chain-view.ts';
import { bcsMessage, timestamp } from './common.ts';
import { executedMessage } from './executed.ts';
import type { ReadMask } from './read-mask.ts';
import { signatureMessage } from './signature.ts';

/** A checkpoint with the masked fields; its transactions are read only when the mask needs them. */
export function checkpointMessage(
  view: ChainView,
  checkpoint: CheckpointRecord,
  mask: ReadMask<GrpcTypes.Checkpoint>,
): GrpcTypes.Checkpoint {
  const message = GrpcTypes.Checkpoint.create({
    sequenceNumber: checkpoint.sequence,
    digest: checkpoint.digest,
  });
  if (mask.has('summary')) message.summary = summaryMessage(checkpoint);
  if (mask.has('contents') || mask.has('transactions') || mask.has('objects')) {
    const transactions = transactionsOf(view, checkpoint);
    message.contents = contentsMessage(checkpoint, transactions);
    if (mask.has('transactions')) {
      const inner = mask.at('transactions', GrpcTypes.ExecutedTransaction);
      // The objects of all transactions are the checkpoint's own.
      message.transactions = transactions.map((transaction) => ({
        ...executedMessage(view, transaction, inner),
        objects: undefined,
      }));
    }
    if (mask.has('objects')) {
      const objects = mask.at('objects.objects', GrpcTypes.Object);
      const touched = new Map(
        transactions.flatMap((transaction) =>
          transaction.objects.flatMap(({ id, inputVersion, outputVersion }) =>
            [inputVersion, outputVersion].flatMap((version) =>
              version === undefined ? [] : [[`${id}:${version}`, { id, version }] as const],
            ),
          ),
        ),
      );
      message.objects = {
        objects: [...touched.values()].flatMap(({ id, version }) => {
          const record = view.ledger.getObject(id, version);
          return record ? [view.object(record, objects)] : [];
        }),
      };
    }
  }
  return mask.apply(message);
}

function transactionsOf(view: ChainView, checkpoint: CheckpointRecord): TransactionRecord[] {
  return view.ledger.listTransactions({
    from: { checkpoint: checkpoint.sequence, transactionIndex: 0 },
    to: { checkpoint: checkpoint.sequence + 1n, transactionIndex: 0 },
    ordering: 'ascending',
    limit: checkpoint.transactionDigests.length,
  });
}

function summaryMessage(checkpoint: CheckpointRecord): GrpcTypes.CheckpointSummary {
  const message: GrpcTypes.CheckpointSummary = {
    bcs: bcsMessage('CheckpointSummary', checkpoint.summaryBcs),
    digest: checkpoint.digest,
    epoch: checkpoint.epoch,
    sequenceNumber: checkpoint.sequence,
    totalNetworkTransactions: checkpoint.networkTotalTransactions,
    contentDigest: checkpoint.contentDigest,
    epochRollingGasCostSummary: checkpoint.epochRollingGasCostSummary,
    timestamp: timestamp(checkpoint.timestampMs),
    commitments: [],
  };
  if (checkpoint.previousDigest !== undefined) message.previousDigest = checkpoint.previousDigest;
  return message;
}

function contentsMessage(
  checkpoint: CheckpointRecord,
  transactions: TransactionRecord[],
): GrpcTypes.CheckpointContents {
  return {
    bcs: bcsMessage('CheckpointContents', checkpoint.contentsBcs),
    digest: checkpoint.contentDigest,
    version: 1,
    transactions: transactions.map(({ digest, effectsDigest, signatures }) => ({
      transaction: digest,
      effects: effectsDigest,
      signatures: signatures.map(signatureMessage),
      addressAliasesVersions: [],
    })),
  };
}
