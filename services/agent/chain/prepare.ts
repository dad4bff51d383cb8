import type { SuiClientTypes } from '@mysten/sui/client';
import { Transaction, TransactionDataBuilder } from '@mysten/sui/transactions';
import type { GasCoin } from '../../../db/queries/agent/gas-coins.ts';
import type { RunBounds } from '../../../db/schema/agent-runs.ts';
import { refusal } from '../../../lib/agent/run-failure.ts';
import { awaitSimulation, toFailure } from './failures.ts';
import { computeBudget, tooMuchGas } from './gas.ts';
import { type GasParties, referenceTo, withBudget } from './gas-data.ts';
import type { CalledPackages, Node } from './node.ts';
import { findExcess, readWalletFlows, type WalletFlows } from './wallet-flows.ts';

export interface PreparedTransaction {
  bytes: Uint8Array;
  digest: string;
  /** The most that its gas can cost, in MIST. */
  gasBudget: bigint;
}

export interface CheckedTransaction {
  /** BCS of the transaction kind, base64. */
  transactionKind: string;
  /** The sender's caps that authorize its spends. Of all objects of the sender, it may use only these and gas coins. */
  caps: string[];
  /** Name of the step of each call, by the position of the call. Empty if there is one step. */
  stepOfCall: readonly string[];
}

interface SimulateOptions {
  sender: string;
  walletId: string;
  packages: CalledPackages;
  /** Bounds on what the transaction takes from the wallet and brings to it. */
  bounds: RunBounds;
  /** The most gas that one transaction may cost the operator, in MIST. */
  gasMax: bigint;
  signal: AbortSignal;
}

interface PrepareOptions extends SimulateOptions, GasParties {
  /** Pays the gas. Its balance is at least `gasMax`. */
  coin: GasCoin;
}

const timeoutMs = 20_000;

/**
 * Adds gas, simulates the transaction, and checks that it touches only permitted objects of the sender and the payer.
 * The signed budget follows from this one simulation, so that it bounds the cost of the execution.
 * @throws RunFailedError with the reason why the chain would refuse it, `unexpected_transaction`, or `insufficient_gas`
 */
export async function prepare(
  node: Node,
  checked: CheckedTransaction,
  options: PrepareOptions,
): Promise<PreparedTransaction> {
  const { sender, payer, walletId, coin, packages, bounds, gasMax } = options;
  const simulated = await simulate(node, checked, options, options);
  const { gasBudget, effects, events, balanceChanges } = simulated;
  const parties = { sender, payer, payment: [coin] };
  const bytes = withBudget(simulated.bcs, checked.transactionKind, parties, gasBudget);
  const agentAddresses = new Set([sender, payer]);
  requireOwnUntouched(effects, agentAddresses, new Set([coin.coinId, ...checked.caps]));
  for (const { address, coinType, amount } of balanceChanges) {
    const isGas = address === payer && sui.test(coinType) && -BigInt(amount) <= gasMax;
    if (agentAddresses.has(address) && !isGas) throw refusal("it moves the agent's own coins");
  }
  // Not a security check, because the execution may differ: an action that already fails here is not sent.
  const excess = findExcess(bounds, readWalletFlows(events, packages.wallet.versionIds, walletId));
  if (excess) throw refusal(excess);
  return { bytes, digest: TransactionDataBuilder.getDigestFromBytes(bytes), gasBudget };
}

/**
 * Simulates what a transaction would do to the wallet, without a gas coin, so that it can be neither signed nor sent.
 * The node stops it at `gasMax`. @throws RunFailedError as `prepare` does
 */
export async function rehearse(
  node: Node,
  checked: CheckedTransaction,
  options: SimulateOptions,
): Promise<{ gasBudget: bigint; flows: WalletFlows }> {
  const { gasBudget, events } = await simulate(node, checked, options);
  const flows = readWalletFlows(events, options.packages.wallet.versionIds, options.walletId);
  const excess = findExcess(options.bounds, flows);
  if (excess) throw refusal(excess);
  return { gasBudget, flows };
}

/** Simulates a transaction, with or without a coin that pays the gas, and estimates its gas budget. */
async function simulate(
  { client, settings }: Node,
  { transactionKind, stepOfCall }: CheckedTransaction,
  { sender, packages, gasMax, signal }: SimulateOptions,
  gas?: { payer: string; coin: GasCoin },
) {
  const context = { ...settings, originals: packages.originals, stepOfCall };
  const transaction = Transaction.fromKind(transactionKind);
  transaction.setSender(sender);
  transaction.setGasBudget(gasMax);
  if (gas) {
    transaction.setGasOwner(gas.payer);
    transaction.setGasPayment([referenceTo(gas.coin)]);
  }
  const createSignal = () => AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const simulated = await awaitSimulation(
    client.simulateTransaction({
      transaction,
      doGasSelection: gas !== undefined,
      include: { bcs: true, effects: true, events: true, balanceChanges: true },
      signal: createSignal(),
    }),
    context,
  );
  if (simulated.$kind === 'FailedTransaction') {
    const failure = toFailure(simulated.FailedTransaction.status, context);
    if (failure.code !== 'insufficient_gas') throw failure;
    throw tooMuchGas(gas && (await estimateBudget(client, transactionKind, sender, createSignal())), gasMax);
  }
  const gasBudget = computeBudget(simulated.Transaction.effects.gasUsed);
  if (gasBudget > gasMax) throw tooMuchGas(gasBudget, gasMax);
  return { ...simulated.Transaction, gasBudget };
}

/** Estimates the gas budget, in MIST, that an action needs without a limit; undefined without an answer. */
async function estimateBudget(
  client: Node['client'],
  transactionKind: string,
  sender: string,
  signal: AbortSignal,
): Promise<bigint | undefined> {
  const transaction = Transaction.fromKind(transactionKind);
  transaction.setSender(sender);
  const simulated = await client
    .simulateTransaction({ transaction, doGasSelection: false, include: { effects: true }, signal })
    .catch(() => undefined);
  return simulated?.$kind === 'Transaction'
    ? computeBudget(simulated.Transaction.effects.gasUsed)
    : undefined;
}

/** Refuses other objects of the agent than the allowed ones: it also owns caps of other wallets. */
function requireOwnUntouched(
  { changedObjects }: SuiClientTypes.TransactionEffects,
  agentAddresses: ReadonlySet<string>,
  allowed: ReadonlySet<string>,
): void {
  for (const { objectId, inputOwner } of changedObjects) {
    const isOwned = inputOwner?.$kind === 'AddressOwner' && agentAddresses.has(inputOwner.AddressOwner);
    if (isOwned && !allowed.has(objectId)) throw refusal(`it uses ${objectId}, which is the agent's own`);
  }
}

const sui = /^0x0*2::sui::SUI$/;
