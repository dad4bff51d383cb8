import { bcs } from '@mysten/sui/bcs';
import type { EmittedEvent } from '../execution/types.ts';
import { BcsError, BcsReader } from '../vm/bcs-reader.ts';
import { BcsWriter } from '../vm/bcs-writer.ts';
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

/** `TransactionEvents`: of each event the package, module, sender, type and contents. */
export function encodeEvents(events: readonly EmittedEvent[]): Uint8Array {
  const writer = new BcsWriter();
  writer.length(events.length);
  for (const event of events) {
    writer.address(event.packageId);
    writer.text(event.module);
    writer.address(event.sender);
    // A `TypeTag` of a struct is one byte and the `StructTag`.
    writer.bytes(typeTagBytes(event.type).subarray(1));
    writer.block(event.contents);
  }
  return writer.take();
}

/** The inverse, made for speed: streams and listings read every event. */
export function decodeEvents(bytes: Uint8Array): EventRecord[] {
  const reader = new BcsReader(bytes);
  return Array.from({ length: reader.length() }, (_, index) => ({
    index,
    packageId: reader.address(),
    module: reader.text(),
    sender: reader.address(),
    type: structName(reader),
    contents: reader.bytes(reader.length()),
  }));
}

function structName(reader: BcsReader): string {
  const name = `${reader.address()}::${reader.text()}::${reader.text()}`;
  const args = Array.from({ length: reader.length() }, () => typeName(reader));
  return args.length === 0 ? name : `${name}<${args.join(',')}>`;
}

const vectorTag = 6;
const structTag = 7;
/** By the tag's number; vectors and structs stand between them. */
const primitives = ['bool', 'u8', 'u64', 'u128', 'address', 'signer', '', '', 'u16', 'u32', 'u256'];

function typeName(reader: BcsReader): string {
  const tag = reader.length();
  if (tag === vectorTag) return `vector<${typeName(reader)}>`;
  if (tag === structTag) return structName(reader);
  const name = primitives[tag];
  if (name === undefined) throw new BcsError(`there is no type with tag ${tag}`);
  return name;
}
