import type { ExecutionOutcome, ObjectWrite } from '../execution/types.ts';
import type { MoveObject, ObjectRecord } from '../state/objects.ts';
import type { ObjectChange } from './effects.ts';
import { type MoveRecord, paymentOf, type ReadLive, type TransactionObjects } from './input-objects.ts';
import { coinBalance, withU64 } from './move-types.ts';

/** What a transaction does to one object, before versions and digests. */
export interface Draft {
  id: string;
  kind: ObjectChange['kind'];
  previous: MoveRecord | undefined;
  next: MoveObject | undefined;
}

/** What the drafts are made from. */
export interface DraftInput {
  objects: TransactionObjects;
  /** MIST that the execution did not see in the gas coin. */
  reserved: bigint;
  read: ReadLive;
}

/** What an execution did to objects. */
type Writes = Pick<ExecutionOutcome, 'writes' | 'gasMoved'>;

/** The writes, the mutable inputs that were not written, and the gas coins. */
export function draftChanges(input: DraftInput, { writes, gasMoved }: Writes): Draft[] {
  const { objects, read } = input;
  const drafts = new Map<string, Draft>();
  for (const write of writes) {
    const appears =
      write.change === 'created' || write.change === 'unwrapped' || write.change === 'unwrappedThenDeleted';
    const previous = appears ? undefined : (objects.records.get(write.id) ?? moveRecord(read(write.id)));
    const isGas = gasMoved?.kind === 'object' && gasMoved.id === write.id;
    const next =
      'contents' in write ? withReserved(moveObject(write), isGas ? input.reserved : 0n) : undefined;
    drafts.set(write.id, { id: write.id, kind: write.change, previous, next });
  }
  for (const argument of objects.inputs) {
    if (argument.kind !== 'object' || !argument.mutable || drafts.has(argument.object.id)) continue;
    const previous = objects.records.get(argument.object.id);
    drafts.set(argument.object.id, {
      id: argument.object.id,
      kind: 'mutated',
      previous,
      next: argument.object,
    });
  }
  const gasCoin = gasCoinOf(objects);
  for (const coin of objects.gas.coins) {
    const isLeft = coin === gasCoin && gasMoved?.kind !== 'funds';
    const after = isLeft ? gasAfter(input, coin, drafts) : undefined;
    drafts.set(coin.id, { id: coin.id, kind: isLeft ? 'mutated' : 'deleted', previous: coin, next: after });
  }
  return [...drafts.values()];
}

/** The coin that takes in the payment; absent where funds do. */
export function gasCoinOf({ gas }: TransactionObjects): MoveRecord | undefined {
  return gas.fundsFirst ? undefined : gas.coins[0];
}

/**
 * The gas coin before the charge, with the whole payment in it. The execution saw it without what is reserved, so
 * that nothing could spend what the gas may cost.
 */
function gasAfter(
  { objects, reserved }: DraftInput,
  coin: MoveRecord,
  drafts: Map<string, Draft>,
): MoveObject {
  const executed = drafts.get(coin.id)?.next;
  if (executed === undefined) return { ...coin, contents: withU64(coin.contents, paymentOf(objects.gas)) };
  return withReserved(executed, reserved);
}

function withReserved(coin: MoveObject, reserved: bigint): MoveObject {
  if (reserved === 0n) return coin;
  return { ...coin, contents: withU64(coin.contents, coinBalance(coin.contents) + reserved) };
}

function moveObject(write: Extract<ObjectWrite, { contents: Uint8Array }>): MoveObject {
  const { id, type, owner, contents, hasPublicTransfer } = write;
  return { kind: 'move', id, version: 0n, type, owner, contents, hasPublicTransfer, previousTransaction: '' };
}

function moveRecord(record: ObjectRecord | undefined): MoveRecord | undefined {
  return record?.kind === 'move' ? record : undefined;
}
