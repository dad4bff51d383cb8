import { executeTransaction } from '../execution/execute.ts';
import type { ExecutionArgument, ExecutionInput, ObjectWrite } from '../execution/types.ts';
import { SUI } from '../vm/framework.ts';
import { PackageCache } from '../vm/loader/package.ts';
import { systemAddress } from './move-types.ts';
import { onlyEpoch } from './protocol.ts';

interface SystemCalls {
  transactionDigest: string;
  /** Functions of the framework at 0x2; each takes all inputs. */
  calls: { module: string; function: string }[];
  inputs: ExecutionArgument[];
  readObject: ExecutionInput['readObject'];
}

type Written = Extract<ObjectWrite, { contents: Uint8Array }>;

/**
 * Runs private functions of the framework as the system does, from 0x0 and without gas; returns what they wrote.
 *
 * @throws Error when one fails.
 */
export function callAsSystem({ transactionDigest, calls, inputs, readObject }: SystemCalls): Written[] {
  const { failure, writes } = executeTransaction(
    {
      ...{ transactionDigest, inputs, readObject },
      sender: systemAddress,
      sponsor: undefined,
      epoch: onlyEpoch,
      epochTimestampMs: 0n,
      referenceGasPrice: 1n,
      gasPrice: 1n,
      gasBudget: 0n,
      commands: calls.map((call) => ({
        $kind: 'MoveCall',
        MoveCall: {
          ...{ package: SUI, ...call, typeArguments: [] },
          arguments: inputs.map((_, index) => ({ $kind: 'Input', Input: index })),
        },
      })),
      gasCoin: undefined,
      unchecked: true,
      maxComputationUnits: maxUnits,
      maxOutputBytes: 0,
    },
    new PackageCache(),
  );
  if (failure) throw new Error(`the system's call failed: ${JSON.stringify(failure.reason, bigintAsText)}`);
  return writes.filter((write) => 'contents' in write);
}

const maxUnits = 1_000_000n;

function bigintAsText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
