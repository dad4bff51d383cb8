/** The 32 bytes of a canonical id or address. */
export function idBytes(id: string): Uint8Array {
  return Buffer.from(id.slice(2), 'hex');
}

/** The canonical id of 32 stored bytes. */
export function idOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/** u64 as eight big-endian bytes that sort opposite to the number. */
export function invertedU64(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(0xffff_ffff_ffff_ffffn - value);
  return bytes;
}

/** Column readers: SQLite rows are untyped, and a wrong type here means a damaged file. */
export type Row = Record<string, unknown>;

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw mismatch(column, value);
  return value;
}

export function integer(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw mismatch(column, value);
  return value;
}

export function blob(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw mismatch(column, value);
  return value;
}

export function optional<Value>(
  read: (row: Row, column: string) => Value,
  row: Row,
  column: string,
): Value | undefined {
  return row[column] === null ? undefined : read(row, column);
}

function mismatch(column: string, value: unknown): Error {
  return new Error(`the state file holds ${value === null ? 'nothing' : typeof value} in ${column}`);
}
