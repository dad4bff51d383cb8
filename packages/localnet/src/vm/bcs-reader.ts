/** BCS bytes that are not a value of the wanted type. */
export class BcsError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BcsError';
  }
}

/**
 * Reads BCS from its beginning to its end and never past it: unlike the SDK's reader, which takes byte strings
 * from the buffer behind a view. Everything throws BcsError where the bytes end too early.
 */
export class BcsReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  #advance(count: number): number {
    if (count > this.left) throw new BcsError('the bytes end too early');
    const start = this.#at;
    this.#at += count;
    return start;
  }

  skip(count: number): void {
    this.#advance(count);
  }

  bytes(count: number): Uint8Array {
    const start = this.#advance(count);
    // Of their own: a slice of a Buffer would be a Buffer on the same memory.
    return new Uint8Array(this.#bytes.subarray(start, start + count));
  }

  /** A length and as many bytes of UTF-8. */
  text(): string {
    const count = this.length();
    const start = this.#advance(count);
    return this.#bytes.toString('utf8', start, start + count);
  }

  small(byteCount: number): number {
    return this.#bytes.readUIntLE(this.#advance(byteCount), byteCount);
  }

  big(byteCount: number): bigint {
    const start = this.#advance(byteCount);
    let value = 0n;
    for (let offset = byteCount - 8; offset >= 0; offset -= 8) {
      value = (value << 64n) | this.#bytes.readBigUInt64LE(start + offset);
    }
    return value;
  }

  address(): string {
    const start = this.#advance(32);
    return `0x${this.#bytes.toString('hex', start, start + 32)}`;
  }

  /** ULEB128, canonical, below 2^31 (the most that BCS allows as a length). */
  length(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.small(1);
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        if (byte === 0 && shift > 0) throw new BcsError('a length is not written in its shortest form');
        if (value >= 2 ** 31) break;
        return value;
      }
    }
    throw new BcsError('a length is too large');
  }
}
