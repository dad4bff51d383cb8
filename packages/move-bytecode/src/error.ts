/** Bytes that are not a Move module. */
export class BytecodeError extends Error {
  /** The Move VM's `StatusCode`, such as `BAD_MAGIC` or `INDEX_OUT_OF_BOUNDS`. */
  readonly status: string;

  constructor(status: string, message: string) {
    super(message);
    this.name = 'BytecodeError';
    this.status = status;
  }
}

/** Creates the error of bytes that a parser refuses. */
export const refuse = (status: string, reason: string): BytecodeError =>
  new BytecodeError(status, `the bytes are not a Move module: ${status}: ${reason}`);
