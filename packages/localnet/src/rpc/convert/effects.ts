import type { bcs } from '@mysten/sui/bcs';
import { GrpcTypes } from '@mysten/sui/grpc';
import type { ExecutedTransaction, TransactionEffectsV2 } from '../../ledger/types.ts';
import { bcsMessage } from './common.ts';
import type { ReadMask } from './read-mask.ts';
import { type FindModule, statusMessage } from './status.ts';

const {
  AccumulatorWrite_AccumulatorOperation: Operation,
  AccumulatorWrite_AccumulatorValue: ValueKind,
  ChangedObject_IdOperation: IdOperation,
  ChangedObject_InputObjectState: InputState,
  ChangedObject_OutputObjectState: OutputState,
  Owner_OwnerKind: OwnerKind,
  UnchangedConsensusObject_UnchangedConsensusObjectKind: UnchangedKind,
} = GrpcTypes;

type ObjectChange = TransactionEffectsV2['changedObjects'][number];
type UnchangedObject = TransactionEffectsV2['unchangedConsensusObjects'][number];
type BcsOwner = ReturnType<typeof bcs.Owner.parse>;

const idOperations = {
  None: IdOperation.NONE,
  Created: IdOperation.CREATED,
  Deleted: IdOperation.DELETED,
} as const;

/** What stands only in the effects themselves, which take long to parse. */
const parsedFields = [
  ...['epoch', 'gas_used', 'transaction_digest', 'gas_object', 'events_digest', 'dependencies'],
  ...['lamport_version', 'changed_objects', 'unchanged_consensus_objects', 'auxiliary_data_digest'],
];

/**
 * What a transaction did to the chain, with the objects' types beside what effects themselves hold. Effects are
 * parsed, and the lists of objects made, only when the mask wants them.
 */
export function effectsMessage(
  transaction: ExecutedTransaction,
  mask: ReadMask<GrpcTypes.TransactionEffects>,
  findModule: FindModule,
): GrpcTypes.TransactionEffects {
  const whole = {
    bcs: bcsMessage('TransactionEffects', transaction.effectsBcs),
    digest: transaction.effectsDigest,
    version: 2,
  };
  const unchangedLoadedRuntimeObjects = mask.has('unchanged_loaded_runtime_objects')
    ? loadedReferences(transaction)
    : [];
  if (transaction.failureDescription === undefined && !parsedFields.some((field) => mask.has(field))) {
    const empty = { dependencies: [], changedObjects: [], unchangedConsensusObjects: [] };
    return { ...whole, ...empty, unchangedLoadedRuntimeObjects, status: { success: true } };
  }
  const { effects } = transaction;
  const wantsObjects = ['changed_objects', 'gas_object', 'unchanged_consensus_objects'].some((field) =>
    mask.has(field),
  );
  const types = new Map(wantsObjects ? transaction.objects.map(({ id, type }) => [id, type]) : []);
  const changedObjects = wantsObjects
    ? effects.changedObjects.map((change) =>
        changedObjectMessage(change, BigInt(effects.lamportVersion), types),
      )
    : [];
  const message: GrpcTypes.TransactionEffects = {
    ...whole,
    status: statusMessage(effects.status, transaction.failureDescription, findModule),
    epoch: BigInt(effects.executedEpoch),
    gasUsed: {
      computationCost: BigInt(effects.gasUsed.computationCost),
      storageCost: BigInt(effects.gasUsed.storageCost),
      storageRebate: BigInt(effects.gasUsed.storageRebate),
      nonRefundableStorageFee: BigInt(effects.gasUsed.nonRefundableStorageFee),
    },
    transactionDigest: effects.transactionDigest,
    dependencies: effects.dependencies,
    lamportVersion: BigInt(effects.lamportVersion),
    changedObjects,
    unchangedConsensusObjects: effects.unchangedConsensusObjects.map((object) =>
      unchangedMessage(object, types),
    ),
    unchangedLoadedRuntimeObjects,
  };
  const gasObject = effects.gasObjectIndex === null ? undefined : changedObjects[effects.gasObjectIndex];
  if (gasObject) message.gasObject = gasObject;
  if (effects.eventsDigest !== null) message.eventsDigest = effects.eventsDigest;
  if (effects.auxDataDigest !== null) message.auxiliaryDataDigest = effects.auxDataDigest;
  return message;
}

