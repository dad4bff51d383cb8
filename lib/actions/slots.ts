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

const lending = ['openAccount', 'deposit', 'withdraw'] as const;

/** What a slot's adaptor is needed for, each an op of its manifest; `openAccount` where a wallet needs one first. */
export const slotRoles = {
  swap: ['swap'],
  lendingA: lending,
  lendingB: lending,
  lendingC: lending,
  stablecoin: ['openAccount', 'borrow', 'repay', 'repayAndWithdraw', 'save', 'withdrawSavings'],
  liquidStake: ['openAccount', 'stake', 'unstake'],
  vault: ['openAccount', 'deposit'],
  clmm: ['open', 'add', 'remove', 'collectFees', 'collectReward', 'close'],
  perp: ['openAccount', 'order', 'depositMargin'],
  current: ['openAccount', 'supply'],
} as const satisfies Record<Slot, readonly string[]>;
export type SlotRole = (typeof slotRoles)[Slot][number];
