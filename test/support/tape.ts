import fc from 'fast-check';

/** Decisions of a generator, which a shorter or smaller list of numbers makes simpler. */
export class Tape {
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  /** Returns a whole number below `end`. At the end of the tape it is 0. */
  next(end: number): number {
    const number = this.#numbers[this.#at] ?? 0;
    this.#at += 1;
    return number % end;
  }

  /** Chooses one item; the first one at the end of the tape. There must be one. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.next(items.length)]!;
  }

  /** `true` once in `times`; `false` at the end of the tape. */
  once(times: number): boolean {
    return this.next(times) === times - 1;
  }

  /** Makes up to `max` items; at the end of the tape none. */
  repeat<Item>(max: number, make: () => Item): Item[] {
    return Array.from({ length: this.next(max + 1) }, make);
  }
}

export const tape: fc.Arbitrary<Tape> = fc
  .array(fc.nat(65_535), { minLength: 1, maxLength: 150, size: 'max' })
  .map((numbers) => new Tape(numbers));
