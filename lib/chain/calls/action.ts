import type { Transaction, TransactionObjectArgument, TransactionResult } from '@mysten/sui/transactions';
import { callWallet, type WalletTarget } from './target.ts';

/** Appends `action::begin`: until `end` only `service` acts on the wallet, within the bounds that follow. */
export function begin(tx: Transaction, wallet: WalletTarget, service: string): TransactionResult {
  return callWallet(tx, wallet, 'action::begin', [], [service]);
}

/** Appends `action::may_take`: the service takes at most `max` base units of the coin. */
export function mayTake(
  tx: Transaction,
  wallet: WalletTarget,
  { ticket, coinType, max }: { ticket: TransactionObjectArgument; coinType: string; max: bigint },
): void {
  callWallet(tx, wallet, 'action::may_take', [ticket, tx.pure.u64(max)], [coinType]);
}

/** Appends `action::must_bring`: the service brings at least `min` base units of the coin beyond what it takes. */
export function mustBring(
  tx: Transaction,
  wallet: WalletTarget,
  { ticket, coinType, min }: { ticket: TransactionObjectArgument; coinType: string; min: bigint },
): void {
  callWallet(tx, wallet, 'action::must_bring', [ticket, tx.pure.u64(min)], [coinType]);
}

/** Appends `action::end`, which every ticket must reach in its transaction. */
export function end(tx: Transaction, wallet: WalletTarget, ticket: TransactionObjectArgument): void {
  callWallet(tx, wallet, 'action::end', [ticket]);
}
