import * as calls from '@adaptor-marketplace/adaptor/transactions';
import { coinWithBalance, Transaction } from '@mysten/sui/transactions';

export type { Listing, RegistryIds } from '@adaptor-marketplace/adaptor/transactions';

/** A wallet, and the newest version of the wallet package. */
export interface Wallet {
  packageId: string;
  walletId: string;
}

type Job = Parameters<typeof calls.escrow.fund>[1];

/** Creates a transaction for `sender` to sign. Its build adds the gas. */
function buildFor(sender: string, append: (tx: Transaction) => void): Transaction {
  const tx = new Transaction();
  tx.setSender(sender);
  append(tx);
  return tx;
}

const target = ({ packageId, walletId }: Wallet) => ({ packageId, wallet: walletId });

/** Lists an adaptor; the sender becomes its publisher. */
export const register = (sender: string, registry: calls.RegistryIds, listing: calls.Listing): Transaction =>
  buildFor(sender, (tx) => calls.register(tx, registry, listing));

/** Replaces the sender's listing of the service type. */
export const update = (sender: string, registry: calls.RegistryIds, listing: calls.Listing): Transaction =>
  buildFor(sender, (tx) => calls.update(tx, registry, listing));

/** Removes the sender's listing. */
export const unlist = (sender: string, registry: calls.RegistryIds, serviceType: string): Transaction =>
  buildFor(sender, (tx) => calls.unlist(tx, registry, serviceType));

/** Rates an adaptor: `score` 1 to 5; `commentUri` may be empty. */
export const attest = (
  sender: string,
  registry: calls.RegistryIds,
  review: Parameters<typeof calls.attest>[2],
): Transaction => buildFor(sender, (tx) => calls.attest(tx, registry, review));

/** Lets a service take an amount of a coin from the sender's wallet, in base units. 2^64 - 1 is unlimited. */
export const grant = (
  sender: string,
  wallet: Wallet,
  allowance: { service: string; coinType: string; allowance: bigint },
): Transaction => buildFor(sender, (tx) => calls.wallet.grantServiceCoin(tx, target(wallet), allowance));

/** Ends all grants of a service. */
export const revoke = (sender: string, wallet: Wallet, service: string): Transaction =>
  buildFor(sender, (tx) => calls.wallet.revokeService(tx, target(wallet), service));

/** Mints a bearer cap of the sender's wallet for the recipient. */
export const mintCap = (sender: string, wallet: Wallet, recipient: string): Transaction =>
  buildFor(sender, (tx) => calls.bearerCap.mint(tx, target(wallet), recipient));

/** Destroys a bearer cap that the sender holds. */
export const burnCap = (sender: string, walletPackageId: string, capId: string): Transaction =>
  buildFor(sender, (tx) => calls.bearerCap.burn(tx, walletPackageId, capId));

/** Mints a cap for the recipient with a budget of a coin, in base units. It can be divided `maxDepth` times, 0 to 8. */
export const mintScopedCap = (
  sender: string,
  wallet: Wallet,
  root: Parameters<typeof calls.scopedCap.mintRoot>[2],
): Transaction => buildFor(sender, (tx) => calls.scopedCap.mintRoot(tx, target(wallet), root));

/** Destroys a scoped cap that the sender holds. The holder of its parent can collect the rest of the budget. */
export const burnScopedCap = (sender: string, wallet: Wallet, capId: string): Transaction =>
  buildFor(sender, (tx) => calls.scopedCap.burn(tx, target(wallet), capId));

/** Deposits base units of a coin of the sender into a wallet. */
export const fundWallet = (
  sender: string,
  wallet: Wallet,
  { coinType, amount }: { coinType: string; amount: bigint },
): Transaction =>
  buildFor(sender, (tx) => {
    const coin = coinWithBalance({ type: coinType, balance: amount });
    calls.wallet.deposit(tx, target(wallet), { coinType, coin: tx.add(coin) });
  });

/** Funds a job with coins of the sender: exactly the job's amount. */
export const fundJob = (sender: string, job: Job, amount: bigint): Transaction =>
  buildFor(sender, (tx) => {
    calls.escrow.fund(tx, job, tx.add(coinWithBalance({ type: job.coinType, balance: amount })));
  });
