import { bcs } from '@mysten/sui/bcs';
import { fromBase58 } from '@mysten/sui/utils';
import type { Command, ExecutionFailure } from '../execution/types.ts';
import type { ObjectRecord } from '../state/objects.ts';
import { executionStatus } from './execution-status.ts';
import type { MoveRecord } from './input-objects.ts';
import { coinBalance, coinTypeOf } from './move-types.ts';
import { ownerBcs } from './object-bcs.ts';
import { onlyEpoch } from './protocol.ts';
import type { BalanceChange, GasCostSummary, TouchedObject } from './types.ts';

/** What one transaction did to one object. */
export interface ObjectChange {
  id: string;
  kind: Exclude<TouchedObject['change'], 'read'>;
  /** The live version before; absent for created and unwrapped objects. */
  previous: MoveRecord | undefined;
  /** The version written; absent for deleted and wrapped ones. */
  next: ObjectRecord | undefined;
}

export interface EffectsInput {
  transactionDigest: string;
  failure: ExecutionFailure | undefined;
  commands: readonly Command[];
  gas: GasCostSummary;
  /** Absent when nothing was paid. */
  gasObjectId: string | undefined;
  lamportVersion: bigint;
  changes: readonly ObjectChange[];
  /** Shared objects that were only read. */
  readShared: readonly MoveRecord[];
  /** Digests of the transactions that wrote what this one used. */
  dependencies: Iterable<string>;
  eventsDigest: string | undefined;
}

/** BCS of `TransactionEffects::V2`. Objects stand in the order of their ids, as on chain. */
export function encodeEffects(input: EffectsInput): Uint8Array {
  const changes = input.changes.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const gasObjectIndex = changes.findIndex(({ id }) => id === input.gasObjectId);
  return bcs.TransactionEffects.serialize({
    V2: {
      status: executionStatus(input.failure, input.commands),
      executedEpoch: onlyEpoch,
      gasUsed: input.gas,
      transactionDigest: input.transactionDigest,
      gasObjectIndex: gasObjectIndex < 0 ? null : gasObjectIndex,
      eventsDigest: input.eventsDigest ?? null,
      dependencies: sortedDigests(input.dependencies),
      lamportVersion: input.lamportVersion,
      changedObjects: changes.map((change) => [change.id, changeBcs(change)] as const),
      unchangedConsensusObjects: input.readShared.map(
        (object) => [object.id, { ReadOnlyRoot: [object.version, object.digest] as const }] as const,
      ),
      auxDataDigest: null,
    },
  }).toBytes();
}

function changeBcs({ kind, previous, next }: ObjectChange) {
  return {
    inputState: previous
      ? { Exist: [[previous.version, previous.digest] as const, ownerBcs(previous.owner)] as const }
      : { NotExist: true as const },
    outputState: outputBcs(next),
    idOperation: idOperation(kind),
  };
}

function outputBcs(next: ObjectRecord | undefined) {
  if (next === undefined) return { NotExist: true as const };
  if (next.kind === 'package') return { PackageWrite: [next.version, next.digest] as const };
  return { ObjectWrite: [next.digest, ownerBcs(next.owner)] as const };
}

function idOperation(kind: ObjectChange['kind']) {
  switch (kind) {
    case 'created':
      return { Created: true as const };
    case 'deleted':
    case 'unwrappedThenDeleted':
      return { Deleted: true as const };
    default:
      return { None: true as const };
  }
}

function sortedDigests(digests: Iterable<string>): string[] {
  return [...new Set(digests)]
    .map((digest) => ({ digest, bytes: fromBase58(digest) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ digest }) => digest);
}

/** Net changes of what addresses hold in coins, by address and coin type. */
export function balanceChanges(changes: readonly ObjectChange[]): BalanceChange[] {
  const sums = new Map<string, BalanceChange>();
  const add = (object: ObjectRecord | undefined, sign: bigint) => {
    if (object?.kind !== 'move' || object.owner.kind !== 'address') return;
    const coinType = coinTypeOf(object.type);
    if (coinType === undefined) return;
    const { address } = object.owner;
    const key = address + coinType;
    const sum = sums.get(key) ?? { address, coinType, amount: 0n };
    sum.amount += sign * coinBalance(object.contents);
    sums.set(key, sum);
  };
  for (const { previous, next } of changes) {
    add(previous, -1n);
    add(next, 1n);
  }
  return [...sums.entries()]
    .filter(([, { amount }]) => amount !== 0n)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, change]) => change);
}

/** Everything that the transaction changed, and what it only read. */
export function touchedObjects(
  changes: readonly ObjectChange[],
  read: readonly MoveRecord[],
): TouchedObject[] {
  const changed = changes.map(({ id, kind, previous, next }) => ({
    id,
    type: next?.kind === 'package' ? 'package' : (next?.type ?? previous?.type ?? ''),
    change: kind,
    inputVersion: previous?.version,
    outputVersion: next?.version,
  }));
  const onlyRead = read.map(({ id, type, version }) => ({
    id,
    type,
    change: 'read' as const,
    inputVersion: version,
    outputVersion: version,
  }));
  return [...changed, ...onlyRead];
}
