import type { Transaction, TransactionArgument } from '@mysten/sui/transactions';
import type { z } from 'zod';
import type { callArgument } from '../manifest/call-spec.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { pureTypeName } from '../manifest/pure-type.ts';

/** What the caller decides about a call. Amounts are in base units of the coin paid, or received for `minOut`. */
export interface OpInputs {
  /** Id of the wallet. */
  wallet?: string;
  amount?: bigint;
  minOut?: bigint;
  coinIn?: string;
  coinOut?: string;
  /** Of the pure arguments that the manifest leaves open, by their names. */
  values?: Record<string, unknown>;
}

/**
 * Appends the call of a manifest's op, as its call spec says.
 * @throws Error naming the op and the input that it needs and was not given.
 */
export function appendOp(
  tx: Transaction,
  packageId: string,
  op: Manifest['ops'][number],
  inputs: OpInputs,
): void {
  const target = `${packageId}::${op.module}::${op.entry}`;
  const { call } = op;
  if (!call) throw new Error(`${target} cannot be executed: its manifest has no call.`);
  const needed = <T>(value: T | undefined, name: string): T => {
    if (value === undefined) throw new Error(`${target} needs ${name}.`);
    return value;
  };
  tx.moveCall({
    target,
    typeArguments: call.typeArgs.map((type) =>
      type === 'coinIn' || type === 'coinOut' ? needed(inputs[type], type) : type,
    ),
    arguments: call.args.map((argument) => toArgument(tx, argument, inputs, needed)),
  });
}

function toArgument(
  tx: Transaction,
  argument: z.infer<typeof callArgument>,
  inputs: OpInputs,
  needed: <T>(value: T | undefined, name: string) => T,
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
    case 'pure': {
      const name = argument.name ?? argument.type;
      // Null is a value: that of an option without one.
      const value = argument.value === undefined ? inputs.values?.[name] : argument.value;
      const type = needed(pureTypeName(argument.type), `a pure type in the place of ${argument.type}`);
      return tx.pure(type as 'u64', needed(value, name) as string);
    }
  }
}
