import { normalizeAddress } from '@adaptor-marketplace/adaptor/chain/names';
import { bcs } from '@mysten/sui/bcs';
import type { SuiClientTypes } from '@mysten/sui/client';
import { RunFailure, refusal } from '../failure.ts';

/** The part of every budget that does not depend on the transaction, in MIST: no run can cost less to sign. */
export const gasBase = 2_000_000n;

/** What the chain charges, in MIST. */
export type GasUsed = Pick<
  SuiClientTypes.GasCostSummary,
  'computationCost' | 'storageCost' | 'storageRebate'
>;

/** Who signs a transaction and who pays its gas, as addresses in the long form; they may be the same. */
export interface GasParties {
  sender: string;
  payer: string;
}

/**
 * The budget of a transaction that used this much in its simulation: a quarter more, before the rebate, and `gasBase`.
 * Execution may use more than the simulation, as where a shared object grew; beyond the budget the chain stops it.
 */
export function budgetFor({ computationCost, storageCost }: GasUsed): bigint {
  const used = BigInt(computationCost) + BigInt(storageCost);
  return (used * 5n + 3n) / 4n + gasBase;
}

/** What a transaction cost its payer: a rebate that is larger than the costs counts as nothing. */
export function chargedOf({ computationCost, storageCost, storageRebate }: GasUsed): bigint {
  const charged = BigInt(computationCost) + BigInt(storageCost) - BigInt(storageRebate);
  return charged > 0n ? charged : 0n;
}

/** @param needed undefined where it is not known */
export function tooMuchGas(needed: bigint | undefined, gasMax: bigint): RunFailure {
  const needs = needed === undefined ? 'more gas' : `a gas budget of ${needed} MIST, more`;
  return new RunFailure(
    'insufficient_gas',
    `The action needs ${needs} than the ${gasMax} MIST that one run may use here. Make it smaller.`,
  );
}

/**
 * The transaction to sign, out of the one that a node completed: the checked kind, with the node's gas coins and price,
 * the given budget and no expiration. A transaction that expires could have no verdict for good.
 * @param bytes BCS of the node's TransactionData
 * @param transactionKind base64 of the BCS of what was checked
 * @throws RunFailure `unexpected_transaction` where the node changed anything else, `agent_out_of_gas`
 */
export function withBudget(
  bytes: Uint8Array,
  transactionKind: string,
  { sender, payer }: GasParties,
  budget: bigint,
): { bytes: Uint8Array; payment: string[] } {
  const data = bcs.TransactionData.parse(bytes).V1;
  if (!data || bcs.TransactionKind.serialize(data.kind).toBase64() !== transactionKind) {
    throw refusal('it changed while gas was added');
  }
  const { owner, payment, price } = data.gasData;
  if (normalizeAddress(data.sender) !== sender || normalizeAddress(owner) !== payer) {
    throw refusal('another address signs or pays');
  }
  if (payment.length === 0) {
    throw new RunFailure('agent_out_of_gas', "The host's agent has no coin to pay the gas with.");
  }
  const V1 = {
    ...{ kind: data.kind, sender },
    gasData: { payment, owner: payer, price, budget: String(budget) },
    expiration: { None: true as const },
  };
  return {
    bytes: bcs.TransactionData.serialize({ V1 }).toBytes(),
    payment: payment.map(({ objectId }) => objectId),
  };
}
