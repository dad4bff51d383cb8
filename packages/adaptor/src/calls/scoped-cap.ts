import type { Transaction, TransactionObjectInput } from '@mysten/sui/transactions';
import { callWallet, type WalletTarget } from './target.ts';

/** Appends `sub_delegate::mint_root_and_transfer` by the wallet's owner; `maxDepth` 0 to 8. */
export function mintRoot(
  tx: Transaction,
  wallet: WalletTarget,
  root: { coinType: string; budget: bigint; maxDepth: number; recipient: string },
): void {
  const args = [tx.pure.u64(root.budget), tx.pure.u8(root.maxDepth), tx.pure.address(root.recipient)];
  callWallet(tx, wallet, 'sub_delegate::mint_root_and_transfer', args, [root.coinType]);
}

/**
 * Appends `sub_delegate::subdelegate_and_transfer`: `amount` base units of the sender's cap become a cap of
 * `recipient`.
 */
export function subdelegate(
  tx: Transaction,
  { packageId, wallet }: WalletTarget,
  { capId, amount, recipient }: { capId: string; amount: bigint; recipient: string },
): void {
  tx.moveCall({
    target: `${packageId}::sub_delegate::subdelegate_and_transfer`,
    arguments: [tx.object(capId), tx.object(wallet), tx.pure.u64(amount), tx.pure.address(recipient)],
  });
}

/** Appends `sub_delegate::spend`: the sender's cap pays for and stamps the request of `beginSpend`. */
export function spend(
  tx: Transaction,
  packageId: string,
  { capId, request }: { capId: string; request: TransactionObjectInput },
): void {
  const target = `${packageId}::sub_delegate::spend`;
  tx.moveCall({ target, arguments: [tx.object(capId), tx.object(request)] });
}

/** Appends `sub_delegate::revoke` by the wallet's owner, which voids the cap and all that descend from it. */
export function revoke(tx: Transaction, wallet: WalletTarget, capId: string): void {
  callWallet(tx, wallet, 'sub_delegate::revoke', [tx.pure.id(capId)]);
}

/** Appends `sub_delegate::burn` by the cap's holder. The holder of the parent can then collect the unused budget. */
export function burn(tx: Transaction, { packageId, wallet }: WalletTarget, capId: string): void {
  const target = `${packageId}::sub_delegate::burn`;
  tx.moveCall({ target, arguments: [tx.object(capId), tx.object(wallet)] });
}

/** Appends `sub_delegate::collect_refund` by the holder of the parent. */
export function collectRefund(tx: Transaction, { packageId, wallet }: WalletTarget, capId: string): void {
  const target = `${packageId}::sub_delegate::collect_refund`;
  tx.moveCall({ target, arguments: [tx.object(capId), tx.object(wallet)] });
}
