import { bcs } from '@mysten/sui/bcs';
import {
  type Argument,
  argumentsOf,
  type Command,
  type ExecutionFailure,
  type MoveLocation,
  type UpgradeError,
} from '../execution/types.ts';
import { zeroDigest } from './digests.ts';

type EffectsInput = Parameters<typeof bcs.TransactionEffects.serialize>[0];
type StatusInput = NonNullable<Extract<EffectsInput, { V2: unknown }>['V2']>['status'];
type FailureInput = Extract<StatusInput, { Failure: unknown }>['Failure']['error'];
type ArgumentErrorInput = Extract<
  FailureInput,
  { CommandArgumentError: unknown }
>['CommandArgumentError']['kind'];

/** Errors of one argument that have no fields. */
const argumentErrors: Record<string, ArgumentErrorInput> = {
  TypeMismatch: { TypeMismatch: true },
  InvalidBCSBytes: { InvalidBCSBytes: true },
  InvalidUsageOfPureArg: { InvalidUsageOfPureArg: true },
  InvalidArgumentToPrivateEntryFunction: { InvalidArgumentToPrivateEntryFunction: true },
  InvalidGasCoinUsage: { InvalidGasCoinUsage: true },
  InvalidObjectByValue: { InvalidObjectByValue: true },
  InvalidObjectByMutRef: { InvalidObjectByMutRef: true },
  SharedObjectOperationNotAllowed: { SharedObjectOperationNotAllowed: true },
  InvalidArgumentArity: { InvalidArgumentArity: true },
  InvalidTransferObject: { InvalidTransferObject: true },
  InvalidMakeMoveVecNonObjectArgument: { InvalidMakeMoveVecNonObjectArgument: true },
  ArgumentWithoutValue: { ArgumentWithoutValue: true },
  CannotMoveBorrowedValue: { CannotMoveBorrowedValue: true },
  CannotWriteToExtendedReference: { CannotWriteToExtendedReference: true },
  InvalidReferenceArgument: { InvalidReferenceArgument: true },
  InvalidTxContext: { InvalidTxContext: true },
};

/** BCS of the status as the effects hold it. `commands`: the transaction's. */
export function encodeStatus(
  failure: ExecutionFailure | undefined,
  commands: readonly Command[],
): Uint8Array {
  if (failure === undefined) return success;
  const command = commands[failure.command ?? -1];
  const error = failureStatus(failure.reason, command);
  // The SDK has no codec of the status alone: it is cut out of effects that are empty but for it.
  const effects = emptyEffects({ Failure: { error, command: failure.command ?? null } });
  return effects.subarray(1, effects.length - (emptyEffects({ Success: true }).length - 1 - success.length));
}

const success = Uint8Array.of(0);

function emptyEffects(status: StatusInput): Uint8Array {
  return bcs.TransactionEffects.serialize({
    V2: {
      status,
      executedEpoch: 0,
      gasUsed: { computationCost: 0, storageCost: 0, storageRebate: 0, nonRefundableStorageFee: 0 },
      transactionDigest: zeroDigest,
      gasObjectIndex: null,
      eventsDigest: null,
      dependencies: [],
      lamportVersion: 0,
      changedObjects: [],
      unchangedConsensusObjects: [],
      auxDataDigest: null,
    },
  }).toBytes();
}

