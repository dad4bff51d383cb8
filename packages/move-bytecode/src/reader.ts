import { refuse } from './error.ts';

/** Maximum index into a pool, and maximum length of an identifier and of a function's code. */
export const indexMax = 65_535;

/** Reads a part of the bytes of a module from start to end. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get position(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  byte(): number {
    if (this.isAtEnd) throw refuse('MALFORMED', 'unexpected end');
    return this.#bytes[this.#at++]!;
  }

  bytes(length: number): Uint8Array {
    if (length > this.#end - this.#at) throw refuse('MALFORMED', 'unexpected end');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** An unsigned number of `length` bytes, the least significant first. */
  little(length: number): bigint {
    let value = 0n;
    for (const [i, byte] of this.bytes(length).entries()) value |= BigInt(byte) << BigInt(8 * i);
    return value;
  }

  /** A number in ULEB128 of at most 64 bits in its shortest form. @throws BytecodeError if it exceeds `max` */
  uleb(max: number): number {
    let value = 0;
    for (let shift = 0; shift < 64; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        if ((shift > 0 && byte === 0) || (shift === 63 && byte > 1)) throw refuse('MALFORMED', 'bad ULEB128');
        if (value > max) throw refuse('MALFORMED', `a number exceeds ${max}`);
        return value;
      }
    }
    throw refuse('MALFORMED', 'bad ULEB128');
  }

  index(): number {
    return this.uleb(indexMax);
  }

  /** Reads a number of items, then the items. */
  list<T>(max: number, read: () => T): T[] {
    const items: T[] = [];
    for (let left = this.uleb(max); left > 0; left--) items.push(read());
    return items;
  }
}
