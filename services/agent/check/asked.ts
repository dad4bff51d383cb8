import type { ActionStep } from '../../../lib/actions/request.ts';

/** The least that must come back of what a step asks for; 1 where it names none. */
export function askedLeast(step: ActionStep): bigint {
  if (step.action === 'stablecoinBorrow') return BigInt(step.borrowAmount);
  if (step.action === 'stablecoinRepay') return BigInt(step.collateralAmount ?? '1');
  if (step.action === 'vaultDeposit') return BigInt(step.minSharesOut ?? '1');
  return BigInt('minOut' in step ? (step.minOut ?? '1') : '1');
}

const unlimited = 2n ** 64n - 1n;

/** Every value that a step names, and what stands for the ones it leaves out: none, no bound, no. */
export function askedValues(step: ActionStep): unknown[] {
  const { action: _, ...fields } = step;
  const values: unknown[] = Object.values(fields).filter((value) => value !== undefined);
  if (step.action === 'perpOrder') {
    values.push(step.side === 'long', step.reduceOnly ?? false);
    if (step.limitPrice === undefined) values.push(step.side === 'long' ? unlimited : 0n, null);
  }
  if (step.action === 'clmmLiquidity' && 'amountA' in step) values.push(...(step.amountA ? [] : [0n, 1n]));
  return values;
}
