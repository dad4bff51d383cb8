/** SUI, as the chain spells it; nine decimals. */
export const SUI = `0x${'2'.padStart(64, '0')}::sui::SUI`;

/** Thousandths of a SUI in MIST. */
export const milliSui = (amount: number | bigint) => BigInt(amount) * 1_000_000n;

/** Dollars in base units; six decimals. */
export const dollars = (amount: number) => BigInt(Math.round(amount * 1_000_000));

/** An allowance that does not run down. */
export const unlimited = 2n ** 64n - 1n;
