import { LedgerError } from './types.ts';

/**
 * A refusal of a transaction's inputs, in the words of the full node (`UserInputError` of `sui-types`), which
 * clients match on.
 */
export function refusedInput(reason: string, message: string): LedgerError {
  return refused(reason, `Error checking transaction input objects: ${message}`);
}

/** A refusal of something too large or too many. `most`: the chain's bound, by its own words. */
export function sizeExceeded(limit: string, most: number, found: number): LedgerError {
  return refusedInput('SizeLimitExceeded', `Size limit exceeded: ${limit} is ${most}, found ${found}`);
}

/** A refusal of the transaction's form or its signatures (`SuiError`). */
export function refused(reason: string, message: string): LedgerError {
  return new LedgerError('INVALID_ARGUMENT', reason, message);
}

/** What this network does not do, said by name. */
export function unsupported(feature: string): LedgerError {
  return new LedgerError(
    'UNIMPLEMENTED',
    'Unsupported',
    `Feature is not supported: ${feature} on this local network`,
  );
}
