import type { Transaction, TransactionObjectInput } from '@mysten/sui/transactions';
import { callWallet, type WalletTarget } from './target.ts';

/** Appends `cap_auth::mint_and_transfer` by the wallet's owner. */
export function mint(tx: Transaction, wallet: WalletTarget, recipient: string): void {
  callWallet(tx, wallet, 'cap_auth::mint_and_transfer', [tx.pure.address(recipient)]);
}

/** Appends `cap_auth::prove`: the sender's cap stamps the request of `beginSpend`. */
export function prove(
  tx: Transaction,
  packageId: string,
  { capId, request }: { capId: string; request: TransactionObjectInput },
): void {
  const target = `${packageId}::cap_auth::prove`;
  tx.moveCall({ target, arguments: [tx.object(capId), tx.object(request)] });
}

/** Appends `cap_auth::revoke` by the wallet's owner. */
export function revoke(tx: Transaction, wallet: WalletTarget, capId: string): void {
  callWallet(tx, wallet, 'cap_auth::revoke', [tx.pure.id(capId)]);
}

/** Appends `cap_auth::burn` by the cap's holder. */
export function burn(tx: Transaction, packageId: string, capId: string): void {
  tx.moveCall({ target: `${packageId}::cap_auth::burn`, arguments: [tx.object(capId)] });
}
