import { bcs } from '@mysten/sui/bcs';

/**
 * The chain's records, as in the full node's `sui-types` crate, as far as the indexer reads them. A struct ends behind
 * the last field that is read. Digests stay bytes: base58 takes longer than the hash.
 */

const Digest = bcs.byteVector();
const ObjectVersion = bcs.tuple([bcs.u64(), Digest]);

export const CheckpointSummary = bcs.struct('CheckpointSummary', {
  epoch: bcs.u64(),
  sequenceNumber: bcs.u64(),
  networkTotalTransactions: bcs.u64(),
  contentDigest: Digest,
  previousDigest: bcs.option(Digest),
  /** Four amounts. */
  epochRollingGasCostSummary: bcs.bytes(4 * 8),
  timestampMs: bcs.u64(),
});

const ExecutionDigests = bcs.struct('ExecutionDigests', { transaction: Digest, effects: Digest });

export const CheckpointContents = bcs.enum('CheckpointContents', {
  V1: bcs.struct('CheckpointContentsV1', { transactions: bcs.vector(ExecutionDigests) }),
  V2: bcs.struct('CheckpointContentsV2', {
    transactions: bcs.vector(
      bcs.struct('CheckpointTransactionContents', {
        digest: ExecutionDigests,
        /** Signatures with the versions of the address aliases that they were verified with. */
        userSignatures: bcs.vector(bcs.tuple([bcs.byteVector(), bcs.option(bcs.u64())])),
      }),
    ),
  }),
});

const ObjectBefore = bcs.enum('ObjectIn', { NotExist: null, Exist: bcs.tuple([ObjectVersion, bcs.Owner]) });

const AccumulatorWrite = bcs.struct('AccumulatorWriteV1', {
  address: bcs.Address,
  type: bcs.TypeTag,
  operation: bcs.enum('AccumulatorOperation', { Merge: null, Split: null }),
  value: bcs.enum('AccumulatorValue', {
    Integer: bcs.u64(),
    IntegerTuple: bcs.tuple([bcs.u64(), bcs.u64()]),
    EventDigest: bcs.vector(bcs.tuple([bcs.u64(), Digest])),
  }),
});

const ObjectAfter = bcs.enum('ObjectOut', {
  NotExist: null,
  ObjectWrite: bcs.tuple([Digest, bcs.Owner]),
  PackageWrite: ObjectVersion,
  AccumulatorWriteV1: AccumulatorWrite,
});

/** `TransactionEffectsV2` of a transaction that succeeded, behind its version and its status. */
export const SuccessfulEffects = bcs.struct('TransactionEffectsV2', {
  executedEpoch: bcs.u64(),
  gasUsed: bcs.bytes(4 * 8),
  transactionDigest: Digest,
  gasObjectIndex: bcs.option(bcs.u32()),
  eventsDigest: bcs.option(Digest),
  dependencies: bcs.vector(Digest),
  lamportVersion: bcs.u64(),
  changedObjects: bcs.vector(
    bcs.struct('ChangedObject', {
      id: bcs.bytes(32),
      before: ObjectBefore,
      after: ObjectAfter,
      idOperation: bcs.enum('IDOperation', { None: null, Created: null, Deleted: null }),
    }),
  ),
});

/** Without its first byte: the order of versions, which the enum `TransactionEffects` has. */
export const effectsVersions = { V1: 0, V2: 1 } as const;
/** Second byte of the effects of a transaction that succeeded. */
export const successStatus = 0;

export const TransactionEvents = bcs.vector(
  bcs.struct('Event', {
    packageId: bcs.bytes(32),
    module: bcs.string(),
    sender: bcs.bytes(32),
    type: bcs.StructTag,
    contents: bcs.byteVector(),
  }),
);
