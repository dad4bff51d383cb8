import type { ObjectWrite } from '../execution/types.ts';
import type { MoveObject, ObjectRecord } from '../state/objects.ts';
import type { ObjectChange } from './effects.ts';
import type { MoveRecord, ReadLive, TransactionObjects } from './input-objects.ts';
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

/** The writes, the mutable inputs that were not written, and the gas coins. */
export function draftChanges(input: DraftInput, writes: readonly ObjectWrite[]): Draft[] {
  const { objects, read } = input;
  const drafts = new Map<string, Draft>();
  for (const write of writes) {
    const appears =
      write.change === 'created' || write.change === 'unwrapped' || write.change === 'unwrappedThenDeleted';
    const previous = appears ? undefined : (objects.records.get(write.id) ?? moveRecord(read(write.id)));
    const next = 'contents' in write ? moveObject(write) : undefined;
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
  for (const [index, coin] of objects.gas.entries()) {
    if (index > 0) drafts.set(coin.id, { id: coin.id, kind: 'deleted', previous: coin, next: undefined });
    else drafts.set(coin.id, { id: coin.id, kind: 'mutated', previous: coin, next: gasAfter(input, drafts) });
  }
  return [...drafts.values()];
}

/**
 * The gas coin before the charge, with the whole payment in it. The execution saw it without what is reserved, so
 * that nothing could spend what the gas may cost.
 */
function gasAfter({ objects, reserved }: DraftInput, drafts: Map<string, Draft>): MoveObject | undefined {
  const coin = objects.gas[0];
  if (coin === undefined) return undefined;
  const executed = drafts.get(coin.id)?.next;
  if (executed === undefined) return { ...coin, contents: withU64(coin.contents, paymentOf(objects)) };
  return { ...executed, contents: withU64(executed.contents, coinBalance(executed.contents) + reserved) };
}

/** MIST in all payment coins together. */
export function paymentOf(objects: TransactionObjects): bigint {
  return objects.gas.reduce((sum, coin) => sum + coinBalance(coin.contents), 0n);
}

function moveObject(write: Extract<ObjectWrite, { contents: Uint8Array }>): MoveObject {
  const { id, type, owner, contents, hasPublicTransfer } = write;
  return { kind: 'move', id, version: 0n, type, owner, contents, hasPublicTransfer, previousTransaction: '' };
}

function moveRecord(record: ObjectRecord | undefined): MoveRecord | undefined {
  return record?.kind === 'move' ? record : undefined;
}
