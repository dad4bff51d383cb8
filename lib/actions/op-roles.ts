import type { ListedManifest } from '@adaptor-marketplace/adaptor/manifest';
import {
  type ExecutableOp,
  isExecutable,
  type ListedOp,
  type OpFault,
  opFault,
  opSchema,
} from '@adaptor-marketplace/adaptor/op';
import { type SlotSetting, type Slot, type SlotRole, slotRoles } from './slots.ts';

type Manifest = Pick<ListedManifest, 'ops'>;

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

/**
 * What is executable of a manifest for a role: one op for each pool, market or pair. Only well-formed ops are among
 * them, whatever else the manifest lists.
 */
export function opsOfRole({ ops }: Manifest, role: SlotRole, named: SlotSetting['ops']): ExecutableOp[] {
  return ops.filter((op): op is ExecutableOp => serves(op, role, named?.[role]) && isExecutable(op));
}

/** The ops of a manifest that would serve a role if they could be executed, with the reason why not. */
export function brokenOpsOfRole(
  { ops }: Manifest,
  role: SlotRole,
  named: SlotSetting['ops'],
): { index: number; reason: OpFault }[] {
  return ops.flatMap((op, index) => {
    // Without a kind it is not known whether an op swaps.
    const might = role === 'swap' && named?.[role] === undefined && !kind.safeParse(op.kind).success;
    const reason = might || serves(op, role, named?.[role]) ? opFault(op) : undefined;
    return reason ? [{ index, reason }] : [];
  });
}

const { kind } = opSchema.shape;

/**
 * Ops that open an account in a slot where wallets need one, and need nothing beyond it. They are called unasked,
 * before the op that is asked for, so none that takes a coin or an amount is among them.
 */
export function openersOf(manifest: Manifest, slot: Slot, named: SlotSetting['ops']): ExecutableOp[] {
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

function serves({ kind, module, entry }: ListedOp, role: SlotRole, named: string | undefined): boolean {
  if (typeof module !== 'string' || typeof entry !== 'string') return false;
  if (named !== undefined) return named === `${module}::${entry}`;
  return role === 'swap' ? kind === 'swap' : entries[role].includes(entry);
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
export function takesCoin({ intentMode, call }: ExecutableOp, role: SlotRole): boolean {
  return payingRoles.has(role) || intentMode !== undefined || call.typeArgs.includes('coinIn');
}
