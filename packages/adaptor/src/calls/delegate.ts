import type { Transaction } from '@mysten/sui/transactions';
import { callWallet, type WalletTarget } from './target.ts';

/** Appends `delegate::initialize`, once for each wallet. */
export function initialize(tx: Transaction, wallet: WalletTarget): void {
  callWallet(tx, wallet, 'delegate::initialize');
}

/** Appends `delegate::add` of a delegate without budgets, who cannot spend anything yet. */
export function add(tx: Transaction, wallet: WalletTarget, delegate: string): void {
  callWallet(tx, wallet, 'delegate::add', [tx.pure.address(delegate)]);
}

/** Appends `delegate::remove`. */
export function remove(tx: Transaction, wallet: WalletTarget, delegate: string): void {
  callWallet(tx, wallet, 'delegate::remove', [tx.pure.address(delegate)]);
}

/** Appends `delegate::set_service_allowance`, in base units over all coins. 2^64 - 1 is unlimited, 0 revokes it. */
export function setServiceAllowance(
  tx: Transaction,
  wallet: WalletTarget,
  { delegate, service, amount }: { delegate: string; service: string; amount: bigint },
): void {
  const args = [tx.pure.address(delegate), tx.pure.u64(amount)];
  callWallet(tx, wallet, 'delegate::set_service_allowance', args, [service]);
}

/** Appends `delegate::set_coin_allowance`, in base units. 2^64 - 1 is unlimited, 0 revokes it. */
export function setCoinAllowance(
  tx: Transaction,
  wallet: WalletTarget,
  { delegate, coinType, amount }: { delegate: string; coinType: string; amount: bigint },
): void {
  const args = [tx.pure.address(delegate), tx.pure.u64(amount)];
  callWallet(tx, wallet, 'delegate::set_coin_allowance', args, [coinType]);
}

/** Appends `delegate::set_expiry`, in milliseconds since the epoch. Null removes the expiry. */
export function setExpiry(
  tx: Transaction,
  wallet: WalletTarget,
  { delegate, expiresAtMs }: { delegate: string; expiresAtMs: bigint | null },
): void {
  const args = [tx.pure.address(delegate), tx.pure.option('u64', expiresAtMs?.toString())];
  callWallet(tx, wallet, 'delegate::set_expiry', args);
}
