import type { OpValue } from '@adaptor-marketplace/adaptor/manifest';
import type { ActionRequest, ActionStep } from './request.ts';
import type { SlotRole } from './slots.ts';

/**
 * What an action requires of a slot's adaptor. The tool service drafts by it, and the agent checks the draft by it.
 * Amounts are in base units.
 */
export interface Requirements {
  role: SlotRole;
  /** Service type of the adaptor to use in place of the slot's. */
  adaptor?: string | undefined;
  /** The coin that the op must take, and the one that it must bring. */
  coinIn?: string | undefined;
  coinOut?: string | undefined;
  /** The same where the kind of protocol settles it and a manifest need not say it. */
  impliedIn?: string;
  impliedOut?: string;
  /** The pool or market that the op must work on. */
  objectId?: string;
  amount?: bigint;
  minOut?: bigint;
  /** Whether the request itself states `minOut`: then an op that cannot be held to it does not serve. */
  minStated?: boolean;
  /** Values of the arguments that a manifest leaves open, by what they mean. */
  values?: Partial<Record<OpValue, unknown>>;
  /** Those of the values that an op must take to serve: what it did without them is not what was asked. */
  stated?: readonly OpValue[];
  /** What it takes at most, or brings at least, of the first and second coin of the object. */
  pair?: { takes: [bigint, bigint] } | { brings: [bigint, bigint] };
}

export type ProtocolStep = Exclude<ActionStep, { action: 'spend' }>;

const SUI = `0x${'2'.padStart(64, '0')}::sui::SUI`;
const u64Max = 2n ** 64n - 1n;
/** Where a minimum is optional: nothing at all is never enough. */
const leastOut = (given: string | undefined) => BigInt(given ?? 1) || 1n;

/** An action in the terms of ops and their arguments. */
export function requirementsOf(step: ProtocolStep): Requirements {
  switch (step.action) {
    case 'swap': {
      const { coinIn, coinOut, amountIn, minOut, adaptor } = step;
      const amounts = { amount: BigInt(amountIn), minOut: BigInt(minOut), minStated: true };
      return { role: 'swap', adaptor, coinIn, coinOut, ...amounts };
    }
    case 'lendingADeposit':
    case 'lendingBDeposit':
    case 'lendingCDeposit':
      return { role: 'deposit', adaptor: step.adaptor, coinIn: step.coinType, ...amounts(step) };
    case 'lendingAWithdraw':
    case 'lendingBWithdraw':
    case 'lendingCWithdraw':
      return { role: 'withdraw', adaptor: step.adaptor, coinOut: step.coinType, ...amounts(step) };
    case 'stablecoinBorrow': {
      const minOut = BigInt(step.borrowAmount);
      const amount = BigInt(step.collateralAmount);
      return { role: 'borrow', coinIn: step.collateralType, amount, minOut, minStated: true };
    }
    case 'stablecoinRepay': {
      const amount = BigInt(step.amount);
      if (step.collateralAmount === undefined) return { role: 'repay', amount };
      return { role: 'repayAndWithdraw', amount, minOut: BigInt(step.collateralAmount), minStated: true };
    }
    case 'stablecoinSavingsDeposit':
      return { role: 'save', ...amounts(step) };
    case 'stablecoinSavingsWithdraw':
      return { role: 'withdrawSavings', ...amounts(step) };
    case 'liquidStakeStake':
      return { role: 'stake', impliedIn: SUI, ...amounts(step) };
    case 'liquidStakeUnstake':
      return { role: 'unstake', impliedOut: SUI, ...amounts(step) };
    case 'vaultDeposit':
      return {
        ...{ role: 'deposit', coinIn: step.coinType },
        ...amounts({ amount: step.amount, minOut: step.minSharesOut }),
      };
    case 'perpOrder': {
      const long = step.side === 'long';
      const limit = step.limitPrice ?? String(long ? u64Max : 1n);
      const values = { long, size: step.size, limit, reduceOnly: step.reduceOnly ?? false };
      const stated: OpValue[] = ['long', 'size'];
      if (step.limitPrice !== undefined) stated.push('limit');
      if (step.reduceOnly === true) stated.push('reduceOnly');
      return { role: 'order', objectId: step.marketId, values, stated };
    }
    case 'perpMarginDeposit':
      return { role: 'depositMargin', objectId: step.marketId, amount: BigInt(step.amount) };
    case 'currentSupply':
      return { role: 'supply', coinIn: step.coinType, amount: BigInt(step.amount), minOut: 1n };
    case 'clmmLiquidity':
      return liquidity(step);
  }
}

function amounts({ amount, minOut }: { amount: string; minOut?: string | undefined }) {
  return { amount: BigInt(amount), minOut: leastOut(minOut), minStated: BigInt(minOut ?? 0) > 0n };
}

function liquidity(step: Extract<ProtocolStep, { action: 'clmmLiquidity' }>): Requirements {
  const { operation: role, poolId: objectId, positionName: name } = step;
  switch (step.operation) {
    case 'open':
    case 'add': {
      const { amountA = '0', amountB = '0', liquidity: minLiquidity = '1' } = step;
      const range = step.operation === 'open' ? { lower: step.tickLower, upper: step.tickUpper } : {};
      const values = { name, ...range, amountA, amountB, minLiquidity };
      const stated: OpValue[] = step.operation === 'open' ? ['lower', 'upper'] : [];
      if (step.liquidity !== undefined) stated.push('minLiquidity');
      return { role, objectId, values, stated, pair: { takes: [BigInt(amountA), BigInt(amountB)] } };
    }
    case 'remove': {
      const { liquidity, amountB: minB = '0', amountA: minA = minB === '0' ? '1' : '0' } = step;
      const values = { name, liquidity, minA, minB };
      const pair = { brings: [BigInt(minA), BigInt(minB)] as [bigint, bigint] };
      return { role, objectId, values, stated: ['liquidity'], pair };
    }
    default:
      return { role, objectId, values: { name } };
  }
}

/** What a step may take out of the wallet, and what it must bring. Amounts in base units. */
interface Flow {
  /** At most; `coinType` undefined where the request does not name the coin. */
  pays: { coinType?: string | undefined; amount: bigint }[];
  /** At least. */
  gets: { coinType: string; amount: bigint }[];
}

/** The steps of a request: those of a `compose`, or itself. */
export function stepsOf(request: ActionRequest): readonly ActionStep[] {
  return request.action === 'compose' ? request.steps : [request];
}

/** What one step moves, by the request's own words. */
function flowOf(step: ActionStep): Flow {
  if (step.action === 'spend') {
    return { pays: [{ coinType: step.coinType, amount: BigInt(step.amount) }], gets: [] };
  }
  const { coinIn, impliedIn, amount, coinOut, impliedOut, minOut, pair } = requirementsOf(step);
  const [coinPaid, coinGot] = [coinIn ?? impliedIn, coinOut ?? impliedOut];
  const taken = pair && 'takes' in pair ? pair.takes : [];
  return {
    pays: amount === undefined ? taken.map((most) => ({ amount: most })) : [{ coinType: coinPaid, amount }],
    gets: coinGot === undefined || minOut === undefined ? [] : [{ coinType: coinGot, amount: minOut }],
  };
}

/** What the request itself names of the coins it takes: the sum for each coin. */
export function namedSpends(request: ActionRequest): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { coinType, amount } of stepsOf(request).flatMap((step) => flowOf(step).pays)) {
    if (coinType !== undefined) sums.set(coinType, (sums.get(coinType) ?? 0n) + amount);
  }
  return sums;
}
