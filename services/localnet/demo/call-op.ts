import type { Transaction } from '@mysten/sui/transactions';
import { appendOp, type OpInputs } from '../../../lib/adaptor/append-op.ts';
import type { Listed } from './deploy-adaptors.ts';

/** Appends the call of an adaptor's op as its manifest says. */
export function callOp(
  tx: Transaction,
  { manifest, packageId }: Listed,
  entry: string,
  inputs: OpInputs,
): void {
  const op = manifest.ops.find((one) => one.entry === entry);
  if (!op) throw new Error(`${manifest.name} has no op ${entry}`);
  appendOp(tx, packageId, op, inputs);
}
