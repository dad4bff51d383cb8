import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import { bcs } from '@mysten/sui/bcs';
import type { GasCoin } from '../../../db/queries/agent/gas-coins.ts';
import { refusal } from '../../../lib/agent/run-failure.ts';

/** Addresses that sign a transaction and pay its gas, in the long form. They may be the same. */
export interface GasParties {
  sender: string;
  payer: string;
}

/** A coin as the database has it, from its reference on chain. */
export const toCoin = (reference: { objectId: string; version: string | number; digest: string }) => ({
  coinId: normalizeAddress(reference.objectId) ?? reference.objectId,
  version: Number(reference.version),
  digest: reference.digest,
});

/** A coin as a transaction names it. */
export const referenceTo = ({ coinId, version, digest }: GasCoin) => ({
  objectId: coinId,
  version: String(version),
  digest,
});

/**
 * Returns the transaction to sign, based on the one that a node completed: the checked kind with the given coins, the
 * node's price, the given budget and no expiration. A transaction that expires might never get a verdict.
 * @param bytes BCS of the node's TransactionData
 * @param transactionKind base64 of the BCS of the checked kind
 * @throws RunFailedError `unexpected_transaction` if the node changed anything else
 */
export function withBudget(
  bytes: Uint8Array,
  transactionKind: string,
  { sender, payer, payment }: GasParties & { payment: readonly GasCoin[] },
  budget: bigint,
): Uint8Array {
  const data = bcs.TransactionData.parse(bytes).V1;
  if (!data || bcs.TransactionKind.serialize(data.kind).toBase64() !== transactionKind) {
    throw refusal('it changed while gas was added');
  }
  const { owner, payment: named, price } = data.gasData;
  if (normalizeAddress(data.sender) !== sender || normalizeAddress(owner) !== payer) {
    throw refusal('another address signs or pays');
  }
  const references = payment.map(referenceTo);
  const coins = bcs.vector(bcs.SuiObjectRef);
  if (coins.serialize(named).toBase64() !== coins.serialize(references).toBase64()) {
    throw refusal('other coins pay its gas');
  }
  const V1 = {
    kind: data.kind,
    sender,
    gasData: { payment: references, owner: payer, price, budget: String(budget) },
    expiration: { None: true as const },
  };
  return bcs.TransactionData.serialize({ V1 }).toBytes();
}
