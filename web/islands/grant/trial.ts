import type { ExecutableOp } from '@adaptor-marketplace/adaptor/manifest';
import { appendAction, appendOp, wallet } from '@adaptor-marketplace/adaptor/transactions';
import { SimulationError } from '@mysten/sui/client';
import { Transaction } from '@mysten/sui/transactions';
import type { CoinInfo } from '../../components/values.ts';
import { ActionFailedError } from '../api/ask.ts';
import { type ChainIds, client } from '../signing/chain.ts';
import { coinInfos, coinTypes, decodeAmount, readBalances } from '../wallet/balances.ts';
import { pays } from './arguments.ts';

/** Inputs for the trial of an operation. */
interface Trial {
  owner: string;
  walletId: string;
  service: string;
  packageId: string;
  op: ExecutableOp;
  /** Amount in base units, as is `minOut`. */
  amount: bigint;
  minOut: bigint;
  coinIn: string;
  coinOut: string;
  values: Record<string, unknown>;
}

export interface Change {
  coinType: string;
  info: CoinInfo | null;
  before: bigint;
  after: bigint;
}

/**
 * Simulates grant and action in one transaction of the owner, within the lock of the wallet. The transaction does not
 * leave this function, so no wallet can sign it.
 * @throws ActionFailedError, SimulationError
 */
export async function tryOp(trial: Trial, ids: ChainIds): Promise<Change[]> {
  if (!ids.wallet)
    throw new ActionFailedError('This network has no wallets', 'The host follows no wallet package here.');
  const { owner, walletId, service, op, amount, minOut, coinIn, coinOut } = trial;
  const { packageId } = ids.wallet;
  const target = { packageId, wallet: walletId };
  const coins = [...new Set([...(await coinTypes(walletId)), coinIn, ...(minOut > 0n ? [coinOut] : [])])];
  const tx = new Transaction();
  tx.setSender(owner);
  readBalances(tx, packageId, walletId, coins);
  wallet.grantServiceCoin(tx, target, { service, coinType: coinIn, allowance: amount > 0n ? amount : 1n });
  const bounds = {
    service,
    takes: pays(op) && amount > 0n ? [{ coinType: coinIn, amount }] : [],
    brings: minOut > 0n ? [{ coinType: coinOut, amount: minOut }] : [],
  };
  appendAction(tx, target, bounds, () =>
    appendOp(tx, trial.packageId, op, {
      wallet: walletId,
      amount,
      minOut,
      coinIn,
      coinOut,
      values: trial.values,
    }),
  );
  const afterwards = tx.getData().commands.length;
  readBalances(tx, packageId, walletId, coins);
  // The node adds the gas of the owner. The units are read meanwhile, because the node may be far away.
  const [simulated, infos] = await Promise.all([
    client.core.simulateTransaction({
      transaction: tx,
      doGasSelection: true,
      include: { commandResults: true },
    }),
    coinInfos(coins),
  ]);
  if (simulated.$kind === 'FailedTransaction') {
    const { error } = simulated.FailedTransaction.status;
    throw new SimulationError(error?.message ?? 'failed', error ? { executionError: error } : {});
  }
  const results = simulated.commandResults ?? [];
  return coins.map((coinType, at) => ({
    coinType,
    info: infos.get(coinType) ?? null,
    before: decodeAmount(results[at]),
    after: decodeAmount(results[afterwards + at]),
  }));
}
