import { bcs } from '@mysten/sui/bcs';
import { GrpcTypes } from '@mysten/sui/grpc';
import type { GeneratedTransaction } from './chain.ts';
import { listEventModules } from './packages.ts';

const success = GrpcTypes.TransactionEffects.create({
  status: { success: true },
  gasUsed: undefined,
});

/** A generated transaction in the form of the node's API, within the indexer's read mask. */
export function transactionMessage(made: GeneratedTransaction): GrpcTypes.ExecutedTransaction {
  return GrpcTypes.ExecutedTransaction.create({
    digest: made.digest,
    checkpoint: BigInt(made.checkpoint),
    transactionIndex: BigInt(made.txIndex),
    timestamp: timestampMessage(made.timestampMs),
    transaction: GrpcTypes.Transaction.create({ sender: made.sender }),
    effects: success,
    events: GrpcTypes.TransactionEvents.create({
      events: made.events.map(({ type, contents }) =>
        GrpcTypes.Event.create({ eventType: type, contents: { name: type, value: contents } }),
      ),
    }),
  });
}

export function timestampMessage(ms: number) {
  return { seconds: BigInt(Math.floor(ms / 1000)), nanos: (ms % 1000) * 1e6 };
}

/**
 * Cursors of a node with the name `provider`: (checkpoint, transaction index) after the name. A node recognizes the
 * cursor of another node and refuses it.
 */
export function encodeCursor(provider: string, checkpoint: number, txIndex: number): Uint8Array {
  return Buffer.from(`${provider} ${checkpoint} ${txIndex}`);
}

export function decodeCursor(provider: string, cursor: Uint8Array): [checkpoint: number, txIndex: number] {
  const [name, checkpoint, txIndex] = Buffer.from(cursor).toString().split(' ');
  if (name !== provider) throw new RangeError('the cursor is of another node');
  return [Number(checkpoint), Number(txIndex)];
}

/** An adaptor package or a generated one, as a node's `GetPackage` returns it. Any other id counts as a registry's. */
export function packageMessage(
  packageId: string,
  adaptors: Record<
    string,
    { functions?: GrpcTypes.FunctionDescriptor[] | undefined; originalId?: string | undefined }
  >,
): GrpcTypes.Package {
  const adaptor = adaptors[packageId];
  const originalId = adaptor?.originalId ?? packageId;
  const modules = adaptor
    ? [{ name: 'adaptor', datatypes: [describeWitness(originalId)], functions: adaptor.functions ?? [] }]
    : listEventModules(packageId).map((name) => ({ name, datatypes: [describeEvent(packageId)] }));
  return GrpcTypes.Package.create({
    storageId: packageId,
    originalId,
    modules: modules.map((module) => GrpcTypes.Module.create(module)),
  });
}

const describeEvent = (definingId: string) =>
  GrpcTypes.DatatypeDescriptor.create({ name: 'Any', definingId });

const describeWitness = (definingId: string) =>
  GrpcTypes.DatatypeDescriptor.create({
    name: 'Adaptor',
    definingId,
    kind: GrpcTypes.DatatypeDescriptor_DatatypeKind.STRUCT,
    abilities: [GrpcTypes.Ability.DROP],
  });

/** An adaptor package as the content of an object, which alone has the bytecode. */
export function packageObjectMessage(
  originalId: string,
  contents: Uint8Array = new Uint8Array(),
): GrpcTypes.Package {
  const written = Uint8Array.from(contents);
  // The chain writes the id of the first version in the place of 0x0.
  const self = Buffer.from(contents).indexOf(Buffer.alloc(32));
  if (self >= 0) written.set(Buffer.from(originalId.slice(2), 'hex'), self);
  const module = GrpcTypes.Module.create({ name: 'adaptor', contents: written });
  return GrpcTypes.Package.create({ modules: [module] });
}

const capType = '0x2::package::UpgradeCap';
const capPrefix = 'cap of ';

/** The package of a requested UpgradeCap; undefined for any other object. */
export const capPackage = (objectId: string) =>
  objectId.startsWith(capPrefix) ? objectId.slice(capPrefix.length) : undefined;

/** Effects of the transaction that published a package, reduced to the new UpgradeCap. */
export function publishEffects(packageId: string): GrpcTypes.TransactionEffects {
  const cap = GrpcTypes.ChangedObject.create({
    objectId: capPrefix + packageId,
    objectType: capType,
    idOperation: GrpcTypes.ChangedObject_IdOperation.CREATED,
    outputState: GrpcTypes.ChangedObject_OutputObjectState.OBJECT_WRITE,
  });
  return GrpcTypes.TransactionEffects.create({ changedObjects: [cap] });
}

const UpgradeCap = bcs.struct('UpgradeCap', {
  id: bcs.Address,
  package: bcs.Address,
  version: bcs.u64(),
  policy: bcs.u8(),
});

/** The UpgradeCap of a package, by the id of its first version. */
export function upgradeCapMessage(packageId: string, owner: string, newestId: string): GrpcTypes.Object {
  const value = UpgradeCap.serialize({ id: '0x1', package: newestId, version: 1, policy: 0 }).toBytes();
  return GrpcTypes.Object.create({
    objectId: capPrefix + packageId,
    objectType: capType,
    contents: { name: capType, value },
    owner: { kind: GrpcTypes.Owner_OwnerKind.ADDRESS, address: owner },
  });
}
