import { GrpcTypes } from '@mysten/sui/grpc';
import { toBase64 } from '@mysten/sui/utils';
import { normalizeAddress } from '../chain/names.ts';
import { callsBounds } from '../manifest/call-spec.ts';

const { Argument_ArgumentKind: ArgumentKind, Input_InputKind: InputKind, Owner_OwnerKind: Owner } = GrpcTypes;

/** The argument of a past call for one parameter. */
export type PastArgument =
  | { kind: 'pure'; base64: string }
  | { kind: 'object'; objectId: string; initialSharedVersion: string | undefined; type: string | undefined }
  /** An object of the sender, which no other address can use. */
  | { kind: 'owned' }
  /** A result of an earlier command of the same transaction. `command` is undefined for the gas coin. */
  | { kind: 'result'; command?: number | undefined; index?: number };

/** A Move call of a transaction that succeeded. */
export interface PastCall {
  typeArguments: string[];
  args: PastArgument[];
  /** Canonical address; undefined if the node does not report it. */
  sender: string | undefined;
  /** Digest of its transaction. */
  digest: string;
  /** Timestamp of its checkpoint, in milliseconds since the epoch. */
  atMs: number;
  /**
   * Returns this call and those that it exchanges results with, in their order. Returns undefined if one of them is not
   * a Move call, or if their number is not within `callsBounds`: a call that is made alone has none.
   */
  linked(): LinkedCall[] | undefined;
}

/** One of several calls of a transaction that belong together. */
export interface LinkedCall {
  packageId: string;
  module: string;
  name: string;
  typeArguments: string[];
  /** `command` of a result is the position among the linked calls. */
  args: PastArgument[];
  /** True for the call of the function that the search is about. */
  isSubject: boolean;
}

/** Read mask with the fields that `listCalls` needs. */
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

/** Length of a digest of 32 bytes in base58. */
const digestLengthMax = 44;

/**
 * Yields the commands of a transaction that call one of the functions, in their order. A failed transaction has none.
 * @param functions `0x<64 hex digits>::module::function`, with the id of the package version that is called
 */
export function* listCalls(
  transaction: GrpcTypes.ExecutedTransaction,
  functions: ReadonlySet<string>,
): Generator<PastCall> {
  const { data } = transaction.transaction?.kind ?? {};
  if (data?.oneofKind !== 'programmableTransaction' || !transaction.effects?.status?.success) return;
  const { inputs, commands } = data.programmableTransaction;
  const atMs = toMilliseconds(transaction.timestamp);
  const sender = normalizeAddress(transaction.transaction?.sender ?? '');
  const digest = (transaction.digest ?? '').slice(0, digestLengthMax);
  const readArgument = createArgumentReader(inputs, transaction.effects);
  let neighbours: ReadonlySet<number>[] | undefined;
  for (const [position, { command }] of commands.entries()) {
    if (command.oneofKind !== 'moveCall') continue;
    const { package: id = '', module, function: name, typeArguments, arguments: given } = command.moveCall;
    if (!functions.has(`${normalizeAddress(id)}::${module}::${name}`)) continue;
    const linked = () => {
      neighbours ??= linkCommands(commands);
      return findLinkedCalls(commands, neighbours, position, readArgument);
    };
    yield { typeArguments, args: given.map(readArgument), sender, digest, atMs, linked };
  }
}

function findLinkedCalls(
  commands: readonly GrpcTypes.Command[],
  neighbours: readonly ReadonlySet<number>[],
  subject: number,
  readArgument: (argument: GrpcTypes.Argument) => PastArgument,
): LinkedCall[] | undefined {
  const linked = new Set([subject]);
  for (const position of linked) {
    for (const neighbour of neighbours[position] ?? []) {
      linked.add(neighbour);
      if (linked.size > callsBounds.max) return undefined;
    }
  }
  if (linked.size < callsBounds.min) return undefined;
  const positions = [...linked].sort((a, b) => a - b);
  const calls = positions.map((position): LinkedCall | undefined => {
    const command = commands[position]?.command;
    if (command?.oneofKind !== 'moveCall') return undefined;
    const { package: id = '', module = '', function: name = '', typeArguments } = command.moveCall;
    const args = command.moveCall.arguments.map((given): PastArgument => {
      const argument = readArgument(given);
      if (argument.kind !== 'result' || argument.command === undefined) return argument;
      return { ...argument, command: positions.indexOf(argument.command) };
    });
    const isSubject = position === subject;
    return { packageId: normalizeAddress(id) ?? id, module, name, typeArguments, args, isSubject };
  });
  return calls.every((call) => call !== undefined) ? calls : undefined;
}

