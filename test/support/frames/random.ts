/** A small seeded generator (mulberry32). The same seed gives the same history in every process. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer in [0, below). */
  integer(below: number): number {
    return Math.floor(this.next() * below);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  hex(bytes: number): string {
    const words = Buffer.allocUnsafe(Math.ceil(bytes / 4) * 4);
    for (let i = 0; i < bytes; i += 4) words.writeUInt32BE(this.integer(2 ** 32), i);
    return words.toString('hex', 0, bytes);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.integer(items.length)]!;
  }
}
