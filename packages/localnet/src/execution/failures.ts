import { BcsError } from '../vm/bcs-reader.ts';
import { VmError } from '../vm/errors.ts';
import type { ExecutionFailure } from './types.ts';

type Reason = ExecutionFailure['reason'];

/** Ends a transaction with one of the chain's reasons. */
export class CommandFailure extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason.kind);
    this.name = 'CommandFailure';
    this.reason = reason;
  }
}

/** The chain's words for what is wrong with one argument of a command (`CommandArgumentError`). */
export type ArgumentErrorName =
  | 'TypeMismatch'
  | 'InvalidBCSBytes'
  | 'InvalidUsageOfPureArg'
  | 'InvalidArgumentToPrivateEntryFunction'
  | 'IndexOutOfBounds'
  | 'SecondaryIndexOutOfBounds'
  | 'InvalidResultArity'
  | 'InvalidGasCoinUsage'
  | 'ArgumentWithoutValue'
  | 'CannotMoveBorrowedValue'
  | 'InvalidReferenceArgument'
  | 'InvalidTxContext'
  | 'InvalidTransferObject'
  | 'InvalidObjectByValue'
  | 'InvalidObjectByMutRef'
  | 'InvalidMakeMoveVecNonObjectArgument';

export function argumentFailure(argument: number, error: ArgumentErrorName): CommandFailure {
  return new CommandFailure({ kind: 'CommandArgumentError', argument, error });
}

/**
 * What the effects say of anything thrown while a command ran. Errors of the store are thrown on: they say
 * nothing about the transaction.
 */
export function reasonOf(error: unknown): Reason {
  if (error instanceof CommandFailure) return error.reason;
  if (error instanceof BcsError) {
    return { kind: 'VMVerificationOrDeserializationError', message: error.message };
  }
  // Bytecode that the checks let pass and should not have: the chain calls it a broken invariant.
  if (error instanceof TypeError || error instanceof RangeError) {
    return { kind: 'VMInvariantViolation', message: error.message };
  }
  if (!(error instanceof VmError)) throw error;
  const { message, location } = error;
  switch (error.kind) {
    case 'abort':
      if (location !== undefined) return { kind: 'MoveAbort', location, code: error.code };
      return { kind: 'MovePrimitiveRuntimeError', location, message };
    case 'arithmetic':
    case 'vector':
    case 'primitive':
    case 'limit':
      return { kind: 'MovePrimitiveRuntimeError', location, message };
    case 'gas':
      return { kind: 'InsufficientGas' };
    case 'functionNotFound':
      return { kind: 'FunctionNotFound', message };
    case 'suiVerification':
      return { kind: 'SuiMoveVerificationError', message };
    case 'invariant':
      return { kind: 'VMInvariantViolation', message };
    case 'unsupported':
      return { kind: 'Unsupported', message };
    default:
      return { kind: 'VMVerificationOrDeserializationError', message };
  }
}
