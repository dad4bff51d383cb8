import type { ExecutionInput, ExecutionOutcome } from '../execution/types.ts';
import { gasCoinOf } from './drafts.ts';
import type { ReadFunds } from './funds.ts';
import { stepsWithin } from './gas.ts';
import { type MoveRecord, paymentOf, type ReadLive, type TransactionObjects } from './input-objects.ts';
import { balanceCoinOf, withU64 } from './move-types.ts';
import { onlyEpoch, referenceGasPrice } from './protocol.ts';
import { type Settlement, settle } from './settlement.ts';
import type { CheckedTransaction } from './transaction-checks.ts';

/** Runs one programmable transaction in the Move VM. */
export type Execute = (input: ExecutionInput) => ExecutionOutcome;

interface RunInput {
  transactionDigest: string;
  transaction: CheckedTransaction;
  objects: TransactionObjects;
  /** MIST of the payment that the transaction itself cannot spend: its budget, or less in a trial. */
  reserved: bigint;
  /** A gas coin that exists for this simulation only, where the transaction names none. */
  mockGas?: MoveRecord;
  /** When the epoch began. */
  epochTimestampMs: number;
  /** See `ExecutionInput`. Default: false. */
  unchecked?: boolean;
  /** See `ExecutionInput`. Default: 0. */
  maxOutputBytes?: number;
  read: ReadLive;
  funds: ReadFunds;
}

export interface Run {
  outcome: ExecutionOutcome;
  settlement: Settlement;
}

/** Executes and settles a checked transaction. Nothing is stored. */
export function runTransaction(input: RunInput, execute: Execute): Run {
  const { transactionDigest, objects, read, reserved } = input;
  const { data, commands } = input.transaction;
  const gasPrice = BigInt(data.gasData.price);
  const gasBudget = BigInt(data.gasData.budget);
  const executed = execute({
    transactionDigest,
    sender: data.sender,
    sponsor: data.gasData.owner === data.sender ? undefined : data.gasData.owner,
    epoch: onlyEpoch,
    epochTimestampMs: BigInt(input.epochTimestampMs),
    referenceGasPrice,
    gasPrice,
    gasBudget,
    inputs: objects.inputs,
    commands,
    gasCoin: input.mockGas ?? gasCoin(objects, reserved),
    ...(objects.gas.fundsFirst && {
      gasFunds: { owner: objects.gas.owner, amount: paymentOf(objects.gas) - reserved },
    }),
    unchecked: input.unchecked ?? false,
    maxComputationUnits: stepsWithin(gasBudget, gasPrice),
    maxOutputBytes: input.maxOutputBytes ?? 0,
    readObject: read,
    readFunds: (owner, type) => input.funds(owner, balanceCoinOf(type)),
  });
  const writes = executed.writes.filter(({ id }) => id !== input.mockGas?.id);
  const { gasMoved, ...rest } = executed;
  const outcome = { ...rest, writes, ...(gasMoved && input.mockGas === undefined && { gasMoved }) };
  const called = commands.flatMap((command) =>
    command.$kind === 'MoveCall' ? [command.MoveCall.package] : [],
  );
  const packageDependencies = [...new Set(called)].flatMap((id) => read(id)?.previousTransaction ?? []);
  const settlement = settle({
    transactionDigest,
    commands,
    objects,
    outcome,
    gasPrice,
    gasBudget,
    reserved,
    packageDependencies,
    read,
  });
  return { outcome, settlement };
}

/** The first payment coin with the whole payment in it, less what is reserved for gas. */
function gasCoin(objects: TransactionObjects, reserved: bigint) {
  const coin = gasCoinOf(objects);
  return coin && { ...coin, contents: withU64(coin.contents, paymentOf(objects.gas) - reserved) };
}
