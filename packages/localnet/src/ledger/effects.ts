import { fromBase58 } from '@mysten/sui/utils';
import type { Command, ExecutionFailure } from '../execution/types.ts';
import { type MoveObject, type ObjectRecord, owningAddress } from '../state/objects.ts';
import { BcsWriter } from '../vm/bcs-writer.ts';
import type { FundsWrite } from '../vm/runtime/funds.ts';
import { encodeStatus } from './execution-status.ts';
import type { MoveRecord } from './input-objects.ts';
import { coinBalance, coinTypeOf, typeTagBytes } from './move-types.ts';
import { writeDigest, writeOwner } from './object-bcs.ts';
import { onlyEpoch } from './protocol.ts';
import type { BalanceChange, GasCostSummary, TouchedObject } from './types.ts';

/** What one transaction did to one object. */
export interface ObjectChange {
  id: string;
  kind: Exclude<TouchedObject['change'], 'read' | 'loaded'>;
  /** The live version before; absent for created and unwrapped objects. */
  previous: MoveRecord | undefined;
  /** The version written; absent for deleted and wrapped ones. */
  next: ObjectRecord | undefined;
}

interface EffectsInput {
  transactionDigest: string;
  failure: ExecutionFailure | undefined;
  commands: readonly Command[];
  gas: GasCostSummary;
  /** Absent when nothing was paid. */
  gasObjectId: string | undefined;
  lamportVersion: bigint;
  changes: readonly ObjectChange[];
  funds: readonly FundsWrite[];
  /** Shared objects that were only read. */
  readShared: readonly MoveRecord[];
  /** Ids of shared objects that were read as of the epoch's start, without being inputs. */
  readConfigs: readonly string[];
  /** Digests of the transactions that wrote what this one used. */
  dependencies: Iterable<string>;
  eventsDigest: string | undefined;
}

/**
 * BCS of `TransactionEffects::V2`, byte for byte what the SDK writes. Objects stand in the order of their ids, as
 * on chain.
 */
export function encodeEffects(input: EffectsInput): Uint8Array {
  const { gas } = input;
  const changes = [...input.changes, ...input.funds.map((write) => ({ id: write.accumulator, write }))].sort(
    (a, b) => (a.id < b.id ? -1 : 1),
  );
  const gasObjectIndex = changes.findIndex(({ id }) => id === input.gasObjectId);
  const dependencies = sortedDigests(input.dependencies);
  const writer = new BcsWriter();
  writer.length(version2);
  writer.bytes(encodeStatus(input.failure, input.commands));
  writer.integer(onlyEpoch, 8);
  writer.integer(gas.computationCost, 8);
  writer.integer(gas.storageCost, 8);
  writer.integer(gas.storageRebate, 8);
  writer.integer(gas.nonRefundableStorageFee, 8);
  writeDigest(writer, input.transactionDigest);
  writer.option(gasObjectIndex < 0 ? undefined : gasObjectIndex, (index) => writer.integer(index, 4));
  writer.option(input.eventsDigest, (digest) => writeDigest(writer, digest));
  writer.length(dependencies.length);
  for (const digest of dependencies) writer.block(digest);
  writer.integer(input.lamportVersion, 8);
  writer.length(changes.length);
  for (const change of changes) {
    if ('write' in change) writeFunds(writer, change.write);
    else writeChange(writer, change);
  }
  writer.length(input.readShared.length + input.readConfigs.length);
  for (const { id, version, digest } of input.readShared) {
    writer.address(id);
    writer.length(readOnlyRoot);
    writer.integer(version, 8);
    writeDigest(writer, digest);
  }
  for (const id of input.readConfigs) {
    writer.address(id);
    writer.length(perEpochConfig);
  }
  // No digest of auxiliary data.
  writer.length(0);
  return writer.take();
}

