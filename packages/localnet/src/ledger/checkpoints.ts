import type { CheckpointRow } from '../state/checkpoint-store.ts';
import { CheckpointContents, CheckpointSummary, noVersionSpecificData } from './chain-bcs.ts';
import { digestOf } from './digests.ts';
import { addGas } from './gas.ts';
import { onlyEpoch } from './protocol.ts';
import type { GasCostSummary } from './types.ts';

/** A transaction that no checkpoint includes yet. */
export interface PendingTransaction {
  digest: string;
  effectsDigest: string;
  signatures: readonly Uint8Array[];
  gas: GasCostSummary;
}

interface CheckpointInput {
  sequence: bigint;
  previousDigest: string | undefined;
  timestampMs: number;
  /** Transactions of all earlier checkpoints. */
  earlierTransactions: number;
  /** Of the epoch until the checkpoint before. */
  earlierGas: GasCostSummary;
  /** In execution order. */
  transactions: readonly PendingTransaction[];
}

/** A checkpoint with its contents, summary and digests, as the chain makes them; not signed by anyone. */
export function buildCheckpoint(input: CheckpointInput): CheckpointRow {
  const { transactions } = input;
  const contentsBcs = CheckpointContents.serialize({
    V1: {
      transactions: transactions.map(({ digest, effectsDigest }) => ({
        transaction: digest,
        effects: effectsDigest,
      })),
      userSignatures: transactions.map(({ signatures }) => signatures),
    },
  }).toBytes();
  const summaryBcs = CheckpointSummary.serialize({
    epoch: onlyEpoch,
    sequenceNumber: input.sequence,
    networkTotalTransactions: input.earlierTransactions + transactions.length,
    contentDigest: digestOf('CheckpointContents', contentsBcs),
    previousDigest: input.previousDigest ?? null,
    epochRollingGasCostSummary: transactions.reduce((sum, { gas }) => addGas(sum, gas), input.earlierGas),
    timestampMs: input.timestampMs,
    checkpointCommitments: [],
    endOfEpochData: null,
    versionSpecificData: noVersionSpecificData,
  }).toBytes();
  return {
    sequence: Number(input.sequence),
    digest: digestOf('CheckpointSummary', summaryBcs),
    timestampMs: input.timestampMs,
    firstTransaction: input.earlierTransactions,
    transactionCount: transactions.length,
    summaryBcs,
    contentsBcs,
  };
}
