import type { SuiClientTypes } from '@mysten/sui/client';
import type { FinalGasCost } from '../../../db/queries/agent/gas-coins.ts';
import { RunFailedError } from '../../../lib/agent/run-failure.ts';
import { toCoin } from './gas-data.ts';

/** Part of every gas budget that does not depend on the transaction, in MIST. No run can have a smaller budget. */
export const gasBase = 2_000_000n;

type GasSummary = Pick<SuiClientTypes.GasCostSummary, 'computationCost' | 'storageCost' | 'storageRebate'>;

/**
 * Returns the gas budget, in MIST, for what a simulation used: a quarter more, before the rebate, plus `gasBase`. The
 * execution may use more, for example if a shared object grew. The chain stops it at the budget.
 */
export function computeBudget({ computationCost, storageCost }: GasSummary): bigint {
  const used = BigInt(computationCost) + BigInt(storageCost);
  return (used * 5n + 3n) / 4n + gasBase;
}

/** Returns the refusal of an action whose gas budget exceeds `gasMax`. @param needed undefined where it is not known */
export function tooMuchGas(needed: bigint | undefined, gasMax: bigint): RunFailedError {
  const needs = needed === undefined ? 'more gas' : `a gas budget of ${needed} MIST, more`;
  return new RunFailedError(
    'insufficient_gas',
    `The action needs ${needs} than the ${gasMax} MIST that one run may cost. Send the steps of a composition in ` +
      'separate runs, or ask the operator for a higher AGENT_GAS_MAX.',
  );
}

/** Returns the gas cost of a transaction, at least 0 MIST, and its gas coin afterwards, from its effects. */
export function computePaid({
  gasUsed,
  gasObject,
}: Pick<SuiClientTypes.TransactionEffects, 'gasObject'> & { gasUsed: GasSummary }): FinalGasCost {
  const { computationCost, storageCost, storageRebate } = gasUsed;
  const paid = BigInt(computationCost) + BigInt(storageCost) - BigInt(storageRebate);
  const charged = paid > 0n ? paid : 0n;
  const { objectId, outputVersion, outputDigest } = gasObject ?? {};
  if (objectId === undefined || !outputVersion || !outputDigest) return { charged, coin: null };
  const coin = toCoin({ objectId, version: outputVersion, digest: outputDigest });
  return { charged, coin: { ...coin, paid } };
}
