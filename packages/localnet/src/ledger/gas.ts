import { limits } from './protocol.ts';
import type { GasCostSummary } from './types.ts';

/**
 * The gas schedule, flat by design:
 *
 * - computation: 1,000 units for every started 10,000 steps of the virtual machine, times the gas price;
 * - storage: 7,600 MIST per byte of BCS of each written object (the chain's 100 units at 76 MIST);
 * - rebate: what a rewritten or deleted version had paid, less 1 % that is never given back.
 *
 * A failed transaction pays for its computation only.
 */
const stepsPerBucket = 10_000n;
const unitsPerBucket = 1_000n;
const storagePricePerByte = 7_600n;
const rebateBasisPoints = 9_900n;

/** The most work that one transaction may do, whatever it pays: about a second of this machine. */
const maxSteps = 20_000_000n;

/** MIST for storing `bytes`. */
export function storagePrice(bytes: number): bigint {
  return BigInt(bytes) * storagePricePerByte;
}

/** The least that any transaction costs, and so the least budget. */
export function minimumBudget(gasPrice: bigint): bigint {
  return unitsPerBucket * gasPrice;
}

/** Steps that a budget pays for. */
export function stepsWithin(budget: bigint, gasPrice: bigint): bigint {
  return atMost(maxSteps, (budget / (unitsPerBucket * gasPrice)) * stepsPerBucket);
}

export function computationCost(steps: bigint, gasPrice: bigint): bigint {
  const buckets = steps === 0n ? 1n : (steps + stepsPerBucket - 1n) / stepsPerBucket;
  return buckets * unitsPerBucket * gasPrice;
}

/** @param paidBefore MIST of storage that the versions written over or deleted had paid. */
export function gasSummary(computation: bigint, storageCost: bigint, paidBefore: bigint): GasCostSummary {
  const storageRebate = (paidBefore * rebateBasisPoints) / 10_000n;
  return {
    computationCost: computation,
    storageCost,
    storageRebate,
    nonRefundableStorageFee: paidBefore - storageRebate,
  };
}

/** Of a transaction that stores nothing new: its inputs keep the storage that they had paid for. */
export function failedGasSummary(
  computation: bigint,
  storageCost: bigint,
  paidBefore: bigint,
): GasCostSummary {
  return {
    computationCost: computation,
    storageCost,
    storageRebate: paidBefore,
    nonRefundableStorageFee: 0n,
  };
}

/** What leaves the gas coin; negative when more storage was freed than used. */
export function netCost(gas: GasCostSummary): bigint {
  return gas.computationCost + gas.storageCost - gas.storageRebate;
}

export function addGas(a: GasCostSummary, b: GasCostSummary): GasCostSummary {
  return {
    computationCost: a.computationCost + b.computationCost,
    storageCost: a.storageCost + b.storageCost,
    storageRebate: a.storageRebate + b.storageRebate,
    nonRefundableStorageFee: a.nonRefundableStorageFee + b.nonRefundableStorageFee,
  };
}

export const noGas: GasCostSummary = gasSummary(0n, 0n, 0n);

/** A budget that surely covers what a trial run used: gross of rebates, and a bucket more. */
export function computeBudget(gas: GasCostSummary, gasPrice: bigint): bigint {
  return atMost(limits.maxGasBudget, gas.computationCost + gas.storageCost + unitsPerBucket * gasPrice);
}

export function atMost(bound: bigint, value: bigint): bigint {
  if (value > bound) return bound;
  return value;
}

/** Gas amounts as the SDK's codecs give them. */
export function gasOf(gas: Record<keyof GasCostSummary, string>): GasCostSummary {
  return {
    computationCost: BigInt(gas.computationCost),
    storageCost: BigInt(gas.storageCost),
    storageRebate: BigInt(gas.storageRebate),
    nonRefundableStorageFee: BigInt(gas.nonRefundableStorageFee),
  };
}
