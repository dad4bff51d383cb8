import { appendOp, type OpInputs } from '@adaptor-marketplace/adaptor/append-op';
import type { KnownObject } from '@adaptor-marketplace/adaptor/chain/objects';
import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import type { ResolvedOp } from '@adaptor-marketplace/adaptor/transactions/resolve-ops';
import { Transaction } from '@mysten/sui/transactions';
import { buildKind } from '../chain/inputs.ts';
import { refusal } from './refusal.ts';

/** One or more calls that belong together in a transaction. */
export interface Call {
  append(tx: Transaction): void;
  /** What it works on beside the wallet. */
  objects: KnownObject[];
  /** Ids of shared objects that it takes by `&mut` or by value. */
  mutable: string[];
}

/** A call of a manifest's op. */
export function opCall(packageId: string, resolved: ResolvedOp, inputs: OpInputs & { wallet: string }): Call {
  const { op, parameters, objects } = resolved;
  const rest = objects.map(({ objectId }) => objectId);
  const mutable = op.call.args.flatMap(({ role }, place) => {
    const id = role === 'object' ? rest.shift() : role === 'wallet' ? inputs.wallet : undefined;
    return id !== undefined && parameters[place]?.reference !== 'immutable' ? [id] : [];
  });
  const append = (tx: Transaction) => {
    try {
      appendOp(tx, packageId, op, inputs);
    } catch (error) {
      throw refusal('argument_mismatch', messageOf(error).slice(0, 300));
    }
  };
  return { append, objects, mutable };
}

/**
 * The bytes of one transaction's kind, and the functions that each of its steps calls.
 * @throws ProblemError 422 where a value does not fit its argument
 */
export async function assemble(
  wallet: KnownObject,
  steps: readonly (readonly Call[])[],
): Promise<{ kind: Uint8Array; targets: string[][] }> {
  const tx = new Transaction();
  const ends = steps.map((calls) => {
    for (const call of calls) call.append(tx);
    return tx.getData().commands.length;
  });
  const called = tx
    .getData()
    .commands.map(({ MoveCall: call }) =>
      call ? [`${call.package}::${call.module}::${call.function}`] : [],
    );
  const calls = steps.flat();
  const objects = new Map(
    [wallet, ...calls.flatMap((call) => call.objects)].map((object) => [object.objectId, object]),
  );
  const mutable = new Set(calls.flatMap((call) => call.mutable));
  return {
    kind: await buildKind(tx, objects, mutable),
    targets: ends.map((end, place) => called.slice(ends[place - 1] ?? 0, end).flat()),
  };
}
