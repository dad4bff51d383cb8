/** Bounds of an explained transaction. Bytes, inputs and commands are the chain's own. */
export const explainBounds = {
  bytes: 128 * 1024,
  /** Characters of the JSON form, which is larger than the bytes. */
  jsonCharacters: 512 * 1024,
  inputs: 2_048,
  commands: 1_024,
  /** Coins that pay for gas. */
  gasCoins: 256,
  /** Different functions that are called. Each needs a certificate. */
  functions: 64,
  /** Different packages that are called. */
  packages: 16,
  /** Characters of the type arguments of a call, and of the type of a vector or of a withdrawal. */
  typeCharacters: 2_048,
  /** Steps of the analysis: claims of the calls, and the money that each moves. */
  steps: 100_000,
} as const;

/** The transaction cannot be explained: it is not valid, or it exceeds a bound. The message says what to do. */
export class ExplainError extends Error {
  readonly code: 'transaction_invalid' | 'transaction_too_large';

  constructor(code: ExplainError['code'], message: string) {
    super(message);
    this.name = 'ExplainError';
    this.code = code;
  }
}
