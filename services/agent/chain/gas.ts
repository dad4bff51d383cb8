import { bcs } from '@mysten/sui/bcs';
import { normalizeAddress } from '../../../lib/chain/names.ts';
import { refusal } from '../check/refusal.ts';
import { RunFailure } from '../run/failure.ts';

/** The most gas that one transaction may cost the host, in MIST. */
export const gasBudgetMax = 1_000_000_000n;

/**
 * Ids of the coins that pay the gas of a transaction that a node completed, whose every other part must be what was
 * checked.
 * @param bytes BCS of the TransactionData
 * @param transactionKind base64 of the BCS of what was checked
 * @throws RunFailure `unexpected_transaction`, `insufficient_gas`, `agent_out_of_gas`
 */
export function gasOf(bytes: Uint8Array, transactionKind: string, agent: string): string[] {
  const data = bcs.TransactionData.parse(bytes).V1;
  if (!data || bcs.TransactionKind.serialize(data.kind).toBase64() !== transactionKind) {
    throw refusal('it changed while gas was added');
  }
  const { owner, budget, payment } = data.gasData;
  if (normalizeAddress(data.sender) !== agent || normalizeAddress(owner) !== agent) {
    throw refusal('another address signs or pays');
  }
  if (BigInt(budget) > gasBudgetMax) {
    throw new RunFailure(
      'insufficient_gas',
      `It needs more gas than the ${gasBudgetMax} MIST that one run may cost.`,
    );
  }
  if (payment.length === 0) {
    throw new RunFailure('agent_out_of_gas', "The host's agent has no coin to pay the gas with.");
  }
  // One that the chain no longer takes would wait for its verdict for good.
  if (data.expiration.$kind !== 'None') throw refusal('it expires');
  return payment.map(({ objectId }) => objectId);
}
