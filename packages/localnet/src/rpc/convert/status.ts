import { GrpcTypes } from '@mysten/sui/grpc';
import { toBase58 } from '@mysten/sui/utils';
import type { TransactionEffectsV2 } from '../../ledger/types.ts';
import type { LoadedModule } from '../../vm/loader/module.ts';
import { cleverError } from './clever-error.ts';

const {
  ExecutionError_ExecutionErrorKind: ErrorKind,
  CommandArgumentError_CommandArgumentErrorKind: ArgumentErrorKind,
  TypeArgumentError_TypeArgumentErrorKind: TypeErrorKind,
  PackageUpgradeError_PackageUpgradeErrorKind: UpgradeErrorKind,
} = GrpcTypes;

type Failure = NonNullable<TransactionEffectsV2['status']['Failure']>;
type ErrorDetails = GrpcTypes.ExecutionError['errorDetails'];

/** BCS variants whose message kinds are not their own names in capitals. */
const renamed: Record<string, string | undefined> = {
  MoveObjectTooBig: 'OBJECT_TOO_BIG',
  MovePackageTooBig: 'PACKAGE_TOO_BIG',
  SharedObjectOperationNotAllowed: 'CONSENSUS_OBJECT_OPERATION_NOT_ALLOWED',
  ExecutionCancelledDueToSharedObjectCongestion: 'EXECUTION_CANCELED_DUE_TO_CONSENSUS_OBJECT_CONGESTION',
  ExecutionCancelledDueToRandomnessUnavailable: 'EXECUTION_CANCELED_DUE_TO_RANDOMNESS_UNAVAILABLE',
  InsufficientBalanceForWithdraw: 'INSUFFICIENT_FUNDS_FOR_WITHDRAW',
  InvalidUsageOfPureArg: 'INVALID_USAGE_OF_PURE_ARGUMENT',
};

/** A module by the storage id of its package. */
export type FindModule = (packageId: string, module: string) => LoadedModule | undefined;

/**
 * How a transaction ended. `description` says why in words; the effects hold the machine-readable reason, which
 * `findModule` makes readable.
 */
export function statusMessage(
  status: TransactionEffectsV2['status'],
  description: string | undefined,
  findModule: FindModule,
): GrpcTypes.ExecutionStatus {
  if (!status.Failure) return { success: true };
  const { error, command } = status.Failure;
  const message: GrpcTypes.ExecutionError = {
    description: description ?? error.$kind,
    kind: kindOf(ErrorKind, error.$kind),
    errorDetails: detailsOf(error, findModule),
  };
  if (command !== null) message.command = BigInt(command);
  return { success: false, error: message };
}

function detailsOf(error: Failure['error'], findModule: FindModule): ErrorDetails {
  if (error.MoveAbort) {
    const [location, code] = error.MoveAbort;
    const abort: GrpcTypes.MoveAbort = { abortCode: BigInt(code), location: locationMessage(location) };
    const module = findModule(location.module.address, location.module.name);
    const clever = module && cleverError(BigInt(code), module.json);
    if (clever) abort.cleverError = clever;
    return { oneofKind: 'abort', abort };
  }
  if (error.MovePrimitiveRuntimeError) {
    return { oneofKind: 'abort', abort: { location: locationMessage(error.MovePrimitiveRuntimeError) } };
  }
  if (error.CommandArgumentError) {
    const { argIdx, kind } = error.CommandArgumentError;
    const commandArgumentError: GrpcTypes.CommandArgumentError = {
      argument: argIdx,
      kind: kindOf(ArgumentErrorKind, kind.$kind),
    };
    const index = kind.IndexOutOfBounds?.idx ?? kind.InvalidResultArity?.resultIdx;
    const { SecondaryIndexOutOfBounds: secondary } = kind;
    if (index !== undefined) commandArgumentError.indexError = { index };
    if (secondary) {
      commandArgumentError.indexError = { index: secondary.resultIdx, subresult: secondary.secondaryIdx };
    }
    return { oneofKind: 'commandArgumentError', commandArgumentError };
  }
  if (error.TypeArgumentError) {
    const { argumentIdx, kind } = error.TypeArgumentError;
    return {
      oneofKind: 'typeArgumentError',
      typeArgumentError: { typeArgument: argumentIdx, kind: kindOf(TypeErrorKind, kind.$kind) },
    };
  }
  if (error.PackageUpgradeError) {
    const { upgradeError } = error.PackageUpgradeError;
    return { oneofKind: 'packageUpgradeError', packageUpgradeError: upgradeErrorMessage(upgradeError) };
  }
  if (error.UnusedValueWithoutDrop) {
    const { resultIdx, secondaryIdx } = error.UnusedValueWithoutDrop;
    return { oneofKind: 'indexError', indexError: { index: resultIdx, subresult: secondaryIdx } };
  }
  if (error.InvalidPublicFunctionReturnType) {
    return { oneofKind: 'indexError', indexError: { index: error.InvalidPublicFunctionReturnType.idx } };
  }
  return { oneofKind: undefined };
}

type UpgradeFailure = NonNullable<Failure['error']['PackageUpgradeError']>['upgradeError'];

function upgradeErrorMessage(error: UpgradeFailure): GrpcTypes.PackageUpgradeError {
  const { DigestDoesNotMatch: digest, UnknownUpgradePolicy: policy, PackageIDDoesNotMatch: ids } = error;
  const package_ = ids?.packageId ?? error.UnableToFetchPackage?.packageId ?? error.NotAPackage?.objectId;
  return {
    kind: kindOf(UpgradeErrorKind, error.$kind),
    ...(package_ && { packageId: package_ }),
    ...(ids && { ticketId: ids.ticketId }),
    ...(digest && { digest: toBase58(Uint8Array.from(digest.digest)) }),
    ...(policy && policy),
  };
}

interface BcsLocation {
  module: { address: string; name: string };
  function: number;
  instruction: number;
  functionName: string | null;
}

function locationMessage(location: BcsLocation): GrpcTypes.MoveLocation {
  const message: GrpcTypes.MoveLocation = {
    package: location.module.address,
    module: location.module.name,
    function: location.function,
    instruction: location.instruction,
  };
  if (location.functionName !== null) message.functionName = location.functionName;
  return message;
}

/** The enum member that a BCS variant stands for; 0, "unknown", when there is none. */
function kindOf(members: Record<string, string | number>, variant: string): number {
  const name = renamed[variant] ?? variant.replace(/([a-z])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3_$2$4');
  const member = members[name.toUpperCase()];
  return typeof member === 'number' ? member : 0;
}
