import { type ExecutableOp, listOpArguments, listOpTypeArgs } from '@adaptor-marketplace/adaptor/manifest';
import { appendAction, appendOp, wallet } from '@adaptor-marketplace/adaptor/transactions';
import { Transaction } from '@mysten/sui/transactions';
import { suiCoin } from './coins.ts';

/** A coin that a trial pays into its wallet, in base units. */
export interface Fund {
  coinType: string;
  amount: bigint;
}

/** A call of an op in a wallet that the same transaction creates. */
export interface Trial {
  sender: string;
  /** Id of the version of the wallet package that is called. */
  walletPackageId: string;
  service: string;
  packageId: string;
  op: ExecutableOp;
  amount: bigint | undefined;
  coinIn: string;
  coinOut: string;
  funds: readonly Fund[];
  /** Wallet of the sender that the funds other than SUI come from. The gas coin of a simulation has the SUI. */
  holderId: string | undefined;
}

interface BuiltTrial {
  transaction: Transaction;
  /** Index of the first command that is not about funds. */
  begin: number;
  /** Coins whose balances are read after the call, and the index of the first read. */
  coins: string[];
  reads: number;
}

/** MIST at which a node stops a simulation, so that no op can occupy it for long. */
export const gasMax = 2_000_000_000n;

/**
 * Builds a transaction that creates a wallet, pays funds in, grants them to the service, and calls the op within the lock
 * of the wallet, as the trial on the site does. It cannot be executed, because it has no gas and no signature.
 * @throws Error if the manifest's op does not fit
 */
export function buildTrial(trial: Trial): BuiltTrial {
  const { walletPackageId, service, packageId, op, amount, coinIn, coinOut, funds, holderId } = trial;
  const tx = new Transaction();
  tx.setSender(trial.sender);
  tx.setGasBudget(gasMax);
  const target = wallet.create(tx, walletPackageId);
  for (const { coinType, amount } of funds) {
    const [coin] =
      coinType === suiCoin
        ? tx.splitCoins(tx.gas, [amount])
        : tx.moveCall({
            target: `${walletPackageId}::wallet::withdraw_coin`,
            typeArguments: [coinType],
            arguments: [tx.object(holderId!), tx.pure.u64(amount)],
          });
    wallet.deposit(tx, target, { coinType, coin: coin! });
  }
  const begin = tx.getData().commands.length;
  for (const { coinType, amount } of funds) {
    wallet.grantServiceCoin(tx, target, { service, coinType, allowance: amount });
  }
  const own = { wallet: target.wallet, coinIn, coinOut, minOut: 1n };
  appendAction(tx, target, { service, takes: funds, brings: [] }, () =>
    appendOp(tx, packageId, op, { ...own, ...(amount !== undefined && { amount }) }),
  );
  const reads = tx.getData().commands.length;
  const coins = [...new Set([...funds.map(({ coinType }) => coinType), coinOut])];
  appendBalances(tx, walletPackageId, [target.wallet], coins);
  wallet.share(tx, target);
  return { transaction: tx, begin, coins, reads };
}

/** Appends reads of the balance of each coin in each wallet. */
export function appendBalances(
  tx: Transaction,
  walletPackageId: string,
  wallets: readonly Parameters<Transaction['object']>[0][],
  coins: readonly string[],
): void {
  for (const one of wallets) {
    for (const coinType of coins) {
      tx.moveCall({
        target: `${walletPackageId}::wallet::balance`,
        typeArguments: [coinType],
        arguments: [tx.object(one)],
      });
    }
  }
}

export const takesAmount = (op: ExecutableOp): boolean =>
  listOpArguments(op).some(({ role }) => role === 'amount');

/** Returns `true` if the transaction names the coin that the op takes. */
export const namesCoin = (op: ExecutableOp): boolean => listOpTypeArgs(op).includes('coinIn');
