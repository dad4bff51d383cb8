import { invalidField } from '../server/status-details.ts';

/**
 * A place between or at the items of the ledger, in its canonical order. Items count from 1 in their parent,
 * so that 0 is the place before the first: checkpoint `c` lies strictly between `(c,0,0)` and `(c+1,0,0)`.
 */
export interface Position {
  checkpoint: bigint;
  /** 1 + the transaction's index in its checkpoint. */
  transaction: number;
  /** 1 + the event's index in its transaction. */
  event: number;
}

/** What a cursor's positions are those of; one listing's cursor is no use to another. */
export type CursorKind = 'checkpoint' | 'transaction' | 'event';

const kinds: CursorKind[] = ['checkpoint', 'transaction', 'event'];
const formatVersion = 1;
const cursorBytes = 18;

export const startOf = (checkpoint: bigint): Position => ({ checkpoint, transaction: 0, event: 0 });

/** Negative when `left` comes first. */
export function compare(left: Position, right: Position): number {
  if (left.checkpoint !== right.checkpoint) return left.checkpoint < right.checkpoint ? -1 : 1;
  return left.transaction - right.transaction || left.event - right.event;
}

/** The opaque form that clients keep: a version, the kind, and the position big-endian. */
export function encodeCursor(kind: CursorKind, position: Position): Uint8Array {
  const bytes = Buffer.alloc(cursorBytes);
  bytes.writeUInt8(formatVersion, 0);
  bytes.writeUInt8(kinds.indexOf(kind), 1);
  bytes.writeBigUInt64BE(position.checkpoint, 2);
  bytes.writeUInt32BE(position.transaction, 10);
  bytes.writeUInt32BE(position.event, 14);
  return bytes;
}

/** @throws GrpcError INVALID_ARGUMENT for bytes that this network did not make for this listing. */
export function decodeCursor(kind: CursorKind, cursor: Uint8Array, field: string): Position {
  const bytes = Buffer.from(cursor.buffer, cursor.byteOffset, cursor.byteLength);
  if (bytes.length !== cursorBytes || bytes[0] !== formatVersion || kinds[bytes[1]!] !== kind) {
    throw invalidField(field, `the cursor is not one of this network's ${kind} cursors`);
  }
  return {
    checkpoint: bytes.readBigUInt64BE(2),
    transaction: bytes.readUInt32BE(10),
    event: bytes.readUInt32BE(14),
  };
}