/** Objects that were loaded and left as they were, by id; a node knows their versions, and not their digests. */
const loadedReferences = ({ objects }: ExecutedTransaction): GrpcTypes.ObjectReference[] =>
  objects
    .filter(({ change }) => change === 'loaded')
    .map(({ id, inputVersion }) => ({ objectId: id, ...(inputVersion && { version: inputVersion }) }))
    .sort((left, right) => (left.objectId < right.objectId ? -1 : 1));

function changedObjectMessage(
  [id, change]: ObjectChange,
  lamportVersion: bigint,
  types: Map<string, string>,
): GrpcTypes.ChangedObject {
  const message: GrpcTypes.ChangedObject = {
    objectId: id,
    inputState: InputState.DOES_NOT_EXIST,
    outputState: OutputState.DOES_NOT_EXIST,
    idOperation: idOperations[change.idOperation.$kind],
  };
  if (change.inputState.Exist) {
    const [[version, digest], owner] = change.inputState.Exist;
    message.inputState = InputState.EXISTS;
    message.inputVersion = BigInt(version);
    message.inputDigest = digest;
    message.inputOwner = ownerOfBcs(owner);
  }
  if (change.outputState.ObjectWrite) {
    const [digest, owner] = change.outputState.ObjectWrite;
    message.outputState = OutputState.OBJECT_WRITE;
    message.outputVersion = lamportVersion;
    message.outputDigest = digest;
    message.outputOwner = ownerOfBcs(owner);
  }
  if (change.outputState.PackageWrite) {
    const [version, digest] = change.outputState.PackageWrite;
    message.outputState = OutputState.PACKAGE_WRITE;
    message.outputVersion = BigInt(version);
    message.outputDigest = digest;
    message.outputOwner = { kind: OwnerKind.IMMUTABLE };
  }
  const accumulator = change.outputState.AccumulatorWriteV1;
  if (accumulator) {
    message.outputState = OutputState.ACCUMULATOR_WRITE;
    message.accumulatorWrite = {
      address: accumulator.address.address,
      accumulatorType: accumulator.address.ty.replaceAll(', ', ','),
      operation: accumulator.operation.Split ? Operation.SPLIT : Operation.MERGE,
      valueKind: ValueKind.INTEGER,
      integerValue: BigInt(accumulator.value.Integer ?? 0),
      integerTuple: [],
      eventDigestValue: [],
    };
  }
  const type = types.get(id);
  if (type !== undefined) message.objectType = type;
  return message;
}

function unchangedMessage(
  [id, kind]: UnchangedObject,
  types: Map<string, string>,
): GrpcTypes.UnchangedConsensusObject {
  const isRoot = kind.$kind === 'ReadOnlyRoot';
  const message: GrpcTypes.UnchangedConsensusObject = {
    objectId: id,
    kind: isRoot ? UnchangedKind.READ_ONLY_ROOT : UnchangedKind.PER_EPOCH_CONFIG,
  };
  if (isRoot) {
    message.version = BigInt(kind.ReadOnlyRoot[0]);
    message.digest = kind.ReadOnlyRoot[1];
  }
  const type = types.get(id);
  if (type !== undefined) message.objectType = type;
  return message;
}

function ownerOfBcs(owner: BcsOwner): GrpcTypes.Owner {
  switch (owner.$kind) {
    case 'AddressOwner':
      return { kind: OwnerKind.ADDRESS, address: owner.AddressOwner };
    case 'ObjectOwner':
      return { kind: OwnerKind.OBJECT, address: owner.ObjectOwner };
    case 'Shared':
      return { kind: OwnerKind.SHARED, version: BigInt(owner.Shared.initialSharedVersion) };
    case 'Immutable':
      return { kind: OwnerKind.IMMUTABLE };
    case 'ConsensusAddressOwner': {
      const { owner: address, startVersion } = owner.ConsensusAddressOwner;
      return { kind: OwnerKind.CONSENSUS_ADDRESS, address, version: BigInt(startVersion) };
    }
  }
}
