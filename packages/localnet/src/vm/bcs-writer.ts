import { VmError } from './errors.ts';

/** Writes BCS. Throws a `limit` VmError rather than more than `maxBytes` bytes. */
export class BcsWriter {
  readonly #maxBytes: number;
  #bytes = Buffer.allocUnsafe(256);
  #length = 0;

  constructor(maxBytes: number = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  #reserve(count: number): number {
    const start = this.#length;
    this.#length += count;
    if (this.#length > this.#maxBytes) {
      throw new VmError('limit', `a value is larger than ${this.#maxBytes} bytes`);
    }
    if (this.#length > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.#length, this.#bytes.length * 2));
      this.#bytes.copy(grown);
      this.#bytes = grown;
    }
    return start;
  }

  bytes(bytes: Uint8Array): void {
    const start = this.#reserve(bytes.length);
    this.#bytes.set(bytes, start);
  }

  /** Little-endian; at most six bytes of a number, or a multiple of eight of a bigint. */
  integer(value: number | bigint, byteCount: number): void {
    let at = this.#reserve(byteCount);
    if (typeof value === 'number') {
      this.#bytes.writeUIntLE(value, at, byteCount);
      return;
    }
    for (let left = byteCount; left > 0; left -= 8) {
      this.#bytes.writeBigUInt64LE(value & 0xffff_ffff_ffff_ffffn, at);
      value >>= 64n;
      at += 8;
    }
  }

  address(address: string): void {
    const start = this.#reserve(32);
    this.#bytes.write(address.slice(2), start, 32, 'hex');
  }

  /** ULEB128: a length, or the number of a variant. */
  length(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.integer((rest & 0x7f) | 0x80, 1);
      rest >>>= 7;
    }
    this.integer(rest, 1);
  }

  /** A length and as many bytes. */
  block(bytes: Uint8Array): void {
    this.length(bytes.length);
    this.bytes(bytes);
  }

  text(text: string): void {
    this.block(Buffer.from(text));
  }

  /** What an `Option` may hold; `undefined` is none. */
  option<Value>(value: Value | undefined, write: (value: Value) => void): void {
    this.integer(value === undefined ? 0 : 1, 1);
    if (value !== undefined) write(value);
  }

  take(): Uint8Array {
    // Bytes of their own: a slice of a Buffer would be a Buffer on the same memory.
    return new Uint8Array(this.#bytes.subarray(0, this.#length));
  }
}
