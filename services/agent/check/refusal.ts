import { RunFailure } from '../run/failure.ts';

/** The transaction is not the one that was asked for, or cannot be told to be. */
export function refusal(reason: string): RunFailure {
  return new RunFailure(
    'unexpected_transaction',
    `The tool service drafted another transaction than was asked for: ${reason}. Nothing was signed.`,
  );
}
