import { type ExecutableOp, isAmountTaken } from '@adaptor-marketplace/adaptor/manifest';
import { appendAction, appendOp, wallet } from '@adaptor-marketplace/adaptor/transactions';
import { SimulationError } from '@mysten/sui/client';
import { Transaction } from '@mysten/sui/transactions';
import type { CoinInfo } from '../../components/values.ts';
import { ActionFailedError } from '../api/ask.ts';
import { type ChainIds, client } from '../signing/chain.ts';
import { appendBalanceCalls, decodeAmount, loadCoinInfos, readCoinTypes } from '../wallet/balances.ts';

/** Inputs for the trial of an operation. */
interface Trial {
  owner: string;
  walletId: string;
  service: string;
  packageId: string;
  op: ExecutableOp;
  /** Base units. */
  amount: bigint;
  /** Base units. */
  minOut: bigint;
  coinIn: string;
  coinOut: string;
  values: Record<string, unknown>;
}

export interface BalanceChange {
  coinType: string;
  info: CoinInfo | null;
  before: bigint;
  after: bigint;
}

/**
 * Simulates grant and action in one transaction of the owner, within the lock of the wallet. Only the node receives the
 * transaction, and nothing asks a wallet to sign it.
 * @throws ActionFailedError, SimulationError
 */
export async function simulateOp(trial: Trial, ids: ChainIds): Promise<BalanceChange[]> {
  if (!ids.wallet)
    throw new ActionFailedError('This network has no wallets', 'The host follows no wallet package here.');
  const { owner, walletId, service, op, amount, minOut, coinIn, coinOut } = trial;
  const { packageId } = ids.wallet;
  const target = { packageId, wallet: walletId };
  const coins = [...new Set([...(await readCoinTypes(walletId)), coinIn, ...(minOut > 0n ? [coinOut] : [])])];
  const tx = new Transaction();
  tx.setSender(owner);
  appendBalanceCalls(tx, packageId, walletId, coins);
  wallet.grantServiceCoin(tx, target, { service, coinType: coinIn, allowance: amount > 0n ? amount : 1n });
  const bounds = {
    service,
    takes: isAmountTaken(op) && amount > 0n ? [{ coinType: coinIn, amount }] : [],
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
  // The results of the first reads are at the start, those of the second reads from here.
  const secondReads = tx.getData().commands.length;
  appendBalanceCalls(tx, packageId, walletId, coins);
  // The node selects gas coins of the owner. Symbols and decimals are read at the same time, to save a round trip.
  const [simulated, infos] = await Promise.all([
    client.core.simulateTransaction({
      transaction: tx,
      doGasSelection: true,
      include: { commandResults: true },
    }),
    loadCoinInfos(coins),
  ]);
  if (simulated.$kind === 'FailedTransaction') {
    const { error } = simulated.FailedTransaction.status;
    throw new SimulationError(error?.message ?? 'failed', error ? { executionError: error } : {});
  }
  const results = simulated.commandResults ?? [];
  return coins.map((coinType, index) => ({
    coinType,
    info: infos.get(coinType) ?? null,
    before: decodeAmount(results[index]),
    after: decodeAmount(results[secondReads + index]),
  }));
}
