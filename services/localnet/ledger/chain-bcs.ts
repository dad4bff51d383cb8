import { bcs } from '@mysten/sui/bcs';
import type { EmittedEvent } from '../execution/types.ts';
import { typeTagBytes } from './move-types.ts';
import type { EventRecord } from './types.ts';

/** The chain's records that the SDK has no codec for, as in the full node's `sui-types` crate. */

const Digest = bcs.ObjectDigest;

const GasCostSummary = bcs.struct('GasCostSummary', {
  computationCost: bcs.u64(),
  storageCost: bcs.u64(),
  storageRebate: bcs.u64(),
  nonRefundableStorageFee: bcs.u64(),
});

const CheckpointCommitment = bcs.enum('CheckpointCommitment', {
  ECMHLiveObjectSetDigest: Digest,
  CheckpointArtifactsDigest: Digest,
});

const EndOfEpochData = bcs.struct('EndOfEpochData', {
  nextEpochCommittee: bcs.vector(bcs.tuple([bcs.byteVector(), bcs.u64()])),
  nextEpochProtocolVersion: bcs.u64(),
  epochCommitments: bcs.vector(CheckpointCommitment),
});

export const CheckpointSummary = bcs.struct('CheckpointSummary', {
  epoch: bcs.u64(),
  sequenceNumber: bcs.u64(),
  networkTotalTransactions: bcs.u64(),
  contentDigest: Digest,
  previousDigest: bcs.option(Digest),
  epochRollingGasCostSummary: GasCostSummary,
  timestampMs: bcs.u64(),
  checkpointCommitments: bcs.vector(CheckpointCommitment),
  endOfEpochData: bcs.option(EndOfEpochData),
  versionSpecificData: bcs.byteVector(),
});

/** `CheckpointVersionSpecificData::V1` without randomness rounds. */
export const noVersionSpecificData = Uint8Array.of(0, 0);

export const CheckpointContents = bcs.enum('CheckpointContents', {
  V1: bcs.struct('CheckpointContentsV1', {
    transactions: bcs.vector(bcs.struct('ExecutionDigests', { transaction: Digest, effects: Digest })),
    userSignatures: bcs.vector(bcs.vector(bcs.byteVector())),
  }),
});

const Event = bcs.struct('Event', {
  packageId: bcs.Address,
  transactionModule: bcs.string(),
  sender: bcs.Address,
  type: bcs.StructTag,
  contents: bcs.byteVector(),
});

const TransactionEvents = bcs.struct('TransactionEvents', { data: bcs.vector(Event) });

export function encodeEvents(events: readonly EmittedEvent[]): Uint8Array {
  const parts: Uint8Array[] = [bcs.uleb128().serialize(events.length).toBytes()];
  for (const event of events) {
    parts.push(
      bcs.Address.serialize(event.packageId).toBytes(),
      bcs.string().serialize(event.module).toBytes(),
      bcs.Address.serialize(event.sender).toBytes(),
      // A `TypeTag` of a struct is one byte and the `StructTag`.
      typeTagBytes(event.type).subarray(1),
      bcs.byteVector().serialize(event.contents).toBytes(),
    );
  }
  return Buffer.concat(parts);
}

export function decodeEvents(bytes: Uint8Array): EventRecord[] {
  return TransactionEvents.parse(bytes).data.map((event, index) => ({
    index,
    packageId: event.packageId,
    module: event.transactionModule,
    sender: event.sender,
    type: bcs.TypeTag.parse(bcs.TypeTag.serialize({ struct: event.type }).toBytes()).replaceAll(', ', ','),
    contents: Uint8Array.from(event.contents),
  }));
}
