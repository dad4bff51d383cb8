import { normalizeStructTag } from '@mysten/sui/utils';
import type { ActionRequest, ActionStep } from '../../../lib/actions/request.ts';

const sui = normalizeStructTag('0x2::sui::SUI');

/** What a step may take out of the wallet, and what it must bring. Amounts in base units. */
export interface Flow {
  /** At most; `coinType` undefined where the request does not name the coin. */
  pays: { coinType?: string; amount: bigint }[];
  /** At least. */
  gets: { coinType: string; amount: bigint }[];
}

/** The steps of a request: those of a `compose`, or itself. */
export function stepsOf(request: ActionRequest): readonly ActionStep[] {
  return request.action === 'compose' ? request.steps : [request];
}

/** What one step moves, by the request's own words. */
export function flowOf(step: ActionStep): Flow {
  switch (step.action) {
    case 'spend':
    case 'currentSupply':
    case 'vaultDeposit':
    case 'lendingADeposit':
    case 'lendingBDeposit':
    case 'lendingCDeposit':
      return { pays: [{ coinType: step.coinType, amount: BigInt(step.amount) }], gets: [] };
    case 'swap':
      return {
        pays: [{ coinType: step.coinIn, amount: BigInt(step.amountIn) }],
        gets: [{ coinType: step.coinOut, amount: BigInt(step.minOut) }],
      };
    case 'lendingAWithdraw':
    case 'lendingBWithdraw':
    case 'lendingCWithdraw':
      return {
        pays: [{ amount: BigInt(step.amount) }],
        gets: [{ coinType: step.coinType, amount: leastOf(step.minOut) }],
      };
    case 'stablecoinBorrow':
      return { pays: [{ coinType: step.collateralType, amount: BigInt(step.collateralAmount) }], gets: [] };
    case 'liquidStakeStake':
      return { pays: [{ coinType: sui, amount: BigInt(step.amount) }], gets: [] };
    case 'liquidStakeUnstake':
      return {
        pays: [{ amount: BigInt(step.amount) }],
        gets: [{ coinType: sui, amount: leastOf(step.minOut) }],
      };
    case 'stablecoinRepay':
    case 'stablecoinSavingsDeposit':
    case 'stablecoinSavingsWithdraw':
    case 'perpMarginDeposit':
      return { pays: [{ amount: BigInt(step.amount) }], gets: [] };
    case 'clmmLiquidity':
      return { pays: step.operation === 'open' || step.operation === 'add' ? mostOf(step) : [], gets: [] };
    case 'perpOrder':
      return { pays: [], gets: [] };
  }
}

const leastOf = (minOut: string | undefined) => BigInt(minOut ?? '1') || 1n;

const mostOf = ({
  amountA = '0',
  amountB = '0',
}: {
  amountA?: string | undefined;
  amountB?: string | undefined;
}) => [amountA, amountB].map((amount) => ({ amount: BigInt(amount) }));

/** What the request itself names of the coins it takes: the sum for each coin. */
export function namedSpends(request: ActionRequest): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { coinType, amount } of stepsOf(request).flatMap((step) => flowOf(step).pays)) {
    if (coinType !== undefined) sums.set(coinType, (sums.get(coinType) ?? 0n) + amount);
  }
  return sums;
}
