import type { Transaction, TransactionArgument, TransactionResult } from '@mysten/sui/transactions';
import { callWallet, type WalletTarget } from './target.ts';

/**
 * Appends `action::begin`, which locks the wallet for the service until `end`. The service must hold a grant. Returns
 * the ticket. Pass it only to the functions of this module: code that gets it can widen or end the action.
 */
export function begin(tx: Transaction, wallet: WalletTarget, service: string): TransactionResult {
  return callWallet(tx, wallet, 'action::begin', [], [service]);
}

/**
 * Appends `action::may_take`: the service may take up to `max` base units of the coin in all, whatever it puts back.
 * `max` is not 0. Call it once for each coin, for at most eight coins together with those of `mustBring`.
 */
export function mayTake(
  tx: Transaction,
  wallet: WalletTarget,
  { ticket, coinType, max }: { ticket: TransactionArgument; coinType: string; max: bigint },
): void {
  callWallet(tx, wallet, 'action::may_take', [ticket, tx.pure.u64(max)], [coinType]);
}

/**
 * Appends `action::must_bring`: the service must bring, by its witness, at least `min` base units of the coin beyond
 * what it takes of it, or the transaction fails. `min` is not 0. Call it once for each coin.
 */
export function mustBring(
  tx: Transaction,
  wallet: WalletTarget,
  { ticket, coinType, min }: { ticket: TransactionArgument; coinType: string; min: bigint },
): void {
  callWallet(tx, wallet, 'action::must_bring', [ticket, tx.pure.u64(min)], [coinType]);
}

/** Appends `action::end`, without which the transaction fails. */
export function end(tx: Transaction, wallet: WalletTarget, ticket: TransactionArgument): void {
  callWallet(tx, wallet, 'action::end', [ticket]);
}
