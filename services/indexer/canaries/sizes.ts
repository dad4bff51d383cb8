/** Shares of past amounts that are at most as large as the small, the middle and the large size. */
const shares = [0.05, 0.5, 0.95];

/** Largest size: the amounts of one action add up, perhaps beyond a u64. */
const sizeMax = 10n ** 17n;

/** Decimals of a coin whose metadata is not known. */
const decimalsDefault = 6;

/**
 * Chooses up to three different sizes from the amounts of past calls, in ascending order: quantiles, so that one call of
 * a stranger moves them little. Without past calls there is one size, a hundredth of a coin.
 */
export function chooseSizes(amounts: readonly bigint[], decimals: number | null | undefined): bigint[] {
  const used = amounts.filter((amount) => amount > 0n).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  if (used.length === 0) return [10n ** BigInt(Math.min(Math.max(0, (decimals ?? decimalsDefault) - 2), 16))];
  const quantiles = shares.map((share) => used[Math.max(0, Math.ceil(share * used.length) - 1)]!);
  return [...new Set(quantiles.map((size) => (size > sizeMax ? sizeMax : size)))];
}
