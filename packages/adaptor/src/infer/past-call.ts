import { GrpcTypes } from '@mysten/sui/grpc';
import { toBase64 } from '@mysten/sui/utils';
import { normalizeAddress } from '../chain/names.ts';

const { Argument_ArgumentKind: ArgumentKind, Input_InputKind: InputKind, Owner_OwnerKind: Owner } = GrpcTypes;

/** What a past call was given for one parameter. */
export type PastArgument =
  | { kind: 'pure'; base64: string }
  | { kind: 'object'; objectId: string; initialSharedVersion: string | undefined; type: string | undefined }
  /** An object of the sender's, which nobody else can use. */
  | { kind: 'owned' }
  /** Made by an earlier command of the same transaction, or its gas coin. */
  | { kind: 'result' };

/** One command of a transaction that succeeded. */
export interface PastCall {
  typeArguments: string[];
  args: PastArgument[];
  /** Canonical address; undefined where the node does not say. */
  sender: string | undefined;
  /** Of its transaction. */
  digest: string;
  /** When its checkpoint was made, milliseconds since the epoch. */
  atMs: number;
}

/** What `callsIn` reads of a transaction. */
export const pastCallPaths = [
  'digest',
  'timestamp',
  'transaction.kind',
  'transaction.sender',
  'effects.status',
  'effects.changed_objects.object_id',
  'effects.changed_objects.input_owner',
  'effects.changed_objects.object_type',
  'effects.unchanged_consensus_objects.object_id',
  'effects.unchanged_consensus_objects.object_type',
];

/** In base58, of 32 bytes. */
const digestLengthMax = 44;

/**
 * The commands of a transaction that call one of the functions, in their order; none of a transaction that failed.
 * @param functions `0x<64 hex digits>::module::function`, with the id of the package version that is called
 */
export function* callsIn(
  transaction: GrpcTypes.ExecutedTransaction,
  functions: ReadonlySet<string>,
): Generator<PastCall> {
  const { data } = transaction.transaction?.kind ?? {};
  if (data?.oneofKind !== 'programmableTransaction' || !transaction.effects?.status?.success) return;
  const { inputs, commands } = data.programmableTransaction;
  const atMs = millisecondsOf(transaction.timestamp);
  const sender = normalizeAddress(transaction.transaction?.sender ?? '');
  const digest = (transaction.digest ?? '').slice(0, digestLengthMax);
  const argumentOf = argumentReader(inputs, transaction.effects);
  for (const { command } of commands) {
    if (command.oneofKind !== 'moveCall') continue;
    const { package: id = '', module, function: name, typeArguments, arguments: given } = command.moveCall;
    if (!functions.has(`${normalizeAddress(id)}::${module}::${name}`)) continue;
    yield { typeArguments, args: given.map(argumentOf), sender, digest, atMs };
  }
}

/** Reads each input once, however many commands of the transaction use it. */
function argumentReader(
  inputs: readonly GrpcTypes.Input[],
  effects: GrpcTypes.TransactionEffects,
): (argument: GrpcTypes.Argument) => PastArgument {
  const objects = objectsOf(effects);
  const read = new Map<number, PastArgument>();
  return ({ kind, input: index = -1 }) => {
    const input = kind === ArgumentKind.INPUT ? inputs[index] : undefined;
    if (!input) return { kind: 'result' };
    const argument = read.get(index) ?? readInput(input, objects);
    read.set(index, argument);
    return argument;
  };
}

interface KnownObjects {
  owners: Map<string, GrpcTypes.Owner_OwnerKind | undefined>;
  types: Map<string, string | undefined>;
}

function objectsOf({
  changedObjects,
  unchangedConsensusObjects,
}: GrpcTypes.TransactionEffects): KnownObjects {
  const known: KnownObjects = { owners: new Map(), types: new Map() };
  for (const { objectId = '', inputOwner, objectType } of changedObjects) {
    known.owners.set(objectId, inputOwner?.kind);
    known.types.set(objectId, objectType);
  }
  for (const { objectId = '', objectType } of unchangedConsensusObjects) {
    known.types.set(objectId, objectType);
  }
  return known;
}

function readInput(input: GrpcTypes.Input, { owners, types }: KnownObjects): PastArgument {
  if (input.kind === InputKind.PURE) {
    return { kind: 'pure', base64: toBase64(input.pure ?? new Uint8Array()) };
  }
  const objectId = normalizeAddress(input.objectId ?? '');
  if (objectId === undefined) return { kind: 'owned' };
  // An object that belongs to an address can pass through consensus too, and is then an input like a shared one;
  // where it was only read, effects do not tell them apart.
  const isShared = input.kind === InputKind.SHARED && owners.get(objectId) !== Owner.CONSENSUS_ADDRESS;
  // A transaction changes each object that its sender owned, at least the version; what it cannot change is immutable.
  const isImmutable = input.kind === InputKind.IMMUTABLE_OR_OWNED && owners.size > 0 && !owners.has(objectId);
  if (!isShared && !isImmutable) return { kind: 'owned' };
  const initialSharedVersion = isShared ? input.version?.toString() : undefined;
  return { kind: 'object', objectId, initialSharedVersion, type: types.get(objectId) };
}

function millisecondsOf(timestamp: GrpcTypes.ExecutedTransaction['timestamp']): number {
  return Number(timestamp?.seconds ?? 0n) * 1000 + Math.floor((timestamp?.nanos ?? 0) / 1e6);
}
