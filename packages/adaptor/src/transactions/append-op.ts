import type {
  Transaction,
  TransactionArgument,
  TransactionObjectInput,
  TransactionResult,
} from '@mysten/sui/transactions';
import type { StepArgument } from '../manifest/call-spec.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { listOpSteps } from '../manifest/op.ts';
import { pureTypeName } from '../manifest/pure-type.ts';

/**
 * Inputs of a call that the caller decides. Amounts are in base units: `amount` of the coin paid, `minOut` of the coin
 * received.
 */
export interface OpInputs {
  /** Id of the shared wallet, or the result of `wallet.create` in the same transaction. */
  wallet?: TransactionObjectInput;
  amount?: bigint;
  minOut?: bigint;
  coinIn?: string;
  coinOut?: string;
  /** Values of the pure arguments that the manifest leaves open, by name. */
  values?: Record<string, unknown>;
}

/**
 * Appends the calls of a manifest's op to a transaction.
 * @throws Error that names the op and the missing input
 */
export function appendOp(
  tx: Transaction,
  packageId: string,
  op: Manifest['ops'][number],
  inputs: OpInputs,
): void {
  const own = `${packageId}::${op.module}::${op.entry}`;
  const steps = listOpSteps(op);
  if (steps.length === 0) throw new Error(`${own} cannot be executed: its manifest has no call.`);
  const needed: RequireInput = (value, name) => {
    if (value === undefined) throw new Error(`${own} needs ${name}.`);
    return value;
  };
  const results: TransactionResult[] = [];
  for (const { packageId: called = packageId, module, entry, typeArgs, args } of steps) {
    const result = tx.moveCall({
      target: `${called}::${module}::${entry}`,
      typeArguments: typeArgs.map((type) =>
        type === 'coinIn' || type === 'coinOut' ? needed(inputs[type], type) : type,
      ),
      arguments: args.map((argument) => toArgument(tx, argument, { inputs, results, needed })),
    });
    results.push(result);
  }
}

type RequireInput = <T>(value: T | undefined, name: string) => T;

interface ArgumentSources {
  inputs: OpInputs;
  /** Results of the earlier calls, by position. */
  results: readonly TransactionResult[];
  needed: RequireInput;
}

function toArgument(
  tx: Transaction,
  argument: StepArgument,
  { inputs, results, needed }: ArgumentSources,
): TransactionArgument {
  switch (argument.role) {
    case 'wallet':
      return tx.object(needed(inputs.wallet, 'wallet'));
    case 'amount':
    case 'minOut':
      return tx.pure.u64(needed(inputs[argument.role], argument.role));
    case 'clock':
      return tx.object.clock();
    case 'object':
      return tx.object(argument.objectId);
    case 'result': {
      const { call, index = 0 } = argument;
      return needed(results[call]?.[index], `result ${index} of call ${call}`);
    }
    case 'pure': {
      const name = argument.name ?? argument.type;
      const { values = {} } = inputs;
      const given = Object.hasOwn(values, name) ? values[name] : undefined;
      // Null is a value: an option without content.
      const value = argument.value === undefined ? given : argument.value;
      const type = needed(pureTypeName(argument.type), `a pure type in the place of ${argument.type}`);
      return tx.pure(type as 'u64', needed(value, name) as string);
    }
  }
}