/** Finds the commands that each command exchanges results with: those that it uses, and those that use it. */
function linkCommands(commands: readonly GrpcTypes.Command[]): Set<number>[] {
  const neighbours = commands.map(() => new Set<number>());
  for (const [position, command] of commands.entries()) {
    for (const made of resultsUsed(command)) {
      neighbours[position]!.add(made);
      neighbours[made]?.add(position);
    }
  }
  return neighbours;
}

/** Positions of the commands whose results a command uses. */
function resultsUsed({ command }: GrpcTypes.Command): number[] {
  return listArguments(command).flatMap(({ kind, result }) =>
    kind === ArgumentKind.RESULT && result !== undefined ? [result] : [],
  );
}

function listArguments(command: GrpcTypes.Command['command']): GrpcTypes.Argument[] {
  const some = (argument: GrpcTypes.Argument | undefined) => (argument ? [argument] : []);
  switch (command.oneofKind) {
    case 'moveCall':
      return command.moveCall.arguments;
    case 'transferObjects':
      return [...command.transferObjects.objects, ...some(command.transferObjects.address)];
    case 'splitCoins':
      return [...some(command.splitCoins.coin), ...command.splitCoins.amounts];
    case 'mergeCoins':
      return [...some(command.mergeCoins.coin), ...command.mergeCoins.coinsToMerge];
    case 'makeMoveVector':
      return command.makeMoveVector.elements;
    case 'upgrade':
      return some(command.upgrade.ticket);
    default:
      return [];
  }
}

/** Reads each input once, even if several commands of the transaction use it. */
function createArgumentReader(
  inputs: readonly GrpcTypes.Input[],
  effects: GrpcTypes.TransactionEffects,
): (argument: GrpcTypes.Argument) => PastArgument {
  const objects = indexObjects(effects);
  const read = new Map<number, PastArgument>();
  return ({ kind, input: index = -1, result, subresult = 0 }) => {
    const input = kind === ArgumentKind.INPUT ? inputs[index] : undefined;
    if (!input) {
      return { kind: 'result', command: kind === ArgumentKind.RESULT ? result : undefined, index: subresult };
    }
    const argument = read.get(index) ?? readInput(input, objects);
    read.set(index, argument);
    return argument;
  };
}

interface ObjectFacts {
  owners: Map<string, GrpcTypes.Owner_OwnerKind | undefined>;
  types: Map<string, string | undefined>;
}

function indexObjects({
  changedObjects,
  unchangedConsensusObjects,
}: GrpcTypes.TransactionEffects): ObjectFacts {
  const known: ObjectFacts = { owners: new Map(), types: new Map() };
  for (const { objectId = '', inputOwner, objectType } of changedObjects) {
    known.owners.set(objectId, inputOwner?.kind);
    known.types.set(objectId, objectType);
  }
  for (const { objectId = '', objectType } of unchangedConsensusObjects) {
    known.types.set(objectId, objectType);
  }
  return known;
}

function readInput(input: GrpcTypes.Input, { owners, types }: ObjectFacts): PastArgument {
  if (input.kind === InputKind.PURE) {
    return { kind: 'pure', base64: toBase64(input.pure ?? new Uint8Array()) };
  }
  const objectId = normalizeAddress(input.objectId ?? '');
  if (objectId === undefined) return { kind: 'owned' };
  // An object of an address can also be ordered by consensus. It is then an input like a shared one, and if it was only
  // read, effects do not distinguish them.
  const isShared = input.kind === InputKind.SHARED && owners.get(objectId) !== Owner.CONSENSUS_ADDRESS;
  // A transaction changes at least the version of each object of its sender. An object that it does not change is
  // immutable.
  const isImmutable = input.kind === InputKind.IMMUTABLE_OR_OWNED && owners.size > 0 && !owners.has(objectId);
  if (!isShared && !isImmutable) return { kind: 'owned' };
  const initialSharedVersion = isShared ? input.version?.toString() : undefined;
  return { kind: 'object', objectId, initialSharedVersion, type: types.get(objectId) };
}

function toMilliseconds(timestamp: GrpcTypes.ExecutedTransaction['timestamp']): number {
  return Number(timestamp?.seconds ?? 0n) * 1000 + Math.floor((timestamp?.nanos ?? 0) / 1e6);
}
