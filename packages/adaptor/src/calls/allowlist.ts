import type { Transaction, TransactionObjectInput } from '@mysten/sui/transactions';
import type { WalletTarget } from './target.ts';

/** A wallet and the package of the recipient allowlist, which may differ from the wallet's package. */
export interface AllowlistTarget extends Pick<WalletTarget, 'wallet'> {
  /** The version that is called. */
  rulesPackageId: string;
}

/**
 * The caveat that a policy needs to enforce the allowlist.
 * @param rulesPackageId id of the package's first version
 */
export const allowlistRule = (rulesPackageId: string) => `${rulesPackageId}::rule::RecipientAllowlist`;

/** Appends `rule::create_and_share`: an empty list becomes the wallet's active one. The wallet needs a policy. */
export function createAllowlist(tx: Transaction, { rulesPackageId, wallet }: AllowlistTarget): void {
  tx.moveCall({ target: `${rulesPackageId}::rule::create_and_share`, arguments: [tx.object(wallet)] });
}

/** Appends `rule::allow` or `rule::disallow` by the wallet's owner. */
export function setAllowed(
  tx: Transaction,
  { rulesPackageId, wallet }: AllowlistTarget,
  { listId, recipient, allowed }: { listId: string; recipient: string; allowed: boolean },
): void {
  tx.moveCall({
    target: `${rulesPackageId}::rule::${allowed ? 'allow' : 'disallow'}`,
    arguments: [tx.object(listId), tx.pure.address(recipient), tx.object(wallet)],
  });
}

/** Appends `rule::retire`: the list is deleted, and no list is active if it was. */
export function retireAllowlist(
  tx: Transaction,
  { rulesPackageId, wallet }: AllowlistTarget,
  listId: string,
): void {
  const target = `${rulesPackageId}::rule::retire`;
  tx.moveCall({ target, arguments: [tx.object(listId), tx.object(wallet)] });
}

/** Appends `rule::enforce`: the wallet's active list stamps the request of `beginSpend`. */
export function enforceAllowlist(
  tx: Transaction,
  rulesPackageId: string,
  { listId, request }: { listId: string; request: TransactionObjectInput },
): void {
  const target = `${rulesPackageId}::rule::enforce`;
  tx.moveCall({ target, arguments: [tx.object(listId), tx.object(request)] });
}
