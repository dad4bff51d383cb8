import { SimulationError, type SuiClientTypes } from '@mysten/sui/client';
import { Transaction, TransactionDataBuilder } from '@mysten/sui/transactions';
import { RpcError } from '@protobuf-ts/runtime-rpc';
import { explainExecutionError } from '../../../lib/chain/aborts/explain.ts';
import { messageOf } from '../../../lib/errors/index.ts';
import type { Checked } from '../check/index.ts';
import { refusal } from '../check/refusal.ts';
import { RunFailure } from '../run/failure.ts';
import { gasBudgetMax, gasOf } from './gas.ts';
import type { Node } from './node.ts';
import { type WalletFlows, walletFlows } from './wallet-flows.ts';

/** A transaction that is ready to be signed. */
export interface Prepared {
  bytes: Uint8Array;
  digest: string;
  /** What it does to the wallet, as its simulation says. */
  flows: WalletFlows;
}

const timeoutMs = 20_000;

/**
 * Adds gas, simulates, and holds what the chain says against what the agent may touch of its own.
 * @throws RunFailure why the chain would refuse it, or `unexpected_transaction`
 */
export async function prepare(
  { client, settings }: Node,
  { transactionKind, caps }: Checked,
  { agent, walletId, signal }: { agent: string; walletId: string; signal: AbortSignal },
): Promise<Prepared> {
  const transaction = Transaction.fromKind(transactionKind);
  transaction.setSender(agent);
  // One answer has the gas that the node chose and what the transaction does with it.
  const simulated = await fromNode(
    client.simulateTransaction({
      transaction,
      doGasSelection: true,
      include: { bcs: true, effects: true, events: true, balanceChanges: true },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    }),
    settings,
  );
  if (simulated.$kind === 'FailedTransaction') throw failureOf(simulated.FailedTransaction.status, settings);
  const { bcs: bytes, effects, events, balanceChanges } = simulated.Transaction;
  const payment = gasOf(bytes, transactionKind, agent);
  requireOwnUntouched(effects, agent, new Set([...payment, ...caps]));
  if (balanceChanges.some((change) => isAgents(change, agent) && !isGas(change))) {
    throw refusal("it moves the agent's own coins");
  }
  const flows = walletFlows(events, settings.walletPackageId ?? '', walletId);
  return { bytes, digest: TransactionDataBuilder.getDigestFromBytes(bytes), flows };
}

/** Of what the agent owns, a transaction may use nothing but what is named: other wallets' caps are there too. */
function requireOwnUntouched(
  { changedObjects }: SuiClientTypes.TransactionEffects,
  agent: string,
  allowed: ReadonlySet<string>,
): void {
  for (const { objectId, inputOwner } of changedObjects) {
    const owned = inputOwner?.$kind === 'AddressOwner' && inputOwner.AddressOwner === agent;
    if (owned && !allowed.has(objectId)) throw refusal(`it uses ${objectId}, which is the agent's own`);
  }
}

const isAgents = ({ address }: SuiClientTypes.BalanceChange, agent: string) => address === agent;
const sui = /^0x0*2::sui::SUI$/;
const isGas = ({ coinType, amount }: SuiClientTypes.BalanceChange) =>
  sui.test(coinType) && -BigInt(amount) <= gasBudgetMax;

/** What the chain says of a transaction that failed. */
export function failureOf(status: SuiClientTypes.ExecutionStatus, settings: Node['settings']): RunFailure {
  const { code, detail } = status.error
    ? explainExecutionError(status.error, settings)
    : ({ code: 'execution_failed', detail: 'The chain refused it and does not say why.' } as const);
  return new RunFailure(code, detail);
}

/** Codes by which a node speaks of the transaction, rather than of itself. */
const refusals = new Set(['INVALID_ARGUMENT', 'FAILED_PRECONDITION', 'NOT_FOUND', 'ABORTED', 'OUT_OF_RANGE']);

async function fromNode<T>(answer: Promise<T>, settings: Node['settings']): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof SimulationError && error.executionError) {
      const { code, detail } = explainExecutionError(error.executionError, settings);
      throw new RunFailure(code, detail);
    }
    const cause = error instanceof RpcError ? error : (error as { cause?: unknown }).cause;
    const code = cause instanceof RpcError ? cause.code : undefined;
    const reason = messageOf(error).slice(0, 300);
    if (code !== undefined && !refusals.has(code)) {
      throw new RunFailure('node_unavailable', `The network's node could not answer (${code}); try again.`);
    }
    if (/gas/i.test(reason)) {
      throw new RunFailure('agent_out_of_gas', `The host's agent has no coin to pay the gas with: ${reason}`);
    }
    throw new RunFailure('not_executable', `The chain would not take it: ${reason}`);
  }
}
