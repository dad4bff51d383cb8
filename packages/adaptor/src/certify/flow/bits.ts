/** A set of whole numbers below a size. */
export class Bits {
  readonly #words: Uint32Array;

  constructor(size: number) {
    this.#words = new Uint32Array((size + 31) >>> 5);
  }

  add(at: number): void {
    this.#words[at >>> 5]! |= 1 << (at & 31);
  }

  has(at: number): boolean {
    return (this.#words[at >>> 5]! & (1 << (at & 31))) !== 0;
  }

  /** @param other a set whose size is not larger */
  addAll(other: Bits): void {
    for (const [i, word] of other.#words.entries()) this.#words[i]! |= word;
  }

  /** The numbers in ascending order. */
  list(): number[] {
    const found: number[] = [];
    for (const [i, word] of this.#words.entries()) {
      for (let rest = word, at = 0; rest !== 0; rest >>>= 1, at++) if (rest & 1) found.push(i * 32 + at);
    }
    return found;
  }
}
