import type { Transaction, TransactionObjectInput, TransactionResult } from '@mysten/sui/transactions';
import { callWallet, type WalletTarget } from './target.ts';

/**
 * The rule types of the wallet package.
 * @param packageId id of its first version
 */
export const walletRules = (packageId: string) => ({
  /** Auth rule of bearer caps. */
  capAuth: `${packageId}::cap_auth::CapAuth`,
  /** Auth rule of scoped caps. */
  scopedAuth: `${packageId}::sub_delegate::ScopedAuth`,
  /** Caveat rule: the budget of a scoped cap. */
  scopedBudget: `${packageId}::sub_delegate::ScopedBudget`,
});

/** Appends `policy::initialize`, once for each wallet. */
export function initialize(tx: Transaction, wallet: WalletTarget): void {
  callWallet(tx, wallet, 'policy::initialize');
}

/** Appends `policy::add_auth_rule`. An auth rule does not allow any spend until a caveat counts for it. */
export function addAuthRule(tx: Transaction, wallet: WalletTarget, rule: string): void {
  callWallet(tx, wallet, 'policy::add_auth_rule', [], [rule]);
}

/** Appends a caveat rule for spends by the auth rule `auth`, or, if `auth` is absent, for all spends. */
export function addCaveatRule(
  tx: Transaction,
  wallet: WalletTarget,
  { rule, auth }: { rule: string; auth?: string },
): void {
  if (auth === undefined) callWallet(tx, wallet, 'policy::add_caveat_rule', [], [rule]);
  else callWallet(tx, wallet, 'policy::add_caveat_rule_for', [], [auth, rule]);
}

/** Appends `policy::revoke_all`, which voids every existing cap. */
export function revokeAll(tx: Transaction, wallet: WalletTarget): void {
  callWallet(tx, wallet, 'policy::revoke_all');
}

/** Appends `policy::set_spend_into`. Funding a job from the wallet needs it. */
export function setSpendInto(tx: Transaction, wallet: WalletTarget, allowed: boolean): void {
  callWallet(tx, wallet, 'policy::set_spend_into', [tx.pure.bool(allowed)]);
}

/** Appends `policy::begin_spend`. The same transaction must then stamp and confirm the returned request. */
export function beginSpend(
  tx: Transaction,
  wallet: WalletTarget,
  { coinType, amount, recipient }: { coinType: string; amount: bigint; recipient: string },
): TransactionResult {
  const args = [tx.pure.u64(amount), tx.pure.address(recipient)];
  return callWallet(tx, wallet, 'policy::begin_spend', args, [coinType]);
}

/** Appends `policy::confirm_spend`, which pays the request's recipient. */
export function confirmSpend(
  tx: Transaction,
  wallet: WalletTarget,
  { coinType, request }: { coinType: string; request: TransactionObjectInput },
): void {
  callWallet(tx, wallet, 'policy::confirm_spend', [tx.object(request)], [coinType]);
}
