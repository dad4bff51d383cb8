import { normalizeSuiAddress } from '@mysten/sui/utils';
import type { Store } from '../state/store.ts';
import type { MoveRecord } from './input-objects.ts';
import { suiCoinType } from './move-types.ts';
import { limits } from './protocol.ts';
import { LedgerError, type UnresolvedTransaction } from './types.ts';

/** The owner's SUI coins that the transaction does not use otherwise, richest first, at most 256; none that is a party object. */
export function gasCandidates(store: Store, owner: string, draft: UnresolvedTransaction): MoveRecord[] {
  const typeId = store.objects.types.find(suiCoinType);
  if (typeId === undefined) return [];
  const used = new Set(
    draft.inputs.flatMap((input) => (input.kind === 'object' ? [normalizeSuiAddress(input.objectId)] : [])),
  );
  const most = limits.maxGasPaymentObjects;
  const coins = store.objects.owned({ kind: 'address', address: owner }, typeId, undefined, most + used.size);
  return coins
    .map(({ object }) => object)
    .filter(({ id, owner: { kind } }) => kind === 'address' && !used.has(id))
    .slice(0, most);
}

/** In the full node's words. */
export function insufficientSui(owner: string, budget: bigint): LedgerError {
  return new LedgerError(
    'INVALID_ARGUMENT',
    'InsufficientGasBalance',
    `Unable to perform gas selection due to insufficient SUI balance (in address balance or coins) for account ${owner} to satisfy required budget ${budget}.`,
  );
}

/** The same for a payment that the draft names. */
export function insufficientPayment(available: bigint, budget: bigint): LedgerError {
  return new LedgerError(
    'INVALID_ARGUMENT',
    'InsufficientGasBalance',
    `Insufficient gas balance to cover estimated transaction cost. Available gas balance: ${available} MIST. Estimated gas budget required: ${budget} MIST`,
  );
}
