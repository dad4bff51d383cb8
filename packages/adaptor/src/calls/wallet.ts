import type { Transaction, TransactionObjectInput, TransactionResult } from '@mysten/sui/transactions';
import { callWallet, type WalletTarget } from './target.ts';

/** Appends `wallet::create` for the sender. The new wallet must be passed to `share` after any set-up. */
export function create(tx: Transaction, packageId: string): WalletTarget & { wallet: TransactionResult } {
  return { packageId, wallet: tx.moveCall({ target: `${packageId}::wallet::create` }) };
}

/** Appends `wallet::share`. After it, the wallet is addressed by its id. */
export function share(tx: Transaction, wallet: WalletTarget): void {
  callWallet(tx, wallet, 'wallet::share');
}

/** Appends `wallet::deposit` of a whole coin. */
export function deposit(
  tx: Transaction,
  wallet: WalletTarget,
  { coinType, coin }: { coinType: string; coin: TransactionObjectInput },
): void {
  callWallet(tx, wallet, 'wallet::deposit', [tx.object(coin)], [coinType]);
}

/** Appends `wallet::take_coin`: `amount` base units go to the owner, who must be the sender. */
export function takeCoin(
  tx: Transaction,
  wallet: WalletTarget,
  { coinType, amount }: { coinType: string; amount: bigint },
): void {
  callWallet(tx, wallet, 'wallet::take_coin', [tx.pure.u64(amount)], [coinType]);
}

/** Appends `wallet::sweep_legacy_coin` for a coin that was sent to the wallet's own address. */
export function sweepCoin(
  tx: Transaction,
  wallet: WalletTarget,
  { coinType, coinId }: { coinType: string; coinId: string },
): void {
  callWallet(tx, wallet, 'wallet::sweep_legacy_coin', [tx.object(coinId)], [coinType]);
}

/**
 * Appends `wallet::grant_service_coin`, the amount that the service may still take, in base units.
 * `unlimitedAllowance` is unlimited, 0 revokes.
 */
export function grantServiceCoin(
  tx: Transaction,
  wallet: WalletTarget,
  { service, coinType, allowance }: { service: string; coinType: string; allowance: bigint },
): void {
  callWallet(tx, wallet, 'wallet::grant_service_coin', [tx.pure.u64(allowance)], [service, coinType]);
}

/** Appends `wallet::revoke_service`, which ends all grants of the service. */
export function revokeService(tx: Transaction, wallet: WalletTarget, service: string): void {
  callWallet(tx, wallet, 'wallet::revoke_service', [], [service]);
}

/** Appends `wallet::set_paused`. */
export function setPaused(tx: Transaction, wallet: WalletTarget, paused: boolean): void {
  callWallet(tx, wallet, 'wallet::set_paused', [tx.pure.bool(paused)]);
}
