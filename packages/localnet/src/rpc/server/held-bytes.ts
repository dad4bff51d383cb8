import { GrpcError, GrpcStatusCode } from './status.ts';

/** Counts what calls hold in memory all together, so that no number of slow peers fills it. */
export class HeldBytes {
  readonly #max: number;
  readonly #what: string;
  #held = 0;

  /** @param what What is held, for the refusal. */
  constructor(max: number, what: string) {
    this.#max = max;
    this.#what = what;
  }

  /** Why no more may be held; undefined while it may. */
  get refusal(): GrpcError | undefined {
    if (this.#held < this.#max) return undefined;
    const message = `${this.#what} hold ${this.#max} bytes: try again later`;
    return new GrpcError(GrpcStatusCode.RESOURCE_EXHAUSTED, message);
  }

  add(bytes: number): void {
    this.#held += bytes;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }
}
