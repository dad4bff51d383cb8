import type { CallableOp, Manifest, ManifestOp } from '@adaptor-marketplace/adaptor/manifest';
import type { SlotSetting } from './slot-settings.ts';
import { type Slot, type SlotRole, slotRoles } from './slots.ts';

/** What the op of a role is called where the slot's setting does not say. */
const entries: Record<Exclude<SlotRole, 'swap'>, readonly string[]> = {
  openAccount: ['open_account', 'open_position'],
  deposit: ['deposit', 'supply'],
  withdraw: ['withdraw', 'redeem'],
  borrow: ['borrow'],
  repay: ['repay'],
  repayAndWithdraw: ['repay_and_withdraw'],
  save: ['save'],
  withdrawSavings: ['withdraw_savings'],
  stake: ['stake'],
  unstake: ['unstake'],
  open: ['open', 'open_position'],
  add: ['add', 'add_liquidity'],
  remove: ['remove', 'remove_liquidity'],
  collectFees: ['collect_fees'],
  collectReward: ['collect_reward'],
  close: ['close', 'close_position'],
  order: ['order', 'place_order'],
  depositMargin: ['deposit_margin'],
  supply: ['supply', 'deposit'],
};

/** What is executable of a manifest for a role: one op for each pool, market or pair. */
export function opsOfRole(manifest: Manifest, role: SlotRole, named: SlotSetting['ops']): CallableOp[] {
  return manifest.ops.filter(
    (op): op is CallableOp => op.call !== undefined && serves(op, role, named?.[role]),
  );
}

/**
 * Ops that open an account in a slot where wallets need one, and need nothing beyond it. They are called unasked,
 * before the op that is asked for, so none that takes a coin or an amount is among them.
 */
export function openersOf(manifest: Manifest, slot: Slot, named: SlotSetting['ops']): CallableOp[] {
  const roles: readonly SlotRole[] = slotRoles[slot];
  if (!roles.includes('openAccount')) return [];
  return opsOfRole(manifest, 'openAccount', named).filter(({ call, intentMode }) => {
    const settled = call.args.every((argument) =>
      argument.role === 'pure'
        ? argument.value !== undefined
        : argument.role !== 'amount' && argument.role !== 'minOut',
    );
    return settled && intentMode === undefined;
  });
}

function serves(op: ManifestOp, role: SlotRole, named: string | undefined): boolean {
  if (named !== undefined) return named === `${op.module}::${op.entry}`;
  return role === 'swap' ? op.kind === 'swap' : entries[role].includes(op.entry);
}

/** Roles that take the coin of `amount` out of the wallet, whatever the manifest says of it. */
const payingRoles: ReadonlySet<SlotRole> = new Set([
  'swap',
  'deposit',
  'borrow',
  'repay',
  'repayAndWithdraw',
  'save',
  'stake',
  'unstake',
  'depositMargin',
  'supply',
]);

/** Whether an op takes a coin out of the wallet. */
export function takesCoin({ intentMode, call }: CallableOp, role: SlotRole): boolean {
  return payingRoles.has(role) || intentMode !== undefined || call.typeArgs.includes('coinIn');
}
