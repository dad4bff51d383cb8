import { executeTransaction } from '../execution/execute.ts';
import type { Command, ExecutionArgument, ExecutionInput, ObjectWrite } from '../execution/types.ts';
import { SUI } from '../vm/framework.ts';
import { PackageCache } from '../vm/loader/package.ts';
import { systemAddress } from './move-types.ts';
import { onlyEpoch } from './protocol.ts';

interface SystemCalls {
  transactionDigest: string;
  /** Of functions of the framework; see `frameworkCall`. */
  commands: Command[];
  inputs: ExecutionArgument[];
  readObject: ExecutionInput['readObject'];
}

/** A call of a function of the framework with inputs, by their numbers; of `sui` unless another package is given. */
export function frameworkCall(
  [module, name, packageId = SUI]: readonly [module: string, name: string, packageId?: string],
  inputs: readonly number[] = [],
  typeArguments: string[] = [],
): Command {
  return {
    $kind: 'MoveCall',
    MoveCall: {
      package: packageId,
      module,
      function: name,
      typeArguments,
      arguments: inputs.map((input) => ({ $kind: 'Input', Input: input })),
    },
  };
}

/**
 * Runs private functions of the framework as the system does, from 0x0 and without gas; returns what they wrote.
 *
 * @param packages remembers the framework between calls
 * @throws Error when one fails.
 */
export function callAsSystem(
  { transactionDigest, commands, inputs, readObject }: SystemCalls,
  packages = new PackageCache(),
): ObjectWrite[] {
  const { failure, writes } = executeTransaction(
    {
      transactionDigest,
      commands,
      inputs,
      readObject,
      sender: systemAddress,
      sponsor: undefined,
      epoch: onlyEpoch,
      epochTimestampMs: 0n,
      referenceGasPrice: 1n,
      gasPrice: 1n,
      gasBudget: 0n,
      gasCoin: undefined,
      unchecked: true,
      maxComputationUnits: maxUnits,
      maxOutputBytes: 0,
    },
    packages,
  );
  if (failure) throw new Error(`the system's call failed: ${JSON.stringify(failure.reason, bigintAsText)}`);
  return writes;
}

const maxUnits = 1_000_000n;

function bigintAsText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
