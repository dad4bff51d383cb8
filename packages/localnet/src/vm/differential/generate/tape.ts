/** Decisions for a generator, from a list of numbers; when they run out, every decision is the first option. */
export class Tape {
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  get isEmpty(): boolean {
    return this.#at >= this.#numbers.length;
  }

  /** A number from 0 to `count - 1`. */
  below(count: number): number {
    const number = this.#numbers[this.#at] ?? 0;
    this.#at += 1;
    return number % count;
  }

  pick<T>(options: readonly [T, ...T[]] | readonly T[]): T {
    return options[this.below(options.length)]!;
  }
}
