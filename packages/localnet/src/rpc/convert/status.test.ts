import { bcs } from '@mysten/sui/bcs';
import { GrpcTypes } from '@mysten/sui/grpc';
import { expect, test } from 'vitest';
import type { TransactionEffectsV2 } from '../../ledger/types.ts';
import { statusMessage } from './status.ts';

const {
  ExecutionError_ExecutionErrorKind: ErrorKind,
  CommandArgumentError_CommandArgumentErrorKind: ArgumentErrorKind,
} = GrpcTypes;

type Failure = NonNullable<TransactionEffectsV2['status']['Failure']>;
/** A failure as effects hold it, with every variant that it does not have absent. */
const failure = (error: object, command: string | null = '2') =>
  statusMessage({ $kind: 'Failure', Failure: { error, command } as Failure }, 'in words', () => undefined)
    .error!;

test('every failure that the chain knows has its own kind', () => {
  const { ExecutionFailureStatus } = failureVariants();
  const unknown = ExecutionFailureStatus.filter((name) => failure({ $kind: name }).kind === 0);
  expect(unknown).toEqual([]);
});

test('an abort keeps its code and its place', () => {
  const location = { module: { address: '0x5', name: 'm' }, function: 3, instruction: 9, functionName: 'f' };
  const error = failure({ $kind: 'MoveAbort', MoveAbort: [location, '77'] });
  expect(error).toMatchObject({ kind: ErrorKind.MOVE_ABORT, command: 2n, description: 'in words' });
  expect(error.errorDetails).toEqual({
    oneofKind: 'abort',
    abort: {
      abortCode: 77n,
      location: { package: '0x5', module: 'm', function: 3, instruction: 9, functionName: 'f' },
    },
  });
});

test('a refused upgrade is named with what it names', () => {
  const detailsOf = (upgradeError: object) =>
    failure({ $kind: 'PackageUpgradeError', PackageUpgradeError: { upgradeError } }).errorDetails;
  const { PackageUpgradeError_PackageUpgradeErrorKind: Kind } = GrpcTypes;
  expect(
    [
      { $kind: 'IncompatibleUpgrade', IncompatibleUpgrade: true },
      { $kind: 'DigestDoesNotMatch', DigestDoesNotMatch: { digest: new Array(32).fill(0) } },
      { $kind: 'UnknownUpgradePolicy', UnknownUpgradePolicy: { policy: 255 } },
      { $kind: 'PackageIDDoesNotMatch', PackageIDDoesNotMatch: { packageId: '0x2', ticketId: '0x3' } },
    ].map(detailsOf),
  ).toEqual(
    [
      { kind: Kind.INCOMPATIBLE_UPGRADE },
      { kind: Kind.DIGEST_DOES_NOT_MATCH, digest: '1'.repeat(32) },
      { kind: Kind.UNKNOWN_UPGRADE_POLICY, policy: 255 },
      { kind: Kind.PACKAGE_ID_DOES_NOT_MATCH, packageId: '0x2', ticketId: '0x3' },
    ].map((packageUpgradeError) => ({ oneofKind: 'packageUpgradeError', packageUpgradeError })),
  );
});

test('a wrong argument is named with what is wrong with it', () => {
  const kind = {
    $kind: 'SecondaryIndexOutOfBounds',
    SecondaryIndexOutOfBounds: { resultIdx: 1, secondaryIdx: 4 },
  };
  const error = failure({ $kind: 'CommandArgumentError', CommandArgumentError: { argIdx: 2, kind } });
  expect(error.errorDetails).toEqual({
    oneofKind: 'commandArgumentError',
    commandArgumentError: {
      argument: 2,
      kind: ArgumentErrorKind.SECONDARY_INDEX_OUT_OF_BOUNDS,
      indexError: { index: 1, subresult: 4 },
    },
  });
});

test('success has no further details', () => {
  expect(statusMessage({ $kind: 'Success', Success: true }, undefined, () => undefined)).toEqual({
    success: true,
  });
});

/** Names of the BCS variants, read off the codec by parsing each index until there is none. */
function failureVariants() {
  const names: string[] = [];
  const padding = new Uint8Array(200);
  for (let index = 0; index < 60; index++) {
    // V2, Failure, the variant: the rest reads as zeros.
    try {
      const { V2 } = bcs.TransactionEffects.parse(Uint8Array.of(1, 1, index, ...padding));
      names.push(V2!.status.Failure!.error.$kind);
    } catch (error) {
      if (/Unknown value|Invalid|enum/i.test(String(error))) break;
      throw error;
    }
  }
  return { ExecutionFailureStatus: names };
}