/** Of the enums of `TransactionEffects`, the variants that are written here. */
const version2 = 1;
const notExist = 0;
const exist = 1;
const objectWrite = 1;
const packageWrite = 2;
const accumulatorWrite = 3;
const integerValue = 0;
const fundsOperations = { merge: 0, split: 1 } as const;
const readOnlyRoot = 0;
const perEpochConfig = 4;
const idOperations = { none: 0, created: 1, deleted: 2 } as const;

function writeChange(writer: BcsWriter, { id, kind, previous, next }: ObjectChange): void {
  writer.address(id);
  if (previous === undefined) writer.length(notExist);
  else {
    writer.length(exist);
    writer.integer(previous.version, 8);
    writeDigest(writer, previous.digest);
    writeOwner(writer, previous.owner);
  }
  if (next === undefined) writer.length(notExist);
  else if (next.kind === 'package') {
    writer.length(packageWrite);
    writer.integer(next.version, 8);
    writeDigest(writer, next.digest);
  } else {
    writer.length(objectWrite);
    writeDigest(writer, next.digest);
    writeOwner(writer, next.owner);
  }
  writer.length(idOperation(kind));
}

function writeFunds(writer: BcsWriter, { accumulator, owner, type, operation, amount }: FundsWrite): void {
  writer.address(accumulator);
  writer.length(notExist);
  writer.length(accumulatorWrite);
  writer.address(owner);
  writer.bytes(typeTagBytes(type));
  writer.length(fundsOperations[operation]);
  writer.length(integerValue);
  writer.integer(amount, 8);
  writer.length(idOperations.none);
}

function idOperation(kind: ObjectChange['kind']): number {
  switch (kind) {
    case 'created':
      return idOperations.created;
    case 'deleted':
    case 'unwrappedThenDeleted':
      return idOperations.deleted;
    default:
      return idOperations.none;
  }
}

function sortedDigests(digests: Iterable<string>): Uint8Array[] {
  return [...new Set(digests)].map((digest) => fromBase58(digest)).sort(Buffer.compare);
}

/** Net changes of what owners have in coins, in funds, and in both. */
export function balanceChanges(changes: readonly ObjectChange[], fundsChanges: BalanceChange[]) {
  const coins = changes.flatMap(({ previous, next }) => [...coinIn(previous, -1n), ...coinIn(next, 1n)]);
  const coinChanges = summed(coins);
  return { coinChanges, fundsChanges, balanceChanges: summed([...coinChanges, ...fundsChanges]) };
}

function coinIn(object: ObjectRecord | undefined, sign: bigint): BalanceChange[] {
  if (object?.kind !== 'move') return [];
  const address = owningAddress(object.owner);
  const coinType = coinTypeOf(object.type);
  if (address === undefined || coinType === undefined) return [];
  return [{ address, coinType, amount: sign * coinBalance(object.contents) }];
}

/** By address and coin type, without those that come to nothing. */
function summed(all: readonly BalanceChange[]): BalanceChange[] {
  const sums = new Map<string, BalanceChange>();
  for (const { address, coinType, amount } of all) {
    const key = address + coinType;
    const sum = sums.get(key) ?? { address, coinType, amount: 0n };
    sum.amount += amount;
    sums.set(key, sum);
  }
  return [...sums.entries()]
    .filter(([, { amount }]) => amount !== 0n)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, change]) => change);
}

/** Everything that the transaction changed, and what it only read or loaded. */
export function touchedObjects(
  changes: readonly ObjectChange[],
  read: readonly MoveRecord[],
  loaded: readonly MoveObject[],
): TouchedObject[] {
  const changed = changes.map(({ id, kind, previous, next }) => ({
    id,
    type: next?.kind === 'package' ? 'package' : (next?.type ?? previous?.type ?? ''),
    change: kind,
    inputVersion: previous?.version,
    outputVersion: next?.version,
  }));
  const unchanged = (change: 'read' | 'loaded') => (object: MoveObject) => ({
    id: object.id,
    type: object.type,
    change,
    inputVersion: object.version,
    outputVersion: object.version,
  });
  return [...changed, ...read.map(unchanged('read')), ...loaded.map(unchanged('loaded'))];
}
