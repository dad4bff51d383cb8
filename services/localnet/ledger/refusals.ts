import { LedgerError, type LedgerErrorCode } from './types.ts';

/**
 * A refusal of a transaction's inputs, in the words of the full node (`UserInputError` of `sui-types`), which
 * clients match on.
 */
export function refusedInput(
  reason: string,
  message: string,
  code: LedgerErrorCode = 'INVALID_ARGUMENT',
): LedgerError {
  return new LedgerError(code, reason, `Error checking transaction input objects: ${message}`);
}

/** A refusal of the transaction's form. */
export function refusedForm(reason: string, message: string): LedgerError {
  return new LedgerError('INVALID_ARGUMENT', reason, message);
}

export function refusedSignature(reason: string, message: string): LedgerError {
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
