import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { nameExecutionError, type PlatformPackages } from '@adaptor-marketplace/adaptor/transactions';
import { bcs } from '@mysten/sui/bcs';
import { Transaction } from '@mysten/sui/transactions';
import { RpcError } from '@protobuf-ts/runtime-rpc';
import type { CanaryOutcome } from '../../../lib/canaries/judge.ts';
import { transactionRefusals } from '../../../lib/chain/providers/refusals.ts';
import { appendBalances, buildTrial, gasMax, type Trial } from './trial.ts';

const timeoutMs = 20_000;

interface Simulator {
  client: ChainClient;
  /** Packages whose aborts have known names. */
  packages: PlatformPackages;
  /** Resolves when the next simulation may be sent. */
  waitForTurn(): Promise<void>;
  signal: AbortSignal;
}

/**
 * Simulates a trial without checks of signatures, owners and gas.
 * @returns `unfunded` if the trial's funds are no longer there, so that the op was not called
 * @throws RpcError if the node does not answer
 */
export async function simulateTrial(simulator: Simulator, trial: Trial): Promise<CanaryOutcome | 'unfunded'> {
  const { transaction, begin, coins, reads } = buildTrial(trial);
  const amount = trial.amount?.toString() ?? null;
  const { coinIn } = trial;
  const nothing = { amount, gas: '0', coinIn, coinOut: null, taken: '0', brought: '0' };
  const simulated = await send(simulator, transaction);
  if (typeof simulated === 'string') return { ...nothing, failure: simulated };
  if (simulated.$kind === 'FailedTransaction') {
    const { status, effects } = simulated.FailedTransaction;
    const { error } = status;
    if (error?.command !== undefined && error.command < begin) return 'unfunded';
    const failure = error ? nameExecutionError(error, simulator.packages) : 'ExecutionError';
    return { ...nothing, failure, gas: sumGas(effects.gasUsed) };
  }
  const funded = new Map(trial.funds.map(({ coinType, amount }) => [coinType, amount]));
  const flows = coins.map((coinType, index) => {
    const after = parseBalance(simulated.commandResults?.[reads + index]);
    return { coinType, flow: after - (funded.get(coinType) ?? 0n) };
  });
  const out = flows.find(({ flow }) => flow < 0n);
  const back = flows.findLast(({ flow }) => flow > 0n);
  return {
    amount,
    failure: null,
    gas: sumGas(simulated.Transaction.effects.gasUsed),
    coinIn: out?.coinType ?? null,
    coinOut: back?.coinType ?? null,
    taken: String(-(out?.flow ?? 0n)),
    brought: String(back?.flow ?? 0n),
  };
}

/**
 * Reads the balances of coins in wallets, wallet by wallet, in one simulation.
 * @returns undefined if a wallet is of another package
 */
export async function readBalances(
  simulator: Simulator,
  { sender, walletPackageId, wallets, coins }: BalancesQuery,
): Promise<bigint[] | undefined> {
  const tx = new Transaction();
  tx.setSender(sender);
  tx.setGasBudget(gasMax);
  appendBalances(tx, walletPackageId, wallets, coins);
  const simulated = await send(simulator, tx);
  if (typeof simulated === 'string' || simulated.$kind === 'FailedTransaction') return undefined;
  return wallets.flatMap((_, walletIndex) =>
    coins.map((_, coinIndex) =>
      parseBalance(simulated.commandResults?.[walletIndex * coins.length + coinIndex]),
    ),
  );
}

interface BalancesQuery {
  sender: string;
  walletPackageId: string;
  wallets: readonly string[];
  coins: readonly string[];
}

/** @returns the status code if the node refuses the transaction */
async function send({ client, waitForTurn, signal }: Simulator, transaction: Transaction) {
  await waitForTurn();
  try {
    return await client.core.simulateTransaction({
      transaction,
      checksEnabled: false,
      doGasSelection: false,
      include: { effects: true, commandResults: true },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
  } catch (error) {
    if (error instanceof RpcError && transactionRefusals.has(error.code)) return error.code;
    throw error;
  }
}

const parseBalance = (result: { returnValues: { bcs: Uint8Array }[] } | undefined): bigint =>
  result?.returnValues[0] ? BigInt(bcs.u64().parse(result.returnValues[0].bcs)) : 0n;

const sumGas = (gas: { computationCost: string; storageCost: string; storageRebate: string }): string =>
  String(BigInt(gas.computationCost) + BigInt(gas.storageCost) - BigInt(gas.storageRebate));