function failureStatus(reason: ExecutionFailure['reason'], command: Command | undefined): FailureInput {
  switch (reason.kind) {
    case 'MoveAbort':
      return { MoveAbort: [location(reason.location), reason.code] };
    case 'MovePrimitiveRuntimeError':
      return { MovePrimitiveRuntimeError: reason.location ? location(reason.location) : null };
    case 'InsufficientGas':
      return { InsufficientGas: true };
    case 'FunctionNotFound':
      return { FunctionNotFound: true };
    case 'CommandArgumentError': {
      const argument = command && argumentsOf(command)[reason.argument];
      const kind = argumentErrors[reason.error] ?? indexError(reason.error, argument);
      return { CommandArgumentError: { argIdx: reason.argument, kind } };
    }
    case 'TypeArgumentError': {
      const kind =
        reason.error === 'ConstraintNotSatisfied' ? { ConstraintNotSatisfied: true } : { TypeNotFound: true };
      return { TypeArgumentError: { argumentIdx: reason.argument, kind } };
    }
    case 'VMVerificationOrDeserializationError':
      return { VMVerificationOrDeserializationError: true };
    case 'VMInvariantViolation':
      return { VMInvariantViolation: true };
    case 'SuiMoveVerificationError':
      return { SuiMoveVerificationError: true };
    case 'PublishErrorNonZeroAddress':
      return { PublishErrorNonZeroAddress: true };
    case 'PublishUpgradeMissingDependency':
      return { PublishUpgradeMissingDependency: true };
    case 'PublishUpgradeDependencyDowngrade':
      return { PublishUpgradeDependencyDowngrade: true };
    case 'CoinBalanceOverflow':
      return { CoinBalanceOverflow: true };
    case 'SharedObjectOperationNotAllowed':
      return { SharedObjectOperationNotAllowed: true };
    case 'MoveObjectTooBig':
      return { MoveObjectTooBig: { objectSize: reason.size, maxObjectSize: reason.maxSize } };
    case 'MovePackageTooBig':
      return { MovePackageTooBig: { objectSize: reason.size, maxObjectSize: reason.maxSize } };
    case 'WrittenObjectsTooLarge':
      return { WrittenObjectsTooLarge: { currentSize: reason.size, maxSize: reason.maxSize } };
    case 'EffectsTooLarge':
      return { EffectsTooLarge: { currentSize: reason.size, maxSize: reason.maxSize } };
    case 'PackageUpgradeError':
      return { PackageUpgradeError: { upgradeError: upgradeError(reason.error) } };
    case 'UnusedValueWithoutDrop':
      return { UnusedValueWithoutDrop: { resultIdx: reason.result, secondaryIdx: reason.secondary } };
    case 'InvalidPublicFunctionReturnType':
      return { InvalidPublicFunctionReturnType: { idx: reason.index } };
    case 'NonEntryFunctionInvoked':
      return { NonEntryFunctionInvoked: true };
    case 'InsufficientCoinBalance':
      return { InsufficientCoinBalance: true };
    case 'ArityMismatch':
      return { ArityMismatch: true };
    case 'InvalidLinkage':
      return { InvalidLinkage: true };
    case 'Unsupported':
      return { FeatureNotYetSupported: true };
  }
}

function upgradeError(error: UpgradeError) {
  switch (error.kind) {
    case 'IncompatibleUpgrade':
      return { IncompatibleUpgrade: true as const };
    case 'DigestDoesNotMatch':
      return { DigestDoesNotMatch: { digest: error.digest } };
    case 'UnknownUpgradePolicy':
      return { UnknownUpgradePolicy: { policy: error.policy } };
    case 'PackageIDDoesNotMatch':
      return { PackageIDDoesNotMatch: { packageId: error.packageId, ticketId: error.ticketId } };
  }
}

/** Errors that repeat the indices which the argument named; any other name is a type mismatch. */
function indexError(error: string, argument: Argument | undefined): ArgumentErrorInput {
  const [first, second] = indicesOf(argument);
  switch (error) {
    case 'IndexOutOfBounds':
      return { IndexOutOfBounds: { idx: first } };
    case 'SecondaryIndexOutOfBounds':
      return { SecondaryIndexOutOfBounds: { resultIdx: first, secondaryIdx: second } };
    case 'InvalidResultArity':
      return { InvalidResultArity: { resultIdx: first } };
    default:
      return { TypeMismatch: true };
  }
}

function indicesOf(argument: Argument | undefined): [number, number] {
  switch (argument?.$kind) {
    case 'Input':
      return [argument.Input, 0];
    case 'Result':
      return [argument.Result, 0];
    case 'NestedResult':
      return argument.NestedResult;
    default:
      return [0, 0];
  }
}

function location(place: MoveLocation) {
  return {
    module: { address: place.packageId, name: place.module },
    function: place.functionIndex,
    instruction: place.instruction,
    functionName: place.functionName ?? null,
  };
}

/** The failure in words, as the full node describes errors. */
export function describeFailure(failure: ExecutionFailure): string {
  const { reason, command } = failure;
  const where = command === undefined ? '' : ` in command ${command}`;
  switch (reason.kind) {
    case 'MoveAbort': {
      const { packageId, module, functionName, functionIndex, instruction } = reason.location;
      const place = `${packageId}::${module}::${functionName ?? functionIndex}`;
      return `MoveAbort${where}: abort code ${reason.code}, in ${place} (instruction ${instruction})`;
    }
    case 'CommandArgumentError':
    case 'TypeArgumentError':
      return `${reason.kind}${where}: argument ${reason.argument}: ${reason.error}`;
    case 'MoveObjectTooBig':
    case 'MovePackageTooBig':
    case 'WrittenObjectsTooLarge':
    case 'EffectsTooLarge':
      return `${reason.kind}${where}: ${reason.size} bytes, at most ${reason.maxSize}`;
    case 'UnusedValueWithoutDrop':
      return `${reason.kind}${where}: result ${reason.result}, value ${reason.secondary}`;
    default:
      return 'message' in reason ? `${reason.kind}${where}: ${reason.message}` : `${reason.kind}${where}`;
  }
}
