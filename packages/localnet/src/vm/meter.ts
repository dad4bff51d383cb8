import { VmError, verificationError } from './errors.ts';

/** What making a struct, a variant or a vector costs beside its instruction: it bounds the memory in use. */
export const ALLOCATION_UNITS = 8;

/**
 * Abstract work: one unit per instruction, and more where an instruction or a native handles many values or
 * bytes. A transaction that needs more than it was given ends with `gas`.
 */
export class Meter {
  readonly limit: number;
  #left: number;

  constructor(limit: number) {
    this.limit = limit;
    this.#left = limit;
  }

  get used(): number {
    return this.limit - this.#left;
  }

  charge(units: number): void {
    this.#left -= units;
    if (this.#left < 0) {
      this.#left = 0;
      throw new VmError('gas', 'out of gas');
    }
  }
}

/** Some sixty times what the costliest package in `move/` takes. A unit costs up to a hundred bytes meanwhile. */
export const VERIFIER_UNITS = 2_000_000;

/**
 * Bounds the work of verifying one package. A unit is about one comparison or one edge of a borrow graph. The
 * chain bounds it too, in units of its own, and refuses what takes more.
 */
export class VerifierMeter {
  #left: number;

  constructor(limit: number = VERIFIER_UNITS) {
    this.#left = limit;
  }

  get left(): number {
    return this.#left;
  }

  charge(units: number): void {
    this.#left -= units;
    if (this.#left < 0)
      throw verificationError('PROGRAM_TOO_COMPLEX', 'verifying the package takes too much work');
  }
}
