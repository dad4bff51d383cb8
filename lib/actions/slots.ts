import type { Action } from './request.ts';

/** Kinds of protocols that a network's settings fill with a listed adaptor each. */
export const slots = [
  'swap',
  'lendingA',
  'lendingB',
  'lendingC',
  'stablecoin',
  'liquidStake',
  'vault',
  'clmm',
  'perp',
  'current',
] as const;
export type Slot = (typeof slots)[number];

/** The slot that an action goes to. `spend` goes to the wallet's policy, `compose` to those of its steps. */
export const slotOf: Record<Exclude<Action, 'spend' | 'compose'>, Slot> = {
  swap: 'swap',
  lendingADeposit: 'lendingA',
  lendingAWithdraw: 'lendingA',
  lendingBDeposit: 'lendingB',
  lendingBWithdraw: 'lendingB',
  lendingCDeposit: 'lendingC',
  lendingCWithdraw: 'lendingC',
  stablecoinBorrow: 'stablecoin',
  stablecoinRepay: 'stablecoin',
  stablecoinSavingsDeposit: 'stablecoin',
  stablecoinSavingsWithdraw: 'stablecoin',
  liquidStakeStake: 'liquidStake',
  liquidStakeUnstake: 'liquidStake',
  vaultDeposit: 'vault',
  clmmLiquidity: 'clmm',
  perpOrder: 'perp',
  perpMarginDeposit: 'perp',
  currentSupply: 'current',
};
