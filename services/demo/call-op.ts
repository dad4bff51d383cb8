import { appendOp, type OpInputs } from '@adaptor-marketplace/adaptor/append-op';
import type { CoinAmount } from '@adaptor-marketplace/adaptor/transactions/lock';
import { asAction } from '@adaptor-marketplace/adaptor/transactions/lock';
import type { Transaction } from '@mysten/sui/transactions';
import { SUI } from './coins.ts';
import type { Listed } from './deploy-adaptors.ts';
import type { DemoWallet } from './wallets.ts';

/** What an op of a wallet is called with. */
export interface OpUse extends Omit<OpInputs, 'wallet'> {
  /** What may leave, of an op whose coins are not those of `amount`. */
  takes?: CoinAmount[];
}

/**
 * Appends the call of an adaptor's op as its manifest says, held to bounds by the wallet: `amount` of `coinIn`, or of
 * SUI where the op's code knows the coin, and `minOut` of `coinOut`.
 */
export function callOp(
  tx: Transaction,
  { manifest, packageId, serviceType }: Listed,
  entry: string,
  { walletId: wallet, target }: DemoWallet,
  { takes, ...inputs }: OpUse = {},
): void {
  const op = manifest.ops.find((one) => one.entry === entry);
  if (!op) throw new Error(`${manifest.name} has no op ${entry}`);
  const { amount = 0n, minOut = 0n, coinIn = SUI, coinOut } = inputs;
  const pays = op.intentMode !== undefined;
  const bounds = {
    service: serviceType,
    takes: takes ?? (pays ? [{ coinType: coinIn, amount }] : []),
    brings: coinOut === undefined ? [] : [{ coinType: coinOut, amount: minOut }],
  };
  asAction(tx, target, bounds, () => {
    appendOp(tx, packageId, op, { wallet, ...inputs });
  });
}
